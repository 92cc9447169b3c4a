// Package doctor checks the settings of the program, its stores, the clocks and the payment channels, before the
// program starts or while it runs. It changes nothing, but writes a row, a key and an object of its own, to see whether
// the stores and the buckets take writes.
package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"onrush/app/server"
	"onrush/web"
)

// Level is the result of a check.
type Level string

// The levels, from good to bad.
const (
	OK      Level = "ok"
	Warning Level = "warning" // it works, but not as a sale needs it
	Failure Level = "failure" // the program refuses to start, or loses something
)

// Finding is what one check found.
type Finding struct {
	Check  string `json:"check"` // such as redis persistence
	Level  Level  `json:"level"`
	Detail string `json:"detail"`
	Advice string `json:"advice,omitempty"` // what to do
}

// Doctor checks one configuration.
type Doctor struct {
	cfg      *server.Config
	now      func() time.Time
	client   *http.Client
	findings []Finding

	instances int64  // that Redis has seen in the last minute
	site      string // the id of the site that the keys in Redis are of; "" if there are none, or they can't be read
}

// New returns a Doctor; now is the clock of this machine, and client asks for the webhooks.
func New(cfg *server.Config, now func() time.Time, client *http.Client) *Doctor {
	return &Doctor{cfg: cfg, now: now, client: client}
}

// within bounds the checks of the tokens and of each store.
const within = 5 * time.Second

// Run returns the findings of all checks. A check that can't be made is a finding too.
func (d *Doctor) Run(ctx context.Context) []Finding {
	d.findings = nil
	if d.cfg.Embedded() {
		d.add("stores", Warning, "embedded, since no setting names others: what follows is about them",
			"to check an instance, name the file of its settings: --env-file /etc/onrush/onrush.env")
	}
	if err := d.cfg.Check(); err != nil {
		d.add("settings", Failure, problems(err), "onrush serve --help lists the settings")
	} else {
		d.add("settings", OK, "complete", "")
	}
	for _, check := range []func(context.Context){d.tokens, d.redis, d.sql} {
		ctx, cancel := context.WithTimeout(ctx, within)
		check(ctx)
		cancel()
	}
	d.issuer(ctx)
	d.channels(ctx)
	d.admission(ctx)
	d.pictures(ctx)
	return d.findings
}

// tokens checks the keys of tokens, which may be at a URL.
func (d *Doctor) tokens(ctx context.Context) {
	if d.cfg.Embedded() && d.cfg.JWTSecret == "" && d.cfg.JWKS == "" {
		d.add("tokens", OK, "the program makes its own secret", "")
		return
	}
	auth, err := web.NewAuth(ctx, d.cfg.Auth(), slog.New(slog.DiscardHandler), d.now)
	if err != nil {
		d.add("tokens", Failure, problems(err), "")
		return
	}
	if err := auth.CheckKeys(ctx); err != nil {
		d.add("tokens", Failure, problems(err), "no token is valid and no instance is ready until the keys can be read")
		return
	}
	d.add("tokens", OK, "the keys can be read", "")
}

// issuer checks that operators can sign in.
func (d *Doctor) issuer(ctx context.Context) {
	issuer := d.cfg.Issuer(server.Parts{Now: d.now, Log: slog.New(slog.DiscardHandler)})
	if issuer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if err := issuer.Check(ctx); err != nil {
		d.add("sign-in", Warning, problems(err), "operators can't sign in at the issuer; keys still work")
		return
	}
	d.add("sign-in", OK, "the issuer answers", "")
}

// Failed reports whether a finding is a failure.
func Failed(findings []Finding) bool {
	for _, f := range findings {
		if f.Level == Failure {
			return true
		}
	}
	return false
}

func (d *Doctor) add(check string, level Level, detail, advice string) {
	d.findings = append(d.findings, Finding{check, level, detail, advice})
}

// problems writes joined errors on one line.
func problems(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// clockBound is by how much a store's clock may differ from this machine's before it is a warning. Sales use the
// stores' time, tokens and webhooks the machine's.
const clockBound = time.Second

// clock compares a store's time with this machine's.
func (d *Doctor) clock(check string, theirs time.Time) {
	off := theirs.Sub(d.now()).Round(time.Millisecond)
	if off.Abs() <= clockBound {
		d.add(check, OK, fmt.Sprintf("differs by %s from this machine's", off), "")
		return
	}
	d.add(check, Warning, fmt.Sprintf("differs by %s from this machine's", off),
		"let all machines set their clocks by NTP; sales go by the time of Redis")
}
