package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/mattn/go-isatty"

	"onrush/app/drill"
	"onrush/app/drill/own"
	"onrush/app/drill/wire"
	"onrush/app/operator"
	"onrush/modules/redisdb"
	"onrush/web"
)

// drillCommand rehearses a sale, or calculates one.
type drillCommand struct {
	outputFlag
	JSON      bool   `name:"json" help:"The same as -o json."`
	Simulate  bool   `help:"Calculate a sale with the measured costs; it reaches no program and no store."`
	Seed      uint64 `help:"Of the random numbers: the same seed has the same plan." default:"1"`
	Instances int    `help:"Instances of the program. Default: 1, with --real or --simulate 2."`

	Over time.Duration `help:"How long visitors come. Default 5s, in a soak --for; simulated: 80 % of them, 1m."`

	rehearsal
	simulation
}

// rehearsal has the flags of a drill with a program.
type rehearsal struct {
	Scenario  string        `help:"rush, classic, trickle, flood, soak or wishes." default:"rush"`
	Buyers    int           `help:"How many visitors come." default:"1000"`
	Sale      string        `help:"File of the sale, as of onrush activities apply. Default: an own sale."`
	For       time.Duration `help:"How long a soak lasts." default:"10m"`
	PayWithin time.Duration `help:"How long buyers of an own sale have to pay." default:"10s"`
	Settle    time.Duration `help:"Time to store, pay back and tell everything." default:"2m"`
	Flood     bool          `help:"One client sends what it can."`
	Rate      string        `help:"auto: search for the rate at which p99 leaves 100 ms." enum:",auto" default:""`
	Keep      bool          `help:"Leave the sale open, and the addresses of its buyers."`
	HTML      string        `name:"html" help:"Also write the report to this file, as one page."`
	History   string        `help:"Write each answer to this file, as a line of JSON."`

	URL         []string `name:"url" help:"Addresses of a running program. Default: an own program."`
	Token       string   `help:"Operator's token of that program. Default: of --jwt-secret." env:"ONRUSH_TOKEN"`
	JWTSecret   string   `name:"jwt-secret" help:"Secret that signs the buyers' tokens." env:"ONRUSH_JWT_SECRET"`
	JWTIssuer   string   `name:"jwt-issuer" help:"The iss that tokens must have." env:"ONRUSH_JWT_ISSUER"`
	JWTAudience string   `name:"jwt-audience" help:"The aud that tokens must have." env:"ONRUSH_JWT_AUDIENCE"`
	JWTRole     string   `name:"jwt-role-claim" help:"Role claim." default:"role" env:"ONRUSH_JWT_ROLE_CLAIM"`
	Tokens      string   `help:"File of buyers' tokens: a user id and a token per line."`
	AllowFailed bool     `help:"Accepted orders may fail, as after a failover of Redis."`

	Real      bool     `help:"Run the own program on a redis-server and a mariadbd or mysqld of its own."`
	Kill      []string `help:"Kill these while the sale runs: app, redis, sql." enum:"app,redis,sql"`
	Freeze    []string `help:"Suspend these for a while: app, redis, sql." enum:"app,redis,sql"`
	FullRedis bool     `help:"Redis has no memory left for a while."`
	Sabotage  string   `hidden:"" help:"unit, event or pay: change it behind the back of the own program."`
}

// drillEnded is the error of a drill that found something.
type drillEnded struct {
	code int
	text string
}

func (e drillEnded) Error() string { return e.text }

// ExitCode is 1 if a guarantee is broken, and 3 if one was not exercised.
func (e drillEnded) ExitCode() int { return e.code }

// noDrill is the error of a drill that could not be carried out.
type noDrill struct{ error }

// ExitCode differs from the exit codes of a verdict.
func (noDrill) ExitCode() int { return 2 }

