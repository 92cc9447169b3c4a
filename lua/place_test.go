package lua

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	lane     = 3
	activity = "act1"
	longAgo  = "1000"
	farAway  = "99999999999999"
)

// sale opens an activity with sku1 at points 0 and 1, and sku2 at point 0. Further meta fields
// come as pairs and replace these.
func sale(t tb, all stores, meta ...string) {
	t.Helper()
	fields := map[string]string{"state": string(StateOpen), "epoch": "7", "starts_ms": longAgo, "ends_ms": farAway}
	for i := 0; i < len(meta); i += 2 {
		fields[meta[i]] = meta[i+1]
	}
	maps.DeleteFunc(fields, func(_, value string) bool { return value == "" })
	all.each(t, func(s *Scripts) error {
		if err := s.Redis.HSet(t.Context(), s.Keys.Meta(lane, activity), fields).Err(); err != nil {
			return err
		}
		return s.Redis.HSet(t.Context(), s.Keys.Stock(lane, activity),
			"sku1", 10, "sku1~0", 6, "sku1~1", 4, "sku2", 5, "sku2~0", 5).Err()
	})
}

// buy is an order of sku1 at point 0; its number, task and digest follow from its name.
func buy(name, user string, quantity int64) PlaceOrder {
	number := "9000000000000000" + name
	return PlaceOrder{
		Task: "t" + name, Digest: "d" + name, Number: number, User: user, SKU: "sku1", Point: "0",
		Quantity: quantity, Entry: number + "~1~" + activity + "~" + user, Record: []byte("record " + name),
	}
}

// place runs a batch on every store and returns its results, but for the times, which differ.
func place(t tb, all stores, orders ...PlaceOrder) []PlaceResult {
	t.Helper()
	return placeCall(t, all, &PlaceCall{Lane: lane, Activity: activity, Orders: orders})
}

func placeCall(t tb, all stores, call *PlaceCall) []PlaceResult {
	t.Helper()
	results, err := same(t, all, func(s *Scripts) ([]PlaceResult, error) {
		nowMS, results, err := s.Place(t.Context(), call)
		if err == nil {
			assert.Positive(t, nowMS)
		}
		for i := range results { // it depends on the time of the store
			results[i].RetryMS = 0
		}
		return results, err
	})
	require.NoError(t, err)
	return results
}

func placedAs(o PlaceOrder) PlaceResult {
	return PlaceResult{Code: Placed, Number: o.Number, State: TaskSubmitted}
}

func TestPlaceWritesStockTokenQueueRecordAndTask(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "limit", "5", "limit:sku1", "3")
	all.each(t, func(s *Scripts) error {
		return s.Redis.ZAdd(t.Context(), s.Keys.Permits(lane, activity, "sku1"),
			redis.Z{Score: 9e12, Member: "ann:x"}, redis.Z{Score: 9e12, Member: "cid"}).Err()
	})
	givePermits(t, all, "sku2", "bob_y")

	first, second := buy("1", "ann:x", 2), buy("2", "bob_y", 1)
	second.SKU = "sku2"
	results := placeCall(t, all, &PlaceCall{
		Lane: lane, Activity: activity, Permits: true, Orders: []PlaceOrder{first, second},
	})
	assert.Equal(t, []PlaceResult{placedAs(first), placedAs(second)}, results)

	k := all.keys()
	assert.Equal(t, map[string]string{"sku1": "8", "sku1~0": "4", "sku1~1": "4", "sku2": "4", "sku2~0": "4"},
		all.hash(t, k.Stock(lane, activity)))
	assert.Equal(t, map[string]string{"a:ann:x": "2", "s:sku1~ann:x": "2", "a:bob_y": "1"},
		all.hash(t, k.Bought(lane, activity)), "sku2 has no limit of its own")
	assert.Equal(t, map[string]string{first.Number: "sku1~0~2~ann:x", second.Number: "sku2~0~1~bob_y"},
		all.hash(t, k.Held(lane, activity)))
	assert.Equal(t, map[string]string{"t1": first.Number + ":P:d1", "t2": second.Number + ":P:d2"},
		all.hash(t, k.Tasks(lane, activity)))
	assert.Equal(t, map[string]string{OrderField(first.Number): "record 1"}, all.hash(t, k.Orders(lane, "ann:x")))
	assert.Equal(t, []string{first.Entry, second.Entry}, all.list(t, k.Queue(lane)))
	permits, err := same(t, all, func(s *Scripts) ([]string, error) {
		return s.Redis.ZRange(t.Context(), k.Permits(lane, activity, "sku1"), 0, -1).Result()
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"cid"}, permits)
}

