package order

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"

	"github.com/jmoiron/sqlx"

	"onrush/web/problem"
)

// Get returns an order of a user with its log: from SQL, else from the cache, else from SQL again,
// since the order may have been moved between the reads. While SQL is unavailable it returns the
// cached order. If the order doesn't exist or belongs to another user, the error is not_found; if a
// store that may have it is unavailable, the error is unavailable.
func (l *Orders) Get(ctx context.Context, user string, n Number) (View, error) {
	o, events, sqlErr := l.stored(ctx, n)
	if o != nil {
		return viewFor(user, o, events)
	}
	if sqlErr != nil {
		l.log.WarnContext(ctx, "order can't be read from SQL; reading it from the cache",
			slog.String("number", n.String()), slog.Any("error", sqlErr))
	}
	o, cacheErr := l.cache.Get(ctx, user, n)
	switch {
	case o != nil:
		return viewFor(user, o, nil)
	case sqlErr != nil || cacheErr != nil:
		return View{}, problem.Unavailable(errors.Join(sqlErr, cacheErr), "The order can't be read at the moment.")
	}
	o, events, sqlErr = l.stored(ctx, n)
	switch {
	case sqlErr != nil:
		return View{}, problem.Unavailable(sqlErr, "The order can't be read at the moment.")
	case o == nil:
		return View{}, problem.NotFound("order")
	}
	return viewFor(user, o, events)
}

func viewFor(user string, o *Order, events []Event) (View, error) {
	if o.User != user {
		return View{}, problem.NotFound("order")
	}
	return NewView(o, events)
}

// stored reads an order and its log in one read view; if SQL doesn't have the order, o is nil.
func (l *Orders) stored(ctx context.Context, n Number) (o *Order, events []Event, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.within)
	defer cancel()
	err = l.db.InView(ctx, func(tx *sqlx.Tx) error {
		found, err := Select(ctx, tx, n)
		if err != nil {
			return err
		}
		if err := FillVouchers(ctx, tx, []*Order{found}); err != nil {
			return err
		}
		logs, err := SelectEvents(ctx, tx, []Number{n})
		if err != nil {
			return err
		}
		o, events = found, logs[n]
		return nil
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil, nil
	}
	return o, events, err
}
