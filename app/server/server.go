// Package server is the composition root. It builds the program downwards: the stores (callers.go), the modules over
// them (modules.go), the jobs (jobs.go), and the routes (routes.go).
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"onrush/app/crowd"
	"onrush/app/outages"
	"onrush/app/schema"
	"onrush/jobs"
	"onrush/modules/apikey"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/events"
	"onrush/modules/events/delivery"
	"onrush/modules/instances"
	"onrush/modules/loop"
	"onrush/modules/needs"
	"onrush/modules/order/queue"
	"onrush/modules/redisdb"
	"onrush/modules/seckill/admin"
	"onrush/modules/seckill/inventory"
	"onrush/modules/site"
	"onrush/modules/sqldb"
	"onrush/modules/tracing"
	"onrush/modules/trail"
	"onrush/web"
	"onrush/web/operators"
)

// Server is the whole program over one set of stores.
type Server struct {
	App  *fiber.App
	Auth *web.Auth

	// Parts of the modules, which tests and commands call.
	Mover      *queue.Mover
	Sequencer  *events.Sequencer
	Deliverer  *delivery.Deliverer
	Activities *admin.Activities
	History    *admin.History
	Auditor    *inventory.Auditor
	Catalogue  *catalogue.Catalogue
	Instances  *instances.Reporter
	Keys       *apikey.Verifier

	// Jobs are the periodic jobs; tests run them by hand.
	Jobs      []jobs.Job
	Scheduler *jobs.Scheduler

	cfg     Config
	parts   Parts
	clock   *clock.Clock
	site    *site.Site
	modules modules
	health  *web.Health
	checks  map[string]web.Check // of the stores
	metrics *prometheus.Registry
	outages *outages.Log // the log
	crowd   *crowd.Crowd // nil without tokens for development

	lifetime
	stopWithin time.Duration // bounds each step of a graceful stop
	loops      sync.WaitGroup
	endMoving  context.CancelFunc // set by Start
	mounted    mounted
}

// New builds the program. Nothing runs before Run.
func New(cfg Config, parts Parts) (_ *Server, err error) {
	life := newLifetime()
	defer func() {
		if err != nil {
			life.quit()
		}
	}()
	stop := life.stop
	logged := outages.New(parts.Log.Handler(), time.Now)
	parts.Log = slog.New(tracing.LogHandler{Handler: logged}) // logged would hold back a line without its context

	callers, name := newCallers(&cfg, parts), instanceName(parts.NewID())
	checks := storeChecks(&cfg, parts, callers.work.site, name)
	health := web.NewHealth(life.leaving, checks)
	reporter := newReporter(cfg.MetricsAddr, parts, callers, health, name)
	callers.judge = redisdb.NewRateJudge(parts.Redis, parts.Keys.Limit, reporter.Count)
	callers.fleet = reporter
	registry := prometheus.NewRegistry()
	cfg.Web.Refused, cfg.Web.Metrics, cfg.Web.Tracer = reporter.Refused, registry, parts.Traces.Of()
	memory := trail.NewMemory(trail.MaxRefusals, callers.work.clock.Now)
	cfg.Web.Refusal = memory.Record
	trails := trail.NewService(trail.Deps{
		Memory: memory, Redis: parts.Redis, Keys: parts.Keys, Log: parts.Log, NewID: parts.NewID, Name: name,
		Running: reporter.Running,
	})
	keys := apikey.NewVerifier(callers.keys(parts))
	app, auth, err := newApp(stop, cfg, parts, keys)
	if err != nil {
		return nil, configError(err)
	}
	health.Require("token_keys", auth.CheckKeys)
	health.Require("site", func(context.Context) error { return callers.work.site.CheckOwn() })
	health.Require("schema", func(ctx context.Context) error { return checkSchema(ctx, parts.DB) })
	pauses := jobs.NewPauses(parts.DB, callers.work.clock.Now)
	modules, err := newModules(stop, cfg, parts, callers, pauses, keys, trails)
	if err != nil {
		return nil, err
	}
	health.Watch("queue", pauses.CheckMoving(modules.orders.inspector.CheckMoving))
	list := newJobs(cfg, parts, callers, &modules)
	scheduler, err := jobs.New(stop, list, jobs.Deps{
		DB: parts.DB, Redis: parts.Redis, Keys: parts.Keys, Locks: callers.work.locks, Pauses: pauses,
		Now: callers.work.clock.Now, ClockOffset: callers.work.clock.Offset, NewID: parts.NewID,
		Instance: name, Log: parts.Log,
	})
	if err != nil {
		return nil, configError(err)
	}
	s := &Server{
		App: app, Auth: auth, Mover: modules.orders.mover, Sequencer: modules.events.sequencer,
		Deliverer: modules.events.deliverer, Activities: modules.sales.operated, History: modules.sales.history,
		Auditor: modules.sales.auditor, Catalogue: modules.goods.catalogue, Jobs: list, Scheduler: scheduler, cfg: cfg,
		Instances: reporter, Keys: keys, parts: parts, clock: callers.work.clock, site: callers.work.site,
		modules: modules, health: health, checks: checks, outages: logged, metrics: registry,
		crowd: newCrowd(stop, cfg, parts, app, auth, &modules), lifetime: life, stopWithin: stopWithin,
		mounted: mounted{left: make(chan struct{}, 1)},
	}
	return s, errors.Join(s.registerMetrics(callers), s.register())
}

