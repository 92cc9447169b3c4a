package delivery_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/events/delivery"
	"onrush/test/kit"
)

// Each round ends inside of a row, which has many events, and every other instance crashes there.
func TestACrashInsideOfARowLosesNothingAndGoesOnThere(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{Batch: 16}), receive(t)
		w.registers(t, "erp", r)
		asked := 0
		r.behaves(func(string, int) int {
			if asked++; asked%4 == 0 {
				return http.StatusBadGateway
			}
			return http.StatusOK
		})
		for _, step := range []string{"leased", "sent", "recording", "recorded"} {
			w.places(t, 50)
			w.happens(t, 1, subjects(3)...)
			rounds := 0
			_, err := w.instance(step, func(at string) error {
				if at == step {
					if rounds++; rounds == 2 || step == "leased" {
						return errCrash
					}
				}
				return nil
			}).RunOnce(t.Context())
			require.ErrorIs(t, err, errCrash)
			if step == "recorded" {
				log := w.deliveries(t, "erp", "")
				assert.Equal(t, w.endpoint(t, "erp").After, log[0].Event, "the cursor is the last event of the round")
				assert.Len(t, log, 3*53+2*16, "and all events up to it were recorded")
			}
			w.clock.Advance(time.Minute) // the lease of the dead instance ends
			works(t, w.instance("next to "+step, nil))
			w.clock.Advance(time.Minute)
		}
		r.always(http.StatusOK)
		for range 4 {
			w.clock.Advance(10 * time.Hour)
			works(t, w.instance("last", nil))
		}
		w.assertComplete(t, "erp", r)
	})
}

func TestASpanMayBeginAndEndInsideOfARow(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{Batch: 7}), receive(t)
		w.registers(t, "erp", r)
		began := w.clock.Now()
		w.happens(t, 1, subjects(2)...)
		w.places(t, 40) // one more each minute
		w.happens(t, 1, subjects(2)...)
		d := w.instance("a", nil)
		require.Equal(t, 44, works(t, d))
		log := w.deliveries(t, "erp", "") // the newest first
		require.Len(t, log, 44)
		resent := func(span delivery.Span) (lines []int) {
			before := map[string]int{}
			for id, n := range r.ids {
				before[id] = n
			}
			_, err := w.service.ResendSpan(t.Context(), "erp", span)
			require.NoError(t, err)
			works(t, d)
			for i, line := range log {
				if id := line.ID[len("erp~"):]; r.ids[id] > before[id] {
					lines = append(lines, len(log)-1-i)
				}
			}
			return lines
		}
		at := func(minutes int) api.Millis {
			return api.Millis(began.Add(time.Duration(minutes) * time.Minute).UnixMilli())
		}
		assert.Equal(t, []int{17, 16, 15}, resent(delivery.Span{From: at(13), To: at(15)}), "by time")
		assert.Equal(t, []int{17, 16}, resent(delivery.Span{ // by both
			From: at(13), To: at(15), After: log[43-15].Event, UpTo: log[43-20].Event, ByID: true,
		}))
		assert.Equal(t, []int{12, 11}, resent(delivery.Span{ // by id
			After: log[43-10].Event, UpTo: log[43-12].Event, ByID: true,
		}))
	})
}
