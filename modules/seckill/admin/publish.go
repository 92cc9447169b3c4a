package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/journal"
	"onrush/modules/needs"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/draw"
	"onrush/modules/sqldb"
)

// Publish assigns a lane to a draft, copies the skus that it sells, and loads it. A draft that no longer fits the
// catalogue is a conflict. Publishing an activity again loads it if it isn't loaded. version is the version of the
// draft, as in Put.
func (as *Activities) Publish(ctx context.Context, id string, version int64) (*seckill.Activity, error) {
	if _, err := as.Get(ctx, id); err != nil {
		return nil, err
	}
	now := as.clock.NowMS()
	lanes, err := as.site.Settled(ctx)
	if err != nil {
		return nil, err
	}
	err = as.db.InTx(ctx, func(tx *sqlx.Tx) error {
		lane, err := leastBusyLane(ctx, tx, lanes, now)
		if err != nil {
			return err
		}
		before, err := lockActivity(ctx, tx, id)
		if err != nil {
			return err
		}
		if before == nil {
			return problem.NotFound("activity")
		}
		if err := publishable(before, now); err != nil {
			return err
		}
		uses := before.Needs.With(before.Using()...)
		if changed, err := setPublished(ctx, tx, id, lane, uses); err != nil || !changed {
			return err // false: it is published already
		}
		if err := needs.Check(ctx, as.fleet, uses); err != nil {
			return err
		}
		if err := checkVersion(ctx, tx, before, id, version); err != nil {
			return err
		}
		if err := copySKUs(ctx, tx, id); err != nil {
			return err
		}
		if err := order.OpenCounts(ctx, tx, id); err != nil {
			return err
		}
		var seedHash string
		if before.Draws() {
			if seedHash, err = draw.Open(ctx, tx, id, as.secret()); err != nil {
				return err
			}
		}
		err = writeActivityEvent(ctx, tx, journal.ActivityPublished, id, func(*seckill.Activity) int64 { return now })
		if err != nil {
			return err
		}
		after, err := lockActivity(ctx, tx, id)
		if err != nil {
			return err
		}
		return recordChange(ctx, tx, "published", id, loggedActivity(before),
			publishedActivity{showLogged(after), seedHash})
	})
	if err != nil {
		return nil, err
	}
	as.cache.Forget(id)
	err = as.loader.Load(ctx, id)
	if err != nil && !errors.Is(err, seckill.ErrLoaded) && !errors.Is(err, lua.ErrSuperseded) {
		return nil, notLoaded(err, "The activity is published and will be loaded when Redis answers.")
	}
	as.keep(ctx, id)
	return as.Get(ctx, id)
}

// publishable returns nil if an activity may be published, or is, or why not.
func publishable(a *seckill.Activity, now int64) error {
	switch {
	case a.State == seckill.Offline:
		return problem.Errorf(problem.CodeConflict, "The activity is permanently offline.")
	case a.State == seckill.Draft && a.Draws() && a.StartsMS <= now:
		return problem.Errorf(problem.CodeConflict, "Buyers enter a draw before its start, which is over.")
	case a.EndsMS <= now:
		return problem.Errorf(problem.CodeConflict, "The activity has ended.")
	}
	return nil
}

