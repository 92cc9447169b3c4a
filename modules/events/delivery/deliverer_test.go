package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"onrush/modules/events/delivery"
	"onrush/modules/journal"
	"onrush/test/kit"
)

func TestEveryEventIsDeliveredOnceAndInTheOrderOfItsSubject(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{Batch: 50}), receive(t)
		w.happens(t, 1, "before")
		delete(w.written, "before")
		w.registers(t, "erp", r) // it begins at the end of the feed
		w.happens(t, 12, subjects(20)...)
		d := w.instance("a", nil)
		assert.Equal(t, 240, works(t, d))
		w.assertComplete(t, "erp", r)
		assert.Equal(t, 240, r.asked())
		assert.Zero(t, works(t, d))
		assert.LessOrEqual(t, r.most, 8)

		log := w.deliveries(t, "erp", "")
		require.Len(t, log, 240)
		assert.Equal(t, w.endpoint(t, "erp").After, log[0].Event)
		for i, line := range log {
			assert.Equal(t, fmt.Sprintf("erp~%d", line.Event), line.ID)
			assert.Equal(t, http.StatusNoContent, int(line.StatusCode))
			assert.EqualValues(t, 1, line.Attempts)
			assert.True(t, i == 0 || line.Event < log[i-1].Event, "the newest first")
		}
		require.NoError(t, testutil.CollectAndCompare(d.Metrics(), strings.NewReader(`
# HELP onrush_event_deliveries_total Requests that sent an event to an endpoint, by their result.
# TYPE onrush_event_deliveries_total counter
onrush_event_deliveries_total{result="delivered"} 240
onrush_event_deliveries_total{result="refused"} 0
onrush_event_deliveries_total{result="unreachable"} 0
`)))
	})
}

func TestEndpointGetsOnlyItsTypesAndItsCursorPassesTheOthers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{}), receive(t)
		_, _, err := w.service.Put(t.Context(), "paid", delivery.Settings{
			URL: r.server.URL + "/events", Types: []string{journal.OrderPaid, journal.RefundFailed}, Enabled: true,
		})
		require.NoError(t, err)
		w.happens(t, 30, "1", "2")
		assert.Zero(t, works(t, w.instance("a", nil)))
		assert.Zero(t, r.asked())
		assert.GreaterOrEqual(t, w.endpoint(t, "paid").After, int64(60))
	})
}

func TestOnlyAnEndpointThatNamesRemindersGetsThem(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, all, named := open(t, s, delivery.Config{Waiting: 20}), receive(t), receive(t)
		w.registers(t, "erp", all)
		made, _, err := w.service.Put(t.Context(), "reminders", delivery.Settings{
			URL: named.server.URL + "/events?token=4711", Types: []string{journal.ReminderDue}, Enabled: true,
		})
		require.NoError(t, err)
		named.trusts(made.Secret)
		all.always(http.StatusRequestEntityTooLarge)
		ctx := context.WithoutCancel(t.Context())
		require.NoError(t, s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
			due := make([]journal.Event, 30)
			for i := range due {
				due[i] = journal.Event{
					Type: journal.ReminderDue, Subject: fmt.Sprint("reminder", i), AtMS: w.clock.Now().UnixMilli(),
					Data: `{"n":1}`,
				}
			}
			return journal.Write(ctx, tx, due...)
		}))
		w.happens(t, 1, "1")
		assert.Equal(t, 31, works(t, w.instance("a", nil)))
		assert.Equal(t, 1, all.asked())
		assert.Equal(t, 30, named.asked())
		_, err = w.service.ResendSpan(ctx, "erp", delivery.Span{ByID: true, UpTo: w.endpoint(t, "erp").After})
		require.NoError(t, err)
		works(t, w.instance("a", nil))
		assert.Equal(t, 1, all.asked(), "nor are they sent again")
	})
}

func TestReceiverThatFailsHangsAndIsAwayForAnHourGetsEveryEvent(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{Batch: 20, Timeout: 500 * time.Millisecond}), receive(t)
		w.registers(t, "erp", r)
		var mu sync.Mutex
		random := rand.New(rand.NewPCG(1, 2))
		r.behaves(func(string, int) int {
			mu.Lock()
			defer mu.Unlock()
			switch random.IntN(8) {
			case 0:
				return http.StatusInternalServerError
			case 1:
				return 0
			case 2:
				return -1
			}
			return http.StatusOK
		})
		d := w.instance("a", nil)
		for range 3 {
			w.happens(t, 4, subjects(9)...)
			works(t, d)
			w.clock.Advance(20 * time.Second)
		}
		r.always(-1) // away
		for range 12 {
			w.happens(t, 1, subjects(9)...)
			works(t, d)
			w.clock.Advance(5 * time.Minute)
		}
		assert.NotZero(t, w.endpoint(t, "erp").FailingSince)
		r.always(http.StatusOK)
		for range 4 { // a busy machine may exceed the timeout once more
			w.clock.Advance(time.Hour + 12*time.Minute) // the longest wait so far
			works(t, d)
		}
		w.assertComplete(t, "erp", r)
		assert.Zero(t, w.endpoint(t, "erp").FailingSince)
	})
}

var errCrash = errors.New("the process was killed")

