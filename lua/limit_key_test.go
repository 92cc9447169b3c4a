package lua

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inHouse is an order that is counted under a limit key.
func inHouse(name, user, house string, quantity int64) PlaceOrder {
	o := buy(name, user, quantity)
	o.LimitKey = house
	return o
}

func TestUnitsOfUsersWithALimitKeyAreCountedTogether(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "limit", "3", "limit:sku1", "2")
	results := place(t, all, inHouse("1", "ann", "h1", 1), inHouse("2", "bob~x", "h1", 1), inHouse("3", "cid", "h1", 1),
		inHouse("4", "cid", "h2", 1))
	assert.Equal(t, []PlaceCode{Placed, Placed, OverSKULimit, Placed},
		[]PlaceCode{results[0].Code, results[1].Code, results[2].Code, results[3].Code})
	assert.EqualValues(t, 2, results[2].Bought)
	assert.Equal(t, OverSKULimit, place(t, all, inHouse("5", "dan", "h1", 1))[0].Code)

	k := all.keys()
	assert.Equal(t, map[string]string{"a:h1": "2", "s:sku1~h1": "2", "a:h2": "1", "s:sku1~h2": "1"},
		all.hash(t, k.Bought(lane, activity)))
	second := inHouse("2", "bob~x", "h1", 1)
	assert.Equal(t, "sku1~0~1:h1~bob~x", all.hash(t, k.Held(lane, activity))[second.Number])
	permits, err := same(t, all, func(s *Scripts) ([]Permit, error) {
		permits, _, err := s.TakePermits(t.Context(), &PermitCall{
			Lane: lane, Activity: activity, SKU: "sku1", Ratio: 1, TTL: time.Minute, EndsMS: 1000,
			Users: []string{"new", "ann"}, Keys: []string{"h1", "h2"},
		})
		return permits, err
	})
	require.NoError(t, err)
	assert.Equal(t, []Permit{{Code: PermitOverSKULimit, Bought: 2}, {Code: PermitNone}}, permits,
		"the sale has ended, but limits come first")

	giveBack(t, all, second.Number)
	assert.Equal(t, map[string]string{"a:h1": "1", "s:sku1~h1": "1", "a:h2": "1", "s:sku1~h2": "1"},
		all.hash(t, k.Bought(lane, activity)))
	assert.Equal(t, Placed, place(t, all, inHouse("6", "dan", "h1", 1))[0].Code)
}

func TestOrdersThatMayBeEarlyArePlacedBeforeTheStart(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	starts := time.Now().Add(time.Hour).UnixMilli()
	sale(t, all, "starts_ms", strconv.FormatInt(starts, 10))
	early := func(name string, ms int64) PlaceCode {
		return placeCall(t, all, &PlaceCall{
			Lane: lane, Activity: activity, EarlyMS: ms, Orders: []PlaceOrder{buy(name, "ann", 1)},
		})[0].Code
	}
	assert.Equal(t, NotStarted, early("1", 0))
	assert.Equal(t, NotStarted, early("1", time.Minute.Milliseconds()))
	assert.Equal(t, Placed, early("1", 2*time.Hour.Milliseconds()))
	assert.Equal(t, NotStarted, early("2", 0))
}

func TestAListIsCompleteOnlyForItsStartAndVersion(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	list := BuyerList{Lane: lane, Activity: activity, Start: 2, Version: 5}
	type answer struct {
		Listed   []bool
		Complete bool
	}
	ask := func(l BuyerList) answer {
		got, err := same(t, all, func(s *Scripts) (answer, error) {
			listed, complete, err := s.Listed(t.Context(), l, []string{"ann", "bob"})
			return answer{listed, complete}, err
		})
		require.NoError(t, err)
		return got
	}
	expires := time.Now().Add(time.Hour).UnixMilli()
	step := func(fn func(s *Scripts) (bool, error)) bool {
		done, err := same(t, all, fn)
		require.NoError(t, err)
		return done
	}
	add := func(l BuyerList, user string) bool {
		return step(func(s *Scripts) (bool, error) { return s.AddBuyers(t.Context(), l, expires, []string{user}) })
	}
	none := answer{[]bool{false, false}, false}
	assert.Equal(t, none, ask(list))
	assert.False(t, add(list, "ann"), "no list was begun")
	step(func(s *Scripts) (bool, error) { return true, s.BeginBuyers(t.Context(), list, expires) })
	assert.True(t, add(list, "ann"))
	assert.Equal(t, answer{[]bool{true, false}, false}, ask(list))
	assert.True(t, step(func(s *Scripts) (bool, error) { return s.CompleteBuyers(t.Context(), list, expires) }))
	assert.Equal(t, answer{[]bool{true, false}, true}, ask(list))
	newer := BuyerList{Lane: lane, Activity: activity, Start: 2, Version: 6}
	assert.Equal(t, answer{[]bool{true, false}, false}, ask(newer))
	step(func(s *Scripts) (bool, error) { return true, s.BeginBuyers(t.Context(), newer, expires) })
	assert.Equal(t, answer{[]bool{true, false}, true}, ask(list), "an instance that begins again removes nobody")
	emptied := BuyerList{Lane: lane, Activity: activity, Start: 7, Version: 8}
	assert.Equal(t, none, ask(emptied), "who was removed is not on the list")
	step(func(s *Scripts) (bool, error) { return true, s.BeginBuyers(t.Context(), emptied, expires) })
	assert.False(t, add(list, "bob"), "a fill of the former list")
	assert.Equal(t, none, ask(emptied))
}
