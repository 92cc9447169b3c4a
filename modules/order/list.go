package order

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
	"onrush/web/api"
	"onrush/web/problem"
)

// sqlWithin bounds the reading of one list, so that SQL that is away is noticed soon.
const sqlWithin = time.Second

// Orders are the orders that users see, each once, whether they are still cached or stored.
//
// A list reads the cached orders first and SQL after them, in one read view. A record leaves
// Redis only after its order was committed, so what Redis no longer has, SQL has by then; what
// both have, SQL decides.
type Orders struct {
	db     *sqldb.DB
	cache  *Cache
	now    func() time.Time
	log    *slog.Logger
	within time.Duration
}

// NewOrders makes the orders over SQL and the cache.
func NewOrders(db *sqldb.DB, cache *Cache, now func() time.Time, log *slog.Logger) *Orders {
	return &Orders{db: db, cache: cache, now: now, log: log, within: sqlWithin}
}

// List returns a page of a user's orders, newest first: by number with their total, or those
// before an order number. NextCursor is set while there is more. If one store is away, the list
// has what the other one knows and is Partial; if both are, the error is unavailable.
func (l *Orders) List(ctx context.Context, user string, f Filter, page api.Page) (api.List[View], error) {
	if err := f.check(); err != nil {
		return api.List[View]{}, err
	}
	m := f.match(user, l.now())
	w := newWindow(page)
	var cacheErr error
	if m.cacheable() {
		if w.inRedis, cacheErr = l.cache.Of(ctx, user); cacheErr != nil {
			l.log.WarnContext(ctx, "list without cached orders", slog.Any("error", cacheErr))
		}
	}
	sqlErr := l.read(ctx, m, w)
	if sqlErr != nil {
		l.log.WarnContext(ctx, "list without stored orders", slog.Any("error", sqlErr))
		if cacheErr != nil {
			return api.List[View]{}, problem.Unavailable(errors.Join(cacheErr, sqlErr), "Orders can't be read at the moment.")
		}
		w.onlyCached(m)
	}
	list, err := w.list()
	list.Partial = cacheErr != nil || sqlErr != nil
	return list, err
}

// read takes from SQL, in one read view, what the window needs.
func (l *Orders) read(ctx context.Context, m match, w *window) error {
	ctx, cancel := context.WithTimeout(ctx, l.within)
	defer cancel()
	return l.db.InView(ctx, func(tx *sqlx.Tx) error {
		stored, err := selectStored(ctx, tx, w.inRedis)
		if err != nil {
			return err
		}
		w.keepCached(m, stored)
		where, args := m.where()
		if w.before == 0 {
			if err := tx.GetContext(ctx, &w.stored, `SELECT COUNT(*) FROM orders WHERE `+where, args...); err != nil {
				return fmt.Errorf("count orders: %w", err)
			}
		}
		var numbers []Number
		if offset, limit := w.reach(); w.before != 0 || int64(offset) < w.stored {
			query := `SELECT number FROM orders WHERE ` + where + ` AND number < ? ORDER BY number DESC LIMIT ? OFFSET ?`
			args = append(args, w.below(), limit, offset)
			if err := tx.SelectContext(ctx, &numbers, query, args...); err != nil {
				return fmt.Errorf("select order numbers: %w", err)
			}
		}
		w.merge(numbers)
		return w.fill(ctx, tx)
	})
}
