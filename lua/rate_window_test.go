package lua

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// itemLimit is a limit of an item, and what was placed under it.
type itemLimit struct {
	s       *Scripts
	n, span int64 // span in ms
	placed  []int64
	sent    int
}

// newItemLimit opens a sale of plenty of units.
func newItemLimit(t tb, s *Scripts, n, span int64) *itemLimit {
	t.Helper()
	sale(t, stores{s})
	require.NoError(t, s.Redis.HSet(t.Context(), s.Keys.Stock(lane, activity), "sku1", 1<<40, "sku1~0", 1<<40).Err())
	return &itemLimit{s: s, n: n, span: span}
}

// send places a batch of orders and returns how many are placed, the time, and when the next one may be.
func (l *itemLimit) send(t tb, n int) (placed int, nowMS, retryMS int64) {
	t.Helper()
	orders := make([]PlaceOrder, n)
	for i := range orders {
		orders[i] = buy(strconv.Itoa(l.sent), "user"+strconv.Itoa(l.sent), 1)
		l.sent++
	}
	nowMS, results, err := l.s.Place(t.Context(), &PlaceCall{
		Lane: lane, Activity: activity, ItemLimit: l.n, ItemMS: l.span, Orders: orders,
	})
	require.NoError(t, err)
	for _, r := range results {
		if r.Code == Placed {
			placed++
			l.placed = append(l.placed, nowMS)
			continue
		}
		require.Equal(t, OverItemLimit, r.Code)
		require.Positive(t, r.RetryMS)
		retryMS = r.RetryMS
	}
	return placed, nowMS, retryMS
}

// requireKept requires that no span has more orders than the limit.
func (l *itemLimit) requireKept(t tb) {
	t.Helper()
	for i := range len(l.placed) - int(l.n) {
		require.GreaterOrEqual(t, l.placed[i+int(l.n)]-l.placed[i], l.span,
			"%d orders within less than %d ms", l.n+1, l.span)
	}
}

func TestNoSpanOfTimeHasMoreOrdersOfAnItemThanItsLimit(t *testing.T) {
	t.Parallel()
	const n, span = 60, 300
	for i, s := range newStores(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			l := newItemLimit(t, s, n, span)
			_, began, _ := l.send(t, 1)
			for now := began; now < began+4*span || len(l.placed) < 2*n; { // they go on in the next windows
				_, now, _ = l.send(t, 7)
			}
			l.send(t, n+1)
			l.requireKept(t)
			assert.Less(t, len(l.placed), l.sent)
			t.Logf("%d of %d orders were placed in 4 spans of %d", len(l.placed), l.sent, n)
		})
	}
}

// TestAWindowOfAnyLimitAgreesWithACountOfAllOrders compares the windows with a list of all orders, at times that the
// test chooses: they are exact up to 1,000 orders, and above that longer by at most a thousandth.
func TestAWindowOfAnyLimitAgreesWithACountOfAllOrders(t *testing.T) {
	t.Parallel()
	mini := miniredis.RunT(t)
	rdb := redis.NewClient(&redis.Options{Addr: mini.Addr(), MaxRetries: -1, ReadTimeout: time.Minute})
	t.Cleanup(func() { _ = rdb.Close() })
	rapid.Check(t, func(t *rapid.T) {
		s := New(rdb, Keys{Prefix: fmt.Sprintf("test%d", prefixes.Add(1))})
		n := rapid.OneOf(rapid.Int64Range(1, 30), rapid.Int64Range(1001, 1200)).Draw(t, "limit")
		span := rapid.OneOf(rapid.Int64Range(1, 3000), rapid.Just(int64(86_400_000))).Draw(t, "span")
		grain, most := int64(1), 40
		if n > 1000 {
			grain, most = (span+999)/1000, 700
		}
		l, now := newItemLimit(t, s, n, span), time.UnixMilli(1_800_000_000_000)
		in := func(from, to int64) (count int64) {
			for _, at := range l.placed {
				if at > from && at <= to {
					count++
				}
			}
			return count
		}
		for range rapid.IntRange(1, 25).Draw(t, "batches") {
			now = now.Add(time.Duration(rapid.Int64Range(0, span/2+2).Draw(t, "later")) * time.Millisecond)
			mini.SetTime(now)
			want := rapid.IntRange(1, most).Draw(t, "orders")
			ms := now.UnixMilli()
			free, sure := n-in(ms-span, ms), n-in(ms-span-grain, ms)
			placed, _, retryMS := l.send(t, want)
			require.LessOrEqual(t, int64(placed), min(int64(want), free))
			require.GreaterOrEqual(t, int64(placed), min(int64(want), sure))
			if placed < want { // as soon as it was said, there is room
				require.LessOrEqual(t, retryMS, span+grain)
				require.Less(t, in(ms+retryMS-span-1, ms+retryMS), n+1)
			}
		}
		l.requireKept(t)
		length, err := rdb.LLen(t.Context(), s.Keys.Window(lane, activity, "sku1")).Result()
		require.NoError(t, err)
		require.LessOrEqual(t, length, int64(1002), "a window is small, whatever its limit")
	})
}

func TestAClockThatIsSetBackBlocksNoItem(t *testing.T) {
	t.Parallel()
	mini := miniredis.RunT(t)
	rdb := redis.NewClient(&redis.Options{Addr: mini.Addr(), MaxRetries: -1})
	t.Cleanup(func() { _ = rdb.Close() })
	l := newItemLimit(t, New(rdb, Keys{Prefix: "back"}), 2, 1000)
	now := time.UnixMilli(1_800_000_000_000)
	mini.SetTime(now)
	placed, _, _ := l.send(t, 3)
	assert.Equal(t, 2, placed)
	mini.SetTime(now.Add(-time.Hour))
	placed, _, _ = l.send(t, 3)
	assert.Equal(t, 2, placed)
}

func TestRefusedAndRepeatedOrdersTakeNothingOfAnItemsLimit(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "limit", "1")
	call := func(orders ...PlaceOrder) []PlaceCode {
		var codes []PlaceCode
		for _, r := range placeCall(t, all, &PlaceCall{
			Lane: lane, Activity: activity, ItemLimit: 2, ItemMS: 86_400_000, Orders: orders,
		}) {
			codes = append(codes, r.Code)
		}
		return codes
	}
	first := buy("1", "ann", 1)
	assert.Equal(t, []PlaceCode{Placed}, call(first))
	assert.Equal(t, []PlaceCode{Replayed, OverActivityLimit, Replayed}, call(first, buy("2", "ann", 1), first))
	assert.Equal(t, []PlaceCode{Placed, OverItemLimit}, call(buy("4", "cid", 1), buy("5", "dee", 1)))
	other := buy("6", "eve", 1)
	other.SKU = "sku2"
	assert.Equal(t, []PlaceCode{Placed}, call(other), "another item has its own window")
	assert.Equal(t, []PlaceCode{Replayed}, call(first))
}
