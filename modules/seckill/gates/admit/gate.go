package admit

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"onrush/modules/panics"
	"onrush/modules/problem"
	"onrush/modules/refusals"
)

const (
	// within bounds a question.
	within = 300 * time.Millisecond
	// maxAsked is how many questions of an instance may be under way.
	maxAsked = 256
	// maxReason bounds the reason that a buyer is told, in characters.
	maxReason = 200
)

// Admission is a buyer who asks for a path.
type Admission struct {
	Activity string
	SKU      string
	User     string
	Address  string // of the client
}

// Asker answers whether a buyer is admitted. It returns nil if so, and a *Refused if not; any other error says nothing.
type Asker func(ctx context.Context, a Admission) error

// Refused is the error of an Asker that doesn't admit a buyer.
type Refused struct {
	Reason string // what the buyer is told; "": a general text
}

// Error returns the reason.
func (e *Refused) Error() string { return "not admitted: " + e.Reason }

// Gate asks the shop. A nil Gate admits everybody. It is safe for concurrent use.
type Gate struct {
	ask    Asker
	asked  chan struct{} // one element per question under way
	failed *refusals.Log
}

// NewGate returns a Gate.
func NewGate(ask Asker, now func() time.Time, log *slog.Logger) *Gate {
	return &Gate{ask: ask, asked: make(chan struct{}, maxAsked), failed: refusals.New(now, log)}
}

// errBusy refuses a path while maxAsked questions are under way.
var errBusy = problem.Errorf(problem.CodeOverloaded, "Too many buyers ask at once.").After(time.Second)

// Admit returns why a buyer may not have a path; nil if the buyer may. A question that isn't answered within 300 ms,
// that fails or that panics is unavailable: the buyer may ask again.
func (g *Gate) Admit(ctx context.Context, a Admission) error {
	if g == nil {
		return nil
	}
	select {
	case g.asked <- struct{}{}:
	default:
		return errBusy
	}
	err := g.await(ctx, a)
	if refused, ok := errors.AsType[*Refused](err); ok {
		return notAdmitted(refused.Reason)
	}
	if err != nil {
		if !errors.Is(ctx.Err(), context.Canceled) { // otherwise the buyer ended the question
			g.report(ctx, err)
		}
		return problem.Unavailable(err, "The shop can't say right now whether you may buy. Try again.")
	}
	return nil
}

// AdmitAll asks Admit about each of some skus in turn, and returns the first refusal and its sku. All questions
// together have the time of one.
func (g *Gate) AdmitAll(ctx context.Context, a Admission, skus iter.Seq[string]) (sku string, err error) {
	if g == nil {
		return "", nil
	}
	return g.admitAll(ctx, a, skus)
}

// admitAll is AdmitAll of a shop with a rule. It is apart from it since the loop moves the question to the heap, which
// paths of shops without a rule need not pay for.
func (g *Gate) admitAll(ctx context.Context, a Admission, skus iter.Seq[string]) (sku string, err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for a.SKU = range skus {
		if err := g.Admit(ctx, a); err != nil {
			return a.SKU, err
		}
	}
	return "", nil
}

// await asks and returns the answer. When the time is over it returns, also if the question does not; that keeps its
// place among the questions under way until it ends.
func (g *Gate) await(ctx context.Context, a Admission) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	done := make(chan error, 1)
	go func() {
		defer func() { <-g.asked }()
		defer cancel()
		_, err := panics.RecoveredValue(func() (struct{}, error) { return struct{}{}, g.ask(ctx, a) })
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done: // the question ended the context
		return err
	default:
		return fmt.Errorf("no answer: %w", context.Cause(ctx))
	}
}

// report logs a question that wasn't answered: each reason once a minute.
func (g *Gate) report(ctx context.Context, err error) {
	var details []slog.Attr
	if panicked, ok := errors.AsType[*panics.Error](err); ok {
		err = fmt.Errorf("panic: %v, at %s", panicked.Value, panicked.At) // the stack differs each time
		details = append(details, slog.String("stack", string(panicked.Stack)))
	}
	g.failed.Report(ctx, "question whether a buyer is admitted", "of", "shop", err, details...)
}

// notAdmitted returns the refusal of a buyer, with the reason as plain text.
func notAdmitted(reason string) *problem.Error {
	if reason = plain(reason); reason != "" {
		return &problem.Error{Code: CodeNotAdmitted, Detail: reason, Untranslated: true}
	}
	return problem.Errorf(CodeNotAdmitted, "You may not buy in this sale.")
}

// plain returns at most maxReason characters of a text, on one line.
func plain(reason string) string {
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(reason, " "))
	text = strings.TrimSpace(text)
	if runes := []rune(text); len(runes) > maxReason {
		return string(runes[:maxReason]) + "…"
	}
	return text
}