func TestPlaceWithoutLimitsCountsNothing(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "limit", "-1")
	assert.Equal(t, Placed, place(t, all, buy("1", "ann", 6))[0].Code)
	assert.Empty(t, all.hash(t, all.keys().Bought(lane, activity)))
}

// placeRefusal is an order that is not placed, in a sale with this meta.
type placeRefusal struct {
	meta  []string
	order PlaceOrder
	late  bool
	want  PlaceResult
}

func placeRefusals() map[string]placeRefusal {
	at := func(o PlaceOrder, sku, point string) PlaceOrder {
		o.SKU, o.Point = sku, point
		return o
	}
	lookup := PlaceOrder{Task: "t0", Digest: "d0"}
	return map[string]placeRefusal{
		"loading": {
			[]string{"state", string(StateLoading)}, buy("1", "ann", 1), false, PlaceResult{Code: NotLoaded},
		},
		"no state":  {[]string{"state", ""}, buy("1", "ann", 1), false, PlaceResult{Code: NotLoaded}},
		"no window": {[]string{"ends_ms", ""}, buy("1", "ann", 1), false, PlaceResult{Code: NotLoaded}},
		"closed": {
			[]string{"state", string(StateClosed)}, buy("1", "ann", 1), false, PlaceResult{Code: Closed},
		},
		"paused": {[]string{"paused", "1"}, buy("1", "ann", 1), false, PlaceResult{Code: Paused}},
		"paused and outdated": {
			[]string{"paused", "1", "version", "3"}, buy("1", "ann", 1), false, PlaceResult{Code: Paused},
		},
		"paused, but placed": {
			[]string{"paused", "1"},
			buy("7", "ann", 1), false,
			PlaceResult{Code: Replayed, Number: "77", State: TaskFailed, Reason: "why: this"},
		},
		"not started": {
			[]string{"starts_ms", farAway}, buy("1", "ann", 1), false, PlaceResult{Code: NotStarted},
		},
		"ended":    {[]string{"ends_ms", longAgo}, buy("1", "ann", 1), false, PlaceResult{Code: Ended}},
		"too late": {nil, buy("1", "ann", 1), true, PlaceResult{Code: TooLate}},
		"too late and closed": {
			[]string{"state", string(StateClosed)}, buy("1", "ann", 1), true, PlaceResult{Code: TooLate},
		},
		"activity limit": {
			[]string{"limit", "2"}, buy("1", "old", 1), false, PlaceResult{Code: OverActivityLimit, Bought: 2},
		},
		"sku limit": {
			[]string{"limit:sku1", "2"}, buy("1", "old", 2), false, PlaceResult{Code: OverSKULimit, Bought: 1},
		},
		"limit of 0":        {[]string{"limit", "0"}, buy("1", "ann", 1), false, PlaceResult{Code: OverActivityLimit}},
		"sold out in all":   {nil, buy("1", "ann", 11), false, PlaceResult{Code: SoldOut}},
		"sold out at point": {nil, at(buy("1", "ann", 5), "sku1", "1"), false, PlaceResult{Code: SoldOut}},
		"unknown point":     {nil, at(buy("1", "ann", 1), "sku1", "9"), false, PlaceResult{Code: SoldOut}},
		"unknown sku":       {nil, at(buy("1", "ann", 1), "sku9", "0"), false, PlaceResult{Code: SoldOut}},
		"number taken":      {nil, buy("8", "ann", 1), false, PlaceResult{Code: NumberTaken}},
		"replayed": {
			[]string{"state", string(StateClosed)},
			buy("7", "ann", 1), true,
			PlaceResult{Code: Replayed, Number: "77", State: TaskFailed, Reason: "why: this"},
		},
		"replayed by task alone": {
			nil,
			PlaceOrder{Task: "t7", Digest: "d7"},
			true,
			PlaceResult{Code: Replayed, Number: "77", State: TaskFailed, Reason: "why: this"},
		},
		"key reused": {
			nil,
			PlaceOrder{Task: "t7", Digest: "other"},
			false,
			PlaceResult{Code: KeyReused, Number: "77", State: TaskFailed, Reason: "why: this"},
		},
		"task unknown":          {nil, lookup, false, PlaceResult{Code: TaskUnknown}},
		"task unknown too late": {nil, lookup, true, PlaceResult{Code: TaskUnknown}},
		"task unknown, and closed": {
			[]string{"state", string(StateClosed)}, lookup, false, PlaceResult{Code: TaskUnknown},
		},
		"tasks still loading":     {[]string{"tasks", "loading"}, lookup, false, PlaceResult{Code: NotLoaded}},
		"tasks not loaded at all": {[]string{"state", ""}, lookup, true, PlaceResult{Code: NotLoaded}},
	}
}