// newReporter returns what tells the other instances of this one.
func newReporter(metrics string, p Parts, c callers, health *web.Health, name string) *instances.Reporter {
	return instances.NewReporter(instances.Deps{
		Redis: p.Redis, Keys: p.Keys, Clock: c.work.clock, Log: p.Log, Name: name, Version: p.Version,
		Abilities:   needs.Abilities(),
		MetricsAddr: metrics,
		Health: func() (status string, unavailable []string) {
			ready := health.Ready()
			return ready.Status, ready.Unavailable
		},
	})
}

// newApp returns the HTTP server without routes, and the check of its callers' tokens and keys.
func newApp(stop context.Context, cfg Config, p Parts, keys *apikey.Verifier) (*fiber.App, *web.Auth, error) {
	cfg.Web.TrustedProxies = cfg.Proxies
	cfg.Web.Problem = sqldb.Unavailable
	cfg.Web.Origins = web.Origins{
		Buyers: cfg.CORSOrigins, Operators: cfg.CORSAdminOrigins, Headers: cfg.CORSHeaders,
	}
	app, err := web.NewApp(stop, cfg.Web, p.Log, p.NewID)
	if err != nil {
		return nil, nil, err
	}
	if cfg.AdminAddr != "" {
		app.Use("/admin", operators.OnlyAtListen)
	}
	tokens := cfg.Auth()
	tokens.Keys = apikey.Keys{Verifier: keys}
	auth, err := web.NewAuth(stop, tokens, p.Log, p.Now)
	if err != nil {
		return nil, nil, err
	}
	return app, auth, nil
}

// newCrowd returns the sender of crowds to sales; nil where there are no tokens for development.
func newCrowd(
	stop context.Context, cfg Config, p Parts, app *fiber.App, auth *web.Auth, m *modules,
) *crowd.Crowd {
	if !cfg.DevTokens() {
		return nil
	}
	return crowd.New(stop, crowd.Deps{
		Handler: app.Server().Handler, Sign: auth.Sign, Sales: m.sales.operated, Points: m.goods.catalogue,
		Auditor: m.sales.auditor, NewID: p.NewID, Now: p.Now, Random: p.Random, Log: p.Log,
	})
}

// MaxBody is the largest body of a request, which only an operator may send, in bytes. A sale of 100 skus at 1,000
// stock points each takes 7 MB without spaces.
const MaxBody = 16 << 20

// operatorPaths begin the paths to which bodies of up to MaxBody may be sent.
const operatorPaths = "/admin/api/v1/"

// isPublic reports whether a request needs no token: one for the list of activities, for one activity, or for the
// result of a draw.
func (c *Config) isPublic(r *fiber.Ctx) bool {
	if !c.PublicActivities || r.Method() != fiber.MethodGet && r.Method() != fiber.MethodHead {
		return false
	}
	if rest, ok := strings.CutPrefix(r.Path(), "/api/v1/seckill/draws/"); ok {
		_, what, _ := strings.Cut(rest, "/")
		return what == "result" || what == "lots"
	}
	rest, ok := strings.CutPrefix(r.Path(), "/api/v1/activities")
	return ok && strings.LastIndexByte(rest, '/') <= 0 && (rest == "" || rest[0] == '/')
}

// random32 returns 32 random bits.
func (p Parts) random32() uint32 { return uint32(p.Random() >> 32) }

// knowTime makes sure that the stores' time is known before a request is carried out. Without any
// store the request fails anyway.
func (s *Server) knowTime(c *fiber.Ctx) error {
	_ = s.clock.Known(c.UserContext())
	return c.Next()
}

// instanceName returns a name that no other instance has: the machine's name and a random part.
func instanceName(id string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%.40s-%.8s", host, id)
}

// preheatWithin bounds the loads before the program listens; the job preheat does the rest.
const preheatWithin = 10 * time.Second

