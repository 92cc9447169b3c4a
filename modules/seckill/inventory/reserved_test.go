package inventory_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill/admin"
	"onrush/modules/seckill/waves"
	"onrush/test/kit"
	"onrush/test/stage"
)

// isMember reports whether units are reserved for a user, by the user's name.
func isMember(user string) bool { return strings.HasPrefix(user, "member") }

// reserving are a sale with units that are reserved for members, and a model of who has how many.
type reserving struct {
	*stage.Stage
	t        *testing.T
	stores   *kit.Stores
	left     map[string]int64 // by point
	members  map[string]int64 // units of members' orders, by point
	reserved map[string]int64 // the plan
	live     []*order.Order   // neither cancelled nor restocked
}

const reservedTotal = 12

func (r *reserving) place(t *rapid.T) {
	user := fmt.Sprintf("%s%d", rapid.SampledFrom([]string{"member", "other"}).Draw(t, "who"),
		rapid.IntRange(1, 3).Draw(t, "account"))
	point := rapid.SampledFrom([]string{"0", "1"}).Draw(t, "point")
	quantity := rapid.Int64Range(1, 3).Draw(t, "quantity")
	o := r.Order(user, point, quantity)
	results, err := r.TryPlace(r.t.Context(), o)
	require.NoError(t, err)
	kept := max(r.reserved[point]-r.members[point], 0)
	switch {
	case r.left[point] < quantity:
		require.Equal(t, lua.SoldOut, results[0].Code)
	case !isMember(user) && r.left[point]-kept < quantity:
		require.Equal(t, lua.Reserved, results[0].Code)
		require.NotZero(t, results[0].NextMS)
	default:
		require.Equal(t, lua.Placed, results[0].Code)
		r.took(o, 1)
		r.live = append(r.live, o)
	}
}

// took notes that an order took its units, or with -1 that they came back.
func (r *reserving) took(o *order.Order, times int64) {
	r.left[o.Point] -= times * o.Items[0].Quantity
	if o.Reserved {
		r.members[o.Point] += times * o.Items[0].Quantity
	}
}

func (r *reserving) cancel(t *rapid.T) {
	if len(r.live) == 0 {
		t.Skip("nothing to cancel")
	}
	i := rapid.IntRange(0, len(r.live)-1).Draw(t, "order")
	o := r.live[i]
	require.NoError(t, r.Canceller.Cancel(r.t.Context(), o.User, o.Number, ""))
	_, err := r.Outbox.RunOnce(r.t.Context()) // on a slow machine the units don't come back at once
	require.NoError(t, err)
	r.live = append(r.live[:i:i], r.live[i+1:]...)
	r.took(o, -1)
}

// restock refunds an order and gives its units back in SQL, and sometimes repairs Redis before it gets them.
func (r *reserving) restock(t *rapid.T) {
	if len(r.live) == 0 {
		t.Skip("nothing to restock")
	}
	i := rapid.IntRange(0, len(r.live)-1).Draw(t, "order")
	o := r.live[i]
	r.Move(r.t)
	pay(r.t, r.Stage, o)
	_, err := r.Outbox.RunOnce(r.t.Context())
	require.NoError(t, err)
	refund(r.t, r.Stage, o)
	won, err := restock(r.t.Context(), r.Stage, o.Number)
	require.NoError(t, err)
	require.True(t, won)
	if rapid.Bool().Draw(t, "repair") {
		repaired(r.t, r.Stage)
	}
	_, err = r.Outbox.RunOnce(r.t.Context())
	require.NoError(t, err)
	r.live = append(r.live[:i:i], r.live[i+1:]...)
	r.took(o, -1)
}

// owe cancels an order in SQL, and repairs Redis before it gets the units.
func (r *reserving) owe(t *rapid.T) {
	if len(r.live) == 0 {
		t.Skip("nothing to cancel")
	}
	i := rapid.IntRange(0, len(r.live)-1).Draw(t, "order")
	o := r.live[i]
	r.Move(r.t)
	err := r.Start(r.t, stage.CrashAt("cancel_commit")).Canceller.Cancel(r.t.Context(), o.User, o.Number, "")
	require.ErrorIs(t, err, stage.ErrCrash)
	repaired(r.t, r.Stage)
	if rapid.Bool().Draw(t, "reload") {
		r.LoseActivity(r.t)
		r.Load(r.t)
	}
	_, err = r.Outbox.RunOnce(r.t.Context())
	require.NoError(t, err)
	r.live = append(r.live[:i:i], r.live[i+1:]...)
	r.took(o, -1)
}

