package delivery_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/events"
	"onrush/modules/events/delivery"
	"onrush/test/kit"
)

func TestAnEndpointThatFailsForThreeDaysIsShownAndSwitchedOff(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		log := &kit.Output{}
		w, r := open(t, s, delivery.Config{}), receive(t)
		w.log = slog.New(slog.NewTextHandler(log, nil))
		w.registers(t, "erp", r)
		r.always(http.StatusServiceUnavailable)
		w.happens(t, 3, "1", "2")
		d, began := w.instance("a", nil), w.clock.Now()
		asked := 0
		for w.clock.Now().Before(began.Add(25 * time.Hour)) {
			works(t, d)
			w.clock.Advance(30 * time.Minute)
		}
		asked = r.asked()
		assert.Less(t, asked, 40, "the waits grow")
		e := w.endpoint(t, "erp")
		assert.Equal(t, api.Millis(began.UnixMilli()), e.FailingSince)
		assert.True(t, e.Enabled)
		for w.clock.Now().Before(began.Add(80 * time.Hour)) {
			works(t, d)
			w.clock.Advance(30 * time.Minute)
		}
		e = w.endpoint(t, "erp")
		assert.False(t, e.Enabled)
		assert.Equal(t, "no delivery succeeded for three days", e.DisabledReason)
		assert.EqualValues(t, 6, e.Waiting, "nothing is lost")
		assert.Equal(t, 1, strings.Count(log.String(), "has failed for a day"))
		assert.Equal(t, 1, strings.Count(log.String(), "is switched off"))
		assert.NotContains(t, log.String(), "4711", "the URL is a secret")

		w.happens(t, 1, "1")
		w.clock.Advance(time.Hour)
		assert.Zero(t, works(t, d))
		r.always(http.StatusOK)
		_, made, err := w.service.Put(t.Context(), "erp",
			delivery.Settings{URL: r.server.URL + "/events", Enabled: true})
		require.NoError(t, err)
		assert.False(t, made)
		assert.Equal(t, 7, works(t, d), "it goes on where it stopped")
		w.assertComplete(t, "erp", r)
		e = w.endpoint(t, "erp")
		assert.Empty(t, e.DisabledReason)
		assert.Zero(t, e.FailingSince)
	})
}

func TestARefusedEventHoldsOnlyItsSubjectAndIsGivenUpAfterThreeDays(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{}), receive(t)
		w.registers(t, "erp", r)
		r.behaves(func(subject string, n int) int {
			if subject == "bad" && n == 2 {
				return http.StatusUnprocessableEntity
			}
			return http.StatusOK
		})
		d, began := w.instance("a", nil), w.clock.Now()
		w.happens(t, 5, "good", "bad")
		works(t, d)
		assert.Equal(t, 5, r.got("good"))
		assert.Equal(t, 1, r.got("bad"))
		line := w.deliveries(t, "erp", "waiting")
		require.Len(t, line, 4)
		refused := line[3]
		assert.EqualValues(t, http.StatusUnprocessableEntity, refused.StatusCode)
		assert.Equal(t, strings.Repeat("é", 250), refused.Answer, "500 bytes of it")
		assert.NotZero(t, refused.NextAttempt)
		assert.Zero(t, line[0].NextAttempt, "it waits for the refused one")
		for w.clock.Now().Before(began.Add(80 * time.Hour)) {
			w.clock.Advance(2 * time.Hour)
			w.happens(t, 1, "good")
			works(t, d)
		}
		gone := w.deliveries(t, "erp", "failed")
		require.Len(t, gone, 1)
		assert.Equal(t, refused.ID, gone[0].ID)
		assert.Equal(t, []int{1, 3, 4, 5}, r.accepted["bad"], "in their order")
		assert.True(t, w.endpoint(t, "erp").Enabled)
		assert.Less(t, gone[0].Attempts, int64(60))

		// Sent again by an operator, it may come late.
		r.always(http.StatusOK)
		_, err := w.service.Resend(t.Context(), gone[0].ID)
		require.NoError(t, err)
		works(t, d)
		assert.Equal(t, 5, r.got("bad"))
		assert.Empty(t, w.deliveries(t, "erp", "waiting"))
	})
}

func TestTheCursorStopsWhileTooManyWaitAndTheFirstSuccessMakesAllDue(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{Waiting: 30, Batch: 8, InFlight: 4}), receive(t)
		w.registers(t, "erp", r)
		r.always(http.StatusBadGateway)
		w.happens(t, 10, subjects(20)...)
		d := w.instance("a", nil)
		for range 12 { // two days
			works(t, d)
			w.clock.Advance(4 * time.Hour)
		}
		e := w.endpoint(t, "erp")
		assert.EqualValues(t, 30, e.Waiting)
		read, _, err := events.NewFeed(s.DB).Read(t.Context(), 0, nil, 100)
		require.NoError(t, err)
		assert.Less(t, e.After, read[99].ID, "the cursor waits")
		assert.Len(t, w.deliveries(t, "erp", ""), 30)
		assert.LessOrEqual(t, r.most, 4)

		r.always(http.StatusOK)
		w.clock.Advance(8 * time.Hour)
		assert.Equal(t, 200, works(t, d), "all at once")
		w.assertComplete(t, "erp", r)
	})
}

