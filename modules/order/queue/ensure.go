package queue

import (
	"context"
	"errors"
	"fmt"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/order/unstored"
	"onrush/modules/problem"
	"onrush/modules/site"
)

// Ensurer stores a cached order that is paid or cancelled, as a mover would; it is an order.Ensurer.
type Ensurer struct {
	lua   *lua.Scripts
	site  *site.Site
	store *storer
}

// NewEnsurer returns an Ensurer.
func NewEnsurer(d Deps) *Ensurer {
	return &Ensurer{lua: d.Lua, site: d.Site, store: newStorer(d)}
}

// EnsureStored implements order.Ensurer.
func (e *Ensurer) EnsureStored(ctx context.Context, user string, n order.Number) (*order.Order, error) {
	for range 3 {
		o, err := order.SelectOf(ctx, e.store.db.Write, user, n)
		if err == nil || problem.CodeOf(err) != problem.CodeNotFound {
			return o, err
		}
		if n.Lane() == 0 { // an ordinary order, which is never cached
			return nil, err
		}
		cached, asOf, err := e.cached(ctx, user, n)
		if err != nil {
			return nil, problem.Unavailable(err, "The order can't be read right now.")
		}
		if cached == nil { // it was moved in the meantime, or doesn't exist
			return order.SelectOf(ctx, e.store.db.Write, user, n)
		}
		onEnsured.Mark()
		var verdicts []verdict
		err = e.store.db.Share(ctx, order.ContendedRows(cached), func() (err error) {
			verdicts, err = e.store.store(ctx, []*order.Order{cached}, asOf)
			return err
		})
		switch {
		case errors.Is(err, errEpoch):
			onEnsuredLoaded.Mark()
			continue
		case err != nil:
			return nil, problem.Unavailable(err, "The order can't be stored right now.")
		case verdicts[0].Verdict == numberTaken: // the number is of another buyer's order: the answer is as for theirs
			entry := order.Entry{Number: n, PlacedMS: int64(cached.PlacedAt), Activity: cached.Activity, User: user}
			entry.Raw = order.FormatEntry(n, entry.PlacedMS, entry.Activity, user)
			if err := e.store.renumber(ctx, &entry, cached); err != nil {
				return nil, problem.Unavailable(err, "The order can't be stored right now.")
			}
			return nil, problem.NotFound("order")
		case verdicts[0].Verdict == lua.VerdictDead:
			return nil, problem.Unavailable(fmt.Errorf("order %s: %s: %s", n, verdicts[0].reason, verdicts[0].detail),
				"The order can't be stored; an operator must examine it.")
		case verdicts[0].Verdict == lua.VerdictRepeat: // the mover removes it from Redis
			return nil, problem.NotFound("order")
		}
		return order.SelectOf(ctx, e.store.db.Write, user, n)
	}
	return nil, problem.Unavailable(errEpoch, "The sale is being loaded.")
}

// cached reads the order's record twice: the first read returns the activity, whose epoch must be known
// before the second read.
func (e *Ensurer) cached(
	ctx context.Context, user string, n order.Number,
) (o *order.Order, asOf map[string]int64, err error) {
	o, err = e.record(ctx, user, n)
	if err != nil || o == nil {
		return nil, nil, err
	}
	if err := e.store.epochs.refresh(ctx, []string{o.Activity}); err != nil {
		return nil, nil, err
	}
	asOf = e.store.epochs.asOf()
	o, err = e.record(ctx, user, n)
	return o, asOf, err
}

func (e *Ensurer) record(ctx context.Context, user string, n order.Number) (*order.Order, error) {
	found, err := unstored.ReadOf(ctx, e.lua.Redis, e.lua.Keys, user, n)
	if err != nil {
		return nil, err
	}
	if found[0].Err != nil {
		return nil, fmt.Errorf("order %s: %w", n, found[0].Err)
	}
	return found[0].Order, nil
}
