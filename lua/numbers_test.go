package lua

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leaseNumbers100 leases 100 numbers on every store. The caller had leases up to known.
func leaseNumbers100(t tb, all stores, known int64) int64 {
	t.Helper()
	first, err := same(t, all, func(s *Scripts) (int64, error) {
		return s.LeaseNumbers(t.Context(), lane, Lease{Size: 100, Start: 40, Known: known, Skip: 1000})
	})
	require.NoError(t, err)
	return first
}

func TestAMasterThatBeginsToLeaseSkipsWhatItMayLack(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	assert.EqualValues(t, 40, leaseNumbers100(t, all, 0))
	assert.EqualValues(t, 140, leaseNumbers100(t, all, 0))
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Leases(lane), "run", "of another master").Err()
	})
	assert.EqualValues(t, 1240, leaseNumbers100(t, all, 240))
	assert.EqualValues(t, 1340, leaseNumbers100(t, all, 0), "it has begun")
}

func TestALeaseBeginsBehindWhatTheCallerHad(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	assert.EqualValues(t, 1500, leaseNumbers100(t, all, 500), "Redis has lost its counter")
	assert.EqualValues(t, 1600, leaseNumbers100(t, all, 0))
	assert.EqualValues(t, 5000, leaseNumbers100(t, all, 5000))
	all.each(t, func(s *Scripts) error { return s.Redis.Del(t.Context(), s.Keys.Leases(lane)).Err() })
	assert.EqualValues(t, 6100, leaseNumbers100(t, all, 5100))
}

// otherSale returns a call that places an order with the number of o in another activity of the lane.
func otherSale(t tb, all stores, o PlaceOrder) *PlaceCall {
	t.Helper()
	const another = "act2"
	all.each(t, func(s *Scripts) error {
		ctx, k := t.Context(), s.Keys
		if err := s.Redis.HSet(ctx, k.Meta(lane, another), "state", "open", "epoch", "7", "starts_ms", longAgo,
			"ends_ms", farAway).Err(); err != nil {
			return err
		}
		return s.Redis.HSet(ctx, k.Stock(lane, another), "sku1", 10, "sku1~0", 10).Err()
	})
	o.User, o.Task, o.Entry = "bob", "another", o.Number+"~1~"+another+"~bob"
	return &PlaceCall{Lane: lane, Activity: another, Orders: []PlaceOrder{o}}
}

// Several sales share a lane, and each has its own holds.
func TestANumberThatTheLaneHasInAnotherSaleIsRefused(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	o := buy("1", "ann", 1)
	place(t, all, o)
	call := otherSale(t, all, o)
	assert.Equal(t, []PlaceResult{{Code: NumberTaken}}, placeCall(t, all, call))
	assert.Equal(t, []string{o.Entry}, all.list(t, all.keys().Queue(lane)))

	require.Equal(t, 1, ack(t, all, stored(o)))
	assert.Equal(t, []PlaceResult{placedAs(call.Orders[0])}, placeCall(t, all, call), "the lane has forgotten it")
}

func TestADeadEntryKeepsItsNumberUntilItIsDiscarded(t *testing.T) {
	t.Parallel()
	o := buy("1", "ann", 1)
	all := withDead(t, o)
	call := otherSale(t, all, o)
	assert.Equal(t, []PlaceResult{{Code: NumberTaken}}, placeCall(t, all, call))
	require.True(t, discard(t, all, o, "x1"))
	assert.Equal(t, []PlaceResult{placedAs(call.Orders[0])}, placeCall(t, all, call))
}

func TestTheLastEntryOfALaneTakesAllNumbersWithIt(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	a, b := buy("1", "ann", 1), buy("2", "bob", 1)
	place(t, all, a, b)
	all.each(t, func(s *Scripts) error { // as an older version leaves it, which knows no such key
		return s.Redis.SAdd(t.Context(), s.Keys.Numbers(lane), "left behind").Err()
	})
	require.Equal(t, 1, ack(t, all, stored(a)))
	members, err := all[0].Redis.SMembers(t.Context(), all.keys().Numbers(lane)).Result()
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{b.Number, "left behind"}, members)
	require.Equal(t, 1, ack(t, all, stored(b)))
	assert.Zero(t, all[0].Redis.Exists(t.Context(), all.keys().Numbers(lane)).Val())
	sameKeys(t, all)
}

// renumberAs gives an order that is queued a number on every store.
func renumberAs(t tb, all stores, o PlaceOrder, number string) RenumberCode {
	t.Helper()
	code, err := same(t, all, func(s *Scripts) (RenumberCode, error) {
		return s.Renumber(t.Context(), Renumber{
			Lane: lane, Activity: activity, User: o.User, Task: o.Task, Number: o.Number, Entry: o.Entry,
			NewNumber: number, NewEntry: number + "~1~" + activity + "~" + o.User,
			NewRecord: []byte("record " + number),
		})
	})
	require.NoError(t, err)
	return code
}

func TestARenumberedOrderTakesEverythingWithIt(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	first, o, last := buy("1", "ann", 1), buy("2", "bob", 2), buy("3", "cid", 1)
	place(t, all, first, o, last)
	assert.Equal(t, RenumberTaken, renumberAs(t, all, o, last.Number))
	assert.Equal(t, Renumbered, renumberAs(t, all, o, "77"))
	assert.Equal(t, RenumberGone, renumberAs(t, all, o, "78"), "a second mover comes too late")

	k := all.keys()
	assert.Equal(t, []string{first.Entry, "77~1~act1~bob", last.Entry}, all.list(t, k.Queue(lane)))
	assert.Equal(t, map[string]string{"info:77": "record 77"}, all.hash(t, k.Orders(lane, "bob")))
	held := all.hash(t, k.Held(lane, activity))
	assert.Equal(t, "sku1~0~2~bob", held["77"])
	assert.NotContains(t, held, o.Number)
	assert.Equal(t, "77:P:d2", all.hash(t, k.Tasks(lane, activity))["t2"])
	members, err := all[0].Redis.SMembers(t.Context(), k.Numbers(lane)).Result()
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{first.Number, "77", last.Number}, members)
}

// The hold and the task of the number may be the other order's.
func TestARenumberedOrderLeavesTheOtherOneAlone(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	o := buy("1", "ann", 1)
	place(t, all, o)
	k := all.keys()
	all.each(t, func(s *Scripts) error {
		if err := s.Redis.HSet(t.Context(), k.Held(lane, activity), o.Number, "sku1~0~1~bob").Err(); err != nil {
			return err
		}
		return s.Redis.HSet(t.Context(), k.Tasks(lane, activity), o.Task, "5:P:d1").Err()
	})
	assert.Equal(t, Renumbered, renumberAs(t, all, o, "77"))
	assert.Equal(t, map[string]string{o.Number: "sku1~0~1~bob"}, all.hash(t, k.Held(lane, activity)))
	assert.Equal(t, map[string]string{o.Task: "5:P:d1"}, all.hash(t, k.Tasks(lane, activity)))
}

func TestNoOrderIsRenumberedWhileItsSaleIsLoading(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	o := buy("1", "ann", 1)
	place(t, all, o)
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Meta(lane, activity), "state", string(StateLoading)).Err()
	})
	assert.Equal(t, RenumberLoading, renumberAs(t, all, o, "77"))
	assert.Equal(t, []string{o.Entry}, all.list(t, all.keys().Queue(lane)))
}
