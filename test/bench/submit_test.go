package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/seckill"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web"
)

const (
	// submitOrders is how many orders one turn places on each side.
	submitOrders = 4000
)

// BenchmarkSubmit places orders of different buyers over HTTP, with tokens, JSON and limits, and reports the round
// trips, allocations and processor time of an order.
func BenchmarkSubmit(b *testing.B) {
	shop := newShop(b)
	shop.turn(b, submitOrders/4) // warm up
	var cost costs
	for b.Loop() {
		shop.turn(b, submitOrders).add(&cost)
	}
	cost.report(b)
}

// shop is one program with a sale of virtual goods, and the load on it. Nothing moves the orders.
type shop struct {
	site     *site.Site
	callers  *callers
	activity string
	trips    atomic.Int64
	buyers   int
}

func newShop(b *testing.B) *shop {
	b.Helper()
	s := &shop{}
	stores := kit.OnReal(b)
	stores.Redis.AddHook(countTrips{&s.trips})
	s.site = site.Start(b, stores, site.Idle())
	s.activity = s.site.Open(b, site.Sale{
		Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40}, PurchaseLimit: 5, SKULimit: 5,
	})
	s.callers = newCallers(b, s.site.URL)
	return s
}

// turn places n orders, each of a buyer who has got a path, and returns what it took. What the
// turn before left in Redis has expired by then.
func (s *shop) turn(b *testing.B, n int) costs {
	b.Helper()
	require.NoError(b, s.site.Stores.Redis.FlushDB(b.Context()).Err())
	s.site.Job(b, "preheat")
	requests := s.submits(b, n)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	trips, worked, started := s.trips.Load(), cpuMicros(b), time.Now()
	err := s.callers.send(requests, http.StatusAccepted, func(int, []byte) {})
	c := costs{orders: float64(n), seconds: time.Since(started).Seconds(), trips: float64(s.trips.Load() - trips)}
	c.micros = cpuMicros(b) - worked
	runtime.ReadMemStats(&after)
	c.allocs, c.bytes = float64(after.Mallocs-before.Mallocs), float64(after.TotalAlloc-before.TotalAlloc)
	require.NoError(b, err)
	return c
}

// submits makes the requests of n new buyers.
func (s *shop) submits(b *testing.B, n int) [][]byte {
	b.Helper()
	tokens, requests := make([]string, n), make([][]byte, n)
	ask := fmt.Sprintf(`{"activity_id":%q,"sku_id":"sku"}`, s.activity)
	for i := range n {
		s.buyers++
		token, err := s.site.Server.Auth.Sign(fmt.Sprintf("buyer-%07d", s.buyers), web.RoleUser, time.Hour)
		require.NoError(b, err)
		tokens[i], requests[i] = token, post("/api/v1/seckill/path", token, "", ask)
	}
	paths := make([]seckill.Path, n)
	errs := make([]error, n)
	err := s.callers.send(requests, http.StatusOK, func(i int, answer []byte) {
		errs[i] = json.Unmarshal(answer, &paths[i])
	})
	require.NoError(b, err)
	for i := range n {
		require.NoError(b, errs[i])
		requests[i] = post("/api/v1/seckill/"+paths[i].Path+"/submit", tokens[i],
			fmt.Sprintf("key-of-an-order-%07d", i), attributed)
	}
	return requests
}

// costs are what a number of orders took, in the whole process: the load is part of it. The time
// on processors (micros) moves less than the speed does where they have other work.
type costs struct{ orders, seconds, micros, allocs, bytes, trips float64 }

// add adds the costs of a turn to all.
func (c costs) add(all *costs) {
	all.orders += c.orders
	all.micros += c.micros
	all.allocs += c.allocs
	all.bytes += c.bytes
	all.trips += c.trips
	all.seconds += c.seconds
}

func (c costs) report(b *testing.B) {
	b.Helper()
	b.ReportMetric(c.orders/c.seconds, "orders/s")
	b.ReportMetric(c.micros/c.orders, "cpu-µs/order")
	b.ReportMetric(c.allocs/c.orders, "allocs/order")
	b.ReportMetric(c.bytes/c.orders, "B/order")
	b.ReportMetric(c.trips/c.orders, "redis-trips/order")
}

// cpuMicros is the time that this process has had on processors, in µs.
func cpuMicros(b *testing.B) float64 {
	b.Helper()
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1000
}

// countTrips counts the round trips of a client; a pipeline is one.
type countTrips struct{ n *atomic.Int64 }

func (c countTrips) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (c countTrips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmd)
	}
}

func (c countTrips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmds)
	}
}
