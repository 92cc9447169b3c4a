package order

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
)

// Cached is what Redis has of one order: nothing, the order, or a record that can't be used.
type Cached struct {
	Order *Order
	// Err wraps ErrBadRecord if the record can't be read or belongs to another order than requested;
	// then Order is nil, so that nobody sees it. It wraps ErrNewerRecord as DecodeRecord does.
	Err error
}

// cachedAtOnce is the number of records per pipeline of ReadCached.
const cachedAtOnce = 1000

// ReadCached reads the orders of a lane's entries, in the order of the entries. The error means that Redis is
// unavailable.
func ReadCached(ctx context.Context, rdb redis.Cmdable, keys lua.Keys, lane int, entries []Entry) ([]Cached, error) {
	return readCached(ctx, rdb, entries, func(e *Entry) string { return keys.Orders(lane, e.User) })
}

// ReadCachedOf reads orders of a user from the lanes of their numbers, in the order of the numbers. The error
// means that Redis is unavailable.
func ReadCachedOf(
	ctx context.Context, rdb redis.Cmdable, keys lua.Keys, user string, numbers ...Number,
) ([]Cached, error) {
	entries := make([]Entry, len(numbers)) // without activity: of any
	for i, n := range numbers {
		entries[i] = Entry{Number: n, User: user}
	}
	return readCached(ctx, rdb, entries, func(e *Entry) string { return keys.Orders(e.Number.Lane(), user) })
}

func readCached(
	ctx context.Context, rdb redis.Cmdable, entries []Entry, key func(*Entry) string,
) ([]Cached, error) {
	found := make([]Cached, 0, len(entries))
	for chunk := range slices.Chunk(entries, cachedAtOnce) {
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
				found = append(found, Cached{})
			case lua.IsWrongType(err):
				found = append(found, Cached{Err: fmt.Errorf("%w: %w", ErrBadRecord, err)})
			case err != nil:
				return nil, fmt.Errorf("read cached order: %w", err)
			default:
				found = append(found, DecodeCached(data, &chunk[i]))
			}
		}
	}
	return found, nil
}

// CachedNumber returns the number in the field of a record, or 0, which is no order's: a record in a wrong field or
// lane is treated like the record of another order.
func CachedNumber(lane int, field string) Number {
	n, err := ParseNumber(strings.TrimPrefix(field, lua.OrderField("")))
	if err != nil || n.Lane() != lane {
		return 0
	}
	return n
}

// DecodeCached reads the record of an entry.
func DecodeCached(data []byte, e *Entry) Cached {
	o, err := DecodeRecord(data)
	if o == nil {
		return Cached{Err: err}
	}
	if o.Number != e.Number || o.User != e.User || (e.Activity != "" && o.Activity != e.Activity) {
		return Cached{Err: fmt.Errorf("%w: it is of another order, user or activity", ErrBadRecord)}
	}
	return Cached{o, err}
}
