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
			if o := c.decode(ctx, i+1, user, field, data); o != nil {
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
	field := lua.OrderField(n.String())
	data, err := c.rdb.HGet(ctx, c.keys.Orders(lane, user), field).Result()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read cached order %s: %w", n, err)
	}
	return c.decode(ctx, lane, user, field, data), nil
}

// decode reads a record. A record of another user, or in the wrong lane or field, is treated like broken
// JSON, so that nobody sees it.
func (c *Cache) decode(ctx context.Context, lane int, user, field, data string) *Order {
	o, err := DecodeKnown([]byte(data))
	if err == nil && (o.User != user || o.Number.Lane() != lane || lua.OrderField(o.Number.String()) != field) {
		err = fmt.Errorf("%w: it is in the wrong lane or field, or of another user", ErrBadRecord)
	}
	if err != nil {
		c.log.WarnContext(ctx, "cached order can't be read",
			slog.Int("lane", lane), slog.String("number", strings.TrimPrefix(field, lua.OrderField(""))), slog.Any("error", err))
		return nil
	}
	return o
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
