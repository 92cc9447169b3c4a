package catalogue

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/problem"
)

// releaseCodes makes the id of a sku free for other goods: for goods of another shop, or of another kind. Codes of
// vouchers are found by the id of their sku, so it is a conflict while units that were sold may still need a code, or
// imported codes are left. After it, the codes of the sku are no imported ones. The sku must be locked: then no order
// is placed and no code is imported.
//
// The uses are read in the order in which a unit goes through them, since each statement sees what was committed before
// it: an order that is paid meanwhile is found as unpaid or as a wait.
func releaseCodes(ctx context.Context, tx *sqlx.Tx, id string) error {
	for _, use := range []struct{ query, conflict string }{
		{
			`SELECT COUNT(*) FROM (SELECT 1 FROM activities a JOIN sale_skus c ON c.activity_id = a.activity_id
			WHERE a.retired_ms = 0 AND c.sku_id = ? AND c.kind = 'voucher' LIMIT 1) AS used`,
			"A sale that is not over sells the sku %s as a voucher.",
		},
		{
			`SELECT COUNT(*) FROM (SELECT 1 FROM orders o JOIN order_items i ON i.order_number = o.number
			WHERE o.status = 'unpaid' AND o.type = 'ordinary' AND i.sku_id = ? AND i.kind = 'voucher' LIMIT 1) AS used`,
			"An unpaid order has the sku %s as a voucher.",
		},
		{
			`SELECT COUNT(*) FROM (SELECT 1 FROM voucher_waits WHERE sku_id = ? LIMIT 1) AS used`,
			"Paid units of the sku %s wait for codes: import codes, or refund them.",
		},
	} {
		if err := unused(ctx, tx, use.query, id, fmt.Sprintf(use.conflict, id)); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE voucher_pools SET given = given WHERE sku_id = ?`, id); err != nil {
		return fmt.Errorf("lock the codes of sku %s: %w", id, err)
	}
	const left = `SELECT COUNT(*) FROM (SELECT 1 FROM voucher_codes WHERE sku_id = ? LIMIT 1) AS used`
	conflict := "Imported codes of the sku " + id + " are left: withdraw them first."
	if err := unused(ctx, tx, left, id, conflict); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM voucher_pools WHERE sku_id = ?`, id); err != nil {
		return fmt.Errorf("forget the codes of sku %s: %w", id, err)
	}
	return nil
}

// releaseIfOther is releaseCodes for a change that makes other goods of a sku.
func releaseIfOther(ctx context.Context, tx *sqlx.Tx, before *SKU, after SKU) error {
	if before.Kind == after.Kind && before.Shop == after.Shop {
		return nil
	}
	return releaseCodes(ctx, tx, after.ID)
}

// LockVoucher locks a sku until the transaction ends. It is a conflict if the sku is no voucher.
func LockVoucher(ctx context.Context, tx *sqlx.Tx, id string) error {
	sku, err := lockSKU(ctx, tx, id)
	if err == nil && sku.Kind != Voucher {
		err = problem.Errorf(problem.CodeConflict, "Only goods of the kind voucher have codes.")
	}
	return err
}
