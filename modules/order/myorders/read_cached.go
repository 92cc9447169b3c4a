package myorders

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/order/logpositions"
	"onrush/modules/order/unstored"
	"onrush/modules/site"
)

const (
	// cacheWithin bounds a read of cached orders, so that an unavailable Redis is noticed at once.
	cacheWithin = 300 * time.Millisecond
	// scanned is about how many cached orders of a lane are read at once. A lane with more is read by numbers,
	// and then the records that a page shows.
	scanned = 64
	// maxCached bounds the cached orders that one list considers, and maxFiltered the records that it reads
	// because its filter needs them.
	maxCached, maxFiltered = 2000, 500
)

// Cache reads the orders that are not in SQL yet. It never writes.
type Cache struct {
	rdb     redis.UniversalClient
	keys    lua.Keys
	site    *site.Site
	log     *slog.Logger
	within  time.Duration
	scanned int64
	// large has one slot for every two processors: a list of a user with many cached orders takes a processor some
	// milliseconds, and a hundred such lists at once would delay everybody else.
	large chan struct{}
}

// NewCache returns a Cache over the lanes of a site.
func NewCache(rdb redis.UniversalClient, keys lua.Keys, of *site.Site, log *slog.Logger) *Cache {
	return &Cache{
		rdb: rdb, keys: keys, site: of, log: log, within: cacheWithin, scanned: scanned,
		large: make(chan struct{}, max(runtime.GOMAXPROCS(0)/2, 1)),
	}
}

// entry is a cached order, or only its number.
type entry struct {
	number order.Number
	order  *order.Order // nil if its record was not read
}

func (e entry) unread() bool { return e.order == nil }

// cached are the cached orders that meet a filter, newest first.
type cached struct {
	entries []entry
	partial bool // there may be more
}

// find returns the cached orders that meet a filter. Of a user with few it reads the records; of one with many,
// only the numbers, unless the filter needs the records. It logs records that can't be read; SQL may have their orders.
// An error means that Redis is unavailable. positions are read in the same round trip, if that is enough.
func (c *Cache) find(ctx context.Context, m match, positions *logpositions.Reads) (found cached, err error) {
	if m.Number != 0 {
		o, err := c.Get(ctx, m.user, m.Number)
		if o != nil && m.meets(o) {
			found.entries = []entry{{o.Number, o}}
		}
		return found, err
	}
	entries, large, unreadable, err := c.scan(ctx, m.user, positions)
	if err != nil {
		return found, err
	}
	if unreadable = unreadable || m.needsRecord() && slices.ContainsFunc(entries, entry.unread); unreadable {
		found.partial = true
	}
	if m.needsRecord() {
		entries = slices.DeleteFunc(entries, entry.unread)
	}
	if len(large) > 0 {
		defer positions.Forget() // they have to be read after the orders
		leave, err := c.enter(ctx)
		if err != nil {
			return found, err
		}
		defer leave()
		numbers, err := c.numbers(ctx, m.user, large)
		if err != nil {
			return found, err
		}
		entries = append(entries, numbers...)
	}
	entries = slices.DeleteFunc(entries, func(e entry) bool {
		return !m.meetsNumber(e.number) || e.order != nil && !m.meets(e.order)
	})
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(b.number, a.number) })
	found.entries = entries[:min(len(entries), maxCached)]
	found.partial = found.partial || len(entries) > maxCached || !c.site.Fresh()
	if len(large) > 0 && m.needsRecord() {
		return c.filter(ctx, m, found)
	}
	return found, nil
}

// enter waits for a slot of large.
func (c *Cache) enter(ctx context.Context) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	select {
	case c.large <- struct{}{}:
		return func() { <-c.large }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for other lists of many cached orders: %w", ctx.Err())
	}
}