func TestRetriesWaitLongerEachTimeButNotBeyondTheirBounds(t *testing.T) {
	t.Parallel()
	s := kit.OnEmbedded(t)
	w, r := open(t, s, delivery.Config{}), receive(t)
	w.registers(t, "erp", r)
	r.always(http.StatusInternalServerError)
	w.happens(t, 1, "1")
	d := w.instance("a", nil)
	works(t, d)
	for _, step := range []time.Duration{
		5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour,
		6 * time.Hour,
	} {
		line := w.deliveries(t, "erp", "waiting")
		require.Len(t, line, 1)
		wait := time.Duration(line[0].NextAttempt-line[0].At) * time.Millisecond
		assert.InDelta(t, step.Seconds(), wait.Seconds(), step.Seconds()/5)
		w.clock.Advance(wait - time.Millisecond)
		require.Zero(t, works(t, d), "not before its time")
		w.clock.Advance(time.Millisecond)
		require.Equal(t, 1, works(t, d))
	}
}

// The successes of other events don't count as a recovery of an endpoint that refuses one event again and again.
func TestARefusedEventKeepsItsBackoffWhileOthersAreDelivered(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{}), receive(t)
		w.registers(t, "erp", r)
		refused := 0
		r.behaves(func(subject string, _ int) int {
			if subject == "bad" {
				refused++
				return http.StatusUnprocessableEntity
			}
			return http.StatusOK
		})
		d := w.instance("a", nil)
		w.happens(t, 1, "bad")
		for range 60 {
			works(t, d)
			w.clock.Advance(10 * time.Second)
			w.happens(t, 1, "good")
		}
		assert.LessOrEqual(t, refused, 6, "after 5 s, 30 s, 2 min, 10 min, and once at the first success")
		assert.Zero(t, w.endpoint(t, "erp").FailingSince)
	})
}

// broken is a feed of which one event can't be read any more: that is a panic.
type broken struct {
	*events.Feed
	id int64
}

func (b broken) Read(ctx context.Context, after int64, types []string, limit int) ([]events.Event, int64, error) {
	if limit == 1 && after == b.id-1 {
		panic("the event can't be read")
	}
	return b.Feed.Read(ctx, after, types, limit)
}

func TestAnEventThatPanicsIsTriedLaterAndHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{}), receive(t)
		w.registers(t, "erp", r)
		r.always(http.StatusServiceUnavailable)
		w.happens(t, 1, "broken", "whole")
		works(t, w.instance("a", nil))
		r.always(http.StatusOK)
		w.clock.Advance(time.Minute)
		deps := w.deps("a", nil)
		deps.Feed = broken{events.NewFeed(s.DB), w.deliveries(t, "erp", "waiting")[1].Event}
		works(t, delivery.NewDeliverer(w.cfg, deps))
		assert.Equal(t, 1, r.got("whole"))
		line := w.deliveries(t, "erp", "waiting")
		require.Len(t, line, 1)
		assert.EqualValues(t, 3, line[0].Attempts, "once more when the other one was delivered")
		assert.Equal(t, "the event can't be sent", line[0].Error)
		w.clock.Advance(10 * time.Minute)
		works(t, w.instance("a", nil))
		w.assertComplete(t, "erp", r)
	})
}

func TestAWaitingEventThatIsNoLongerStoredHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{}), receive(t)
		w.registers(t, "erp", r)
		r.always(http.StatusUnprocessableEntity)
		d := w.instance("a", nil)
		w.happens(t, 2, "bad")
		works(t, d)
		require.Len(t, w.deliveries(t, "erp", "waiting"), 2)
		_, err := s.DB.Write.ExecContext(t.Context(), `DELETE FROM events`)
		require.NoError(t, err)
		r.always(http.StatusOK)
		w.clock.Advance(24 * time.Hour)
		w.happens(t, 1, "good")
		works(t, d)
		works(t, d)
		assert.Empty(t, w.deliveries(t, "erp", "waiting"))
		gone := w.deliveries(t, "erp", "failed")
		require.Len(t, gone, 2)
		assert.Equal(t, "the event is no longer stored", gone[0].Error)
		assert.Equal(t, 1, r.got("good"))
		assert.Zero(t, r.got("bad"))
	})
}
