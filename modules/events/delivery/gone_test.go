package delivery_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/events/delivery"
	"onrush/test/kit"
)

func TestAnEndpointThatAnswersGoneIsSwitchedOffAndLosesNothing(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		log := &kit.Output{}
		w, r := open(t, s, delivery.Config{}), receive(t)
		w.log = slog.New(slog.NewTextHandler(log, nil))
		w.registers(t, "erp", r)
		r.behaves(func(subject string, n int) int {
			if subject == "1" && n == 2 {
				return http.StatusGone
			}
			return http.StatusOK
		})
		w.happens(t, 3, subjects(20)...)
		w.happens(t, 3, "1")
		d := w.instance("a", nil)
		works(t, d)
		e := w.endpoint(t, "erp")
		assert.False(t, e.Enabled)
		assert.Contains(t, e.DisabledReason, "410")
		assert.Equal(t, 1, strings.Count(log.String(), "is switched off"), log.String())
		asked := r.asked()
		w.happens(t, 1, "1", "other")
		w.clock.Advance(24 * time.Hour)
		assert.Zero(t, works(t, d), "nothing more is sent")
		assert.Equal(t, asked, r.asked())

		r.always(http.StatusOK)
		_, _, err := w.service.Put(t.Context(), "erp", delivery.Settings{URL: r.server.URL + "/events", Enabled: true})
		require.NoError(t, err)
		works(t, d)
		w.assertComplete(t, "erp", r)
		assert.Empty(t, w.endpoint(t, "erp").DisabledReason)
	})
}

func TestNothingIsSentBeforeTheTimeThatTheReceiverAskedFor(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		for i, row := range []struct {
			status int
			asks   func(now time.Time) string
			waits  time.Duration
		}{
			{http.StatusTooManyRequests, func(time.Time) string { return "600" }, 10 * time.Minute},
			{http.StatusServiceUnavailable, func(now time.Time) string {
				return now.Add(30 * time.Minute).UTC().Format(http.TimeFormat)
			}, 30 * time.Minute},
			{http.StatusServiceUnavailable, func(time.Time) string { return "31536000" }, 6 * time.Hour},
		} {
			w, r := open(t, s, delivery.Config{}), receive(t)
			id := fmt.Sprint("erp", i)
			w.registers(t, id, r)
			r.always(row.status)
			r.wants(row.asks(w.clock.Now()))
			w.happens(t, 2, subjects(30)...)
			d := w.instance(id, nil)
			assert.NotZero(t, works(t, d))
			assert.LessOrEqual(t, r.asked(), 8, "those that were in flight")
			w.clock.Advance(row.waits - 2*time.Second)
			w.happens(t, 1, "another")
			assert.Zero(t, works(t, d), "%+v", row)
			r.always(http.StatusOK)
			w.clock.Advance(2 * time.Second)
			works(t, d)
			w.assertComplete(t, id, r)
			require.NoError(t, w.service.Delete(t.Context(), id, 0))
		}
	})
}

func TestASuccessfulTestOfAnEndpointStartsItsBacklogAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, r := open(t, s, delivery.Config{}), receive(t)
		w.registers(t, "erp", r)
		r.always(http.StatusServiceUnavailable)
		r.wants("3600")
		w.happens(t, 2, "1", "2")
		d := w.instance("a", nil)
		assert.NotZero(t, works(t, d))
		_, err := w.service.Test(t.Context(), "erp")
		require.NoError(t, err)
		assert.Zero(t, works(t, d), "the test failed, too")

		r.always(http.StatusOK)
		r.wants("")
		test, err := w.service.Test(t.Context(), "erp")
		require.NoError(t, err)
		require.True(t, test.Accepted)
		assert.Equal(t, 4, works(t, d))
		assert.Zero(t, w.endpoint(t, "erp").FailingSince)
	})
}

func TestATestDoesNotSwitchAnEndpointOn(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := open(t, s, delivery.Config{})
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		defer server.Close()
		_, _, err := w.service.Put(t.Context(), "off", delivery.Settings{URL: server.URL})
		require.NoError(t, err)
		test, err := w.service.Test(t.Context(), "off")
		require.NoError(t, err)
		assert.True(t, test.Accepted)
		assert.False(t, w.endpoint(t, "off").Enabled)
	})
}
