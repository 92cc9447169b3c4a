package server

import (
	"context"
	"errors"
	"time"

	"onrush/modules/apikey"
	"onrush/modules/clock"
	"onrush/modules/events"
	"onrush/modules/events/delivery"
	"onrush/modules/idempotency"
	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/pay/sandbox"
	"onrush/modules/seckill/gates/blocked"
	"onrush/modules/sqldb"
)

// keepSettings are how long finished things are kept; 0 keeps them for ever.
type keepSettings struct {
	// Orders move to the archive, which has the same rows: nothing of them is deleted.
	Orders time.Duration `help:"Age at which finished orders are archived. 0: never." default:"0" env:"ORDERS"`

	StockChanges time.Duration `help:"How long stock changes are kept. 0: for ever." default:"720h" env:"STOCK_CHANGES"`
	// Notifications are what gateways sent.
	Notifications time.Duration `help:"How long notices are kept. 0: for ever." default:"8760h" env:"NOTIFICATIONS"`
	// Feed is the events for the platform.
	Feed time.Duration `help:"How long events for the platform are kept. 0: for ever." default:"720h" env:"FEED"`
	// Deliveries are the log of events that were delivered.
	Deliveries time.Duration `help:"How long deliveries are logged. 0: for ever." default:"720h" env:"DELIVERIES"`

	// Operators is the operators' log, which GET /changes lists, and their keys that were revoked or have expired.
	Operators time.Duration `help:"How long operators' changes are kept. 0: for ever." default:"9600h" env:"OPERATORS"`

	// Idempotency is the Idempotency-Keys of requests other than orders, payments, refunds and stock changes of sales.
	Idempotency time.Duration `help:"How long Idempotency-Keys are kept. 0: for ever." default:"720h" env:"IDEMPOTENCY"`

	Sandbox time.Duration `help:"How long payments of the sandbox are kept. 0: for ever." default:"720h" env:"SANDBOX"`
}

// keepBlocks is how long finished blocks are kept, so that all instances learn that they were deleted.
const keepBlocks = time.Hour

// minKeep is the shortest time for which anything may be kept: gateways repeat events for days.
const minKeep = 7 * 24 * time.Hour

func (k keepSettings) check() error {
	if k.Orders != 0 && k.Orders < order.MinKeep {
		return errors.New("ONRUSH_KEEP_ORDERS must be 0 or at least 2400h")
	}
	for _, d := range []time.Duration{
		k.StockChanges, k.Notifications, k.Feed, k.Deliveries, k.Operators, k.Idempotency, k.Sandbox,
	} {
		if d != 0 && d < minKeep {
			return errors.New("ONRUSH_KEEP_STOCK_CHANGES, ONRUSH_KEEP_NOTIFICATIONS, ONRUSH_KEEP_FEED, " +
				"ONRUSH_KEEP_DELIVERIES, ONRUSH_KEEP_OPERATORS, ONRUSH_KEEP_IDEMPOTENCY and " +
				"ONRUSH_KEEP_SANDBOX must be 0 or at least 168h")
		}
	}
	return nil
}

// expiry deletes what was finished long enough ago.
type expiry struct {
	keep  keepSettings
	db    *sqldb.DB
	clock *clock.Clock
}

// RunOnce uses the stores' time, since an instance whose clock is far ahead would delete Idempotency-Keys that
// are still valid.
func (e expiry) RunOnce(ctx context.Context) (deleted int, err error) {
	if err := e.clock.Sync(ctx); err != nil {
		return 0, err
	}
	now, keep := e.clock.Now(), e.keep
	for _, part := range []struct {
		keep     time.Duration
		expiries func(time.Time) []sqldb.Expiry
	}{
		{keep.StockChanges, order.Expiries},
		{keep.Notifications, pay.NotificationExpiries},
		{keep.Deliveries, delivery.Expiries},
		{keep.Operators, oplog.Expiries},
		{keep.Operators, apikey.Expiries},
		{keep.Idempotency, idempotency.Expiries},
		{keep.Sandbox, sandbox.Expiries},
		{keepBlocks, blocked.Expiries},
	} {
		if part.keep == 0 {
			continue
		}
		for _, which := range part.expiries(now.Add(-part.keep)) {
			n, failed := e.db.Expire(ctx, which)
			deleted += n
			err = errors.Join(err, failed) // the other tables don't wait for this one
		}
	}
	if keep.Feed > 0 {
		n, failed := events.Expire(ctx, e.db, now.Add(-keep.Feed).UnixMilli())
		deleted, err = deleted+n, errors.Join(err, failed)
	}
	return deleted, err
}