// copySKUs copies the skus that an activity sells, in the transaction that publishes it, so that later
// changes of the skus don't affect the sale. An activity that doesn't fit the current skus and stock points
// is a conflict.
func copySKUs(ctx context.Context, tx *sqlx.Tx, id string) error {
	var ids []string
	if err := tx.SelectContext(ctx, &ids, `SELECT sku_id FROM activity_skus WHERE activity_id = ? ORDER BY sku_id`,
		id); err != nil {
		return fmt.Errorf("select skus of %s: %w", id, err)
	}
	for _, sku := range ids { // one at a time in ascending order, as ordinary orders lock them: no deadlock
		if _, err := tx.ExecContext(ctx, `UPDATE skus SET updated_ms = updated_ms WHERE sku_id = ?`, sku); err != nil {
			return fmt.Errorf("lock sku %s: %w", sku, err)
		}
	}
	a, err := seckill.SelectActivity(ctx, tx, id)
	if err != nil {
		return err
	}
	if err := checkPublish(a); err != nil {
		return err
	}
	if err := checkPoints(ctx, tx, a); err != nil {
		return err
	}
	args := make([]any, 0, 12*len(a.SKUs))
	for _, g := range a.SKUs {
		args = append(args, id, g.SKU, g.Shop, g.Title, g.ImageURL, g.Description, g.Kind, g.ListPrice, g.Currency,
			g.Fee, g.FreeOver, g.RequiredFields)
	}
	const insert = `INSERT INTO sale_skus (activity_id, sku_id, shop_id, title, image_url, description, kind, price,
		currency, freight_fee, freight_free_over, required_fields) VALUES`
	if err := sqldb.Insert(ctx, tx, insert, "(?,?,?,?,?,?,?,?,?,?,?,?)", args); err != nil {
		return fmt.Errorf("copy %d skus of %s: %w", len(a.SKUs), id, err)
	}
	return nil
}

// checkPublish checks a draft against its current skus.
func checkPublish(a *seckill.Activity) error {
	for _, m := range misfits(a) {
		return problem.Errorf(problem.CodeConflict, "The activity can't be published: sku %s %s.", m.sku, m.why)
	}
	return nil
}

// misfit is a reason why an activity can't sell a sku.
type misfit struct{ sku, why string }

// misfits compares an activity with its skus: as they are now if it is a draft, or else with the sale's copies.
func misfits(a *seckill.Activity) (found []misfit) {
	currency := ""
	for i := range a.SKUs {
		g := &a.SKUs[i]
		currency = cmp.Or(currency, g.SKUCurrency)
		switch {
		case g.Kind == "":
			found = append(found, misfit{g.SKU, "no longer exists"})
		case g.Shop != a.Shop:
			found = append(found, misfit{g.SKU, "now belongs to another shop"})
		case g.SKUCurrency != g.Currency: // 99000 of one currency must not become 99000 of another
			why := fmt.Sprintf("now has the currency %s, but its price in the draft is in %s: write the draft again",
				g.SKUCurrency, g.Currency)
			found = append(found, misfit{g.SKU, why})
		case g.SKUCurrency != currency:
			found = append(found, misfit{g.SKU, "now has another currency than the first sku"})
		case g.Kind != g.DraftedKind:
			why := fmt.Sprintf("is now of the kind %s, but was %s when the draft was written: write the draft again",
				g.Kind, g.DraftedKind)
			found = append(found, misfit{g.SKU, why})
		case g.Kind != catalogue.Physical &&
			slices.ContainsFunc(g.Stock, func(p seckill.PointStock) bool { return p.Point != catalogue.DefaultPoint }):
			found = append(found, misfit{g.SKU, `is no longer delivered, but has stock at points other than "0"`})
		}
	}
	return found
}

// checkPoints checks that the stock points of a draft exist.
func checkPoints(ctx context.Context, tx *sqlx.Tx, a *seckill.Activity) error {
	missing, err := missingPoints(ctx, tx, a.ID, 1)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return problem.Errorf(problem.CodeConflict, "The activity can't be published: stock point %s no longer exists.",
			missing[0])
	}
	return nil
}

// missingPoints returns at most limit stock points of an activity that don't exist; point 0 always does.
func missingPoints(ctx context.Context, tx *sqlx.Tx, activity string, limit int) (missing []string, err error) {
	const query = `SELECT DISTINCT s.point_id FROM activity_stock s WHERE s.activity_id = ? AND s.point_id <> ?
		AND NOT EXISTS (SELECT 1 FROM stock_points p WHERE p.point_id = s.point_id) ORDER BY s.point_id LIMIT ?`
	if err := tx.SelectContext(ctx, &missing, query, activity, catalogue.DefaultPoint, limit); err != nil {
		return nil, fmt.Errorf("select points of %s: %w", activity, err)
	}
	return missing, nil
}
