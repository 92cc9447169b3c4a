package order

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/sqldb"
)

// StockOutbox applies in Redis what SQL has decided about orders: it reads stock_outbox, runs return_stock.lua,
// confirm_stock.lua or restock_orders.lua, and deletes the rows that are done. A row is done when as many replicas have
// the change as an order waits for. A repeated call does nothing, since a return or confirm finds no hold any more, and
// a restock finds its id; so a crash at any point is safe.
type StockOutbox struct {
	cfg    StockOutboxConfig
	db     *sqldb.DB
	lua    *lua.Scripts
	log    *slog.Logger
	faults Faults

	mu    sync.Mutex
	after turn // the last turn that a run reached; the next run resumes after it
}

// turn is a unit of work of a run: the rows of one kind of one activity.
type turn struct {
	activity string
	kind     OutboxKind
}

// kinds is the order of turns of an activity: returns come first, since their units can be sold again, and units are
// counted as paid before a restock takes them back.
var kinds = [...]OutboxKind{OutboxReturn, OutboxConfirm, OutboxRestock}

// NewStockOutbox returns a StockOutbox.
func NewStockOutbox(cfg StockOutboxConfig, d Deps) *StockOutbox {
	return &StockOutbox{cfg: cfg.withDefaults(), db: d.DB, lua: d.Lua, log: d.Log, faults: d.Faults}
}

// RunOnce processes the pending returns, confirms and restocks, activity by activity, and returns how many it settled.
// Rows of an activity that isn't loaded stay pending, and an activity that fails doesn't delay the others. If
// PagesPerRun is used up, the next run resumes after the last turn that this run reached.
func (s *StockOutbox) RunOnce(ctx context.Context) (settled int, err error) {
	turns, err := s.turns(ctx)
	if err != nil {
		return 0, err
	}
	pages := s.cfg.PagesPerRun
	for _, t := range turns {
		if pages == 0 || ctx.Err() != nil {
			break
		}
		if s.db.Busy.Skips(sqldb.StockOf(t.activity)) {
			continue
		}
		n, used, failed := s.process(ctx, t.kind, t.activity, pages)
		s.db.Busy.Note(sqldb.StockOf(t.activity), failed)
		settled, pages, err = settled+n, pages-used, errors.Join(err, failed)
		s.mu.Lock()
		s.after = t
		s.mu.Unlock()
	}
	return settled, err
}

// turns returns the turns of all activities with pending rows, starting after the last turn of the previous run.
func (s *StockOutbox) turns(ctx context.Context) ([]turn, error) {
	var activities []string
	const pending = `SELECT DISTINCT activity_id FROM stock_outbox WHERE state = 'pending' ORDER BY activity_id`
	if err := s.db.Write.SelectContext(ctx, &activities, pending); err != nil {
		return nil, fmt.Errorf("select activities with pending stock: %w", err)
	}
	s.mu.Lock()
	after := s.after
	s.mu.Unlock()
	var later, earlier []turn
	last := slices.Index(kinds[:], after.kind)
	for _, a := range activities {
		for i, kind := range kinds {
			t := turn{a, kind}
			if a > after.activity || (a == after.activity && i > last) {
				later = append(later, t)
			} else {
				earlier = append(earlier, t)
			}
		}
	}
	return append(later, earlier...), nil
}

// process settles the pending rows of one kind and activity, at most pages pages. A row that too few replicas have
// stays in the outbox; the rows after it are carried out all the same.
func (s *StockOutbox) process(
	ctx context.Context, kind OutboxKind, activity string, pages int,
) (settled, used int, err error) {
	if kind == OutboxRestock {
		settled, err = s.restock(ctx, activity)
		return settled, 1, err
	}
	var unconfirmed error
	for after := string(kind) + ":"; used < pages && ctx.Err() == nil; {
		numbers, err := s.page(ctx, kind, activity, after)
		if err != nil || len(numbers) == 0 {
			return settled, used, cmp.Or(err, unconfirmed)
		}
		used++
		n, err := s.carryOut(ctx, kind, activity, numbers)
		settled += n
		if errors.Is(err, lua.ErrUnconfirmed) {
			onUnconfirmed.Mark()
			n, err, unconfirmed = len(numbers), nil, err
		}
		if err != nil || n < len(numbers) || len(numbers) < outboxPage {
			return settled, used, cmp.Or(err, unconfirmed)
		}
		after = OutboxID(kind, numbers[len(numbers)-1])
	}
	return settled, used, unconfirmed
}