// plan changes how many units are reserved at point 0, in a sale that sells.
func (r *reserving) plan(t *rapid.T) {
	units := rapid.Int64Range(0, reservedTotal).Draw(t, "units")
	plan := waves.Plan{{Point: "1", Quantity: 2}}
	if units > 0 {
		plan = append(waves.Plan{{Point: "0", Quantity: units}}, plan...)
	}
	_, err := r.Activities.Change(r.t.Context(), r.Activity, &admin.Change{
		SKUs: []admin.SKUChange{{SKU: stage.SKU, Reserved: &plan}},
	})
	if problem.CodeOf(err) == problem.CodeInvalidRequest { // nothing would be reserved beside what members have
		require.NotZero(t, units)
		require.LessOrEqual(t, units, r.members["0"])
		return
	}
	require.NoError(t, err)
	r.Know(r.t)
	r.reserved["0"] = units
}

// reload loads the sale again, after Redis has lost its keys or everything.
func (r *reserving) reload(t *rapid.T) {
	if rapid.Bool().Draw(t, "everything") {
		r.Move(r.t)
		r.Flush(r.t)
	} else {
		r.LoseActivity(r.t)
	}
	r.Load(r.t)
}

// repair lets Redis lose counts, which a repair restores.
func (r *reserving) repair(t *rapid.T) {
	keys := r.stores.Keys
	require.NoError(t, r.stores.Redis.Del(r.t.Context(), keys.Bought(r.Lane, r.Activity)).Err())
	if rapid.Bool().Draw(t, "holds, too") {
		require.NoError(t, r.stores.Redis.Del(r.t.Context(), keys.Held(r.Lane, r.Activity)).Err())
	}
	repaired, err := r.Auditor.Repair(r.t.Context(), r.Activity)
	require.NoError(t, err)
	require.True(t, repaired.OK, "%+v", repaired)
}

// agree compares both stores with the model.
func (r *reserving) agree(t *rapid.T) {
	want := map[string]string{}
	for point, units := range r.members {
		if units > 0 {
			want["r:sku~"+point] = strconv.FormatInt(units, 10)
		}
	}
	require.Equal(t, want, r.Hash(r.t, r.stores.Keys.Bought))
	for point, units := range r.left {
		require.Equal(t, strconv.FormatInt(units, 10), r.Left(r.t, point))
	}
	audit, err := r.Auditor.Audit(r.t.Context(), r.Activity)
	require.NoError(t, err)
	require.True(t, audit.OK, "%+v", audit)
}

func TestUnitsAreKeptForThoseForWhomTheyAreReservedWhateverHappensToOrders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		rapid.Check(t, func(rt *rapid.T) {
			until := time.Now().Add(30 * time.Minute).UnixMilli()
			s := stage.Open(t, stores, stage.Sale{
				Stock: map[string]int64{"0": reservedTotal, "1": 4}, Member: isMember,
				Reserved: []lua.Wave{{Point: "0", AtMS: until, Quantity: 5}, {Point: "1", AtMS: until, Quantity: 2}},
			})
			r := &reserving{
				Stage: s, t: t, stores: stores, left: map[string]int64{"0": reservedTotal, "1": 4},
				members: map[string]int64{}, reserved: map[string]int64{"0": 5, "1": 2},
			}
			rt.Repeat(map[string]func(*rapid.T){
				"": r.agree, "place": r.place, "cancel": r.cancel, "plan": r.plan, "reload": r.reload,
				"repair": r.repair, "restock": r.restock, "owe": r.owe, "move": func(*rapid.T) { r.Move(t) },
			})
			r.Move(t)
			r.Balanced(t)
		})
	})
}

// Whoever comes first at one stock, the others leave what is reserved, and nothing is sold twice.
func TestACrowdLeavesWhatIsReserved(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		until := time.Now().Add(30 * time.Minute).UnixMilli()
		s := stage.Open(t, stores, stage.Sale{
			Stock: map[string]int64{"0": 20}, Member: isMember,
			Reserved: []lua.Wave{{Point: "0", AtMS: until, Quantity: 8}},
		})
		crowd := func(who string) (placed int) {
			codes := make([]lua.PlaceCode, 48)
			var all sync.WaitGroup
			for i := range codes {
				all.Go(func() {
					results, err := s.TryPlace(t.Context(), s.Order(fmt.Sprintf("%s%d", who, i), "0", 1))
					if assert.NoError(t, err) {
						codes[i] = results[0].Code
					}
				})
			}
			all.Wait()
			for _, code := range codes {
				if code == lua.Placed {
					placed++
				}
			}
			return placed
		}
		assert.Equal(t, 12, crowd("other"))
		assert.Equal(t, 8, crowd("member"))
		s.Move(t)
		s.Balanced(t)
	})
}
