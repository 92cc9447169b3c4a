package delivery_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"onrush/modules/api"
	"onrush/modules/events"
	"onrush/modules/events/delivery"
	"onrush/modules/journal"
	"onrush/modules/problem"
	"onrush/test/kit"
)

// crowd is how many callers come at once.
const crowd = 48

func TestTheSameEndpointRegisteredByManyAtOnceIsMadeOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := open(t, s, delivery.Config{})
		var made atomic.Int64
		var group errgroup.Group
		for i := range crowd {
			group.Go(func() error {
				v, fresh, err := w.service.Put(t.Context(), "erp",
					delivery.Settings{URL: fmt.Sprintf("https://shop.example/%d", i), Enabled: true})
				if err == nil && fresh {
					made.Add(1)
					if !strings.HasPrefix(v.Secret, "whsec_") {
						return fmt.Errorf("secret %q", v.Secret)
					}
				}
				if err == nil && !fresh && v.Secret != "" {
					return fmt.Errorf("the secret was shown twice")
				}
				return err
			})
		}
		require.NoError(t, group.Wait())
		assert.EqualValues(t, 1, made.Load())

		var second errgroup.Group // on one row that exists
		for range crowd {
			second.Go(func() error { _, err := w.service.Rotate(t.Context(), "erp"); return err })
		}
		require.NoError(t, second.Wait())
	})
}

func TestManyRegistrationsAtOnceKeepTheBound(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := open(t, s, delivery.Config{Endpoints: 10})
		var refused atomic.Int64
		var group errgroup.Group
		for i := range crowd {
			group.Go(func() error {
				_, _, err := w.service.Put(t.Context(), fmt.Sprintf("e%d", i),
					delivery.Settings{URL: "https://shop.example", Enabled: true})
				if problem.CodeOf(err) == problem.CodeConflict {
					refused.Add(1)
					return nil
				}
				return err
			})
		}
		require.NoError(t, group.Wait())
		assert.EqualValues(t, crowd-10, refused.Load())
		list, err := w.service.List(t.Context(), api.Page{Page: 1, Size: 100})
		require.NoError(t, err)
		assert.Len(t, list.Items, 10)
		assert.EqualValues(t, 10, *list.Total)
	})
}

func TestTwoSecretsSignWhileOneIsChanged(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{}), receive(t)
		w.registers(t, "erp", r)
		old := r.secrets[0]
		rotated, err := w.service.Rotate(t.Context(), "erp")
		require.NoError(t, err)
		require.NotEqual(t, old, rotated.Secret)
		assert.Equal(t, w.clock.Now().Add(24*time.Hour).UnixMilli(), int64(rotated.PreviousUntil))
		assert.Empty(t, w.endpoint(t, "erp").Secret)

		d := w.instance("a", nil)
		r.trusts(old, rotated.Secret) // each must verify
		w.happens(t, 1, "1")
		assert.Equal(t, 1, works(t, d))
		w.clock.Advance(24*time.Hour - time.Millisecond)
		w.happens(t, 1, "1")
		assert.Equal(t, 1, works(t, d))
		w.clock.Advance(time.Millisecond)
		r.trusts(rotated.Secret)
		w.happens(t, 1, "1")
		assert.Equal(t, 1, works(t, d))
		assert.Zero(t, w.endpoint(t, "erp").PreviousUntil)
		w.assertComplete(t, "erp", r)
	})
}

func TestMessageHasOneSignaturePerSecret(t *testing.T) {
	t.Parallel()
	// The example of the standard: https://github.com/standard-webhooks/standard-webhooks
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	req, err := delivery.NewRequest(t.Context(), "https://shop.example", delivery.Message{
		ID: "msg_p5jXN8AQM9LWM0D4loKWxJek", At: time.Unix(1614265330, 0), Body: []byte(`{"test": 2432232314}`),
		Secrets: []string{secret, "whsec_" + strings.Repeat("QUJD", 8)},
	})
	require.NoError(t, err)
	signatures := strings.Fields(req.Header.Get(webhooks.HeaderWebhookSignature))
	require.Len(t, signatures, 2)
	assert.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", signatures[0])
	assert.NotEqual(t, signatures[0], signatures[1])
}

