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

func TestARowIsDeletedWhenAllOfItsEventsAreOld(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		write(t, stores.DB, placed("old", 4, 1, 2, 3, 4)...)
		write(t, stores.DB, placed("mixed", 3, 9, 1, 2)...)
		write(t, stores.DB, placed("o", 1, 4)...)
		write(t, stores.DB, placed("young", 2, 7, 8)...)
		number(t, stores.DB)
		all := readAll(t, stores.DB)
		subjects := func() (left []string) {
			for _, e := range readAll(t, stores.DB) {
				left = append(left, e.Subject)
			}
			return left
		}
		expire := func(before int64) int {
			n, err := events.Expire(t.Context(), stores.DB, before)
			require.NoError(t, err)
			return n
		}
		assert.Equal(t, 5, expire(5), "events, not rows")
		assert.Equal(t, []string{"mixed0", "mixed1", "mixed2", "young0", "young1"}, subjects())
		assert.Zero(t, expire(8))
		assert.Equal(t, 2, expire(9))
		assert.Equal(t, []string{"mixed0", "mixed1", "mixed2"}, subjects(), "one of them is young")
		assert.Equal(t, 3, expire(10))
		assert.Empty(t, subjects())
		// A reader inside of a row that was deleted goes on behind it.
		write(t, stores.DB, placed("new", 2)...)
		number(t, stores.DB)
		found, next, err := events.NewFeed(stores.DB).Read(t.Context(), all[2].ID, nil, 1)
		require.NoError(t, err)
		require.Len(t, found, 1)
		assert.Equal(t, [2]any{"new0", found[0].ID}, [2]any{found[0].Subject, next})
	})
}
