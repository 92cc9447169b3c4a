package delivery

import (
	"context"
	"io"
	"log/slog"
	"net"
	"time"

	"onrush/modules/events"
	"onrush/modules/sqldb"
	"onrush/modules/tracing"
)

// feed has the events in the order in which readers see them. *events.Feed implements it.
type feed interface {
	// Head returns the id of the last event, 0 if there is none.
	Head(ctx context.Context) (int64, error)
	// Read returns at most limit events after an id, of some types or of all if types is empty. next is the id to
	// continue after.
	Read(ctx context.Context, after int64, types []string, limit int) (found []events.Event, next int64, err error)
	// Between returns two ids, after one and up to another, between which are all events of a span of time, and maybe
	// others; 0 if there is none. Both ids are included.
	Between(ctx context.Context, after, upTo, fromMS, toMS int64) (first, last int64, err error)
}

// Faults lets a test inject a crash between two steps: it is called with the name of the step that was just done, and
// the work stops there if it returns an error. Nil injects nothing.
type Faults func(step string) error

func (f Faults) after(step string) error {
	if f == nil {
		return nil
	}
	return f(step)
}

// Deps are the dependencies of the package; the caller opens and closes them.
type Deps struct {
	DB   *sqldb.DB
	Feed feed
	// Now is the stores' time, the same on all instances.
	Now func() time.Time
	// Instance is the name of this instance, at most 64 characters; no two have the same.
	Instance string
	Random   func() uint64 // for the jitter of retries; safe for concurrent use
	Secrets  io.Reader     // random bytes of secrets
	// Resolver looks up the names of targets; nil is the system's.
	Resolver *net.Resolver
	Log      *slog.Logger
	// Tracer shows the delivery of an order's event in the order's trace; nil shows none.
	Tracer *tracing.Tracer
	// Busy reports whether the machine has more urgent work, beside which deliveries go slower; nil is never.
	Busy func() bool
	// Faults injects crashes in tests; nil otherwise.
	Faults Faults
}