func TestACrashBetweenAnyTwoStepsLosesNothingAndKeepsTheOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{Batch: 16}), receive(t)
		w.registers(t, "erp", r)
		random := rand.New(rand.NewPCG(3, 4))
		r.behaves(func(_ string, n int) int {
			if n%5 == 0 && rand.IntN(3) > 0 {
				return http.StatusBadGateway
			}
			return http.StatusOK
		})
		crashes := map[string]int{}
		steps := []string{"leased", "sent", "recording", "recorded"}
		for i := range 24 {
			w.happens(t, 2, subjects(7)...)
			at, after := steps[i%len(steps)], random.IntN(2)
			d := w.instance(fmt.Sprintf("i%d", i), func(step string) error {
				if step != at {
					return nil
				}
				if after--; after >= 0 {
					return nil
				}
				crashes[step]++
				return errCrash
			})
			for {
				n, err := d.RunOnce(t.Context())
				if err != nil {
					require.ErrorIs(t, err, errCrash)
					break
				}
				if n == 0 {
					break
				}
			}
			w.clock.Advance(time.Minute) // the lease of the dead instance ends
		}
		r.always(http.StatusOK)
		for range 4 {
			w.clock.Advance(10 * time.Hour)
			works(t, w.instance("last", nil))
		}
		for _, step := range steps {
			assert.NotZero(t, crashes[step], step)
		}
		w.assertComplete(t, "erp", r)
	})
}

func TestTwoInstancesAtOnceDeliverEachEventOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{Batch: 20}), receive(t)
		w.registers(t, "erp", r)
		w.happens(t, 30, subjects(10)...)
		var both errgroup.Group
		for i := range 2 {
			d := w.instance(fmt.Sprintf("i%d", i), nil)
			both.Go(func() error {
				for range 40 {
					if _, err := d.RunOnce(context.WithoutCancel(t.Context())); err != nil {
						return err
					}
				}
				return nil
			})
		}
		require.NoError(t, both.Wait())
		w.assertComplete(t, "erp", r)
		assert.Equal(t, 300, r.asked(), "the lease keeps the other one away")
	})
}

// An instance that was suspended for longer than its lease goes on beside the one that has taken the endpoint.
func TestAnInstanceWhoseLeaseIsOverRecordsNothing(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{}), receive(t)
		w.registers(t, "erp", r)
		w.happens(t, 3, "1", "2")
		suspended := w.instance("suspended", func(step string) error {
			if step == "sent" {
				w.clock.Advance(time.Minute)
				assert.Equal(t, 6, works(t, w.instance("other", nil)))
			}
			return nil
		})
		sent, err := suspended.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 6, sent)
		assert.Equal(t, 12, r.asked(), "a batch was repeated")
		w.assertComplete(t, "erp", r)
	})
}

func TestAHangingEndpointDelaysNoOther(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := open(t, s, delivery.Config{Timeout: time.Minute, Every: time.Millisecond})
		hangs, works := receive(t), receive(t)
		hangs.always(0)
		w.registers(t, "a-hangs", hangs)
		w.registers(t, "b-works", works)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		d := w.instance("a", nil)
		go func() { defer close(ended); d.Run(ctx) }()
		for range 5 {
			w.happens(t, 1, subjects(30)...)
			require.Eventually(t, func() bool {
				for subject, n := range w.written {
					if works.got(subject) < n {
						return false
					}
				}
				return true
			}, time.Minute, time.Millisecond)
		}
		require.Eventually(t, func() bool { return hangs.asked() == 8 }, time.Minute, time.Millisecond)
		stop()
		<-ended
		assert.Equal(t, 8, hangs.asked(), "at most so many requests are in flight")
		w.assertComplete(t, "b-works", works)
		// What was in flight when the program stopped is sent by the next one at once.
		hangs.always(http.StatusOK)
		sent, err := w.instance("b", nil).RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 150, sent)
		w.assertComplete(t, "a-hangs", hangs)
	})
}

func TestRunEndsWithItsContextAndFreesItsEndpoints(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{Every: time.Millisecond}), receive(t)
		w.registers(t, "erp", r)
		ctx, stop := context.WithCancel(t.Context())
		var first atomic.Bool
		r.behaves(func(string, int) int {
			if first.CompareAndSwap(false, true) {
				stop()
			}
			return http.StatusOK
		})
		w.happens(t, 40, "1")
		w.instance("a", nil).Run(ctx)
		assert.Positive(t, r.asked())
		assert.Len(t, w.deliveries(t, "erp", "delivered"), r.asked(), "what was sent is recorded")
		works(t, w.instance("b", nil)) // at the same time: the lease has ended
		w.assertComplete(t, "erp", r)
	})
}

// While movers have a backlog, deliveries go on more slowly: each request asks first, and none is lost.
func TestDeliveriesGoOnWhileThereIsMoreUrgentWork(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{}), receive(t)
		w.registers(t, "erp", r)
		w.happens(t, 3, subjects(8)...)
		var asked atomic.Int64
		deps := w.deps("a", nil)
		deps.Busy = func() bool { return asked.Add(1) <= 16 } // then the backlog is gone
		assert.Equal(t, 24, works(t, delivery.NewDeliverer(w.cfg, deps)))
		w.assertComplete(t, "erp", r)
		assert.EqualValues(t, 24, asked.Load())
	})
}
