// Package unstored reads the orders that Redis has until movers have stored them in SQL.
package unstored

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
)

// Order is what Redis has of one order: nothing, the order, or a record that can't be used.
type Order struct {
	Order *order.Order
	// Err wraps order.ErrBadRecord if the record can't be read or belongs to another order than requested;
	// then Order is nil, so that nobody sees it. It wraps order.ErrNewerRecord as order.DecodeRecord does.
	Err error
}

// atOnce is the number of records per pipeline of Read.
const atOnce = 1000

// Read reads the orders of a lane's entries, in the order of the entries. The error means that Redis is
// unavailable.
func Read(ctx context.Context, rdb redis.Cmdable, keys lua.Keys, lane int, entries []order.Entry) ([]Order, error) {
	return read(ctx, rdb, entries, func(e *order.Entry) string { return keys.Orders(lane, e.User) })
}

// ReadOf reads orders of a user from the lanes of their numbers, in the order of the numbers. The error
// means that Redis is unavailable.
func ReadOf(
	ctx context.Context, rdb redis.Cmdable, keys lua.Keys, user string, numbers ...order.Number,
) ([]Order, error) {
	entries := make([]order.Entry, len(numbers)) // without activity: of any
	for i, n := range numbers {
		entries[i] = order.Entry{Number: n, User: user}
	}
	return read(ctx, rdb, entries, func(e *order.Entry) string { return keys.Orders(e.Number.Lane(), user) })
}

func read(
	ctx context.Context, rdb redis.Cmdable, entries []order.Entry, key func(*order.Entry) string,
) ([]Order, error) {
	found := make([]Order, 0, len(entries))
	for chunk := range slices.Chunk(entries, atOnce) {
		records := make([]*redis.StringCmd, len(chunk))
		_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i := range chunk {
				records[i] = p.HGet(ctx, key(&chunk[i]), lua.OrderField(chunk[i].Number.String()))
			}
			return nil
		})
		if err != nil && !errors.Is(err, redis.Nil) && !lua.IsWrongType(err) {
			return nil, fmt.Errorf("read cached orders: %w", err)
		}
		for i, cmd := range records {
			data, err := cmd.Bytes()
			switch {
			case errors.Is(err, redis.Nil):
				found = append(found, Order{})
			case lua.IsWrongType(err):
				found = append(found, Order{Err: fmt.Errorf("%w: %w", order.ErrBadRecord, err)})
			case err != nil:
				return nil, fmt.Errorf("read cached order: %w", err)
			default:
				found = append(found, Decode(data, &chunk[i]))
			}
		}
	}
	return found, nil
}

// Number returns the number in the field of a record, or 0, which is no order's: a record in a wrong field or
// lane is treated like the record of another order.
func Number(lane int, field string) order.Number {
	n, err := order.ParseNumber(strings.TrimPrefix(field, lua.OrderField("")))
	if err != nil || n.Lane() != lane {
		return 0
	}
	return n
}

// Decode reads the record of an entry.
func Decode(data []byte, e *order.Entry) Order {
	o, err := order.DecodeRecord(data)
	if o == nil {
		return Order{Err: err}
	}
	if o.Number != e.Number || o.User != e.User || (e.Activity != "" && o.Activity != e.Activity) {
		return Order{Err: fmt.Errorf("%w: it is of another order, user or activity", order.ErrBadRecord)}
	}
	return Order{o, err}
}
