package inventory

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/order/queue"
	"onrush/modules/seckill"
)

// comparison counts the wrong holds and counts that were found.
type comparison struct {
	missing, stale, bought, paid int64
	// unexplained counts what a failover of Redis can't cause: holds of orders that nobody has or stores, and units
	// that Redis has as paid and SQL hasn't. Perhaps SQL was restored and lacks orders; their units aren't free then.
	unexplained int64
	mended      int64
}

// comparer compares the holds and counts of one activity. First it reads both stores in pages without the fence. Only
// the differences that it finds, the suspects, are compared again behind the fence, suspectPage at a time.
type comparer struct {
	*Auditor
	a      *seckill.Activity
	epoch  int64
	mend   mending
	began  time.Time
	queued map[order.Number]order.Entry // of the activity's queue and dead entries
	byUser map[string][]order.Number    // the numbers in queued, by user
	found  comparison
}

const (
	// suspectPage bounds how many suspects are compared behind one fence.
	suspectPage = 200
	// comparePage is how many fields of a hash one command reads.
	comparePage = 2000
)

// compare returns how many holds and counts are wrong. With mendAll it corrects all of them, with mendProven only those
// that are explained.
func (au *Auditor) compare(ctx context.Context, id string, mend mending) (comparison, error) {
	a, err := au.find(ctx, id)
	if err != nil {
		return comparison{}, err
	}
	c := &comparer{
		Auditor: au, a: a, mend: mend, began: au.now(), queued: map[order.Number]order.Entry{},
		byUser: map[string][]order.Number{},
	}
	meta, err := au.lua.Redis.HGet(ctx, au.lua.Keys.Meta(a.Lane, id), "epoch").Result()
	if err != nil {
		return comparison{}, fmt.Errorf("read epoch of activity %s: %w", id, err)
	}
	if c.epoch, err = strconv.ParseInt(meta, 10, 64); err != nil {
		return comparison{}, fmt.Errorf("read epoch of activity %s: %w", id, err)
	}
	collect := func(entries []order.Entry) error {
		for _, e := range entries {
			c.queued[e.Number] = e
			c.byUser[e.User] = append(c.byUser[e.User], e.Number)
		}
		return nil
	}
	if err := queue.EachDead(ctx, au.lua, a.Lane, id, collect); err != nil {
		return comparison{}, err
	}
	if err := queue.EachQueued(ctx, au.lua, a.Lane, id, collect); err != nil {
		return comparison{}, err
	}
	if err := c.compareHolds(ctx); err != nil {
		return comparison{}, err
	}
	if err := c.compareBought(ctx); err != nil {
		return comparison{}, err
	}
	if err := c.comparePaid(ctx); err != nil {
		return comparison{}, err
	}
	if c.found.mended > 0 {
		au.log.WarnContext(ctx, "holds and counts repaired", "activity_id", id, "holds_restored", c.found.missing,
			"holds_dropped", c.found.stale, "counts_corrected", c.found.bought, "paid_corrected", c.found.paid)
	}
	return c.found, nil
}

// repairs reports whether holds and counts are corrected.
func (c *comparer) repairs() bool { return c.mend == mendAll || c.mend == mendProven }

// eachField calls fn with pages of the fields and values of a hash. HSCAN may return a field twice.
func (c *comparer) eachField(ctx context.Context, key string, fn func(fields, values []string) error) error {
	for cursor, first := uint64(0), true; first || cursor != 0; first = false {
		flat, next, err := c.lua.Redis.HScan(ctx, key, cursor, "", comparePage).Result()
		if err != nil {
			return fmt.Errorf("read %s: %w", key, err)
		}
		cursor = next
		fields, values := make([]string, 0, len(flat)/2), make([]string, 0, len(flat)/2)
		for i := 0; i+1 < len(flat); i += 2 {
			fields, values = append(fields, flat[i]), append(values, flat[i+1])
		}
		if err := fn(fields, values); err != nil {
			return err
		}
	}
	return nil
}

// fenced runs fn behind the fence, so that no order of the activity is stored or cancelled meanwhile. If the
// transaction is retried, it discards what the failed attempt counted.
func (c *comparer) fenced(ctx context.Context, fn func(ctx context.Context, tx *sqlx.Tx) error) error {
	before := c.found
	return c.db.InTx(ctx, func(tx *sqlx.Tx) error {
		c.found = before
		if err := order.Fence(ctx, tx, c.a.ID); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, fenceWithin)
		defer cancel()
		return fn(ctx, tx)
	})
}
