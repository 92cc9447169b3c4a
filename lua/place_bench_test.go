package lua

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// BenchmarkPlace places orders of 500 bytes by different users on a real redis-server, with both
// limits set and three points; and with permits and an item limit, too.
func BenchmarkPlace(b *testing.B) {
	for _, size := range []int{1, 13, 64} {
		b.Run(fmt.Sprintf("batch=%d", size), func(b *testing.B) { benchmarkPlace(b, size, false) })
		b.Run(fmt.Sprintf("permits/batch=%d", size), func(b *testing.B) { benchmarkPlace(b, size, true) })
	}
}

func benchmarkPlace(b *testing.B, size int, permits bool) {
	b.Helper()
	if realRedis == nil {
		b.Skip("redis-server is not on the PATH")
	}
	s := storesOn(nil)[1]
	sale(b, stores{s}, "limit", "5", "limit:sku1", "5")
	for _, field := range []string{"sku1", "sku1~0", "sku1~1", "sku1~2"} {
		require.NoError(b, s.Redis.HSet(b.Context(), s.Keys.Stock(lane, activity), field, 1<<40).Err())
	}
	call := &PlaceCall{Lane: lane, Activity: activity, Orders: make([]PlaceOrder, size), Permits: permits}
	if permits {
		call.ItemLimit, call.ItemMS = 1_000_000, 1000
	}
	record := make([]byte, 500)
	next, orders := 0, 0
	before := scriptMicros(b, s)
	for b.Loop() {
		for i := range call.Orders {
			next++
			id := strconv.Itoa(next)
			number := strconv.Itoa(1_000_000_000_000_000_000 + next)
			call.Orders[i] = PlaceOrder{
				Task: "task-of-some-length-" + id, Digest: "0123456789abcdef", Number: number,
				User: "user" + id, SKU: "sku1", Point: strconv.Itoa(next % 3), Quantity: 1,
				Entry: number + "~1700000000000~act1~user" + id, Record: record,
			}
			if permits {
				until := redis.Z{Score: 1e13, Member: "user" + id}
				require.NoError(b, s.Redis.ZAdd(b.Context(), s.Keys.Permits(lane, activity, "sku1"), until).Err())
			}
		}
		_, results, err := s.Place(b.Context(), call)
		require.NoError(b, err)
		require.Equal(b, Placed, results[size-1].Code)
		orders += size
	}
	b.ReportMetric(float64(orders)/b.Elapsed().Seconds(), "orders/s")
	b.ReportMetric((scriptMicros(b, s)-before)/float64(orders), "redis-µs/order")
}

// scriptMicros is the time that the redis-server has spent in scripts, in µs.
func scriptMicros(b *testing.B, s *Scripts) float64 {
	b.Helper()
	stats, err := s.Redis.Info(b.Context(), "commandstats").Result()
	require.NoError(b, err)
	_, line, found := strings.Cut(stats, "cmdstat_evalsha:")
	if !found {
		return 0
	}
	_, line, _ = strings.Cut(line, "usec=")
	micros, _, _ := strings.Cut(line, ",")
	value, err := strconv.ParseFloat(micros, 64)
	require.NoError(b, err)
	return value
}
