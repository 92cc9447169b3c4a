package bench

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	mrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/events"
	"onrush/modules/events/delivery"
	"onrush/test/kit"
	"onrush/test/site"
)

const (
	// leastBeside is what the mover has to reach of its speed alone while events are delivered; the goal is 0.9.
	leastBeside = 0.75
	// besideOrders is how many orders each half of a turn moves.
	besideOrders = 4 * moveOrders
)

// BenchmarkMoveBesideDeliveries moves the queue of one lane while 100,000 events wait for one endpoint and are
// delivered, and compares that with moving alone, on the same stores, which flush at every commit. The receiver is in
// the same process, so its work counts against the mover.
func BenchmarkMoveBesideDeliveries(b *testing.B) {
	stores := kit.Own(b, kit.FlushAtCommit())
	q := newQueue(b, site.Start(b, stores.Stores, site.Idle()))
	events, n := few(deliverEvents), few(besideOrders)
	d, came := deliverer(b, stores.Stores, q.site.Server.Mover.Busy)
	happen(b, stores.Stores, events)
	move := func() float64 {
		began := time.Now()
		q.move(b, n)
		return float64(n) / time.Since(began).Seconds()
	}
	q.place(b, n)
	move() // whatever the events have left to flush
	var speeds turns
	var during []float64
	for b.Loop() {
		speeds.take(
			func() float64 {
				q.place(b, n)
				end := beside(b, d)
				before, began := came.Load(), time.Now()
				v := move()
				during = append(during, float64(came.Load()-before)/time.Since(began).Seconds())
				end()
				return v
			},
			func() float64 {
				q.place(b, n)
				return move()
			},
		)
	}
	b.Logf("%d of %d events were delivered", came.Load(), events)
	require.Empty(b, q.site.Audit(b, q.activity))
	b.ReportMetric(median(during), "events/s")
	speeds.report(b, "orders/s", "orders-alone/s", leastBeside)
}

// deliverer returns what delivers, more slowly while busy, to a receiver, and how many events came to it.
func deliverer(b *testing.B, stores *kit.Stores, busy func() bool) (*delivery.Deliverer, *atomic.Int64) {
	b.Helper()
	var came atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		came.Add(1)
	}))
	b.Cleanup(receiver.Close)
	deps := delivery.Deps{
		DB: stores.DB, Feed: events.NewFeed(stores.DB), Now: time.Now, Instance: "bench", Random: mrand.Uint64,
		Secrets: rand.Reader, Busy: busy, Log: slog.New(slog.DiscardHandler),
	}
	cfg := delivery.Config{Private: delivery.Private{All: true}}
	_, _, err := delivery.NewService(cfg, deps).Put(b.Context(), "erp",
		delivery.Settings{URL: receiver.URL, Enabled: true})
	require.NoError(b, err)
	return delivery.NewDeliverer(cfg, deps), &came
}

// beside delivers until end is called.
func beside(b *testing.B, d *delivery.Deliverer) (end func()) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() { d.Run(ctx); close(done) }()
	return func() { cancel(); <-done }
}
