package server

import (
	"context"
	"errors"
	"fmt"
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
	"onrush/modules/seckill/remind"
	"onrush/modules/sqldb"
)

// keepSettings are how long finished things are kept; 0 keeps them for ever.
type keepSettings struct {
	// Orders are archived at this age: the archive has the same rows, and nothing of them is deleted. 0: never.
	Orders time.Duration
	// Records are what gateways sent, the operators' log, and operators' keys that were revoked or have expired.
	Records time.Duration
	// Finished is all else that is done: stock changes, events for the platform and their deliveries, payments of the
	// sandbox, Idempotency-Keys of requests other than orders, payments, refunds and stock changes of sales.
	Finished time.Duration
	// Sales is how long Redis has an ended sale; it is never kept for ever.
	Sales time.Duration
}

// UnmarshalText reads a list such as orders=2400h,records=9600h. What it doesn't name has its default.
func (k *keepSettings) UnmarshalText(text []byte) error {
	*k = keepSettings{Records: 9600 * time.Hour, Finished: 720 * time.Hour, Sales: 24 * time.Hour}
	return eachItem(string(text), func(name, value string, _ bool) (err error) {
		into := map[string]*time.Duration{
			"orders": &k.Orders, "records": &k.Records, "finished": &k.Finished, "sales": &k.Sales,
		}[name]
		if into == nil {
			return fmt.Errorf("%q is not orders, records, finished or sales", name)
		}
		if *into, err = time.ParseDuration(value); err != nil {
			return fmt.Errorf("%s must be a time such as 720h, or 0", name)
		}
		return nil
	})
}

// String is the list that UnmarshalText reads.
func (k keepSettings) String() string {
	return fmt.Sprintf("orders=%s,records=%s,finished=%s,sales=%s", k.Orders, k.Records, k.Finished, k.Sales)
}

// keepBlocks is how long finished blocks are kept, so that all instances learn that they were deleted.
const keepBlocks = time.Hour

// minKeep is the shortest time for which anything may be kept: gateways repeat events for days.
const minKeep = 7 * 24 * time.Hour

func (k keepSettings) check() error {
	if k.Orders != 0 && k.Orders < order.MinKeep {
		return errors.New("ONRUSH_KEEP: orders must be 0 or at least 2400h")
	}
	for _, d := range []time.Duration{k.Records, k.Finished} {
		if d != 0 && d < minKeep {
			return errors.New("ONRUSH_KEEP: records and finished must be 0 or at least 168h")
		}
	}
	if k.Sales < 0 {
		return errors.New("ONRUSH_KEEP: sales is below 0: running sales would be retired")
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
	for _, which := range remind.Expiries(now) {
		n, failed := e.db.Expire(ctx, which)
		deleted, err = deleted+n, errors.Join(err, failed)
	}
	if keep.Finished > 0 {
		n, failed := events.Expire(ctx, e.db, now.Add(-keep.Finished).UnixMilli())
		deleted, err = deleted+n, errors.Join(err, failed)
	}
	return deleted, err
}
