package admin

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/needs"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/sqldb"
)

func insertActivity(ctx context.Context, tx *sqlx.Tx, a *seckill.Activity) error {
	const insert = `INSERT INTO activities (` + seckill.ActivityColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
		?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	_, err := tx.ExecContext(ctx, insert, a.ID, a.Shop, a.Title, a.StartsMS, a.EndsMS, a.PayWithinS, a.PurchaseLimit,
		a.PermitRatio, a.State, a.Lane, a.CreatedMS, a.RetiredMS, a.HumanCheck, a.Limits, a.WaitingRoom, a.Version,
		a.Applied, a.Description, a.ImageURL, a.Images, a.Revision, a.PausedMS, a.Segments, a.OfferWithinS,
		a.Eligible, a.LimitKey, a.Listed, a.ListedFrom, a.LastWave(), a.Needs, a.PayGraceS, a.Mode, a.BasketMax,
		a.Reserved, a.ExpectedVisitors)
	if err != nil {
		return fmt.Errorf("insert activity %s: %w", a.ID, err)
	}
	return insertGoods(ctx, tx, a)
}

// updateDraft replaces a draft by compare-and-set, and reports whether it was still a draft.
func updateDraft(ctx context.Context, tx *sqlx.Tx, a *seckill.Activity) (bool, error) {
	const update = `UPDATE activities SET shop_id = ?, title = ?, starts_ms = ?, ends_ms = ?, pay_within_s = ?,
		purchase_limit = ?, permit_ratio = ?, human_check = ?, limits = ?, waiting_room = ?, description = ?,
		image_url = ?, images = ?, segments = ?, offer_within_s = ?, eligibility = ?, limit_key = ?, last_wave_ms = ?,
		pay_grace_s = ?, mode = ?, basket_max = ?, reserved_for = ?, expected_visitors = ?, revision = revision + 1
		WHERE activity_id = ? AND state = 'draft'`
	res, err := tx.ExecContext(ctx, update, a.Shop, a.Title, a.StartsMS, a.EndsMS, a.PayWithinS, a.PurchaseLimit,
		a.PermitRatio, a.HumanCheck, a.Limits, a.WaitingRoom, a.Description, a.ImageURL, a.Images,
		a.Segments, a.OfferWithinS, a.Eligible, a.LimitKey, a.LastWave(), a.PayGraceS, a.Mode, a.BasketMax, a.Reserved,
		a.ExpectedVisitors, a.ID)
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
	if err := eligible.Delete(ctx, tx, id); err != nil {
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

func insertGoods(ctx context.Context, tx *sqlx.Tx, a *seckill.Activity) error {
	const insertSKU = `INSERT INTO activity_skus (activity_id, sku_id, position, flash_price, purchase_limit,
		currency, kind, waves, reserved, parts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	const insertStock = `INSERT INTO activity_stock (activity_id, sku_id, point_id, total, sold, epoch) VALUES `
	for i, s := range a.SKUs {
		if _, err := tx.ExecContext(ctx, insertSKU, a.ID, s.SKU, i, s.FlashPrice, s.PurchaseLimit, s.Currency,
			s.DraftedKind, s.Waves, s.Reserved, s.Parts); err != nil {
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

// setPublished publishes a draft that needs some abilities by compare-and-set, and reports whether it did.
func setPublished(ctx context.Context, tx *sqlx.Tx, id string, lane int, set needs.Set) (bool, error) {
	return setState(ctx, tx, `UPDATE activities SET state = 'published', lane = ?, needs = ?, revision = revision + 1
		WHERE activity_id = ? AND state = 'draft'`, lane, set, id)
}

// setOffline takes a published activity offline by compare-and-set, and reports whether it did. It is a change that
// Redis must get, so it has a version.
func setOffline(ctx context.Context, tx *sqlx.Tx, id string) (bool, error) {
	return setState(ctx, tx, `UPDATE activities SET state = 'offline', version = version + 1, revision = revision + 1
		WHERE activity_id = ? AND state = 'published'`, id)
}

func setState(ctx context.Context, tx *sqlx.Tx, update string, args ...any) (bool, error) {
	res, err := tx.ExecContext(ctx, update, args...)
	if err != nil {
		return false, fmt.Errorf("set state of activity: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return false, fmt.Errorf("set state of activity: %w", err)
	}
	return n == 1, nil
}