// Run rehearses a sale and prints the verdict.
func (c *drillCommand) Run(ctx context.Context, parsed *kong.Context, out io.Writer) error {
	if c.JSON {
		c.Output = "json"
	}
	if err := c.checkGiven(parsed); err != nil {
		return noDrill{fmt.Errorf("drill: %w", err)}
	}
	if c.Simulate {
		return c.simulate(out)
	}
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt, syscall.SIGTERM) }) // the second one ends it at once
	report, err := c.rehearse(ctx, out)
	if err != nil {
		return noDrill{fmt.Errorf("drill: %w", err)}
	}
	return c.verdict(report)
}

// rehearse carries out the drill and prints its report.
func (c *drillCommand) rehearse(ctx context.Context, out io.Writer) (report *drill.Report, err error) {
	redisdb.LogTo(slog.New(slog.DiscardHandler)) // its own Redis takes a moment to start
	cfg, err := c.config()
	if err != nil {
		return nil, err
	}
	program, err := c.program(ctx, cfg)
	if program != nil {
		defer program.Stop()
	}
	if err != nil {
		return nil, err
	}
	var busy func(drill.Running) []drill.Busy
	if program != nil {
		busy = program.Busy
	}
	var page *os.File
	if c.HTML != "" { // before the drill, which would be in vain
		if page, err = openReport(c.HTML); err != nil {
			return nil, err
		}
		defer func() { _ = page.Close() }()
	}
	if c.History != "" {
		history, err := os.Create(c.History)
		if err != nil {
			return nil, err
		}
		defer func() { _ = history.Close() }()
		cfg.History = history
	}
	cfg.Progress = progressTo(os.Stderr)
	if c.Rate == "auto" {
		cfg.Tried = func(t drill.Try) { _, _ = fmt.Fprintln(os.Stderr, t) }
		report, err = drill.Search(ctx, *cfg, busy)
	} else {
		report, err = drill.Run(ctx, *cfg)
	}
	if err != nil {
		return nil, err
	}
	if page != nil {
		_ = page.Truncate(0) // a device has no length
		if err := errors.Join(report.HTML(page), page.Close()); err != nil {
			return nil, err
		}
	}
	if !c.json() {
		return report, report.Print(out)
	}
	return report, operator.WriteJSON(out, report)
}

// verdict returns the error of a drill in which not all guarantees were held.
func (c *drillCommand) verdict(report *drill.Report) error {
	switch code := drill.ExitCode(report.Checks); code {
	case 0:
		return nil
	case 1:
		return drillEnded{code, fmt.Sprintf("drill: a guarantee is broken; --seed %d repeats the plan", c.Seed)}
	default:
		return drillEnded{code, "drill: not everything that the plan asked for has happened"}
	}
}