// Preheat loads the activities that Redis should have and doesn't. Activities that can't be loaded now are loaded by
// the job.
func (s *Server) Preheat(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, preheatWithin)
	defer cancel()
	if _, err := s.modules.sales.preheater.RunOnce(ctx); err != nil {
		s.parts.Log.WarnContext(ctx, "not all sales are loaded; the job preheat continues", "error", err)
	}
}

// prepareAgain is how long a failed preparation of the SQL store waits for the next try.
const prepareAgain = time.Second

// prepare prepares a SQL store that was unavailable at the start as soon as it answers, and reports whether it
// is ready. If it is not, ctx has ended.
func (s *Server) prepare(ctx context.Context) bool {
	if s.parts.Prepare == nil {
		return true
	}
	logged := ""
	for ctx.Err() == nil {
		err := s.parts.Prepare(ctx)
		if err == nil {
			s.site.Load(ctx)
			err = s.site.CheckOwn()
		}
		if err == nil {
			s.parts.Log.InfoContext(ctx, "SQL is available and its schema is up to date")
			return true
		}
		switch text := err.Error(); {
		case errors.Is(err, schema.ErrBusy):
			s.parts.Log.WarnContext(ctx, busyText)
		case !sqldb.IsUnavailable(err) && text != logged:
			logged = text
			s.parts.Log.ErrorContext(ctx, "SQL answers but can't be used", "error", err)
		}
		_ = loop.Wait(ctx, prepareAgain)
	}
	return false
}

// Start starts what runs beside requests: copies, jobs, movers. Jobs and movers begin when the SQL store is ready. It
// returns a channel that gets an error if they can't. The caller calls Stop afterwards, once, also after an error.
func (s *Server) Start(ctx context.Context) (failed <-chan error, err error) {
	_ = s.clock.Sync(ctx) // if no store answers yet, the clock keeps asking
	s.site.Load(ctx)
	if err := s.site.CheckOwn(); err != nil {
		return nil, err
	}
	if s.parts.Prepare == nil {
		s.modules.gates.blocked.Load(ctx)
		s.modules.settings.store.Load(ctx)
		s.Preheat(ctx)
	}
	moving, endMoving := context.WithCancel(context.WithoutCancel(ctx))
	s.endMoving = endMoving
	loops, started := &s.loops, make(chan error, 1)
	loops.Go(func() {
		if !s.prepare(moving) {
			return
		}
		if err := s.Scheduler.Start(); err != nil { //nolint:contextcheck // the jobs end with the scheduler
			s.parts.Log.ErrorContext(ctx, "the jobs can't start", "error", err)
			started <- err
			return
		}
		loops.Go(func() { s.Sequencer.Run(moving) })
		loops.Go(func() { s.Deliverer.Run(moving) })
		loops.Go(func() { s.History.Run(moving) })
		loops.Go(func() { s.Keys.Run(moving) })
		s.Mover.Run(moving)
	})
	loops.Go(func() { s.modules.gates.blocked.Run(moving) })
	loops.Go(func() { s.modules.settings.store.Run(moving) })
	loops.Go(func() { s.modules.goods.addresses.Copies.Run(moving) })
	loops.Go(func() { s.Auth.Run(moving) })
	loops.Go(func() { s.Instances.Run(moving) })
	loops.Go(func() { s.modules.trails.Run(moving) })
	loops.Go(func() { s.clock.Run(moving) })
	loops.Go(func() { s.site.Run(moving) })
	loops.Go(func() { s.outages.Watch(moving, s.checks) })
	if sandbox := s.modules.money.sandbox; sandbox != nil {
		sandbox.Resume() //nolint:contextcheck // it ends with the sandbox
	}
	s.App.Handler() // builds the tree of routes, which a listener would do
	s.mounted.open.Store(true)
	return started, nil
}

// Serve starts the program, and serves listeners until ctx ends. Then it serves on for Config.StopDelay while it isn't
// ready, so that load balancers send it nothing more, and stops.
func (s *Server) Serve(ctx context.Context, ln net.Listener, more ...net.Listener) error {
	if err := s.checkBasePath(); err != nil {
		return errors.Join(configError(err), s.Stop(context.WithoutCancel(ctx)))
	}
	failed, err := s.Start(ctx)
	if err != nil {
		return errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	serveBelow(s.cfg.basePath(), s.App.Server())
	served := make(chan error, 1+len(more))
	for _, ln := range append(more, ln) {
		go func() { served <- s.App.Listener(ln) }()
	}
	select {
	case err = <-served:
		err = fmt.Errorf("serve: %w", err)
	case err = <-failed:
	case <-ctx.Done():
		s.serveOn(ctx)
	}
	return errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
}
