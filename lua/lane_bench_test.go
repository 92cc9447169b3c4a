package lua

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkLane keeps a redis-server with an append-only file (everysec) busy with the calls of one lane, four at a
// time, and reports the server's own processor time, system calls included. On processors of their own, as taskset
// gives them, orders/s is the ceiling of a lane.
func BenchmarkLane(b *testing.B) {
	if realRedis == nil {
		b.Skip("redis-server is not on the PATH")
	}
	for _, file := range []string{"yes", "no"} { // leaves the server as it was
		require.NoError(b, realRedis.ConfigSet(b.Context(), "appendonly", file).Err())
		for _, size := range []int{1, 13, 64, 256} {
			b.Run(fmt.Sprintf("appendonly=%s/batch=%d", file, size), func(b *testing.B) { benchmarkLane(b, size) })
		}
	}
}

func benchmarkLane(b *testing.B, size int) {
	b.Helper()
	const callers = 4
	s := storesOn(nil)[1]
	sale(b, stores{s}, "limit", "5", "limit:sku1", "5")
	for _, field := range []string{"sku1", "sku1~0"} {
		require.NoError(b, s.Redis.HSet(b.Context(), s.Keys.Stock(lane, activity), field, 1<<40).Err())
	}
	before := serverSeconds(b, s)
	var running sync.WaitGroup
	b.ResetTimer()
	for caller := range callers {
		running.Go(func() {
			for call := caller; call < b.N; call += callers {
				_, results, err := s.Place(b.Context(), laneCall(call*size, size))
				if err != nil || results[size-1].Code != Placed {
					b.Errorf("call %d: %v, %v", call, results, err)
					return
				}
			}
		})
	}
	running.Wait()
	b.StopTimer()
	used := serverSeconds(b, s) - before
	require.NoError(b, s.Redis.FlushDB(b.Context()).Err())
	orders := float64(b.N * size)
	b.ReportMetric(orders/b.Elapsed().Seconds(), "orders/s")
	b.ReportMetric(used*1e6/orders, "redis-µs/order")
}

// laneCall places orders of 800 bytes, each of another buyer.
func laneCall(first, size int) *PlaceCall {
	call := &PlaceCall{Lane: lane, Activity: activity, Orders: make([]PlaceOrder, size)}
	record := make([]byte, 800)
	for i := range call.Orders {
		id := strconv.Itoa(first + i)
		number := strconv.Itoa(1_000_000_000_000_000_000 + first + i)
		call.Orders[i] = PlaceOrder{
			Task: "task-of-some-length-" + id, Digest: "0123456789abcdef", Number: number, User: "user" + id,
			SKU: "sku1", Point: "0", Quantity: 1, Entry: number + "~1700000000000~act1~user" + id, Record: record,
		}
	}
	return call
}

var cpuSeconds = regexp.MustCompile(`used_cpu_(?:sys|user):([0-9.]+)`)

// serverSeconds is the processor time that the redis-server has taken, in s.
func serverSeconds(b *testing.B, s *Scripts) (seconds float64) {
	b.Helper()
	info, err := s.Redis.Info(b.Context(), "cpu").Result()
	require.NoError(b, err)
	for _, used := range cpuSeconds.FindAllStringSubmatch(info, -1) {
		part, err := strconv.ParseFloat(used[1], 64)
		require.NoError(b, err)
		seconds += part
	}
	return seconds
}