func (s *StockOutbox) page(ctx context.Context, kind OutboxKind, activity, after string) ([]Number, error) {
	var numbers []Number
	// The ids of one kind are adjacent in the index, so rows of other kinds are not read.
	const page = `SELECT order_number FROM stock_outbox WHERE state = 'pending' AND kind = ? AND activity_id = ?
		AND outbox_id > ? AND outbox_id < ? ORDER BY outbox_id LIMIT ?`
	if err := s.db.Write.SelectContext(ctx, &numbers, page, kind, activity,
		after, string(kind)+";", outboxPage); err != nil {
		return nil, fmt.Errorf("select pending %ss of %s: %w", kind, activity, err)
	}
	return numbers, nil
}

// carryOut gives back the units of cancelled orders of one activity, or confirms its paid ones, and
// returns how many rows it deleted. It reads the epoch before the script runs and checks it before it
// deletes the rows: if the activity was loaded in between, the load may have restored the orders'
// holds, and the rows stay.
func (s *StockOutbox) carryOut(
	ctx context.Context, kind OutboxKind, activity string, numbers []Number,
) (int, error) {
	if len(numbers) == 0 {
		return 0, nil
	}
	epoch, err := s.epochOf(ctx, activity)
	if err != nil {
		return 0, err
	}
	texts := make([]string, 0, len(numbers))
	for _, n := range numbers {
		texts = append(texts, n.String())
	}
	script, step := s.lua.Return, "return_stock"
	if kind == OutboxConfirm {
		script, step = s.lua.Confirm, "confirm_stock"
	}
	codes, err := script(ctx, numbers[0].Lane(), activity, texts)
	if err != nil {
		return 0, fmt.Errorf("%s %d orders of %s: %w", kind, len(numbers), activity, err)
	}
	if err := s.faults.After(step); err != nil {
		return 0, err
	}
	var done []any
	var unreadable []Number
	for i, n := range numbers {
		switch code := codes[i]; code {
		case lua.Returned, lua.NotHeld: // lua.Confirmed is the same as lua.Returned
			done = append(done, OutboxID(kind, n))
		case lua.ActivityNotLoaded:
			onNotLoaded.Mark()
		case lua.HoldUnreadable:
			unreadable = append(unreadable, n)
		default:
			return 0, fmt.Errorf("%s order %s: script returned %d", kind, n, code)
		}
	}
	settled, err := s.remove(ctx, kind, activity, epoch, done)
	if err == nil && len(unreadable) > 0 {
		err = s.mendHolds(ctx, activity, epoch, unreadable)
	}
	return settled, err
}

// epochOf reads the epoch of an activity.
func (s *StockOutbox) epochOf(ctx context.Context, activity string) (epoch int64, err error) {
	const current = `SELECT COALESCE(MAX(epoch), -1) FROM activity_stock WHERE activity_id = ?`
	if err := s.db.Write.GetContext(ctx, &epoch, current, activity); err != nil {
		return 0, fmt.Errorf("select epoch of %s: %w", activity, err)
	}
	return epoch, nil
}

// mendHolds replaces holds that can't be read by holds made from the orders in SQL, so that the next run can read them.
func (s *StockOutbox) mendHolds(ctx context.Context, activity string, epoch int64, numbers []Number) error {
	onBadHolds.Mark()
	s.log.ErrorContext(ctx, "holds of orders can't be read; they are written anew", "activity_id", activity,
		"orders", len(numbers))
	return s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if has, err := FenceAt(ctx, tx, activity, epoch); err != nil || !has {
			return err
		}
		stored, err := SelectAll(ctx, tx, numbers)
		if err != nil {
			return err
		}
		var drop []string
		restore := make(map[string]string, len(stored))
		for _, o := range stored {
			drop = append(drop, o.Number.String())
			restore[o.Number.String()] = o.Held().String()
		}
		lane := numbers[0].Lane()
		if ok, err := s.lua.Repair(ctx, lane, activity, epoch, 0, nil, drop, nil); err != nil || !ok {
			return err
		}
		_, err = s.lua.Repair(ctx, lane, activity, epoch, 0, restore, nil, nil)
		return err
	})
}

// errLoaded says that an activity was loaded after its epoch was read.
var errLoaded = errors.New("the activity was loaded in between")

// remove deletes rows of the outbox, unless the activity has another epoch by now.
func (s *StockOutbox) remove(
	ctx context.Context, kind OutboxKind, activity string, epoch int64, ids []any,
) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	err := s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if has, err := FenceAt(ctx, tx, activity, epoch); err != nil || !has {
			return cmp.Or(err, errLoaded)
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM stock_outbox WHERE outbox_id IN (`+sqldb.In(len(ids))+`)`, ids...)
		if err != nil {
			return fmt.Errorf("remove %d settled %ss: %w", len(ids), kind, err)
		}
		return nil
	})
	if errors.Is(err, errLoaded) {
		onLoaded.Mark()
		s.log.InfoContext(ctx, "stock stays pending: the activity was loaded in between", "activity_id", activity,
			"kind", kind, "orders", len(ids))
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return len(ids), nil
}