func TestResentDeliveriesComeAgain(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{Batch: 7}), receive(t)
		w.registers(t, "erp", r)
		d := w.instance("a", nil)
		var starts []time.Time
		for range 4 {
			starts = append(starts, w.clock.Now())
			w.happens(t, 5, subjects(3)...)
			works(t, d)
			w.clock.Advance(time.Hour)
		}
		require.Equal(t, 60, r.asked())

		log := w.deliveries(t, "erp", "")
		again, err := w.service.Resend(t.Context(), log[7].ID)
		require.NoError(t, err)
		assert.Equal(t, "waiting", again.Status)
		assert.EqualValues(t, 1, w.endpoint(t, "erp").Waiting)
		assert.Equal(t, 1, works(t, d))

		// The second and third hour, by time.
		v, err := w.service.ResendSpan(t.Context(), "erp",
			delivery.Span{From: api.Millis(starts[1].UnixMilli()), To: api.Millis(starts[2].UnixMilli())})
		require.NoError(t, err)
		assert.True(t, v.Resending)
		_, err = w.service.ResendSpan(t.Context(), "erp", delivery.Span{From: 1})
		code := problem.CodeOf(err)
		assert.Equal(t, problem.CodeConflict, code, "one span at a time")
		w.happens(t, 1, subjects(3)...) // goes on beside it
		assert.Equal(t, 33, works(t, d))
		assert.False(t, w.endpoint(t, "erp").Resending)

		// The last ten, by id; the first of them is at the cursor before.
		log = w.deliveries(t, "erp", "")
		_, err = w.service.ResendSpan(t.Context(), "erp", delivery.Span{After: log[10].Event, ByID: true})
		require.NoError(t, err)
		assert.Equal(t, 10, works(t, d))
		for i, line := range log {
			want := 1
			at := line.At
			if i < 10 {
				want++
			}
			if i == 10 { // resent alone
				want++
			}
			if i >= 18 && i < 48 {
				want++
			}
			assert.Equal(t, want, r.ids[fmt.Sprint(line.Event)], "line %d, at %s", i, at)
		}
		assert.Len(t, w.deliveries(t, "erp", ""), 63)
		for _, id := range []string{"erp~0", "erp~4711", "other~1", "erp", "erp ~1", "~1", "erp~01", ""} {
			_, err := w.service.Resend(t.Context(), id)
			code := problem.CodeOf(err)
			assert.Equal(t, problem.CodeNotFound, code, id)
		}
	})
}

func TestManyResendsAtOnceBesideADelivererLoseNothing(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{Batch: 8}), receive(t)
		w.registers(t, "erp", r)
		d := w.instance("a", nil)
		w.happens(t, 6, subjects(4)...)
		works(t, d)
		log := w.deliveries(t, "erp", "")
		asked := r.asked()
		var spans atomic.Int64
		var group errgroup.Group
		for i := range crowd {
			group.Go(func() error {
				if i%2 == 0 {
					_, err := w.service.Resend(t.Context(), log[i%len(log)].ID)
					return err
				}
				_, err := w.service.ResendSpan(t.Context(), "erp", delivery.Span{ByID: true})
				if problem.CodeOf(err) == problem.CodeConflict {
					return nil
				}
				spans.Add(1)
				return err
			})
			group.Go(func() error { _, err := d.RunOnce(t.Context()); return err })
		}
		require.NoError(t, group.Wait())
		works(t, d)
		assert.Positive(t, spans.Load())
		assert.GreaterOrEqual(t, r.asked()-asked, 24, "each of them was sent again")
		w.assertComplete(t, "erp", r)
		assert.False(t, w.endpoint(t, "erp").Resending)
	})
}

func TestADeletedEndpointGetsNothingAndANewOneBeginsAtTheEnd(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{}), receive(t)
		r.always(http.StatusTeapot)
		w.registers(t, "erp", r)
		w.happens(t, 2, "1", "2")
		d := w.instance("a", nil)
		works(t, d)
		require.EqualValues(t, 4, w.endpoint(t, "erp").Waiting)
		require.NoError(t, w.service.Delete(t.Context(), "erp", 0))
		_, err := w.service.Get(t.Context(), "erp")
		require.ErrorContains(t, err, "not_found")
		asked := r.asked()
		w.clock.Advance(time.Hour)
		r.always(http.StatusOK)
		w.happens(t, 1, "1")
		assert.Zero(t, works(t, d))
		w.registers(t, "erp", r)
		assert.Zero(t, works(t, d))
		assert.Equal(t, asked, r.asked())
		for _, line := range w.deliveries(t, "erp", "failed") {
			assert.Equal(t, "the endpoint was deleted", line.Error)
		}
		w.happens(t, 1, "1")
		assert.Equal(t, 1, works(t, d))
	})
}

