package myorders

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/web/api"
	"onrush/web/problem"
)

// sqlWithin bounds the read of one list, so that an unavailable SQL store is noticed soon.
const sqlWithin = time.Second

// Service reads the orders of users, cached or stored, each once.
//
// A list reads the cached orders first and then SQL, in one read view. A record is removed from Redis
// only after its order was committed, so every order that is missing in the first read is in the
// second. If both have an order, the one in SQL is used.
type Service struct {
	db     *sqldb.DB
	cache  *Cache
	now    func() time.Time
	log    *slog.Logger
	within time.Duration
}

// NewService returns the orders in db and cache.
func NewService(db *sqldb.DB, cache *Cache, now func() time.Time, log *slog.Logger) *Service {
	return &Service{db: db, cache: cache, now: now, log: log, within: sqlWithin}
}

// List returns a page of a user's orders, newest first: by page number with the total, or the orders
// before an order number. NextCursor is set if there are more. If one store is unavailable, the list
// has the orders of the other one and is Partial; if both are, the error is unavailable.
func (l *Service) List(ctx context.Context, user string, f Filter, page api.Page) (api.List[order.View], error) {
	if err := f.check(); err != nil {
		return api.List[order.View]{}, err
	}
	m := f.match(user, l.now())
	w := newWindow(page)
	var cacheErr error
	if m.cacheable() {
		if w.inRedis, cacheErr = l.cache.Of(ctx, user); cacheErr != nil {
			l.log.WarnContext(ctx, "cached orders can't be read; listing without them", slog.Any("error", cacheErr))
		}
	}
	sqlErr := l.read(ctx, m, w)
	if sqlErr != nil {
		l.log.WarnContext(ctx, "stored orders can't be read; listing without them", slog.Any("error", sqlErr))
		if cacheErr != nil {
			return api.List[order.View]{},
				problem.Unavailable(errors.Join(cacheErr, sqlErr), "Orders can't be read at the moment.")
		}
		w.onlyCached(m)
	}
	list, err := w.list()
	list.Partial = cacheErr != nil || sqlErr != nil
	return list, err
}

// read reads the window's stored orders from SQL in one read view.
func (l *Service) read(ctx context.Context, m match, w *window) error {
	ctx, cancel := context.WithTimeout(ctx, l.within)
	defer cancel()
	return l.db.InView(ctx, func(tx *sqlx.Tx) error {
		stored, err := selectStored(ctx, tx, w.inRedis)
		if err != nil {
			return err
		}
		w.keepCached(m, stored)
		where := m.where()
		if w.before == 0 {
			if err := tx.GetContext(ctx, &w.stored, `SELECT COUNT(*) FROM orders`+where.String(),
				where.Args()...); err != nil {
				return fmt.Errorf("count orders: %w", err)
			}
		}
		var numbers []order.Number
		if offset, limit := w.reach(); w.before != 0 || int64(offset) < w.stored {
			query := `SELECT number FROM orders` + where.String() +
				` AND number < ? ORDER BY number DESC LIMIT ? OFFSET ?`
			if err := tx.SelectContext(ctx, &numbers, query, where.Args(w.below(), limit, offset)...); err != nil {
				return fmt.Errorf("select order numbers: %w", err)
			}
		}
		w.merge(numbers)
		return w.fill(ctx, tx)
	})
}
