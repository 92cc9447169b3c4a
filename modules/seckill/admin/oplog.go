package admin

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/oplog"
	"onrush/modules/problem"
	"onrush/modules/seckill"
)

// maxNotedStock is how many rows of stock the record of a change has. Of a larger sale it has the sum of each sku, at
// the point "*".
const maxNotedStock = 300

// loggedActivity returns an activity as the operators' log has it; nil if there is none.
func loggedActivity(a *seckill.Activity) any {
	if a == nil {
		return nil
	}
	return showLogged(a)
}

// publishedActivity is an activity as the log has it that was just published. A draw has the hash of its seed, so that
// nobody can change the seed once buyers enter.
type publishedActivity struct {
	adminActivity
	SeedHash string `json:"seed_hash,omitempty"`
}

func showLogged(a *seckill.Activity) adminActivity {
	rows := 0
	for _, g := range a.SKUs {
		rows += len(g.Stock)
	}
	shown := showAdmin(a)
	for i := range shown.SKUs {
		if rows <= maxNotedStock {
			continue
		}
		sum := adminStock{Point: "*"}
		for _, p := range shown.SKUs[i].Stock {
			sum.Quantity += p.Quantity
		}
		shown.SKUs[i].Stock = []adminStock{sum}
	}
	return shown
}

// recordChange records a change of an activity.
func recordChange(ctx context.Context, tx *sqlx.Tx, action, id string, before, after any) error {
	return oplog.Record(ctx, tx,
		oplog.Entry{Action: "activity." + action, On: "activity:" + id, Before: before, After: after})
}

// lockVersion is lockActivity for a request that was made from a version, as oplog.Check takes it.
func lockVersion(ctx context.Context, tx *sqlx.Tx, id string, version int64) (*seckill.Activity, error) {
	a, err := lockActivity(ctx, tx, id)
	if err == nil && a != nil && api.Outside(ctx, a.Shop) {
		err = problem.NotFound("activity")
	}
	if err != nil {
		return nil, err
	}
	return a, checkVersion(ctx, tx, a, id, version)
}

// checkVersion checks the version of a request against an activity whose row is locked; nil is none.
func checkVersion(ctx context.Context, tx *sqlx.Tx, a *seckill.Activity, id string, version int64) error {
	var revision int64
	if a != nil {
		revision = a.Revision
	}
	return oplog.Check(ctx, tx, "activity:"+id, version, revision)
}

// lockActivity locks the row of an activity until the transaction ends, and reads the activity; nil if there is none.
func lockActivity(ctx context.Context, tx *sqlx.Tx, id string) (*seckill.Activity, error) {
	if _, err := tx.ExecContext(ctx, `UPDATE activities SET applied = applied WHERE activity_id = ?`, id); err != nil {
		return nil, fmt.Errorf("lock activity %s: %w", id, err)
	}
	return seckill.SelectActivity(ctx, tx, id)
}