// scan reads the records of the lanes in which the user has few, and returns the other lanes. All are read in
// one round trip. unreadable says that there is something which may be an order, and whose number is not known.
func (c *Cache) scan(
	ctx context.Context, user string, positions *logpositions.Reads,
) (entries []entry, large []int, unreadable bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	scans := make([]*redis.ScanCmd, c.site.Lanes(ctx))
	_, _ = c.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error { // each read has its own error
		for i := range scans {
			scans[i] = pipe.HScan(ctx, c.keys.Orders(i+1, user), 0, "", c.scanned)
		}
		positions.Queue(ctx, pipe)
		return nil
	})
	for i, scan := range scans {
		pairs, cursor, err := scan.Result()
		if lua.IsWrongType(err) {
			onUnreadable.Mark()
			c.log.WarnContext(ctx, "cached orders of a user can't be read", slog.Int("lane", i+1),
				slog.Any("error", err))
			unreadable = true
			continue
		}
		if err != nil {
			return nil, nil, false, fmt.Errorf("read cached orders: %w", err)
		}
		if cursor != 0 {
			onLarge.Mark()
			large = append(large, i+1)
			continue
		}
		for pair := range slices.Chunk(pairs, 2) {
			n := unstored.Number(i+1, pair[0])
			found := unstored.Decode([]byte(pair[1]), &order.Entry{Number: n, User: user})
			if o := c.known(ctx, i+1, pair[0], found); o != nil || n != 0 {
				entries = append(entries, entry{n, o})
			} else {
				unreadable = true
			}
		}
	}
	return entries, large, unreadable, nil
}

// numbers reads the numbers of a user's cached orders in some lanes.
func (c *Cache) numbers(ctx context.Context, user string, lanes []int) (entries []entry, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	reads := make([]*redis.StringSliceCmd, len(lanes))
	_, err = c.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, lane := range lanes {
			reads[i] = pipe.HKeys(ctx, c.keys.Orders(lane, user))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the numbers of cached orders: %w", err)
	}
	for i, read := range reads {
		for _, field := range read.Val() {
			if n := unstored.Number(lanes[i], field); n != 0 {
				entries = append(entries, entry{number: n})
			}
		}
	}
	return entries, nil
}

// filter reads the newest records, and keeps those that meet the filter.
func (c *Cache) filter(ctx context.Context, m match, found cached) (cached, error) {
	found.partial = found.partial || len(found.entries) > maxFiltered
	found.entries = found.entries[:min(len(found.entries), maxFiltered)]
	if err := c.fill(ctx, m.user, found.entries); err != nil {
		return cached{}, err
	}
	found.entries = slices.DeleteFunc(found.entries, func(e entry) bool { return e.order == nil || !m.meets(e.order) })
	return found, nil
}

// fill reads the records of entries that have none, in one round trip. Entries that are no longer cached, or whose
// record can't be read, stay without a record.
func (c *Cache) fill(ctx context.Context, user string, entries []entry) error {
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	var unread []*entry
	var numbers []order.Number
	for i := range entries {
		if e := &entries[i]; e.order == nil {
			unread, numbers = append(unread, e), append(numbers, e.number)
		}
	}
	found, err := unstored.ReadOf(ctx, c.rdb, c.keys, user, numbers...)
	if err != nil {
		return err
	}
	for i, e := range unread {
		e.order = c.known(ctx, e.number.Lane(), e.number.String(), found[i])
	}
	return nil
}

// Get returns a cached order of a user, or nil if it isn't cached. An error means that Redis is unavailable, or that
// the record can't be read.
func (c *Cache) Get(ctx context.Context, user string, n order.Number) (*order.Order, error) {
	lane := n.Lane()
	if lane == 0 { // an ordinary order
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	found, err := unstored.ReadOf(ctx, c.rdb, c.keys, user, n)
	if err != nil {
		return nil, err
	}
	o := c.known(ctx, lane, n.String(), found[0])
	if o == nil && found[0].Err != nil {
		return nil, fmt.Errorf("read cached order %s: %w", n, found[0].Err)
	}
	return o, nil
}

// known returns the order, also if a newer version of the program wrote it. It logs a record that can't be read.
func (c *Cache) known(ctx context.Context, lane int, field string, found unstored.Order) *order.Order {
	if found.Order == nil && found.Err != nil {
		c.log.WarnContext(ctx, "cached order can't be read",
			slog.Int("lane", lane), slog.String("field", field), slog.Any("error", found.Err))
	}
	return found.Order
}
