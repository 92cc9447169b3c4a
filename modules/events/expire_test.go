package events_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/events"
	"onrush/modules/journal"
	"onrush/test/kit"
)

func TestOldEventsAreDeletedInTheOrderOfTheirPositions(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const old = 1200
		written := make([]journal.Event, old)
		for i := range written {
			written[i] = flagged("old", i)
		}
		written[3].AtMS = 1 << 50 // of an instance with a wrong clock
		write(t, stores.DB, written...)
		write(t, stores.DB, flagged("young", 5000), flagged("young", 5001))
		number(t, stores.DB)
		write(t, stores.DB, flagged("new", 1)) // without a position: nobody has read it

		var deleted atomic.Int64
		kit.Crowd(4, func(int) {
			n, err := events.Expire(t.Context(), stores.DB, 5000)
			if err != nil {
				t.Error(err)
			}
			deleted.Add(int64(n))
		})
		assert.EqualValues(t, old-1, deleted.Load(), "each once")
		number(t, stores.DB)
		left, _, err := events.NewFeed(stores.DB).Read(t.Context(), 0, nil, 1000)
		require.NoError(t, err)
		var subjects []string
		for _, e := range left {
			subjects = append(subjects, e.Subject)
		}
		assert.Equal(t, []string{"old", "young", "young", "new"}, subjects)
	})
}
