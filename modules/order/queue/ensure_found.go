package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/order/unstored"
	"onrush/modules/problem"
)

// maxEnsured is how many orders of a user one call of EnsureOrdersOf stores.
const maxEnsured = 100

// EnsureNumber stores an order if only Redis has it, for callers that don't know whose it is. Errors are as of
// EnsureStored.
func (e *Ensurer) EnsureNumber(ctx context.Context, n order.Number) error {
	err := e.isStored(ctx, n)
	if problem.CodeOf(err) != problem.CodeNotFound || n.Lane() == 0 { // an ordinary order is never cached
		return err
	}
	user, err := e.holder(ctx, n)
	switch {
	case err != nil:
		return problem.Unavailable(err, "The order can't be read right now.")
	case user == "": // it was stored and returned its units in the meantime, or doesn't exist
		return e.isStored(ctx, n)
	}
	_, err = e.EnsureStored(ctx, user, n)
	return err
}

// isStored returns nil if SQL has an order, and otherwise not_found or unavailable.
func (e *Ensurer) isStored(ctx context.Context, n order.Number) error {
	found, err := order.SelectStored(ctx, e.store.db.Write, []order.Number{n})
	switch {
	case err != nil:
		return problem.Unavailable(err, "The order can't be read right now.")
	case len(found) == 0:
		return problem.NotFound("order")
	}
	return nil
}

// holder returns whose order holds units under a number in one of the sales of its lane, or "". Every order holds units
// until SQL has it.
func (e *Ensurer) holder(ctx context.Context, n order.Number) (user string, err error) {
	var sales []string
	const query = `SELECT activity_id FROM activities WHERE retired_ms = 0 AND lane = ? AND state <> 'draft'`
	if err := e.store.db.Read.SelectContext(ctx, &sales, query, n.Lane()); err != nil {
		return "", fmt.Errorf("select the sales of lane %d: %w", n.Lane(), err)
	}
	reads := make([]*redis.StringCmd, len(sales))
	_, _ = e.lua.Redis.Pipelined(ctx, func(pipe redis.Pipeliner) error { // each read has its own error
		for i, sale := range sales {
			reads[i] = pipe.HGet(ctx, e.lua.Keys.Held(n.Lane(), sale), n.String())
		}
		return nil
	})
	for _, read := range reads {
		value, err := read.Result()
		if err != nil && !errors.Is(err, redis.Nil) && !lua.IsWrongType(err) {
			return "", fmt.Errorf("find the holder of order %s: %w", n, err)
		}
		if held, ok := lua.ParseHeld(value); ok {
			user = held.User
		}
	}
	return user, nil
}

// EnsureOrdersOf stores the cached orders of a user, the newest first. complete is false if there are more than
// maxEnsured, or if one of them can't be stored now.
func (e *Ensurer) EnsureOrdersOf(ctx context.Context, user string) (complete bool, err error) {
	numbers, complete, err := e.cachedOf(ctx, user)
	if err != nil {
		return false, problem.Unavailable(err, "The cached orders can't be read right now.")
	}
	for _, n := range numbers {
		_, err := e.EnsureStored(ctx, user, n)
		if code := problem.CodeOf(err); err != nil && code != problem.CodeNotFound {
			complete = false
		}
	}
	return complete, ctx.Err()
}

// cachedOf returns the numbers of a user's cached orders, the newest first and at most maxEnsured.
func (e *Ensurer) cachedOf(ctx context.Context, user string) (numbers []order.Number, complete bool, err error) {
	reads := make([]*redis.StringSliceCmd, e.site.Lanes(ctx))
	_, _ = e.lua.Redis.Pipelined(ctx, func(pipe redis.Pipeliner) error { // each read has its own error
		for i := range reads {
			reads[i] = pipe.HKeys(ctx, e.lua.Keys.Orders(i+1, user))
		}
		return nil
	})
	complete = true
	for i, read := range reads {
		fields, err := read.Result()
		if lua.IsWrongType(err) {
			complete = false
			continue
		}
		if err != nil {
			return nil, false, fmt.Errorf("read the numbers of cached orders: %w", err)
		}
		for _, field := range fields {
			if n := unstored.Number(i+1, field); n != 0 {
				numbers = append(numbers, n)
			}
		}
	}
	slices.Sort(numbers)
	slices.Reverse(numbers)
	if len(numbers) > maxEnsured {
		return numbers[:maxEnsured], false, nil
	}
	return numbers, complete, nil
}
