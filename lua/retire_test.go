package lua

import (
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/ids"
)

func retire(t tb, all stores) bool {
	t.Helper()
	gone, err := same(t, all, func(s *Scripts) (bool, error) {
		return s.Retire(t.Context(), lane, activity, []string{"sku1", "sku2"})
	})
	require.NoError(t, err)
	return gone
}

// everyKey gives a sale one of each key that an activity has, two orders in the queue, and a
// neighbour in the same lane.
func everyKey(t *testing.T, all stores, state string) {
	t.Helper()
	sale(t, all, "limit", "9")
	orders := []PlaceOrder{buy("1", "ann", 2), buy("2", "bob", 1)}
	place(t, all, orders...)
	confirm(t, all, orders[0].Number)
	change(t, all, "c1", "sku1", "0", 1)
	permitOf(t, all, "cid", 1)
	k := all.keys()
	all.each(t, func(s *Scripts) error {
		_, err := s.Redis.Pipelined(t.Context(), func(p redis.Pipeliner) error {
			p.HSet(t.Context(), k.Answers(lane, activity), "submit:ok", 2)
			p.ZAdd(t.Context(), k.Permits(lane, activity, "sku2"), redis.Z{Score: saleEnd, Member: "dan"})
			p.ZAdd(t.Context(), k.Peak(lane, activity), redis.Z{Score: 2, Member: "1700000000"})
			p.ZAdd(t.Context(), k.LineEarly(lane, activity), redis.Z{Score: 1, Member: "eve"})
			p.ZAdd(t.Context(), k.LineLate(lane, activity), redis.Z{Score: 1, Member: "fay"})
			p.HSet(t.Context(), k.Meta(lane, "act10"), "state", string(StateOpen))
			p.HSet(t.Context(), k.Dead(lane), "d1", "entry")
			p.HSet(t.Context(), k.Meta(lane, activity), "state", state)
			return nil
		})
		return err
	})
}

// ofActivity are the names of the keys that the activity has.
func ofActivity(t *testing.T, s *Scripts) (names []string) {
	t.Helper()
	for full := range dump(t, s) {
		_, name, _ := strings.Cut(full, "}:")
		what, parts, _ := strings.Cut(name, ":")
		if id, _, _ := strings.Cut(parts, ids.Separator); id == activity && what != "orders" {
			names = append(names, full)
		}
	}
	return names
}

func TestRetireRemovesTheKeysOfAClosedActivityExceptItsCountsAndNoOther(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	everyKey(t, all, string(StateClosed))
	require.Len(t, ofActivity(t, all[0]), 13, "a key of each kind")
	left, counts := dump(t, all[0]), countsOf(all[0])
	for _, name := range ofActivity(t, all[0]) {
		if !slices.Contains(counts, name) {
			delete(left, name)
		}
	}
	require.Len(t, left, 8, "the counts, the queue and its numbers, two records, a dead entry, the neighbour")

	assert.True(t, retire(t, all))
	assert.Equal(t, left, dump(t, all[0]))
	assert.True(t, retire(t, all), "again")
	assert.Equal(t, left, dump(t, all[0]))
}

func TestRetireOfAnActivityThatIsNotClosedChangesNothing(t *testing.T) {
	t.Parallel()
	for _, state := range []string{string(StateOpen), string(StateLoading), "", "anything"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			all := newStores(t)
			everyKey(t, all, state)
			before := dump(t, all[0])
			assert.False(t, retire(t, all))
			assert.Equal(t, before, dump(t, all[0]))
		})
	}
}

func TestRetireOfAnActivityThatIsNotLoadedDeletesItsRemainingKeys(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	everyKey(t, all, string(StateOpen))
	all.each(t, func(s *Scripts) error { return s.Redis.Del(t.Context(), s.Keys.Meta(lane, activity)).Err() })
	assert.True(t, retire(t, all))
	assert.ElementsMatch(t, countsOf(all[0]), ofActivity(t, all[0]))
}

// countsOf are the keys that the report of a retired activity needs.
func countsOf(s *Scripts) []string {
	return []string{s.Keys.Answers(lane, activity), s.Keys.Peak(lane, activity)}
}
