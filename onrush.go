package onrush

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httputil"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"onrush/app/release"
	"onrush/app/server"
	"onrush/app/setting"
	"onrush/app/tracing"
	"onrush/modules/events"
	"onrush/modules/segments"
	"onrush/web"
)

// Config configures a Platform.
type Config struct {
	// Redis is redis://user:password@host:port/db; several addr parameters for a cluster.
	Redis string
	// MySQL is user:password@tcp(host:port)/database of MySQL or MariaDB. The database is the platform's alone.
	MySQL string
	// MySQLReplica is a replica of it that is read for lists. Default none.
	MySQLReplica string
	// Dir is the folder of embedded stores, for development and tests: either Redis and MySQL are given, or Dir is.
	Dir string
	// RedisPrefix begins all keys in Redis, so that programs may share one: 1 to 32 of a-z, 0-9 and -. Default onrush.
	RedisPrefix string
	// BaseURL is where browsers and payment gateways reach the platform, the path that it is mounted at included.
	BaseURL string
	// Settings are other settings, by the names that "onrush serve --help" lists, such as ONRUSH_JWT_SECRET. The
	// environment is not read. The pages (ONRUSH_PAGES) are off unless they are set to true.
	Settings map[string]string
	// Authenticate tells who makes a request, by its headers, such as a cookie of the program's own login. ErrNoCaller
	// leaves it to the tokens, as all requests are without Authenticate; any other error answers 503. It is called for
	// each request of a route that is not public, so it must be fast, and must not outlast ctx. A request that changes
	// something and has cookies must come from a page of BaseURL's origin.
	Authenticate func(ctx context.Context, header http.Header) (Caller, error)
	// Admit answers whether a buyer who has passed the waiting room and the human check may have a path, without which
	// nobody orders. Nil admits, a *NotAdmitted refuses, and any other error answers 503, as does a call that panics or
	// takes longer than 300 ms. At most 256 calls are under way. ONRUSH_ADMIT_URL asks a route of a shop instead.
	// Default: all are admitted.
	Admit func(ctx context.Context, a Admission) error
	// Changed is called in the transaction in which orders are stored, paid, cancelled or refunded, so that what it
	// writes by tx is committed with the change, or not at all: tables of the program's own in other databases of the
	// same server. The changes of one call happen together, each to another order. It must not end tx or keep it, must
	// return errors of statements, and must not outlast ctx, which has 3 seconds at most.
	//
	// An error, a panic or silence rolls the transaction back: a request answers 503 and may be sent again, a payment
	// is reported again by its gateway, and an order that waits in Redis is tried again until Changed accepts it, as is
	// a cancellation that is due. Changed is also called again after a commit that failed, or whose outcome is unknown
	// to the caller of the earlier call.
	Changed func(ctx context.Context, tx *sql.Tx, changes []Change) error
	// Gateways are payment channels of the program's own, beside the channels of the settings. All instances have the
	// same.
	Gateways []Gateway
	// Log gets the log. Default none.
	Log *slog.Logger
	// Metrics gets the metrics while the platform exists, but not the metrics of Go and the process. Default none.
	Metrics prometheus.Registerer
	// Traces makes the spans of requests, of orders on their way to SQL, and of calls of the stores. A request
	// continues the trace of the context that it comes with, or else of its header traceparent. Default none.
	Traces trace.TracerProvider
}

// Platform is one instance of Onrush. Its methods are safe for concurrent use.
type Platform struct {
	server *server.Server
	feed   *events.Feed
	proxy  *httputil.ReverseProxy
	newID  func() string
	log    *slog.Logger
	close  func()

	mu    sync.Mutex
	state state
}

// state is how far a Platform has come.
type state int

const (
	opened state = iota
	running
	stopped
)

// New opens the stores and brings their schema up to date. Nothing runs before Start. The caller calls Stop in any
// case, which closes the stores.
func New(ctx context.Context, cfg Config) (_ *Platform, err error) {
	settings, err := cfg.settings()
	if err != nil {
		return nil, fmt.Errorf("onrush: %w", err)
	}
	log := cfg.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	parts, closeStores, err := server.Open(ctx, settings, log, tracing.Given(cfg.Traces))
	if err != nil {
		return nil, fmt.Errorf("onrush: %w", err)
	}
	parts.Version, parts.Metrics = release.Version(), cfg.Metrics
	hook := server.HookOf(ctx)
	hook.Change(&parts)
	s, err := server.New(*settings, parts) //nolint:contextcheck // routes have the contexts of their requests
	if err != nil {
		closeStores()
		return nil, fmt.Errorf("onrush: %w", err)
	}
	hook.Made(s)
	return &Platform{
		server: s, feed: events.NewFeed(parts.DB), newID: parts.NewID, log: log,
		close: closeStores,
		proxy: newProxy(s.Handle, server.MaxBody, log),
	}, nil
}

