package bench

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	mrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"onrush/modules/events"
	"onrush/modules/events/delivery"
	"onrush/modules/journal"
	"onrush/test/kit"
)

const (
	// deliverEvents is how many events one turn delivers.
	deliverEvents = 100_000
	// leastDeliver is what deliveries have to reach of the speed of bare requests.
	leastDeliver = 0.5
	// deliverInFlight is the default of delivery.Config.
	deliverInFlight = 8
)

// BenchmarkDeliver delivers events to one endpoint, from MariaDB, which flushes at every commit, and compares that with
// bare requests of the same size to the same receiver, as many in flight.
func BenchmarkDeliver(b *testing.B) {
	stores := kit.Own(b, kit.FlushAtCommit())
	n := few(deliverEvents)
	var came atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		came.Add(1)
	}))
	b.Cleanup(receiver.Close)
	log := slog.New(slog.DiscardHandler)
	deps := delivery.Deps{
		DB: stores.DB, Feed: events.NewFeed(stores.DB), Now: time.Now, Instance: "bench", Random: mrand.Uint64,
		Secrets: rand.Reader, Log: log,
	}
	cfg := delivery.Config{Private: delivery.Private{All: true}}
	_, _, err := delivery.NewService(cfg, deps).Put(b.Context(), "erp",
		delivery.Settings{URL: receiver.URL, Enabled: true})
	require.NoError(b, err)
	d := delivery.NewDeliverer(cfg, deps)
	var speeds turns
	for b.Loop() {
		happen(b, stores.Stores, n)
		speeds.take(
			func() float64 {
				before, began := came.Load(), time.Now()
				for came.Load()-before < int64(n) {
					_, err := d.RunOnce(b.Context())
					require.NoError(b, err)
				}
				return float64(n) / time.Since(began).Seconds()
			},
			func() float64 { return bareRequests(b, receiver.URL, n) },
		)
	}
	var rows int
	require.NoError(b, stores.DB.Read.GetContext(b.Context(), &rows,
		`SELECT COUNT(*) FROM deliveries WHERE status = 'delivered' AND attempts = 1`))
	require.EqualValues(b, came.Load(), rows+int(bareSent.Load()), "each event came once")
	speeds.report(b, "events/s", "bare-requests/s", leastDeliver)
}

// happen writes n events of as many subjects, and numbers them.
func happen(b *testing.B, s *kit.Stores, n int) {
	b.Helper()
	const page = 1000
	for from := 0; from < n; from += page {
		var some []journal.Event
		for i := range min(page, n-from) {
			some = append(some, journal.Event{
				Type: journal.PaymentFlagged, Subject: fmt.Sprint(from + i), AtMS: time.Now().UnixMilli(),
				Data: fmt.Sprintf(`{"payment":{"pay_number":"%d","amount":1900,"currency":"EUR"}}`, from+i),
			})
		}
		require.NoError(b, s.DB.InTx(b.Context(), func(tx *sqlx.Tx) error {
			return journal.Write(b.Context(), tx, some...)
		}))
	}
	sequencer := events.NewSequencer(s.DB, slog.New(slog.DiscardHandler))
	for {
		numbered, err := sequencer.RunOnce(b.Context())
		require.NoError(b, err)
		if numbered == 0 {
			return
		}
	}
}

// bareSent counts the requests of bareRequests.
var bareSent atomic.Int64

// bareRequests returns how many requests a second a client makes that reads no event and records nothing.
func bareRequests(b *testing.B, url string, n int) float64 {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: deliverInFlight}}
	defer client.CloseIdleConnections()
	body := make([]byte, 160)
	var senders sync.WaitGroup
	began := time.Now()
	for range deliverInFlight {
		senders.Go(func() {
			for range n / deliverInFlight {
				req, err := delivery.NewRequest(context.WithoutCancel(b.Context()), url,
					delivery.Message{ID: "evt_1", At: began, Body: body, Secrets: []string{"whsec_MTExMTExMTE="}})
				if err != nil {
					b.Error(err)
					return
				}
				res, err := client.Do(req)
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
				bareSent.Add(1)
			}
		})
	}
	senders.Wait()
	return float64(n) / time.Since(began).Seconds()
}
