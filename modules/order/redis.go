package order

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
)

// cacheWithin bounds a read of cached orders, so that an unavailable Redis is noticed at once.
const cacheWithin = 300 * time.Millisecond

// Cache reads the orders that are not in SQL yet. It never writes.
type Cache struct {
	rdb    redis.UniversalClient
	keys   lua.Keys
	lanes  int
	log    *slog.Logger
	within time.Duration
}

// NewCache returns a Cache over lanes 1 to lanes.
func NewCache(rdb redis.UniversalClient, keys lua.Keys, lanes int, log *slog.Logger) *Cache {
	return &Cache{rdb: rdb, keys: keys, lanes: lanes, log: log, within: cacheWithin}
}

// Of returns a user's cached orders, newest first. It logs and omits records that can't be read. An
// error means that Redis is unavailable.
func (c *Cache) Of(ctx context.Context, user string) ([]*Order, error) {
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	reads := make([]*redis.MapStringStringCmd, c.lanes)
	_, err := c.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i := range reads {
			reads[i] = pipe.HGetAll(ctx, c.keys.Orders(i+1, user))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read cached orders: %w", err)
	}
	var orders []*Order
	for i, read := range reads {
		for field, data := range read.Val() {
			number := strings.TrimPrefix(field, lua.OrderField(""))
			n, err := ParseNumber(number)
			if err != nil || n.Lane() != i+1 {
				n = 0 // no order's: a record in a wrong field or lane is like one of another order
			}
			if o := c.known(ctx, i+1, number, decodeCached([]byte(data), &Entry{Number: n, User: user})); o != nil {
				orders = append(orders, o)
			}
		}
	}
	slices.SortFunc(orders, newestFirst)
	return orders, nil
}

// Get returns a cached order of a user, or nil if it isn't cached or can't be read. An error means that
// Redis is unavailable.
func (c *Cache) Get(ctx context.Context, user string, n Number) (*Order, error) {
	lane := n.Lane()
	if lane < 1 || lane > c.lanes {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	found, err := ReadCached(ctx, c.rdb, c.keys, lane, []Entry{{Number: n, User: user}})
	if err != nil {
		return nil, err
	}
	return c.known(ctx, lane, n.String(), found[0]), nil
}

// known returns the order, also if a newer version of the program wrote it. It logs one that can't be read.
func (c *Cache) known(ctx context.Context, lane int, number string, found Cached) *Order {
	if found.Order == nil && found.Err != nil {
		c.log.WarnContext(ctx, "cached order can't be read",
			slog.Int("lane", lane), slog.String("number", number), slog.Any("error", found.Err))
	}
	return found.Order
}

// Cached is what Redis has of one order: nothing, the order, or a record that can't be used.
type Cached struct {
	Order *Order
	// Err wraps ErrBadRecord if the record can't be read or is not of the order that was asked for, so
	// that nobody sees it; Order is nil then. It wraps ErrNewerRecord as DecodeRecord does.
	Err error
}

// cachedAtOnce is the number of records per pipeline of ReadCached.
const cachedAtOnce = 1000

// ReadCached reads the orders of entries from a lane, in the order of the entries. An entry without an
// activity is of any. The error means that Redis is unavailable.
func ReadCached(ctx context.Context, rdb redis.Cmdable, keys lua.Keys, lane int, entries []Entry) ([]Cached, error) {
	found := make([]Cached, 0, len(entries))
	for chunk := range slices.Chunk(entries, cachedAtOnce) {
		records := make([]*redis.StringCmd, len(chunk))
		_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i := range chunk {
				records[i] = p.HGet(ctx, keys.Orders(lane, chunk[i].User), lua.OrderField(chunk[i].Number.String()))
			}
			return nil
		})
		if err != nil && !errors.Is(err, redis.Nil) {
			return nil, fmt.Errorf("read cached orders: %w", err)
		}
		for i, cmd := range records {
			data, err := cmd.Bytes()
			switch {
			case errors.Is(err, redis.Nil):
				found = append(found, Cached{})
			case err != nil:
				return nil, fmt.Errorf("read cached order: %w", err)
			default:
				found = append(found, decodeCached(data, &chunk[i]))
			}
		}
	}
	return found, nil
}

// decodeCached reads the record of an entry.
func decodeCached(data []byte, e *Entry) Cached {
	o, err := DecodeRecord(data)
	if o == nil {
		return Cached{Err: err}
	}
	if o.Number != e.Number || o.User != e.User || (e.Activity != "" && o.Activity != e.Activity) {
		return Cached{Err: fmt.Errorf("%w: it is of another order, user or activity", ErrBadRecord)}
	}
	return Cached{o, err}
}

func newestFirst(a, b *Order) int {
	switch {
	case a.Number > b.Number:
		return -1
	case a.Number < b.Number:
		return 1
	}
	return 0
}