// Caller is who makes a request.
type Caller struct {
	// User is the id of a buyer, or the name of an operator: 1 to 64 characters. What it names is never another's.
	User string
	// Operator says that the caller is an operator, who may do everything.
	Operator bool
	// Segments are the segments that a buyer is in, such as members; a sale may be for some segments only. They are up
	// to 32 names of 1 to 32 characters a-z, 0-9, - and _. With other names the request is answered 503.
	Segments []string
	// Claims are what else is known of a buyer, by names that sales use: for whom a sale is, or what its limits count
	// by, such as a household. They are what a token's claims would be.
	Claims map[string][]string
}

// ErrNoCaller says that a request's headers name no caller.
var ErrNoCaller = errors.New("onrush: the request names no caller")

// authenticate returns Authenticate as the server takes it; nil if there is none.
func (c *Config) authenticate() func(context.Context, http.Header) (web.Identity, error) {
	if c.Authenticate == nil {
		return nil
	}
	return func(ctx context.Context, header http.Header) (web.Identity, error) {
		caller, err := c.Authenticate(ctx, header)
		switch {
		case errors.Is(err, ErrNoCaller):
			return web.Identity{}, fmt.Errorf("%w: %w", web.ErrNoCaller, err)
		case err != nil:
			return web.Identity{}, err
		}
		who := web.Identity{User: caller.User, Role: web.RoleUser}
		if caller.Operator {
			who.Role = web.RoleAdmin
		}
		who.Claims = caller.Claims
		who.Segments, err = segments.Of(caller.Segments)
		return who, err
	}
}

// settings returns the settings of the program.
func (c *Config) settings() (*server.Config, error) {
	named := map[string]string{
		"ONRUSH_REDIS_URL": c.Redis, "ONRUSH_MYSQL_DSN": c.MySQL, "ONRUSH_MYSQL_READ_DSN": c.MySQLReplica,
		"ONRUSH_DATA_DIR": c.Dir, "ONRUSH_REDIS_PREFIX": c.RedisPrefix, "ONRUSH_PUBLIC_URL": c.BaseURL,
	}
	for name := range named {
		if c.Settings[name] != "" {
			return nil, fmt.Errorf("%s is a field of Config, and no setting", name)
		}
	}
	all := map[string]string{"ONRUSH_PAGES": "false"}
	maps.Copy(all, c.Settings)
	maps.Copy(all, named)
	for _, name := range []string{"ONRUSH_ADDR", "ONRUSH_ADMIN_ADDR", "ONRUSH_METRICS_ADDR", "ONRUSH_STOP_DELAY"} {
		if all[name] != "" {
			return nil, fmt.Errorf("%s is a setting of a program that listens, and none of this one", name)
		}
	}
	switch {
	case c.Dir == "" && c.Redis == "" && c.MySQL == "":
		return nil, errors.New("neither Redis and MySQL nor Dir is given")
	case c.Dir != "" && (c.Redis != "" || c.MySQL != ""):
		return nil, errors.New("both Dir, the folder of embedded stores, and real stores are given")
	}
	var settings server.Config
	if err := setting.Read(&settings, all); err != nil {
		return nil, err
	}
	if slices.Contains(c.Gateways, nil) {
		return nil, errors.New("one of Gateways is nil")
	}
	settings.Hosted = hostedGateways(c.Gateways)
	settings.Authenticate = c.authenticate()
	settings.Admit = c.admit()
	settings.Changed = c.changed()
	return &settings, nil
}

// ErrStopped says that a Platform was stopped. It can't be started again: make another one.
var ErrStopped = errors.New("onrush: the platform is stopped")

// Start starts jobs and movers, and lets requests in. They run until Stop, also when ctx ends. A second Start does
// nothing.
func (p *Platform) Start(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.state {
	case stopped:
		return ErrStopped
	case running:
		return nil
	case opened:
	}
	if _, err := p.server.Start(ctx); err != nil {
		return fmt.Errorf("onrush: %w", err)
	}
	p.state = running
	return nil
}

// Stop lets no more requests in, waits for those that run, places the orders that wait, ends the jobs, finishes the
// batch being moved, and closes the stores. Each step takes ten seconds at most, and is cut short when ctx ends. No
// goroutine, file or connection is left. A second Stop does nothing.
func (p *Platform) Stop(ctx context.Context) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.state
	if p.state = stopped; was == stopped {
		return nil
	}
	if err = p.server.Stop(ctx); err != nil {
		err = fmt.Errorf("onrush: stop: %w", err)
	}
	p.close()
	return err
}