func TestPlaceRefusesAndChangesNothing(t *testing.T) {
	t.Parallel()
	for name, row := range placeRefusals() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := newStores(t)
			sale(t, all, row.meta...)
			k := all.keys()
			all.each(t, func(s *Scripts) error {
				_, err := s.Redis.Pipelined(t.Context(), func(p redis.Pipeliner) error {
					p.HSet(t.Context(), k.Tasks(lane, activity), "t7", "77:F:d7:why: this")
					p.HSet(t.Context(), k.Held(lane, activity), buy("8", "", 1).Number, "sku1~0~1~old")
					p.HSet(t.Context(), k.Bought(lane, activity), "a:old", 2, "s:sku1~old", 1)
					return nil
				})
				return err
			})
			before := dump(t, all[0])
			call := &PlaceCall{Lane: lane, Activity: activity, Orders: []PlaceOrder{row.order}}
			if row.late {
				call.DeadlineMS = 1000
			}
			assert.Equal(t, []PlaceResult{row.want}, placeCall(t, all, call))
			assert.Equal(t, before, dump(t, all[0]))
		})
	}
}

func TestPlaceOfAnUnknownActivityIsNotLoaded(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	assert.Equal(t, []PlaceResult{{Code: NotLoaded}}, place(t, all, buy("1", "ann", 1)))
	assert.Empty(t, dump(t, all[0]))
}

func TestAnOrderOfABatchSeesTheOnesBeforeIt(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "limit", "4", "limit:sku1", "3")
	again, reused := buy("1", "ann", 2), buy("1", "ann", 2)
	reused.Digest = "other"
	taken := buy("1", "dan", 1)
	taken.Task = "t9"
	orders := []PlaceOrder{
		{Task: "t1", Digest: "d1"}, // before it is placed: unknown
		buy("1", "ann", 2),
		again,
		reused,
		{Task: "t1", Digest: "d1"},
		buy("2", "ann", 2), // over the sku limit
		buy("3", "bob", 3),
		buy("4", "cid", 2), // one is left at the point
		taken,
		buy("5", "cid", 1),
	}
	results := place(t, all, orders...)
	first := placedAs(orders[1])
	replayed, refused := first, first
	replayed.Code, refused.Code = Replayed, KeyReused
	assert.Equal(t, []PlaceResult{
		{Code: TaskUnknown},
		first, replayed, refused, replayed,
		{Code: OverSKULimit, Bought: 2},
		placedAs(orders[6]),
		{Code: SoldOut},
		{Code: NumberTaken},
		placedAs(orders[9]),
	}, results)
	stock := all.hash(t, all.keys().Stock(lane, activity))
	assert.Equal(t, "4", stock["sku1"])
	assert.Equal(t, "0", stock["sku1~0"])
	assert.Len(t, all.list(t, all.keys().Queue(lane)), 3)
}

func TestPlaceRefusesQuantitiesThatAreNotWholeNumbersOfAtLeastOne(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	for _, quantity := range []int64{0, -1, 1 << 60} {
		before := dump(t, all[0])
		_, err := same(t, all, func(s *Scripts) (int64, error) {
			nowMS, _, err := s.Place(t.Context(), &PlaceCall{
				Lane: lane, Activity: activity, Orders: []PlaceOrder{buy("1", "ann", 1), buy("2", "ann", quantity)},
			})
			return nowMS, err
		})
		require.ErrorContains(t, err, "quantity")
		assert.Equal(t, before, dump(t, all[0]))
	}
}

func TestPlaceTakesTheLargestBatch(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "limit", "1", "limit:sku1", "1")
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Stock(lane, activity), "sku1", 5000, "sku1~0", 5000).Err()
	})
	orders := make([]PlaceOrder, MaxPlaceOrders)
	for i := range orders {
		orders[i] = buy(strconv.Itoa(100+i), "user"+strconv.Itoa(i), 1)
	}
	for i := range orders {
		givePermits(t, all, "sku1", orders[i].User)
	}
	results := placeCall(t, all, &PlaceCall{Lane: lane, Activity: activity, Permits: true, Orders: orders})
	assert.False(t, slices.ContainsFunc(results, func(r PlaceResult) bool { return r.Code != Placed }))
	assert.Equal(t, "4000", all.hash(t, all.keys().Stock(lane, activity))["sku1~0"])
	assert.Len(t, all.hash(t, all.keys().Tasks(lane, activity)), MaxPlaceOrders)

	_, _, err := all[0].Place(t.Context(), &PlaceCall{Orders: make([]PlaceOrder, MaxPlaceOrders+1)})
	assert.ErrorContains(t, err, "at most")
}

