package myorders

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/order/positions"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// sqlWithin bounds the read of one list, so that an unavailable SQL store is noticed soon.
const sqlWithin = time.Second

// Service reads the orders of users, cached or stored, each once.
type Service struct {
	db      *sqldb.DB
	cache   *Cache
	now     func() time.Time
	log     *slog.Logger
	within  time.Duration
	replica *sqldb.Replica // of lists; nil: none
	written *positions.Store
}

// NewService returns the orders in db and cache.
func NewService(db *sqldb.DB, cache *Cache, now func() time.Time, log *slog.Logger) *Service {
	return &Service{db: db, cache: cache, now: now, log: log, within: sqlWithin}
}

// ReadFrom makes lists read the replica, where that has what is written there for the user. Call it before the first
// list.
func (s *Service) ReadFrom(replica *sqldb.Replica, written *positions.Store) {
	s.replica, s.written = replica, written
}

// List returns a page of a user's orders, newest first: by page number with the total, or the orders
// before an order number. NextCursor is set if there are more. If one store is unavailable, the list
// has the orders of the other one and is Partial; if both are, the error is unavailable. The list is Partial,
// too, if the user has so many cached orders that not all were considered (maxCached, maxFiltered).
func (s *Service) List(ctx context.Context, user string, f Filter, page api.Page) (api.List[Row], error) {
	if err := f.check(); err != nil {
		return api.List[Row]{}, err
	}
	m := f.match(user, s.now())
	w := newWindow(page)
	var cacheErr error
	partial, complete := false, false
	if m.cacheable() {
		var found cached
		if found, cacheErr = s.cache.find(ctx, m); cacheErr != nil {
			s.log.WarnContext(ctx, "cached orders can't be read; listing without them", slog.Any("error", cacheErr))
		}
		w.found, partial = found.entries, found.partial
	}
	written, err := s.written.Of(ctx, user) // after the cached orders were read, as it demands
	if err != nil {
		s.log.WarnContext(ctx, "no replica can be read", slog.Any("error", err))
	}
	sqlErr := s.replica.ReadAt(ctx, s.db, written, func(ctx context.Context, q sqlx.QueryerContext) error {
		if err := s.read(ctx, q, m, w); err != nil {
			return err
		}
		complete = s.fill(ctx, q, user, w)
		return nil
	})
	if sqlErr != nil {
		s.log.WarnContext(ctx, "stored orders can't be read; listing without them", slog.Any("error", sqlErr))
		if cacheErr != nil {
			return api.List[Row]{},
				problem.Unavailable(errors.Join(cacheErr, sqlErr), "Orders can't be read at the moment.")
		}
		w.onlyCached()
		complete = s.fill(ctx, s.db.Read, user, w)
	}
	list := w.list()
	list.Partial = partial || !complete || cacheErr != nil || sqlErr != nil
	return list, nil //nolint:nilerr // the list is partial
}
