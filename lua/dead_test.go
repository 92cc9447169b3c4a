package lua

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withDead is a sale in which the order has been sent to dead.
func withDead(t *testing.T, order PlaceOrder) stores {
	t.Helper()
	all := newStores(t)
	sale(t, all, "limit", "9", "limit:sku1", "9")
	place(t, all, order)
	dead := stored(order)
	dead.Verdict, dead.DeadID, dead.Dead = VerdictDead, "x1", "{}"
	require.Equal(t, 1, ack(t, all, dead))
	return all
}

func discard(t tb, all stores, order PlaceOrder, deadID string) bool {
	t.Helper()
	found, err := same(t, all, func(s *Scripts) (bool, error) {
		return s.DiscardDead(t.Context(), lane, activity, order.User, order.Number, order.Task, deadID, "given up",
			Note{})
	})
	require.NoError(t, err)
	return found
}

func TestDiscardedDeadOrderReturnsItsUnitsOnce(t *testing.T) {
	t.Parallel()
	order := buy("1", "ann", 2)
	all := withDead(t, order)
	assert.True(t, discard(t, all, order, "x1"))
	assert.False(t, discard(t, all, order, "x1"))

	k := all.keys()
	stock := all.hash(t, k.Stock(lane, activity))
	assert.Equal(t, []string{"10", "6"}, []string{stock["sku1"], stock["sku1~0"]})
	assert.Equal(t, map[string]string{"t1": order.Number + ":F:d1:given up"}, all.hash(t, k.Tasks(lane, activity)))
	for _, key := range []string{
		k.Held(lane, activity), k.Bought(lane, activity), k.Orders(lane, "ann"), k.Dead(lane),
	} {
		assert.Empty(t, all.hash(t, key), key)
	}
}

func TestDiscardKeepsTheTokenOfAnotherUser(t *testing.T) {
	t.Parallel()
	order := buy("1", "ann", 2)
	all := withDead(t, order)
	other := order
	other.User, other.Task = "bob", ""
	assert.True(t, discard(t, all, other, "x1"))
	assert.Len(t, all.hash(t, all.keys().Held(lane, activity)), 1)
	assert.Equal(t, "8", all.hash(t, all.keys().Stock(lane, activity))["sku1"])
	assert.Equal(t, order.Number+":P:d1", all.hash(t, all.keys().Tasks(lane, activity))["t1"])
}

// A load counts the dead entries: none goes meanwhile.
func TestDiscardWhileTheSaleIsLoadedChangesNothing(t *testing.T) {
	t.Parallel()
	order := buy("1", "ann", 2)
	all := withDead(t, order)
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Meta(lane, activity), "state", string(StateLoading)).Err()
	})
	before := dump(t, all[0])
	for _, s := range all {
		_, err := s.DiscardDead(t.Context(), lane, activity, order.User, order.Number, order.Task, "x1", "given up",
			Note{})
		require.ErrorContains(t, err, "is being loaded")
	}
	assert.Equal(t, before, dump(t, all[0]))
}

func TestDiscardOfAnUnknownDeadEntryChangesNothing(t *testing.T) {
	t.Parallel()
	order := buy("1", "ann", 2)
	all := withDead(t, order)
	before := dump(t, all[0])
	assert.False(t, discard(t, all, order, "x404"))
	assert.Equal(t, before, dump(t, all[0]))
}

func TestDiscardOfAnUnreadableEntryOnlyRemovesIt(t *testing.T) {
	t.Parallel()
	order := buy("1", "ann", 2)
	all := withDead(t, order)
	found, err := same(t, all, func(s *Scripts) (bool, error) {
		return s.DiscardDead(t.Context(), lane, "", "", "", "", "x1", "", Note{})
	})
	require.NoError(t, err)
	assert.True(t, found)
	assert.Len(t, all.hash(t, all.keys().Held(lane, activity)), 1)
}

func TestReplayPutsADeadEntryBackOnce(t *testing.T) {
	t.Parallel()
	order := buy("1", "ann", 2)
	all := withDead(t, order)
	for _, want := range []bool{true, false} {
		found, err := same(t, all, func(s *Scripts) (bool, error) {
			return s.ReplayDead(t.Context(), lane, "x1", order.Entry)
		})
		require.NoError(t, err)
		assert.Equal(t, want, found)
	}
	assert.Equal(t, []string{order.Entry}, all.list(t, all.keys().Queue(lane)))
	assert.Empty(t, all.hash(t, all.keys().Dead(lane)))
}
