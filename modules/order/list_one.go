package order

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"

	"github.com/jmoiron/sqlx"

	"onrush/web/problem"
)

// One returns one order of a user with its log: SQL is asked first, then the cache, then SQL once
// more, since the order may have moved meanwhile. While SQL is away the cached order is shown.
// Somebody else's order, like one that doesn't exist, is not_found; where a store is away that
// might have it, the error is unavailable.
func (l *Orders) One(ctx context.Context, user string, n Number) (View, error) {
	o, events, sqlErr := l.stored(ctx, n)
	if o != nil {
		return viewFor(user, o, events)
	}
	if sqlErr != nil {
		l.log.WarnContext(ctx, "order without SQL", slog.String("number", n.String()), slog.Any("error", sqlErr))
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

// stored reads an order and its log in one read view; an order that SQL doesn't have is nil.
func (l *Orders) stored(ctx context.Context, n Number) (o *Order, events []Event, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.within)
	defer cancel()
	err = l.db.InView(ctx, func(tx *sqlx.Tx) error {
		found, err := selectOrder(ctx, tx, n)
		if err != nil {
			return err
		}
		if err := fillVouchers(ctx, tx, []*Order{found}); err != nil {
			return err
		}
		logs, err := selectEvents(ctx, tx, []Number{n})
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
