package line

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// length returns the length of the line at the time of the clock.
func (w *world) length(t *testing.T) *Length {
	t.Helper()
	sale, err := w.Sale(t.Context(), "a1")
	require.NoError(t, err)
	length, err := ReadLength(t.Context(), w.stores.Redis, w.stores.Keys, sale, w.clock.Now().UnixMilli())()
	require.NoError(t, err)
	return length
}

func TestLengthOfALineCountsThoseWhoWaitAndThoseWhoAreAdmitted(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores, 0.5, -time.Hour)
		s := w.instance(t)
		for i := range 5 {
			joins(t, s, user(i))
		}
		assert.Equal(t, &Length{Waiting: 5, PathsPerSecond: 0.5, LastWaitsS: 3610}, w.length(t), "before the start")

		w.start()
		for i := 5; i < 8; i++ {
			joins(t, s, user(i))
		}
		assert.Equal(t, &Length{Waiting: 8, PathsPerSecond: 0.5, LastWaitsS: 16}, w.length(t))
		w.clock.Advance(12 * time.Second)
		assert.Equal(t, &Length{Waiting: 2, Admitted: 6, PathsPerSecond: 0.5, LastWaitsS: 4}, w.length(t))
		w.sale.Room = w.sale.Room.Pause(w.clock.Now().UnixMilli())
		w.clock.Advance(time.Hour)
		assert.Equal(t, &Length{Waiting: 2, Admitted: 6, PathsPerSecond: 0.5, LastWaitsS: 4}, w.length(t), "a pause")
		w.sale.Room = w.sale.Room.Resume(w.sale.StartsMS, w.clock.Now().UnixMilli())
		w.clock.Advance(4 * time.Second)
		assert.Equal(t, &Length{Admitted: 8, PathsPerSecond: 0.5}, w.length(t))
		w.clock.Advance(AdmittedFor - 4*time.Second)
		assert.Equal(t, &Length{Admitted: 2, PathsPerSecond: 0.5}, w.length(t), "places expire")
		w.clock.Advance(time.Hour)
		assert.Equal(t, &Length{PathsPerSecond: 0.5}, w.length(t))

		w.sale.Room = Settings{}
		assert.Nil(t, w.length(t), "no waiting room")
	})
}
