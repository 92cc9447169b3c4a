package order

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/order/sqldb"
)

// SettlerConfig bounds the settling of returned stock.
type SettlerConfig struct {
	// Page is how many returns one round carries out. Default 500.
	Page int
	// PagesPerRun bounds one run. Default 100.
	PagesPerRun int
}

// Settler gives the units of cancelled orders back to Redis: it reads stock_outbox, runs
// return_stock.lua, and removes the rows that Redis has carried out. The held token makes a
// repeated return do nothing, so a crash anywhere is safe.
type Settler struct {
	cfg    SettlerConfig
	db     *sqldb.DB
	lua    *lua.Scripts
	log    *slog.Logger
	faults Faults
}

// NewSettler makes a settler.
func NewSettler(cfg SettlerConfig, p Parts) *Settler {
	if cfg.Page == 0 {
		cfg.Page = 500
	}
	if cfg.PagesPerRun == 0 {
		cfg.PagesPerRun = 100
	}
	return &Settler{cfg: cfg, db: p.DB, lua: p.Lua, log: p.Log, faults: p.Faults}
}

// RunOnce carries out the pending returns, activity by activity, and returns how many. Those of
// an activity that isn't loaded wait until it is; one that fails doesn't keep the others waiting.
func (s *Settler) RunOnce(ctx context.Context) (settled int, err error) {
	var activities []string
	const pending = `SELECT DISTINCT activity_id FROM stock_outbox WHERE state = 'pending' AND kind = 'return' ORDER BY activity_id`
	if err := s.db.Write.SelectContext(ctx, &activities, pending); err != nil {
		return 0, fmt.Errorf("select activities with pending returns: %w", err)
	}
	pages := s.cfg.PagesPerRun
	for _, a := range activities {
		if pages == 0 || ctx.Err() != nil {
			break
		}
		n, used, failed := s.settle(ctx, a, pages)
		settled, pages, err = settled+n, pages-used, errors.Join(err, failed)
	}
	return settled, err
}

// settle carries out the pending returns of one activity in at most so many pages.
func (s *Settler) settle(ctx context.Context, activity string, pages int) (settled, used int, err error) {
	for used = 1; used <= pages; used++ {
		numbers, err := s.page(ctx, activity)
		if err != nil {
			return settled, used, err
		}
		n, err := s.returnOrders(ctx, activity, numbers)
		settled += n
		if err != nil || n < len(numbers) || len(numbers) < s.cfg.Page {
			return settled, used, err
		}
	}
	return settled, pages, nil
}

func (s *Settler) page(ctx context.Context, activity string) ([]Number, error) {
	var numbers []Number
	const page = `SELECT order_number FROM stock_outbox
		WHERE state = 'pending' AND kind = 'return' AND activity_id = ? ORDER BY outbox_id LIMIT ?`
	if err := s.db.Write.SelectContext(ctx, &numbers, page, activity, s.cfg.Page); err != nil {
		return nil, fmt.Errorf("select pending returns of %s: %w", activity, err)
	}
	return numbers, nil
}

// returnOrders gives back the units of cancelled orders of one activity and returns how many are
// settled for good. The epoch is read before Redis is asked and checked before the rows go: if
// the activity was loaded in between, the load counted the rows as pending, and they stay.
func (s *Settler) returnOrders(ctx context.Context, activity string, numbers []Number) (int, error) {
	if len(numbers) == 0 {
		return 0, nil
	}
	var epoch int64
	const current = `SELECT COALESCE(MAX(epoch), -1) FROM activity_stock WHERE activity_id = ?`
	if err := s.db.Write.GetContext(ctx, &epoch, current, activity); err != nil {
		return 0, fmt.Errorf("select epoch of %s: %w", activity, err)
	}
	texts := make([]string, 0, len(numbers))
	for _, n := range numbers {
		texts = append(texts, n.String())
	}
	codes, err := s.lua.Return(ctx, numbers[0].Lane(), activity, texts)
	if err != nil {
		return 0, fmt.Errorf("return stock of %d orders of %s: %w", len(numbers), activity, err)
	}
	if err := s.faults.After("return_stock"); err != nil {
		return 0, err
	}
	var done []any
	for i, n := range numbers {
		switch code := codes[i]; code {
		case lua.Returned, lua.NoToken:
			done = append(done, outboxID(outboxReturn, n))
		case lua.ActivityNotLoaded:
		default:
			return 0, fmt.Errorf("return stock of order %s: script returned %d", n, code)
		}
	}
	if len(done) == 0 {
		return 0, nil
	}
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE activity_stock SET epoch = epoch WHERE activity_id = ? AND epoch = ?`, activity, epoch)
		if err != nil {
			return fmt.Errorf("fence activity %s: %w", activity, err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(errEpoch, err)
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM stock_outbox WHERE outbox_id IN (`+sqldb.In(len(done))+`)`, done...)
		if err != nil {
			return fmt.Errorf("remove %d settled returns: %w", len(done), err)
		}
		return nil
	})
	if errors.Is(err, errEpoch) {
		s.log.InfoContext(ctx, "returns stay pending: the activity was loaded meanwhile", "activity_id", activity, "returns", len(done))
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return len(done), nil
}