func TestPlaceOfNothingReturnsTheTime(t *testing.T) {
	t.Parallel()
	for _, s := range newStores(t) {
		want, err := s.NowMS(t.Context())
		require.NoError(t, err)
		nowMS, results, err := s.Place(t.Context(), &PlaceCall{Lane: lane, Activity: activity})
		require.NoError(t, err)
		assert.Empty(t, results)
		assert.GreaterOrEqual(t, nowMS, want)
	}
}

func TestAnUnknownCodeIsAnError(t *testing.T) {
	t.Parallel()
	_, err := placeResult(int64(17), int64(0))
	require.ErrorContains(t, err, "17")
	_, err = yes(2, nil)
	require.ErrorContains(t, err, "unknown code 2")
	_, err = placeResult(int64(Placed), "no task")
	require.Error(t, err)
}

// givePermits gives users a permit of a sku that lives long.
func givePermits(t tb, all stores, sku string, users ...string) {
	t.Helper()
	all.each(t, func(s *Scripts) error {
		for _, user := range users {
			if err := s.Redis.ZAdd(t.Context(), s.Keys.Permits(lane, activity, sku),
				redis.Z{Score: 9e12, Member: user}).Err(); err != nil {
				return err
			}
		}
		return nil
	})
}

func permitsOut(t tb, all stores, sku string) []string {
	t.Helper()
	users, err := sameOutcome(t, all, func(s *Scripts) ([]string, error) {
		return s.Redis.ZRange(t.Context(), s.Keys.Permits(lane, activity, sku), 0, -1).Result()
	})
	require.NoError(t, err)
	return users
}

func TestAPermitIsOneOrder(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "limit", "3")
	givePermits(t, all, "sku1", "ann", "bob", "cid", "dan", "eve")
	all.each(t, func(s *Scripts) error { // gus let his permit expire
		return s.Redis.ZAdd(t.Context(), s.Keys.Permits(lane, activity, "sku1"),
			redis.Z{Score: 1000, Member: "gus"}).Err()
	})
	taken := buy("1", "eve", 1)
	taken.Task = "t9"
	orders := []PlaceOrder{
		buy("1", "ann", 1),
		buy("1", "ann", 1), // a replay needs no permit
		buy("2", "ann", 1), // used up
		buy("3", "bob", 7), // more than the limit: given back
		buy("4", "bob", 1),
		buy("5", "cid", 3),
		buy("6", "dan", 3), // two are left at the point: given back
		taken,              // transient: kept
		buy("7", "eve", 1),
		buy("8", "fay", 1), // never had one
		buy("9", "gus", 1),
	}
	var codes []PlaceCode
	for _, r := range placeCall(t, all, &PlaceCall{Lane: lane, Activity: activity, Permits: true, Orders: orders}) {
		codes = append(codes, r.Code)
	}
	assert.Equal(t, []PlaceCode{
		Placed, Replayed, NoPermit, OverActivityLimit, NoPermit, Placed, SoldOut, NumberTaken, Placed, NoPermit,
		NoPermit,
	}, codes)
	assert.Equal(t, []string{"gus"}, permitsOut(t, all, "sku1"))
}

func TestTransientRefusalsKeepThePermit(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]*PlaceCall{
		"too late":       {DeadlineMS: 1000},
		"the queue full": {QueueLimit: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := newStores(t)
			sale(t, all)
			givePermits(t, all, "sku1", "ann")
			all.each(t, func(s *Scripts) error {
				return s.Redis.RPush(t.Context(), s.Keys.Queue(lane), "other").Err()
			})
			call.Lane, call.Activity, call.Permits, call.Orders = lane, activity, true, []PlaceOrder{buy("1", "ann", 1)}
			assert.NotEqual(t, Placed, placeCall(t, all, call)[0].Code)
			assert.Equal(t, []string{"ann"}, permitsOut(t, all, "sku1"))
		})
	}
}

func TestTheQueueTakesNoMoreThanItsLimitWithinABatch(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	all.each(t, func(s *Scripts) error { return s.Redis.RPush(t.Context(), s.Keys.Queue(lane), "other").Err() })
	first := buy("1", "ann", 1)
	results := placeCall(t, all, &PlaceCall{Lane: lane, Activity: activity, QueueLimit: 2, Orders: []PlaceOrder{
		first, buy("2", "bob", 1), first,
	}})
	assert.Equal(t, Placed, results[0].Code)
	assert.Equal(t, PlaceResult{Code: QueueFull}, results[1])
	assert.Equal(t, Replayed, results[2].Code)
	assert.Len(t, all.list(t, all.keys().Queue(lane)), 2)
}
