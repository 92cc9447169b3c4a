package seckill

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// ActivityColumns are the columns of the table activities, as Activity has them.
const ActivityColumns = `activity_id, shop_id, title, starts_ms, ends_ms, pay_within_s, purchase_limit, permit_ratio,
	state, lane, created_ms, retired_ms`

// selectActivities reads activities with their skus and stock; ids that don't exist are left out. It runs
// several statements, so tx must be a read view, or have locked the rows that it reads.
func selectActivities(ctx context.Context, tx *sqlx.Tx, ids []string) ([]*Activity, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	in := `activity_id IN (` + sqldb.In(len(ids)) + `)`
	var activities []*Activity
	if err := tx.SelectContext(ctx, &activities,
		`SELECT `+ActivityColumns+` FROM activities WHERE `+in+` ORDER BY activity_id`, args...); err != nil {
		return nil, fmt.Errorf("select activities: %w", err)
	}
	var skus []ActivitySKU
	// The data are those of the sale's copy from publish on, and those of the sku before.
	const selectSKUs = `SELECT a.activity_id, a.sku_id, a.position, a.flash_price, a.purchase_limit,
		COALESCE(c.shop_id, s.shop_id, '') AS shop_id, COALESCE(c.title, s.title, '') AS title,
		COALESCE(c.image_url, s.image_url, '') AS image_url, COALESCE(c.kind, s.kind, '') AS kind,
		COALESCE(c.price, s.price, 0) AS price, COALESCE(c.currency, s.currency, '') AS currency,
		COALESCE(c.freight_fee, s.freight_fee, 0) AS freight_fee,
		COALESCE(c.freight_free_over, s.freight_free_over, 0) AS freight_free_over
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

// SelectActivity reads one activity; see selectActivities about tx. It returns nil if there is none.
func SelectActivity(ctx context.Context, tx *sqlx.Tx, id string) (*Activity, error) {
	activities, err := selectActivities(ctx, tx, []string{id})
	if err != nil || len(activities) == 0 {
		return nil, err
	}
	return activities[0], nil
}

func insertActivity(ctx context.Context, tx *sqlx.Tx, a *Activity) error {
	const insert = `INSERT INTO activities (` + ActivityColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	_, err := tx.ExecContext(ctx, insert, a.ID, a.Shop, a.Title, a.StartsMS, a.EndsMS, a.PayWithinS, a.PurchaseLimit,
		a.PermitRatio, a.State, a.Lane, a.CreatedMS, a.RetiredMS)
	if err != nil {
		return fmt.Errorf("insert activity %s: %w", a.ID, err)
	}
	return insertGoods(ctx, tx, a)
}

// updateDraft replaces a draft by compare-and-set, and reports whether it was still a draft.
func updateDraft(ctx context.Context, tx *sqlx.Tx, a *Activity) (bool, error) {
	const update = `UPDATE activities SET shop_id = ?, title = ?, starts_ms = ?, ends_ms = ?, pay_within_s = ?,
		purchase_limit = ?, permit_ratio = ? WHERE activity_id = ? AND state = 'draft'`
	res, err := tx.ExecContext(ctx, update, a.Shop, a.Title, a.StartsMS, a.EndsMS, a.PayWithinS, a.PurchaseLimit,
		a.PermitRatio, a.ID)
	if err != nil {
		return false, fmt.Errorf("update activity %s: %w", a.ID, err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	if err := deleteGoods(ctx, tx, a.ID); err != nil {
		return false, err
	}
	return true, insertGoods(ctx, tx, a)
}

// deleteDraft deletes a draft, and reports whether it was one.
func deleteDraft(ctx context.Context, tx *sqlx.Tx, id string) (bool, error) {
	res, err := tx.ExecContext(ctx, `DELETE FROM activities WHERE activity_id = ? AND state = 'draft'`, id)
	if err != nil {
		return false, fmt.Errorf("delete activity %s: %w", id, err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	return true, deleteGoods(ctx, tx, id)
}

func deleteGoods(ctx context.Context, tx *sqlx.Tx, activity string) error {
	for _, table := range []string{"activity_skus", "activity_stock"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE activity_id = ?`, activity); err != nil {
			return fmt.Errorf("clear %s of %s: %w", table, activity, err)
		}
	}
	return nil
}

// stockChunk is how many stock rows one INSERT writes.
const stockChunk = 1000

func insertGoods(ctx context.Context, tx *sqlx.Tx, a *Activity) error {
	const insertSKU = `INSERT INTO activity_skus (activity_id, sku_id, position, flash_price, purchase_limit)
		VALUES (?, ?, ?, ?, ?)`
	const insertStock = `INSERT INTO activity_stock (activity_id, sku_id, point_id, total, sold, epoch) VALUES `
	for i, s := range a.SKUs {
		if _, err := tx.ExecContext(ctx, insertSKU, a.ID, s.SKU, i, s.FlashPrice, s.PurchaseLimit); err != nil {
			return fmt.Errorf("insert sku %s of %s: %w", s.SKU, a.ID, err)
		}
		for points := range slices.Chunk(s.Stock, stockChunk) {
			args := make([]any, 0, 4*len(points))
			for _, p := range points {
				args = append(args, a.ID, s.SKU, p.Point, p.Total)
			}
			if _, err := tx.ExecContext(ctx, insertStock+sqldb.Repeat("(?,?,?,?,0,0)", len(points)),
				args...); err != nil {
				return fmt.Errorf("insert stock of %s in %s: %w", s.SKU, a.ID, err)
			}
		}
	}
	return nil
}

// setState changes the state of an activity by compare-and-set, and reports whether it did.
func setState(ctx context.Context, tx *sqlx.Tx, id string, from, to State, lane int) (bool, error) {
	res, err := tx.ExecContext(ctx, `UPDATE activities SET state = ?, lane = ? WHERE activity_id = ? AND state = ?`,
		to, lane, id, from)
	if err != nil {
		return false, fmt.Errorf("set activity %s %s: %w", id, to, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return false, fmt.Errorf("set activity %s %s: %w", id, to, err)
	}
	return n == 1, nil
}

// Fence locks the stock rows of an activity until the transaction ends, so that no order of it is stored or
// cancelled meanwhile.
func Fence(ctx context.Context, tx *sqlx.Tx, activity string) error {
	if _, err := tx.ExecContext(ctx, `UPDATE activity_stock SET epoch = epoch WHERE activity_id = ?`,
		activity); err != nil {
		return fmt.Errorf("fence activity %s: %w", activity, err)
	}
	return nil
}
