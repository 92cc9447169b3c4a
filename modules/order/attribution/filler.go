package attribution

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/order/sources"
	"onrush/modules/sqldb"
)

// FillerConfig bounds the work of Filler.
type FillerConfig struct {
	// Page is how many labels one statement reads, 1 to 1000. Default 500.
	Page int
	// PagesPerRun bounds one run. Default 100.
	PagesPerRun int
	// Rest is how long it rests once it has read all labels. Default 6 hours.
	Rest time.Duration
}

// Filler writes the sources of orders that older versions of the program stored, paid or refunded. It finds these by
// their labels.
type Filler struct {
	cfg FillerConfig
	db  *sqldb.DB
	now func() time.Time

	mu     sync.Mutex // held by a run
	name   int        // of Names, whose labels are read
	last   label      // the next run continues after it
	resume time.Time
}

// label is a row of order_labels.
type label struct {
	Value  string       `db:"value"`
	Number order.Number `db:"number"`
}

// NewFiller returns the Filler of the orders in db.
func NewFiller(cfg FillerConfig, db *sqldb.DB, now func() time.Time) *Filler {
	cfg.Page, cfg.PagesPerRun = cmp.Or(cfg.Page, 500), cmp.Or(cfg.PagesPerRun, 100)
	cfg.Rest = cmp.Or(cfg.Rest, 6*time.Hour)
	return &Filler{cfg: cfg, db: db, now: now}
}

// RunOnce writes the sources of orders that lack them or have others than the order, and returns how many. Where no
// older version runs, it finds none.
func (f *Filler) RunOnce(ctx context.Context) (written int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.now(); now.Before(f.resume) && f.resume.Sub(now) <= f.cfg.Rest {
		return 0, nil
	}
	const query = `SELECT value, number FROM order_labels
		WHERE name = ? AND value >= ? AND (value > ? OR number > ?) ORDER BY value, number LIMIT ?`
	for range f.cfg.PagesPerRun {
		var page []label
		args := []any{Names[f.name], f.last.Value, f.last.Value, f.last.Number, f.cfg.Page}
		if err := f.db.Write.SelectContext(ctx, &page, query, args...); err != nil {
			return written, fmt.Errorf("read the labels of orders: %w", err)
		}
		n, err := f.fill(ctx, page)
		if written += n; err != nil {
			return written, fmt.Errorf("fill the sources of orders: %w", err)
		}
		if len(page) == f.cfg.Page {
			f.last = page[len(page)-1]
			continue
		}
		f.last, f.name = label{}, (f.name+1)%len(Names)
		if f.name == 0 {
			f.resume = f.now().Add(f.cfg.Rest)
			break
		}
	}
	return written, nil
}

// fill writes the sources of the orders of a page, in a transaction that locks the orders whose sources differ.
func (f *Filler) fill(ctx context.Context, page []label) (written int, err error) {
	numbers := make([]any, len(page))
	for i := range page {
		numbers[i] = page[i].Number
	}
	differ, err := differing(ctx, f.db.Write, numbers)
	if err == nil && Names[f.name] == "inviter_id" {
		differ, err = f.addRenamed(ctx, page, numbers, differ)
	}
	if err != nil || len(differ) == 0 {
		return 0, err
	}
	return len(differ), f.db.InTx(ctx, func(tx *sqlx.Tx) error {
		in, args := ` WHERE number IN (`+sqldb.In(len(differ))+`)`, sqldb.Args(differ)
		for _, statement := range []string{
			`UPDATE orders SET status = status`, `UPDATE orders_archive SET status = status`,
			`DELETE FROM order_sources`,
		} {
			if _, err := tx.ExecContext(ctx, statement+in, args...); err != nil {
				return err
			}
		}
		orders, err := order.SelectAll(ctx, tx, differ)
		if err != nil {
			return err
		}
		rows := make([]sources.Row, len(orders))
		for i, o := range orders {
			rows[i] = o.Source()
		}
		return sources.Insert(ctx, tx, rows)
	})
}

// differing returns the orders that lack sources, or whose sources have other amounts than the orders, in ascending
// order.
func differing(ctx context.Context, q sqlx.QueryerContext, numbers []any) (differ []order.Number, err error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	query := differingIn(order.Live, len(numbers)) + ` UNION ALL ` + differingIn(order.Archived, len(numbers))
	err = sqlx.SelectContext(ctx, q, &differ, query, slices.Concat(numbers, numbers)...)
	slices.Sort(differ)
	return differ, err
}

// differingIn returns the statement of differing for n orders of a table.
func differingIn(table string, n int) string {
	return `SELECT orders.number FROM ` + table + ` LEFT JOIN order_sources AS source ON source.number = orders.number
		WHERE orders.number IN (` + sqldb.In(n) + `) AND (source.number IS NULL
			OR source.paid <> (CASE WHEN orders.paid_ms > 0 THEN 1 ELSE 0 END)
			OR source.refunded_amount <> orders.refunded_amount)`
}

// addRenamed adds the orders whose inviter an older version has erased from the label alone.
func (f *Filler) addRenamed(
	ctx context.Context, page []label, numbers []any, differ []order.Number,
) ([]order.Number, error) {
	if len(page) == 0 {
		return differ, nil
	}
	var inviters []label
	query := `SELECT inviter_id AS value, number FROM order_sources WHERE number IN (` + sqldb.In(len(numbers)) + `)`
	if err := f.db.Write.SelectContext(ctx, &inviters, query, numbers...); err != nil {
		return nil, err
	}
	labels := make(map[order.Number]string, len(page))
	for _, l := range page {
		labels[l.Number] = l.Value
	}
	for _, is := range inviters {
		if labels[is.Number] != is.Value {
			differ = append(differ, is.Number)
		}
	}
	slices.Sort(differ)
	return slices.Compact(differ), nil
}
