package order

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/web/problem"
)

// Ensurer makes sure that one order is in SQL before something is decided about it.
type Ensurer struct {
	lua   *lua.Scripts
	store *storer
	lanes int
}

// NewEnsurer makes an Ensurer over lanes 1 to lanes.
func NewEnsurer(p Parts, lanes int) *Ensurer {
	return &Ensurer{lua: p.Lua, store: p.storer(), lanes: lanes}
}

// EnsureStored returns the order as SQL has it, and stores it first if only Redis has it. An
// order that is nowhere, or belongs to somebody else, is not_found; a store that is away and
// would have to be asked is unavailable.
func (e *Ensurer) EnsureStored(ctx context.Context, user string, n Number) (*Order, error) {
	for range 3 {
		o, err := e.stored(ctx, user, n)
		if err == nil || problem.CodeOf(err) != problem.CodeNotFound {
			return o, err
		}
		if n.Lane() < 1 || n.Lane() > e.lanes {
			return nil, err
		}
		cached, asOf, err := e.cached(ctx, user, n)
		if err != nil {
			return nil, problem.Unavailable(err, "The order can't be read right now.")
		}
		if cached == nil { // it moved meanwhile, or it is nowhere
			return e.stored(ctx, user, n)
		}
		release, err := e.store.db.Share(ctx, rowsOf(cached)...)
		if err != nil {
			return nil, problem.Unavailable(err, "The order can't be stored right now.")
		}
		verdicts, err := e.store.store(ctx, []*Order{cached}, asOf)
		release()
		switch {
		case errors.Is(err, errEpoch):
			continue
		case err != nil:
			return nil, problem.Unavailable(err, "The order can't be stored right now.")
		case verdicts[0].Verdict == lua.VerdictDead:
			return nil, problem.Unavailable(fmt.Errorf("order %s: %s: %s", n, verdicts[0].reason, verdicts[0].detail),
				"The order can't be stored; an operator has to look at it.")
		case verdicts[0].Verdict == lua.VerdictRepeat: // it leaves Redis when it comes to its turn
			return nil, problem.NotFound("order")
		}
		return e.stored(ctx, user, n)
	}
	return nil, problem.Unavailable(errEpoch, "The sale is being loaded.")
}

// stored reads the order from the writing side of SQL.
func (e *Ensurer) stored(ctx context.Context, user string, n Number) (*Order, error) {
	o, err := selectOrder(ctx, e.store.db.Write, n)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, problem.NotFound("order")
	case err != nil:
		return nil, problem.Unavailable(err, "The order can't be read right now.")
	case o.User != user:
		return nil, problem.NotFound("order")
	}
	return o, nil
}

// cached reads the order's record twice: the first tells the activity whose epoch has to be known
// before the one that counts.
func (e *Ensurer) cached(ctx context.Context, user string, n Number) (o *Order, asOf map[string]int64, err error) {
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

func (e *Ensurer) record(ctx context.Context, user string, n Number) (*Order, error) {
	data, err := e.lua.Redis.HGet(ctx, e.lua.Keys.Orders(n.Lane(), user), lua.OrderField(n.String())).Bytes()
	switch {
	case errors.Is(err, redis.Nil):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read record of order %s: %w", n, err)
	}
	o, err := DecodeRecord(data)
	if err != nil {
		return nil, fmt.Errorf("order %s: %w", n, err)
	}
	if o.Number != n || o.User != user {
		return nil, fmt.Errorf("order %s: %w: it is another's", n, ErrBadRecord)
	}
	return o, nil
}
