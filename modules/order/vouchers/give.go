package vouchers

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/sqldb"
)

const (
	// givesPerRun bounds the transactions for one sku in one run, and thereby the units that get a code.
	givesPerRun = 100
	// skusPerRun bounds the skus of one run of the job.
	skusPerRun = 100
)

// GiveWaiting gives imported codes to the paid orders that wait for them, and returns how many. An import does the same
// at once; this job gives codes to the orders that an import did not reach, such as after a crash.
func (s *Service) GiveWaiting(ctx context.Context) (given int, failed error) {
	var skus []string
	const query = `SELECT p.sku_id FROM voucher_pools p WHERE imported > given + withdrawn
		AND EXISTS (SELECT 1 FROM voucher_waits w WHERE w.sku_id = p.sku_id AND w.held = 0) ORDER BY p.sku_id LIMIT ?`
	if err := s.db.Write.SelectContext(ctx, &skus, query,
		skusPerRun+s.db.Busy.Counts()[sqldb.VoucherPools]); err != nil {
		return 0, fmt.Errorf("select skus whose buyers wait for codes: %w", err)
	}
	for _, sku := range skus {
		pool := sqldb.Owner{Kind: sqldb.VoucherPools, ID: sku}
		if s.db.Busy.Skips(pool) {
			continue
		}
		n, err := s.give(ctx, sku)
		s.db.Busy.Note(pool, err)
		given, failed = given+n, errors.Join(failed, err)
	}
	return given, failed
}

// give gives codes of a sku to those who wait, a bounded number in each transaction.
func (s *Service) give(ctx context.Context, sku string) (given int, err error) {
	for range givesPerRun {
		n := 0
		err := s.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
			n, err = order.GiveWaiting(ctx, tx, sku, s.now().UnixMilli(), order.LogLine{Actor: "job:give_vouchers"})
			return err
		})
		if err != nil {
			return given, fmt.Errorf("give codes of %s: %w", sku, err)
		}
		if n == 0 {
			break
		}
		given += n
	}
	return given, nil
}