// config returns what the flags say, without the program.
func (c *drillCommand) config() (*drill.Config, error) {
	cfg := &drill.Config{
		URLs: c.URL, Scenario: drill.Scenario(c.Scenario), Buyers: c.Buyers, Over: c.Over, Seed: c.Seed,
		PayWithin: c.PayWithin, Settle: c.Settle, Flood: c.Flood, Keep: c.Keep, AllowFailed: c.AllowFailed,
	}
	if cfg.Over == 0 {
		cfg.Over = 5 * time.Second
		if cfg.Scenario == drill.Soak {
			cfg.Over = c.For
		}
	}
	alone := len(c.URL) == 0
	if !alone {
		cfg.Token = c.Token
	}
	switch {
	case !alone && (c.Real || c.Instances != 0 || len(c.Kill)+len(c.Freeze) > 0 || c.FullRedis || c.Sabotage != ""):
		return nil, errors.New("--real, --instances, --kill, --freeze, --full-redis and --sabotage need an own program")
	case c.Instances < 0:
		return nil, errors.New("--instances must be 1 or more")
	case c.HTML != "" && c.HTML == c.History:
		return nil, errors.New("--html and --history must be two files")
	case alone && c.Tokens != "":
		return nil, errors.New("--tokens is for a program at --url")
	case c.Tokens != "" && c.Token == "":
		return nil, errors.New("with --tokens, an operator's token must be given, too")
	}
	if err := cfg.Check(); err != nil && !errors.Is(err, drill.ErrNoAddress) {
		return nil, err
	}
	faults := own.Faults{Kill: c.Kill, Freeze: c.Freeze, FullRedis: c.FullRedis}
	if err := faults.Check(c.Real); err != nil {
		return nil, err
	}
	if c.Sale != "" {
		err := opened(c.Sale, os.Stdin, func(r io.Reader) (err error) {
			cfg.Sale, err = operator.ReadSale(r)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return cfg, nil
}

// program starts an own program, or takes the tokens for a running one, of which it returns nil.
func (c *drillCommand) program(ctx context.Context, cfg *drill.Config) (program *own.Program, err error) {
	auth := web.AuthConfig{
		Secret: c.JWTSecret, Issuer: c.JWTIssuer, Audience: c.JWTAudience, RoleClaim: c.JWTRole,
	}
	if len(c.URL) == 0 {
		file, err := os.Executable()
		if err != nil {
			return nil, err
		}
		instances := c.Instances
		if instances == 0 {
			instances = 1
			if c.Real {
				instances = 2
			}
		}
		program, err = own.Start(ctx, file, c.Real, instances)
		if err != nil {
			return nil, err
		}
		cfg.URLs, auth, cfg.Keep = program.URLs, web.AuthConfig{Secret: program.JWTSecret}, true // its data go with it
		log := slog.New(slog.NewTextHandler(os.Stderr, nil))
		faults := own.Faults{Kill: c.Kill, Freeze: c.Freeze, FullRedis: c.FullRedis, Seed: c.Seed, Log: log}
		cfg.Faults, cfg.During = faults.Names(), program.Disturb(faults)
		if c.Sabotage != "" {
			cfg.BeforeChecks = func(sale string) error { return program.Sabotage(ctx, c.Sabotage, sale) }
		}
	}
	return program, c.tokens(ctx, cfg, auth)
}

// tokens says where the tokens of the buyers and of the operator are from.
func (c *drillCommand) tokens(ctx context.Context, cfg *drill.Config, auth web.AuthConfig) error {
	switch {
	case c.Tokens != "":
		return opened(c.Tokens, os.Stdin, func(r io.Reader) (err error) {
			cfg.Tokens, err = wire.ReadTokens(r)
			return err
		})
	case auth.Secret != "":
		signed, err := wire.NewSigned(ctx, auth)
		if err != nil {
			return err
		}
		cfg.Tokens = signed
		if cfg.Token == "" {
			cfg.Token, err = signed.Operator()
		}
		return err
	}
	cfg.Tokens = wire.NewFromProgram(cfg.URLs[0])
	return nil
}

// progressTo shows on a terminal a line that is written over, and elsewhere a line per phase.
func progressTo(out *os.File) func(drill.Progress) {
	terminal, last := isatty.IsTerminal(out.Fd()), ""
	return func(p drill.Progress) {
		const width = 30
		done := width * p.Arrived / max(p.Visitors, 1)
		text := fmt.Sprintf("%5.1fs  %-7s %d of %d visitors, %d orders, %d to store", p.At.Seconds(), p.Phase,
			p.Arrived, p.Visitors, p.Accepted, p.Queue)
		switch {
		case terminal:
			bar := fmt.Sprintf("%-*s", width, fmt.Sprintf("%.*s", done, "##############################"))
			_, _ = fmt.Fprintf(out, "\r\033[K[%s] %s", bar, text)
			if p.Phase == "check" {
				_, _ = fmt.Fprintln(out)
			}
		case p.Phase != last:
			_, _ = fmt.Fprintln(out, text)
		}
		last = p.Phase
	}
}
