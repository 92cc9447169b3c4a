package admin

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/needs"
	"onrush/modules/problem"
	"onrush/modules/seckill"
)

// Need returns a published activity that hasn't ended, after it has given it an ability that no field tells of. The
// first need of an ability makes a version of the activity, so that all instances know it before they place another
// order; operators see no change. It is refused while an instance runs that lacks the ability.
func (as *Activities) Need(ctx context.Context, id, ability string) (*seckill.Activity, error) {
	a, err := as.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := changeable(a, as.clock.NowMS()); err != nil || a.Needs.Has(ability) {
		return a, err
	}
	err = as.db.InTx(ctx, func(tx *sqlx.Tx) error {
		a, err := lockActivity(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case a == nil:
			return problem.NotFound("activity")
		}
		if err := changeable(a, as.clock.NowMS()); err != nil || a.Needs.Has(ability) {
			return err
		}
		a.Needs = a.Needs.With(ability)
		if err := needs.Check(ctx, as.fleet, a.Needs); err != nil {
			return err
		}
		const update = `UPDATE activities SET needs = ?, version = version + 1 WHERE activity_id = ?`
		if _, err := tx.ExecContext(ctx, update, a.Needs, id); err != nil {
			return fmt.Errorf("change what activity %s needs: %w", id, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return as.changed(ctx, id, "The sale is being prepared for units set aside; try again in a moment.")
}