func TestFinishedDeliveriesExpireAndWaitingOnesStay(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{}), receive(t)
		w.registers(t, "erp", r)
		d := w.instance("a", nil)
		r.behaves(func(subject string, _ int) int {
			if subject == "bad" {
				return http.StatusBadRequest
			}
			return http.StatusOK
		})
		w.happens(t, 3, "1", "bad")
		works(t, d)
		w.clock.Advance(time.Hour)
		w.happens(t, 1, "2")
		works(t, d)
		for _, e := range delivery.Expiries(w.clock.Now()) {
			n, err := s.DB.Expire(t.Context(), e)
			require.NoError(t, err)
			assert.Equal(t, 3, n)
		}
		assert.Len(t, w.deliveries(t, "erp", "waiting"), 3)
		assert.Len(t, w.deliveries(t, "erp", "delivered"), 1)
	})
}

func TestUnknownTypesAreRefusedByTheirPosition(t *testing.T) {
	t.Parallel()
	w := open(t, kit.OnEmbedded(t), delivery.Config{})
	_, _, err := w.service.Put(t.Context(), "erp", delivery.Settings{
		URL: "https://shop.example", Types: []string{journal.OrderPaid, "order.sold"},
	})
	require.ErrorContains(t, err, "types[1]: is not a type of events")
}

// Orders that were placed while SQL was away are stored later, among events of that time.
func TestASpanOfTimeHasTheEventsThatWereStoredLate(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{}), receive(t)
		w.registers(t, "erp", r)
		began := w.clock.Now()
		var all []journal.Event
		for i := range 100 {
			for hours, subject := range []string{"late", "then"} {
				at := began.Add(time.Duration(hours)*time.Hour + time.Duration(i)*time.Minute/2)
				all = append(all, journal.Event{
					Type: journal.PaymentFlagged, Subject: subject, AtMS: at.UnixMilli(),
					Data: fmt.Sprintf(`{"subject":%q,"n":%d}`, subject, i+1),
				})
			}
		}
		require.NoError(t, s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			return journal.Write(t.Context(), tx, all...)
		}))
		_, err := events.NewSequencer(s.DB, w.log).RunOnce(t.Context())
		require.NoError(t, err)
		d := w.instance("a", nil)
		assert.Equal(t, 200, works(t, d))
		for _, span := range []struct{ from, to, events int }{
			{10, 30, 41}, {0, 49, 99}, {45, 65, 21}, {65, 75, 21}, {200, 300, 0},
		} {
			_, err = w.service.ResendSpan(t.Context(), "erp", delivery.Span{
				From: api.Millis(began.Add(time.Duration(span.from) * time.Minute).UnixMilli()),
				To:   api.Millis(began.Add(time.Duration(span.to) * time.Minute).UnixMilli()),
			})
			require.NoError(t, err)
			assert.Equal(t, span.events, works(t, d), "from minute %d to %d", span.from, span.to)
		}
	})
}

// stale is a feed with the head of an earlier moment, as a request that waited for a lock has read it.
type stale struct {
	*events.Feed
	head int64
}

func (s stale) Head(context.Context) (int64, error) { return s.head, nil }

func TestAnEndpointThatIsMadeAgainWhileItIsDeletedDelivers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{}), receive(t)
		w.registers(t, "erp", r)
		deps := w.deps("operators", nil)
		head, err := deps.Feed.Head(t.Context())
		require.NoError(t, err)
		deps.Feed = stale{events.NewFeed(s.DB), head}
		d := w.instance("a", nil)
		w.happens(t, 3, "before")
		assert.Equal(t, 3, works(t, d))
		require.NoError(t, w.service.Delete(t.Context(), "erp", 0))
		made, fresh, err := delivery.NewService(w.cfg, deps).Put(t.Context(), "erp",
			delivery.Settings{URL: r.server.URL + "/events", Enabled: true})
		require.NoError(t, err)
		require.True(t, fresh)
		r.trusts(made.Secret)
		w.happens(t, 2, "after")
		assert.Equal(t, 2, works(t, d))
	})
}
