// Onrush takes the orders of flash sales at the speed of Redis and moves them to SQL.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"onrush/app/release"
	"onrush/app/schema"
	"onrush/app/server"
	"onrush/app/setting"
	apptracing "onrush/app/tracing"
	"onrush/modules/redisdb"
	"onrush/modules/segments"
	"onrush/modules/sqldb"
	"onrush/modules/tracing"
	"onrush/web"
)

// commands is the command line.
type commands struct {
	EnvFile string `help:"File of settings, as in a systemd unit. Variables of the environment come first."`

	Serve  serveCommand  `cmd:"" default:"withargs" help:"Run the server, without settings on embedded stores."`
	Schema schemaCommand `cmd:"" help:"Apply or compare the schema, and end."`
	Audit  auditCommand  `cmd:"" help:"Compare the stock of a sale in Redis and SQL."`
	Token  tokenCommand  `cmd:"" help:"Print a token."`
	Doctor doctorCommand `cmd:"" help:"Check the settings, the stores and the payment channels."`
	Drill  drillCommand  `cmd:"" help:"Rehearse a sale with a crowd, or calculate what it needs."`
	Health healthCommand `cmd:"" help:"Ask the instance on this machine whether it is ready."`
	Listen listenCommand `cmd:"" help:"Print the events of a running program and forward them, for development."`

	Activities activitiesCommand `cmd:"" help:"Sales of a running program."`
	Orders     ordersCommand     `cmd:"" help:"Orders of a running program."`
	Refund     refundCommand     `cmd:"" help:"Refund an order of a running program, or units or vouchers of it."`
	Refunds    refundsCommand    `cmd:"" help:"Refunds of a running program."`
	Payments   paymentsCommand   `cmd:"" help:"Payments of a running program."`
	Queue      queueCommand      `cmd:"" help:"Orders of a running program that wait to be stored in SQL."`
	Dead       deadCommand       `cmd:"" help:"Orders of a running program that can't be stored in SQL."`
	Keys       keysCommand       `cmd:"" help:"Keys of a running program: with a scope, beside the platform's tokens."`

	SKUs      skusCommand      `cmd:"" name:"skus" help:"Goods of a running program's catalogue."`
	Points    pointsCommand    `cmd:"" help:"Stock points of a running program."`
	Vouchers  vouchersCommand  `cmd:"" help:"Vouchers of a running program."`
	Jobs      jobsCommand      `cmd:"" help:"Periodic jobs of a running program."`
	Endpoints endpointsCommand `cmd:"" help:"Endpoints that get the events of a running program."`

	Settings  settingsCommand  `cmd:"" help:"Limits, log, levels and a stop of all sales of a running program."`
	Changes   changesCommand   `cmd:"" help:"What operators changed in a running program, and when."`
	Instances instancesCommand `cmd:"" help:"Instances of a running program, with their versions."`

	Alerts alertsCommand `cmd:"" help:"Print the alerts for Prometheus, with links to your copy of the documentation."`

	Completion kongcompletion.Completion `cmd:"" help:"Print what makes a shell complete commands."`
	Man        manCommand                `cmd:"" help:"Print the manual page, for man -l -."`
	Users      usersCommand              `cmd:"" help:"What a running program stores of one buyer."`
	Restore    restoreCommand            `cmd:"" help:"Finish a restore of SQL from a backup, before the first start."`

	Version versionCommand `cmd:"" help:"Print the version and end."`

	unit string // unitFile, but in tests
}

type serveCommand struct {
	server.Config
}

