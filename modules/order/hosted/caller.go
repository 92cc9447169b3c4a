package hosted

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/prometheus/client_golang/prometheus"

	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/modules/panics"
	"onrush/modules/refusals"
	"onrush/modules/sqldb"
)

const (
	// within is how long the host's function may take, unless its caller has less time.
	within = 3 * time.Second
	// grace is how long a function may take to return after its context has ended.
	grace = 500 * time.Millisecond
	// maxLate bounds the calls that go on after that.
	maxLate = 64
)

// Func is the function of a host. It must not keep tx or end it.
type Func func(ctx context.Context, tx *sql.Tx, changes []Change) error

// Caller calls the function of a host.
type Caller struct {
	host    Func
	log     *refusals.Log
	results *prometheus.CounterVec

	mu    sync.Mutex
	late  map[string]bool // the orders of calls that did not return in time
	calls int             // such calls
}

// New returns a Caller; nil without a function.
func New(host Func, now func() time.Time, log *slog.Logger) *Caller {
	if host == nil {
		return nil
	}
	return &Caller{
		host: host, log: refusals.NewAt(slog.LevelError, now, log), late: map[string]bool{},
		results: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "onrush_changed_calls_total", Help: "Calls of the function Changed of the program around this one.",
		}, []string{"result"}),
	}
}

// Metrics returns the calls by their results: accepted, refused, panicked, late, and skipped since an earlier call with
// the same order has not returned yet.
func (c *Caller) Metrics() []prometheus.Collector {
	if c == nil {
		return nil
	}
	return []prometheus.Collector{c.results}
}

// Changed returns the order.Changed that calls the function; nil of a nil Caller.
func (c *Caller) Changed() order.Changed {
	if c == nil {
		return nil
	}
	return c.call
}

// The errors of a call that did not return an error itself.
var (
	errLate    = errors.New("it did not return in time")
	errSkipped = errors.New("an earlier call has not returned yet")
	errExited  = errors.New("it ended its goroutine")
)

func (c *Caller) call(ctx context.Context, tx *sqlx.Tx, events []journal.Event, orders []*order.Order) error {
	if len(events) == 0 {
		return nil
	}
	changes, err := changesOf(events, orders)
	if err != nil {
		return err
	}
	err = errSkipped
	if !c.waitsFor(changes) {
		err = c.run(ctx, tx.Tx, changes)
	}
	result := resultOf(err)
	c.results.WithLabelValues(result).Inc()
	if err == nil {
		return nil
	}
	text := err.Error()
	if panicked, ok := errors.AsType[*panics.Error](err); ok {
		text = fmt.Sprintf("panic: %v, at %s", panicked.Value, panicked.At) // the stack differs each time
		c.log.Report(ctx, "change of orders", "result", result, errors.New(text),
			slog.String("order_number", changes[0].Number), slog.String("stack", string(panicked.Stack)))
	} else {
		c.log.Report(ctx, "change of orders", "result", result, err, slog.String("order_number", changes[0].Number),
			slog.Int("orders", len(changes)))
	}
	return fmt.Errorf("%w: %s", sqldb.ErrHost, text) // as text: a code of the host's error isn't one of this store
}

// run calls the function in a goroutine of its own, which goes on if the function does not return in time.
func (c *Caller) run(ctx context.Context, tx *sql.Tx, changes []Change) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	done := make(chan error, 1) // it is closed without an error if the function ends its goroutine
	go func() {
		defer close(done)
		done <- panics.Recovered(func() error { return c.host(ctx, tx, changes) })
	}()
	var late <-chan time.Time
	for ended := ctx.Done(); ; {
		select {
		case err, returned := <-done:
			if !returned {
				return errExited
			}
			return err
		case <-ended:
			timer := time.NewTimer(grace)
			defer timer.Stop()
			ended, late = nil, timer.C
		case <-late:
			c.add(changes, true)
			go func() {
				for range done { // until the function has returned
				}
				c.add(changes, false)
			}()
			return errLate
		}
	}
}

// add notes that a call is late, or that it has returned after all.
func (c *Caller) add(changes []Change, late bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range changes {
		if late {
			c.late[changes[i].Number] = true
		} else {
			delete(c.late, changes[i].Number)
		}
	}
	if late {
		c.calls++
	} else {
		c.calls--
	}
}

// waitsFor reports whether the function must not be called: it has not returned from a call with one of the orders, or
// from too many calls. So each order that it hangs for costs one goroutine, however often it is tried again.
func (c *Caller) waitsFor(changes []Change) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls >= maxLate {
		return true
	}
	for i := range changes {
		if c.late[changes[i].Number] {
			return true
		}
	}
	return false
}

func resultOf(err error) string {
	_, panicked := errors.AsType[*panics.Error](err)
	switch {
	case err == nil:
		return "accepted"
	case panicked:
		return "panicked"
	case errors.Is(err, errLate):
		return "late"
	case errors.Is(err, errSkipped):
		return "skipped"
	}
	return "refused"
}
