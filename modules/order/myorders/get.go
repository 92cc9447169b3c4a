package myorders

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/order/complete"
	"onrush/modules/problem"
)

// Get returns an order of a user with its log: from SQL, else from the cache, else from SQL again,
// since the order may have been moved between the reads. While SQL is unavailable it returns the
// cached order. If the order doesn't exist or belongs to another user, the error is not_found; if a
// store that may have it is unavailable, the error is unavailable.
func (s *Service) Get(ctx context.Context, user string, n order.Number) (order.View, error) {
	o, lines, sqlErr := s.stored(ctx, n)
	if o != nil && o.User == user {
		return s.viewFor(user, o, lines)
	}
	if sqlErr != nil {
		onGetCached.Mark()
		s.log.WarnContext(ctx, "order can't be read from SQL; reading it from the cache",
			slog.String("number", n.String()), slog.Any("error", sqlErr))
	}
	cached, cacheErr := s.cache.Get(ctx, user, n) // also if SQL has another buyer's order with the number
	switch {
	case cached != nil:
		return s.viewFor(user, cached, nil)
	case o != nil:
		return s.viewFor(user, o, lines)
	case sqlErr != nil || cacheErr != nil:
		return order.View{},
			problem.Unavailable(errors.Join(sqlErr, cacheErr), "The order can't be read at the moment.")
	}
	o, lines, sqlErr = s.stored(ctx, n)
	switch {
	case sqlErr != nil:
		return order.View{}, problem.Unavailable(sqlErr, "The order can't be read at the moment.")
	case o == nil:
		return order.View{}, problem.NotFound("order")
	}
	onMoved.Mark()
	return s.viewFor(user, o, lines)
}

func (s *Service) viewFor(user string, o *order.Order, lines []order.LogLine) (order.View, error) {
	if o.User != user {
		return order.View{}, problem.NotFound("order")
	}
	v := order.NewView(o, lines)
	v.AddressOpen = complete.RequireAddressOpen(o, s.now()) == nil
	return v, nil
}

// stored reads an order and its log in one read view; if SQL doesn't have the order, o is nil.
func (s *Service) stored(ctx context.Context, n order.Number) (o *order.Order, lines []order.LogLine, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	err = s.db.InView(ctx, func(tx *sqlx.Tx) error {
		found, err := order.Select(ctx, tx, n)
		if err != nil {
			return err
		}
		if err := complete.Fill(ctx, tx, []*order.Order{found}); err != nil {
			return err
		}
		logs, err := order.SelectLog(ctx, tx, []order.Number{n})
		if err != nil {
			return err
		}
		o, lines = found, logs[n]
		return nil
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil, nil
	}
	return o, lines, err
}
