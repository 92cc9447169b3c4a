package events_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/events"
	"onrush/modules/journal"
	"onrush/test/kit"
)

func TestAStreamContinuesInsideARow(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		var written []journal.Event
		for i := range 12 {
			written = append(written, journal.Event{
				Type: journal.OrderPlaced, Subject: strconv.Itoa(i), User: [2]string{"ada", "bob"}[i%2], AtMS: 1,
			})
		}
		hub := newHub(t, stores)
		both := map[string]*events.Follower{}
		for _, user := range []string{"ada", "bob"} {
			f, err := hub.Follow(t.Context(), user, -1)
			require.NoError(t, err)
			defer f.Close()
			both[user] = f
		}
		write(t, stores.DB, written...)
		number(t, stores.DB)
		require.Equal(t, []int{12}, rowsOfEvents(t, stores.DB))
		assert.Equal(t, []string{"0", "2", "4", "6", "8", "10"}, next(t, both["ada"], 6))
		assert.Equal(t, []string{"1", "3", "5", "7", "9", "11"}, next(t, both["bob"], 6))
		all := readAll(t, stores.DB)
		for _, hub := range []*events.Hub{hub, newHub(t, stores)} { // the second one reads the recent events
			for i, e := range all[:11] {
				f, err := hub.Follow(t.Context(), "bob", e.ID)
				require.NoError(t, err)
				defer f.Close()
				assert.Equal(t, events.Start{After: e.ID}, f.Start())
				var want []string
				for n := i + 1; n < 12; n++ {
					if n%2 == 1 {
						want = append(want, strconv.Itoa(n))
					}
				}
				assert.Equal(t, want, next(t, f, len(want)))
			}
		}
	})
}

func TestTheFirstStreamReadsTheRecentEventsOfManyRows(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for i := range 6 {
			write(t, stores.DB, placed(fmt.Sprint(i, "-"), 499)...)
		}
		number(t, stores.DB)
		all := readAll(t, stores.DB)
		hub := newHub(t, stores)
		last, err := hub.Follow(t.Context(), "u-5-498", all[len(all)-2].ID)
		require.NoError(t, err)
		defer last.Close()
		assert.Equal(t, []string{"5-498"}, next(t, last, 1))
		// 2,000 events are more than four rows have, and less than five.
		f, err := hub.Follow(t.Context(), "u-2-0", all[2*499-1].ID)
		require.NoError(t, err)
		defer f.Close()
		assert.Equal(t, events.Start{After: all[2*499-1].ID}, f.Start())
		assert.Equal(t, []string{"2-0"}, next(t, f, 1))
		late, err := hub.Follow(t.Context(), "u-1-498", all[2*499-2].ID)
		require.NoError(t, err)
		defer late.Close()
		assert.True(t, late.Start().Missed, "it is told that there may be others")
	})
}
