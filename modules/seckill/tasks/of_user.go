package tasks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/order/unstored"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const (
	// maxOfUser bounds the tasks of a user in a sale that OfUser returns, and maxCached the cached orders that it reads
	// for them.
	maxOfUser, maxCached = 20, 100
	// cachedWithin and storedWithin bound its reads.
	cachedWithin, storedWithin = 300 * time.Millisecond, time.Second
	// wrongClock is more than a number, which has the time of an instance, may be before the start of its sale.
	wrongClock = 24 * time.Hour
)

// Task is a task id with its state.
type Task struct {
	ID order.TaskID
	State
}

// Query selects tasks of a user in a sale.
type Query struct {
	User     string
	Lane     int
	Activity string
	StartsMS int64  // when the sale starts; nobody ordered earlier
	SKU      string // "": any
}

// OfUser returns the newest tasks that a query selects, each once, newest first. It reads the cached orders first: an
// order that has left Redis by then is in SQL. If one store can't be read, the tasks come from the other store and
// partial is true; if neither can be, the error is unavailable. partial is true, too, if the user has so many cached
// orders that not all were read, or some that can't be read.
func (w *Watcher) OfUser(ctx context.Context, q Query) (found []Task, partial bool, err error) {
	cached, partial, cacheErr := w.cachedOf(ctx, q)
	stored, sqlErr := w.storedOf(ctx, q)
	if cacheErr != nil && sqlErr != nil {
		return nil, false, problem.Unavailable(errors.Join(cacheErr, sqlErr), "Tasks can't be read at the moment.")
	}
	if err := cmp.Or(cacheErr, sqlErr); err != nil {
		w.d.Log.WarnContext(ctx, "tasks of a user can't all be read", "activity_id", q.Activity, "error", err)
		partial = true
	}
	known := make(map[order.TaskID]bool, len(stored))
	for _, t := range stored {
		known[t.ID] = true
	}
	found = append(stored, slices.DeleteFunc(cached, func(t Task) bool { return known[t.ID] })...)
	slices.SortFunc(found, func(a, b Task) int { return cmp.Compare(b.Number, a.Number) })
	return found[:min(len(found), maxOfUser)], partial, nil
}

// cachedOf returns the tasks of the user's cached orders in the sale.
func (w *Watcher) cachedOf(ctx context.Context, q Query) (found []Task, partial bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, cachedWithin)
	defer cancel()
	fields, err := w.d.Lua.Redis.HKeys(ctx, w.d.Lua.Keys.Orders(q.Lane, q.User)).Result()
	if err != nil {
		return nil, false, fmt.Errorf("read the numbers of cached orders: %w", err)
	}
	numbers := make([]order.Number, 0, len(fields))
	for _, field := range fields {
		if n := unstored.Number(q.Lane, field); n != 0 {
			numbers = append(numbers, n)
		} else {
			partial = true
		}
	}
	slices.SortFunc(numbers, func(a, b order.Number) int { return cmp.Compare(b, a) })
	partial = partial || len(numbers) > maxCached
	numbers = numbers[:min(len(numbers), maxCached)]
	records, err := unstored.ReadOf(ctx, w.d.Lua.Redis, w.d.Lua.Keys, q.User, numbers...)
	if err != nil {
		return nil, false, err
	}
	for _, r := range records {
		o := r.Order
		partial = partial || o == nil && r.Err != nil
		if o == nil || o.Activity != q.Activity || q.SKU != "" && !has(o, q.SKU) {
			continue
		}
		if id, ok := order.ParseTaskID(o.Task); ok {
			found = append(found, Task{id, State{Number: o.Number, State: lua.TaskSubmitted}})
		}
	}
	return found, partial, nil
}

// has reports whether an order has an item of a sku, or is of the bundle sku.
func has(o *order.Order, sku string) bool {
	return o.Bundle != nil && o.Bundle.SKU == sku ||
		slices.ContainsFunc(o.Items, func(it order.Item) bool { return it.SKU == sku })
}

// storedOf returns the tasks of the user's newest stored orders in the sale.
func (w *Watcher) storedOf(ctx context.Context, q Query) (found []Task, err error) {
	ctx, cancel := context.WithTimeout(ctx, storedWithin)
	defer cancel()
	var where sqldb.Where
	where.And("user_id = ?", q.User)
	where.And("number >= ?", order.FirstNumberAt(time.UnixMilli(q.StartsMS).Add(-wrongClock)))
	where.And("activity_id = ?", q.Activity)
	where.AndIf(q.SKU != "", order.HasSKU, q.SKU, q.SKU)
	newest := where.String() + ` ORDER BY number DESC LIMIT ?`
	query := `SELECT * FROM (SELECT ` + columns + ` FROM ` + order.Live + newest + `) AS live
		UNION ALL SELECT * FROM (SELECT ` + columns + ` FROM ` + order.Archived + newest + `) AS archived`
	var rows []stored
	args := where.Args(maxOfUser)
	args = append(args, args...)
	if err := w.d.DB.Read.SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, fmt.Errorf("select the tasks of a user: %w", err)
	}
	for _, r := range rows {
		if id, ok := order.ParseTaskID(r.Task); ok {
			found = append(found, Task{id, r.state()})
		}
	}
	return found, nil
}
