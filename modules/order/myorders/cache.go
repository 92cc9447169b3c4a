package myorders

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
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
func (c *Cache) Of(ctx context.Context, user string) ([]*order.Order, error) {
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
	var orders []*order.Order
	for i, read := range reads {
		for field, data := range read.Val() {
			number := strings.TrimPrefix(field, lua.OrderField(""))
			n, err := order.ParseNumber(number)
			if err != nil || n.Lane() != i+1 {
				n = 0 // no order's: a record in a wrong field or lane is like one of another order
			}
			cached := order.DecodeCached([]byte(data), &order.Entry{Number: n, User: user})
			if o := c.known(ctx, i+1, number, cached); o != nil {
				orders = append(orders, o)
			}
		}
	}
	slices.SortFunc(orders, order.NewestFirst)
	return orders, nil
}

// Get returns a cached order of a user, or nil if it isn't cached or can't be read. An error means that
// Redis is unavailable.
func (c *Cache) Get(ctx context.Context, user string, n order.Number) (*order.Order, error) {
	lane := n.Lane()
	if lane < 1 || lane > c.lanes {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	found, err := order.ReadCached(ctx, c.rdb, c.keys, lane, []order.Entry{{Number: n, User: user}})
	if err != nil {
		return nil, err
	}
	return c.known(ctx, lane, n.String(), found[0]), nil
}

// known returns the order, also if a newer version of the program wrote it. It logs one that can't be read.
func (c *Cache) known(ctx context.Context, lane int, number string, found order.Cached) *order.Order {
	if found.Order == nil && found.Err != nil {
		c.log.WarnContext(ctx, "cached order can't be read",
			slog.Int("lane", lane), slog.String("number", number), slog.Any("error", found.Err))
	}
	return found.Order
}
