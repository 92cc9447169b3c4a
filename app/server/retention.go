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
	// Records are what gateways sent, the operators' log, and operators' keys that were revoked or have expired.
	Records time.Duration `help:"How long notices and changes are kept. 0: for ever." default:"9600h" env:"RECORDS"`
	// Finished is all else that is done: stock changes, events for the platform and their deliveries, payments of the
	// sandbox, Idempotency-Keys of requests other than orders, payments, refunds and stock changes of sales.
	Finished time.Duration `help:"How long other finished things are kept. 0: for ever." default:"720h" env:"FINISHED"`
}

// keepBlocks is how long finished blocks are kept, so that all instances learn that they were deleted.
const keepBlocks = time.Hour

// minKeep is the shortest time for which anything may be kept: gateways repeat events for days.
const minKeep = 7 * 24 * time.Hour

func (k keepSettings) check() error {
	if k.Orders != 0 && k.Orders < order.MinKeep {
		return errors.New("ONRUSH_KEEP_ORDERS must be 0 or at least 2400h")
	}
	for _, d := range []time.Duration{k.Records, k.Finished} {
		if d != 0 && d < minKeep {
			return errors.New("ONRUSH_KEEP_RECORDS and ONRUSH_KEEP_FINISHED must be 0 or at least 168h")
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
		{keep.Finished, order.Expiries},
		{keep.Records, pay.NotificationExpiries},
		{keep.Finished, delivery.Expiries},
		{keep.Records, oplog.Expiries},
		{keep.Records, apikey.Expiries},
		{keep.Finished, idempotency.Expiries},
		{keep.Finished, sandbox.Expiries},
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
	if keep.Finished > 0 {
		n, failed := events.Expire(ctx, e.db, now.Add(-keep.Finished).UnixMilli())
		deleted, err = deleted+n, errors.Join(err, failed)
	}
	return deleted, err
}
