package inventory_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/stage"
)

// houseOf returns the limit key of a user, whose name begins with it.
func houseOf(user string) string { return user[:strings.IndexByte(user, '-')] }

// households are a sale that counts by household, and a model of what the households have bought.
type households struct {
	*stage.Stage
	t      *testing.T
	bought map[string]int64
	live   []*order.Order // neither cancelled nor over the limit
}

const (
	perHouse   = 5
	perHouseOf = 4 // of the sku
)

func (h *households) place(t *rapid.T) {
	user := fmt.Sprintf("h%d-%d", rapid.IntRange(1, 3).Draw(t, "house"), rapid.IntRange(1, 4).Draw(t, "account"))
	o := h.Order(user, "0", rapid.Int64Range(1, 3).Draw(t, "quantity"))
	results, err := h.TryPlace(h.t.Context(), o)
	require.NoError(t, err)
	units := h.bought[houseOf(user)] + o.Items[0].Quantity
	if units > perHouseOf {
		require.Contains(t, []lua.PlaceCode{lua.OverActivityLimit, lua.OverSKULimit}, results[0].Code)
		require.Equal(t, h.bought[houseOf(user)], results[0].Bought)
		return
	}
	require.Equal(t, lua.Placed, results[0].Code)
	h.bought[houseOf(user)] = units
	h.live = append(h.live, o)
}

func (h *households) cancel(t *rapid.T) {
	if len(h.live) == 0 {
		t.Skip("nothing to cancel")
	}
	i := rapid.IntRange(0, len(h.live)-1).Draw(t, "order")
	o := h.live[i]
	require.NoError(t, h.Canceller.Cancel(h.t.Context(), o.User, o.Number, ""))
	h.live = append(h.live[:i:i], h.live[i+1:]...)
	h.bought[houseOf(o.User)] -= o.Items[0].Quantity
}

// reload loads the sale again, after Redis has lost its keys or everything.
func (h *households) reload(t *rapid.T) {
	if rapid.Bool().Draw(t, "everything") {
		h.Move(h.t)
		h.Flush(h.t)
	} else {
		h.LoseActivity(h.t)
	}
	h.Load(h.t)
}

// repair lets Redis lose counts, which a repair restores.
func (h *households) repair(t *rapid.T) {
	keys := h.Stores.Keys
	require.NoError(t, h.Stores.Redis.Del(h.t.Context(), keys.Bought(h.Lane, h.Activity)).Err())
	if rapid.Bool().Draw(t, "holds, too") {
		require.NoError(t, h.Stores.Redis.Del(h.t.Context(), keys.Held(h.Lane, h.Activity)).Err())
	}
	repaired, err := h.Auditor.Repair(h.t.Context(), h.Activity)
	require.NoError(t, err)
	require.True(t, repaired.OK, "%+v", repaired)
}

// agree compares both stores with the model.
func (h *households) agree(t *rapid.T) {
	want := map[string]string{}
	for house, units := range h.bought {
		if units > 0 {
			want["a:"+house], want["s:sku~"+house] = strconv.FormatInt(units, 10), strconv.FormatInt(units, 10)
		}
	}
	require.Equal(t, want, h.Hash(h.t, h.Stores.Keys.Bought))
	audit, err := h.Auditor.Audit(h.t.Context(), h.Activity)
	require.NoError(t, err)
	require.True(t, audit.OK, "%+v", audit)
}

func TestAHouseholdNeverHasMoreThanItsLimitWhateverHappensToItsOrders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		rapid.Check(t, func(rt *rapid.T) {
			s := stage.Open(t, stores, stage.Sale{
				Stock: map[string]int64{"0": 1000}, Limit: perHouse, SKULimit: perHouseOf, LimitKey: houseOf,
			})
			h := &households{Stage: s, t: t, bought: map[string]int64{}}
			rt.Repeat(map[string]func(*rapid.T){
				"":       h.agree,
				"place":  h.place,
				"cancel": h.cancel,
				"move":   func(*rapid.T) { h.Move(t) },
				"reload": h.reload,
				"repair": h.repair,
			})
			h.Move(t)
			h.Balanced(t)
		})
	})
}

// Redis has lost the counts of a household: SQL, which counts by household, refuses what is too much, and the units
// return.
func TestSQLRefusesAnOrderThatIsTooMuchForItsHousehold(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Limit: 2, LimitKey: houseOf})
		kept := s.Place(t, "h1-ann", 2)
		s.Move(t)
		require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Bought(s.Lane, s.Activity)).Err())
		over, other := s.Place(t, "h1-bob", 1), s.Place(t, "h2-cid", 1)
		s.Move(t)
		assert.Equal(t, map[order.Number]order.Status{
			kept.Number: order.Unpaid, over.Number: order.Failed, other.Number: order.Unpaid,
		}, s.Stored(t))
		assert.Equal(t, "7", s.Left(t, "0"))
		assert.Equal(t, map[string]string{"a:h1": "2", "a:h2": "1"}, s.Hash(t, stores.Keys.Bought))
		s.Balanced(t)
	})
}
