package myorders

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/order/logpositions"
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
	written *logpositions.Store
}

// NewService returns the orders in db and cache.
func NewService(db *sqldb.DB, cache *Cache, now func() time.Time, log *slog.Logger) *Service {
	return &Service{db: db, cache: cache, now: now, log: log, within: sqlWithin}
}

// ReadFrom makes lists read the replica if the replica already has everything that was written for the user. Call
// ReadFrom before the first list.
func (s *Service) ReadFrom(replica *sqldb.Replica, written *logpositions.Store) {
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
	w.dialect = s.db.Dialect
	version, positions := s.written.Version(ctx, user), s.written.Of(user)
	var cacheErr error
	partial := false
	if m.cacheable() {
		var found cached
		if found, cacheErr = s.cache.find(ctx, m, positions); cacheErr != nil {
			onNoCache.Mark()
			s.log.WarnContext(ctx, "cached orders can't be read; listing without them", slog.Any("error", cacheErr))
		}
		w.found, partial = found.entries, found.partial
	}
	complete, sqlErr := s.readStored(ctx, m, w, version, positions)
	if sqlErr != nil {
		onOnlyCached.Mark()
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

// readStored reads the stored orders of the window, and what the page shows of them: at the replica, if that has all
// that the user was told. If it can't be known whether it has, and the primary can't be read, the orders are not
// complete.
func (s *Service) readStored(
	ctx context.Context, m match, w *window, version func() (int64, error), need *logpositions.Reads,
) (complete bool, err error) {
	at, err := need.Positions(ctx)
	if err != nil {
		s.log.WarnContext(ctx, "no replica can be read", slog.Any("error", err))
	}
	var unknown error
	if w.version, unknown = version(); unknown != nil {
		s.log.WarnContext(ctx, "the replica may be read although it is behind", slog.Any("error", unknown))
	}
	behind := false
	err = s.replica.ReadAt(ctx, s.db, at, func(ctx context.Context, q sqlx.QueryerContext) error {
		primary := q == s.db.Read
		behind = primary && s.replica != nil
		if err := s.read(ctx, q, m, w); err != nil {
			return err
		}
		complete = s.fill(ctx, q, m.user, w) && (primary || unknown == nil)
		return nil
	})
	if behind {
		onBehind.Mark()
		if err := need.Renew(ctx); err != nil {
			s.log.WarnContext(ctx, "positions can't be compared with the primary's", slog.Any("error", err))
		}
	}
	return complete, err
}