// tokenCommand needs only what the server asks of HS256 tokens.
type tokenCommand struct {
	User string        `arg:"" help:"User id."`
	Role string        `help:"user or admin." enum:"user,admin" default:"user"`
	For  time.Duration `help:"How long it is valid." default:"1h"`

	Segments []string `help:"The segments that the user is in, separated by commas."`

	JWTSecret   string `help:"Secret of HS256 tokens, 32 bytes or more." env:"ONRUSH_JWT_SECRET"`
	JWTIssuer   string `help:"The iss that tokens must have." env:"ONRUSH_JWT_ISSUER" log:"show"`
	JWTAudience string `help:"The aud that tokens must have." env:"ONRUSH_JWT_AUDIENCE" log:"show"`
	JWTRole     string `name:"jwt-role-claim" help:"Role claim." default:"role" env:"ONRUSH_JWT_ROLE_CLAIM" log:"show"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	signal.Ignore(syscall.SIGHUP) // a lost terminal must not end a server; see untilSignal
	cmd := commands{unit: unitFile}
	parser, err := newParser(&cmd, kong.Resolvers(setting.Files(os.LookupEnv)), chineseHelp(os.LookupEnv),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.BindTo(os.Stdout, (*io.Writer)(nil)),
		kong.BindTo(os.Stdin, (*io.Reader)(nil)))
	if err != nil {
		panic(err) // the structs of the commands are wrong
	}
	file, err := envFile(os.Args[1:])
	parser.FatalIfErrorf(err)
	parser.FatalIfErrorf(loadEnvironment(file, os.LookupEnv, os.Setenv))
	parser.FatalIfErrorf(setting.TidyEnvironment(parser.Model, os.Environ(), os.Setenv, os.Unsetenv))
	parser.FatalIfErrorf(setURL(os.LookupEnv, os.Setenv))
	kongcompletion.Register(parser) // answers and ends if a shell asks how to complete a line
	parsed, err := parser.Parse(os.Args[1:])
	parser.FatalIfErrorf(err)
	parsed.FatalIfErrorf(setting.CheckEnvironment(parsed.Model, os.Environ()))
	parsed.FatalIfErrorf(parsed.Run())
}

// newLog returns a log that writes to standard error in the configured form, and its level, which may be changed.
func newLog(cfg *server.Config) (*slog.Logger, *slog.LevelVar) {
	level := &slog.LevelVar{}
	level.Set(cfg.Level())
	options := &slog.HandlerOptions{Level: level}
	if cfg.LogsJSON() {
		options.ReplaceAttr = tracing.InSeconds
		return slog.New(slog.NewJSONHandler(os.Stderr, options)), level
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options)), level
}

// Run serves until a signal comes.
func (c *serveCommand) Run(ctx context.Context, parsed *kong.Context, out io.Writer) error {
	log, level := newLog(&c.Config)
	err := c.serve(ctx, parsed, out, log, level)
	if err != nil && c.LogsJSON() { // whoever reads lines of JSON misses the last line of standard error
		log.ErrorContext(ctx, "the program ends", slog.Any("error", err))
	}
	return err
}

func (c *serveCommand) serve(
	ctx context.Context, parsed *kong.Context, out io.Writer, log *slog.Logger, level *slog.LevelVar,
) error {
	logStart(ctx, log, parsed.Selected().Flags)
	tuneCollector(ctx, log)
	parts, closeStores, err := open(ctx, &c.Config, log)
	if err != nil {
		return err
	}
	defer closeStores()
	var beside sync.WaitGroup
	defer beside.Wait()
	comparing, stopComparing := context.WithTimeout(ctx, compareWithin)
	defer stopComparing()
	beside.Go(warnOfEdits(comparing, parts, log))
	parts.Level = level
	parts.Version = release.Version()
	s, err := server.New(c.Config, parts) //nolint:contextcheck // routes have the contexts of their requests
	if err != nil {
		return err
	}
	if c.Embedded() {
		s.Preheat(ctx)
		if err := s.Demo(ctx); err != nil {
			return err
		}
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	operators, err := s.ListenAdmin(ctx)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	metrics, err := s.ListenMetrics(ctx)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	found := addresses(&c.Config, ln, operators)
	if metrics != nil {
		found = append(found, [2]string{"metrics", fmt.Sprintf("http://%s/metrics", metrics.Addr())})
	}
	if c.LogsJSON() { // so that all lines are JSON, where a journal has standard output, too
		logAddresses(ctx, log, &c.Config, found)
	} else {
		greet(out, &c.Config, found)
	}
	if ctx.Err() != nil { // a signal came during the start
		s.Hurry()
	} else {
		var release func()
		ctx, release = untilSignal(context.WithoutCancel(ctx), s)
		defer release()
	}
	notify(ctx)
	var more []net.Listener
	if operators != nil {
		more = append(more, operators)
	}
	if metrics == nil {
		return s.Serve(ctx, ln, more...)
	}
	return errors.Join(s.Serve(ctx, ln, more...), metrics.Close()) // a stop can be watched until its end
}

// open opens the stores and the traces that the environment asks for. The log gets what the Redis client logs, too.
func open(ctx context.Context, cfg *server.Config, log *slog.Logger) (server.Parts, func(), error) {
	redisdb.LogTo(log)
	traces, err := apptracing.Open(ctx, log)
	if err != nil {
		return server.Parts{}, nil, fmt.Errorf("%w: %w", server.ErrConfig, err)
	}
	closeTraces := func() {
		if err := traces.Close(context.WithoutCancel(ctx)); err != nil {
			log.WarnContext(ctx, "spans are lost", "reason", err.Error())
		}
	}
	parts, closeStores, err := server.Open(ctx, cfg, log, traces)
	if err != nil {
		closeTraces()
		return server.Parts{}, nil, err
	}
	return parts, func() { closeStores(); closeTraces() }, nil
}

// compareWithin bounds how long the tables are compared.
const compareWithin = time.Minute

// warnOfEdits returns what logs in which ways somebody has edited the tables, if SQL was there at the start. A newer
// version of the program may have changed them, too.
func warnOfEdits(ctx context.Context, parts server.Parts, log *slog.Logger) func() {
	return func() {
		if parts.Prepare != nil || parts.DB.Dialect == sqldb.SQLite {
			return
		}
		state, err := schema.Read(ctx, parts.DB)
		if err == nil && state.Newer > 0 {
			return
		}
		var differences []string
		if err == nil {
			differences, err = schema.Differences(ctx, parts.DB)
		}
		switch {
		case err != nil:
			log.DebugContext(ctx, "the tables can't be compared", "error", err)
		case len(differences) > 0:
			log.WarnContext(ctx, "somebody has edited the tables; see onrush schema check", "differences", differences)
		}
	}
}

// addresses returns the names and addresses of the pages and routes that the program serves. operators is nil if they
// have no address of their own.
func addresses(cfg *server.Config, ln, operators net.Listener) (found [][2]string) {
	url := "http://" + ln.Addr().String()
	found = append(found, [2]string{"", url})
	if cfg.PublicURL != "" {
		url = strings.TrimRight(cfg.PublicURL, "/")
	}
	console := url
	if operators != nil {
		console = "http://" + operators.Addr().String()
	}
	if cfg.Pages {
		found = append(found, [2]string{"shop", url + "/"}, [2]string{"console", console + "/admin"})
	}
	return append(found, [2]string{"interface", url + "/docs"})
}

// logAddresses logs addresses, and who gets tokens.
func logAddresses(ctx context.Context, log *slog.Logger, cfg *server.Config, found [][2]string) {
	var attrs []slog.Attr
	for _, address := range found[1:] {
		attrs = append(attrs, slog.String(address[0], address[1]))
	}
	log.LogAttrs(ctx, slog.LevelInfo, "Onrush listens on "+found[0][1], attrs...) //nolint:sloglint // as in plain logs
	if cfg.DevTokens() {
		log.WarnContext(ctx, "whoever reaches this address may act as anybody, operators included: POST /dev/token")
	}
}

// greet prints addresses, and on embedded stores what to know about them.
func greet(out io.Writer, cfg *server.Config, found [][2]string) {
	url := found[0][1]
	_, _ = fmt.Fprintf(out, "Onrush listens on %s\n", url)
	for _, address := range found[1:] {
		_, _ = fmt.Fprintf(out, "The %s: %s\n", address[0], address[1])
	}
	if !cfg.Embedded() {
		return
	}
	_, _ = fmt.Fprintf(out, `Embedded stores in %s with a demo shop. They are not for sales: the embedded Redis forgets
orders that have not moved to SQL yet if the program is killed. For sales set ONRUSH_REDIS_URL and ONRUSH_MYSQL_DSN.
`, cfg.DataDir)
	if cfg.DevTokens() {
		_, _ = fmt.Fprintf(out, `Whoever reaches this address may act as anybody, operators included, with a token:
curl -s -X POST %s/dev/token -H 'Content-Type: application/json' -d '{"user_id":"alice","role":"user"}'
`, url)
	}
}

// openReal opens the stores that real instances share, and wires the services on them. The caller closes the stores.
func openReal(ctx context.Context, cfg *server.Config) (server.Parts, *server.Server, func(), error) {
	if cfg.Embedded() { // they belong to the program that runs on them
		return server.Parts{}, nil, nil, errors.New("it needs real stores: set ONRUSH_REDIS_URL and ONRUSH_MYSQL_DSN")
	}
	log, level := newLog(cfg)
	level.Set(slog.LevelError) // what a server tells about its start is no part of what the command prints
	parts, closeStores, err := open(ctx, cfg, log)
	if err != nil {
		return server.Parts{}, nil, nil, err
	}
	if parts.Prepare != nil { // a server would wait for SQL
		if err := parts.Prepare(ctx); err != nil {
			closeStores()
			return server.Parts{}, nil, nil, err
		}
	}
	s, err := server.New(*cfg, parts) //nolint:contextcheck // routes have the contexts of their requests
	if err != nil {
		closeStores()
		return server.Parts{}, nil, nil, err
	}
	return parts, s, closeStores, nil
}

// Run prints a token that the configured secret signs.
func (c *tokenCommand) Run(ctx context.Context, out io.Writer) error {
	auth, err := web.NewAuth(ctx, web.AuthConfig{
		Secret: c.JWTSecret, Issuer: c.JWTIssuer, Audience: c.JWTAudience, RoleClaim: c.JWTRole,
	}, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		return err
	}
	if _, err := segments.Of(c.Segments); err != nil {
		return err
	}
	token, err := auth.Sign(c.User, web.Role(c.Role), c.For, c.Segments...)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, token)
	return err
}
