package vouchers

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/idempotency"
	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Withdrawn is how many codes a withdrawal took back.
type Withdrawn struct {
	SKU       string `json:"sku_id"`
	Withdrawn int64  `json:"withdrawn"`
}

// Withdraw takes back imported codes of a sku that were not given to a buyer: the codes that are named, or with all
// every one. Others are ignored; a code that a buyer has is void only by a refund.
func (s *Service) Withdraw(ctx context.Context, sku string, all bool, codes []string) (Withdrawn, error) {
	done := Withdrawn{SKU: sku}
	if all == (len(codes) > 0) {
		return done, problem.Invalid("codes", "must name codes, or all must be true")
	}
	if err := checkCodes(codes); err != nil {
		return done, err
	}
	err := s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		done.Withdrawn = 0
		switch _, pooled, err := order.LockPool(ctx, tx, sku); {
		case err != nil:
			return err
		case !pooled:
			return problem.NotFound("sku with imported codes")
		}
		if err := deleteCodes(ctx, tx, &done, all, codes); err != nil {
			return fmt.Errorf("withdraw codes of %s: %w", sku, err)
		}
		const count = `UPDATE voucher_pools SET withdrawn = withdrawn + ? WHERE sku_id = ?`
		if _, err := tx.ExecContext(ctx, count, done.Withdrawn, sku); err != nil {
			return fmt.Errorf("count the withdrawn codes of %s: %w", sku, err)
		}
		if err := oplog.Record(ctx, tx, oplog.Entry{
			Action: "vouchers.withdrawn", On: "sku:" + sku, After: map[string]int64{"codes": done.Withdrawn},
		}); err != nil {
			return err
		}
		return idempotency.Keep(ctx, tx, http.StatusOK, done)
	})
	if err != nil {
		return Withdrawn{}, err
	}
	return done, nil
}

// deleteCodes deletes codes of a pool, which is locked, and counts them.
func deleteCodes(ctx context.Context, tx *sqlx.Tx, done *Withdrawn, all bool, codes []string) error {
	remove := func(statement string, args ...any) error {
		res, err := tx.ExecContext(ctx, statement, args...)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		done.Withdrawn += n
		return err
	}
	if all {
		return remove(`DELETE FROM voucher_codes WHERE sku_id = ?`, done.SKU)
	}
	for some := range slices.Chunk(codes, codesAtOnce) {
		statement := `DELETE FROM voucher_codes WHERE sku_id = ? AND code IN (` + sqldb.In(len(some)) + `)`
		if err := remove(statement, append([]any{done.SKU}, sqldb.Args(some)...)...); err != nil {
			return err
		}
	}
	return nil
}
