package seckill

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// ActivityColumns are the columns of the table activities, as Activity has them.
const ActivityColumns = `activity_id, shop_id, title, starts_ms, ends_ms, pay_within_s, purchase_limit, permit_ratio,
	state, lane, created_ms, retired_ms, human_check, limits, waiting_room, version, applied, description,
	image_url, images, revision, paused_ms, segments, offer_within_s, eligibility, limit_key, listed, listed_from,
	last_wave_ms, needs, pay_grace_s, mode, basket_max, reserved_for, expected_visitors`

// SelectActivities reads activities with their skus and stock; ids that don't exist are left out. It runs
// several statements, so tx must be a read view, or have locked the rows that it reads.
func SelectActivities(ctx context.Context, tx *sqlx.Tx, ids []string) ([]*Activity, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := sqldb.Args(ids)
	in := `activity_id IN (` + sqldb.In(len(ids)) + `)`
	var activities []*Activity
	if err := tx.SelectContext(ctx, &activities,
		`SELECT `+ActivityColumns+` FROM activities WHERE `+in+` ORDER BY activity_id`, args...); err != nil {
		return nil, fmt.Errorf("select activities: %w", err)
	}
	if len(activities) == 0 {
		return nil, nil
	}
	var skus []ActivitySKU
	// From publish on, the data come from the sale's copy of the sku, before that from the sku itself.
	const selectSKUs = `SELECT a.activity_id, a.sku_id, a.position, a.flash_price, a.purchase_limit,
		COALESCE(c.shop_id, s.shop_id, '') AS shop_id, COALESCE(c.title, s.title, '') AS title,
		COALESCE(c.image_url, s.image_url, '') AS image_url,
		COALESCE(c.description, s.description, '') AS description, COALESCE(c.kind, s.kind, '') AS kind,
		COALESCE(c.price, s.price, 0) AS price, COALESCE(c.currency, a.currency) AS currency,
		COALESCE(c.currency, s.currency, '') AS sku_currency, a.kind AS drafted_kind,
		COALESCE(c.freight_fee, s.freight_fee, 0) AS freight_fee,
		COALESCE(c.freight_free_over, s.freight_free_over, 0) AS freight_free_over,
		COALESCE(c.required_fields, s.required_fields, '') AS required_fields, a.waves, a.reserved, a.parts
		FROM activity_skus a LEFT JOIN sale_skus c ON c.activity_id = a.activity_id AND c.sku_id = a.sku_id
		LEFT JOIN skus s ON s.sku_id = a.sku_id WHERE a.`
	if err := tx.SelectContext(ctx, &skus, selectSKUs+in+` ORDER BY a.activity_id, a.position`, args...); err != nil {
		return nil, fmt.Errorf("select skus of activities: %w", err)
	}
	var stock []PointStock
	const selectStock = `SELECT activity_id, sku_id, point_id, total, sold, epoch FROM activity_stock WHERE `
	if err := tx.SelectContext(ctx, &stock,
		selectStock+in+` ORDER BY activity_id, sku_id, point_id`, args...); err != nil {
		return nil, fmt.Errorf("select stock of activities: %w", err)
	}
	return assemble(activities, skus, stock), nil
}

func assemble(activities []*Activity, skus []ActivitySKU, stock []PointStock) []*Activity {
	points := map[[2]string][]PointStock{}
	for _, p := range stock {
		key := [2]string{p.Activity, p.SKU}
		points[key] = append(points[key], p)
	}
	byID := make(map[string]*Activity, len(activities))
	for _, a := range activities {
		byID[a.ID] = a
	}
	for _, s := range skus {
		s.Stock = points[[2]string{s.Activity, s.SKU}]
		a := byID[s.Activity]
		a.SKUs = append(a.SKUs, s)
	}
	return activities
}

// ViewActivity reads one activity in its own read view. It returns nil if there is none.
func ViewActivity(ctx context.Context, db *sqldb.DB, id string) (a *Activity, err error) {
	err = db.InView(ctx, func(tx *sqlx.Tx) (err error) {
		a, err = SelectActivity(ctx, tx, id)
		return err
	})
	return a, err
}

// SelectActivity reads one activity; see SelectActivities about tx. It returns nil if there is none.
func SelectActivity(ctx context.Context, tx *sqlx.Tx, id string) (*Activity, error) {
	activities, err := SelectActivities(ctx, tx, []string{id})
	if err != nil || len(activities) == 0 {
		return nil, err
	}
	return activities[0], nil
}
