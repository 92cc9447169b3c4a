package order

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
	"onrush/web/problem"
)

// voidFor voids the vouchers of what a refund takes from an order: all of them if nothing is left, else as
// many as it takes units of each. A redeemed voucher that would have to be void is voucher_redeemed, unless the
// part is forced; so is a refund of an amount without units while a voucher of the order is redeemed. The
// caller must hold a lock on the order's row, which redeeming takes too.
func voidFor(ctx context.Context, tx *sqlx.Tx, o *Order, r *Returned, part Part) error {
	redeemed, err := countRedeemed(ctx, tx, o.Number)
	if err != nil {
		return err
	}
	if (r.Whole || len(r.Items) == 0) && len(redeemed) > 0 && !part.Force {
		return errRedeemed()
	}
	if r.Whole {
		const update = `UPDATE vouchers SET status = 'void' WHERE order_number = ? AND status = 'active'`
		if _, err := tx.ExecContext(ctx, update, o.Number); err != nil {
			return fmt.Errorf("void vouchers of order %s: %w", o.Number, err)
		}
		return nil
	}
	for _, u := range r.Items {
		voided, err := voidUnits(ctx, tx, o.Number, u)
		if err != nil {
			return err
		}
		// Older versions issued fewer codes than units: what lacks a code needs none to be void.
		if voided < u.Quantity && redeemed[u.Line] > 0 && !part.Force {
			return errRedeemed()
		}
	}
	return nil
}

func errRedeemed() error {
	return problem.Errorf(CodeVoucherRedeemed, "A voucher of what would be refunded was redeemed.")
}

// countRedeemed counts the redeemed vouchers of an order by line.
func countRedeemed(ctx context.Context, tx *sqlx.Tx, n Number) (map[int]int64, error) {
	var rows []struct {
		Line  int   `db:"line"`
		Codes int64 `db:"codes"`
	}
	const query = `SELECT line, COUNT(*) AS codes FROM vouchers WHERE order_number = ? AND status = 'redeemed'
		GROUP BY line`
	if err := tx.SelectContext(ctx, &rows, query, n); err != nil {
		return nil, fmt.Errorf("count redeemed vouchers of order %s: %w", n, err)
	}
	byLine := make(map[int]int64, len(rows))
	for _, r := range rows {
		byLine[r.Line] = r.Codes
	}
	return byLine, nil
}

// voidUnits voids the codes of as many units of a line, the last ones first, and returns how many had one.
func voidUnits(ctx context.Context, tx *sqlx.Tx, n Number, u Units) (int64, error) {
	var units []int64
	const query = `SELECT unit FROM vouchers WHERE order_number = ? AND line = ? AND status = 'active'
		ORDER BY unit DESC LIMIT ?`
	if err := tx.SelectContext(ctx, &units, query, n, u.Line, u.Quantity); err != nil {
		return 0, fmt.Errorf("select vouchers of order %s: %w", n, err)
	}
	if len(units) == 0 {
		return 0, nil
	}
	update := `UPDATE vouchers SET status = 'void' WHERE order_number = ? AND line = ? AND status = 'active'
		AND unit IN (` + sqldb.In(len(units)) + `)`
	res, err := tx.ExecContext(ctx, update, append([]any{n, u.Line}, sqldb.Args(units)...)...)
	if err != nil {
		return 0, fmt.Errorf("void vouchers of order %s: %w", n, err)
	}
	voided, err := res.RowsAffected()
	if err != nil {
		return 0, fmt.Errorf("void vouchers of order %s: %w", n, err)
	}
	return voided, nil
}
