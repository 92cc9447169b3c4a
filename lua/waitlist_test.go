package lua

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// waitlist changes the waiting list of the sale on every store; the times differ, so they are 1 where they are not 0.
func waitlist(t tb, all stores, c WaitlistChange) Waitlisted {
	t.Helper()
	c.Lane, c.Activity = lane, activity
	if c.WithinMS == 0 {
		c.WithinMS = 60_000
	}
	done, err := same(t, all, func(s *Scripts) (Waitlisted, error) {
		change := c
		change.Epoch = epochOf(t, s)
		done, err := s.ChangeWaitlist(t.Context(), &change)
		done.NowMS = min(done.NowMS, 1)
		for i := range done.UntilMS {
			done.UntilMS[i] = min(done.UntilMS[i], 1)
		}
		return done, err
	})
	require.NoError(t, err)
	return done
}

func offer(user, point string, quantity int64) Offer {
	return Offer{SKU: "sku1", Point: point, User: user, Quantity: quantity, Entry: "entry of " + user}
}

func (all stores) left(t tb, field string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(all.hash(t, all.keys().Stock(lane, activity))[field], 10, 64)
	require.NoError(t, err)
	return n
}

// listed places an order in a sale with a waiting list.
func listed(t tb, all stores, orders ...PlaceOrder) []PlaceCode {
	t.Helper()
	var codes []PlaceCode
	for _, r := range placeCall(t, all, &PlaceCall{Lane: lane, Activity: activity, Waitlist: true, Orders: orders}) {
		codes = append(codes, r.Code)
	}
	return codes
}

func TestOfferedUnitsAreKeptForTheirBuyer(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	assert.Equal(t, []int64{1, 1, 0}, waitlist(t, all, WaitlistChange{
		Offers: []Offer{offer("ann", "1", 3), offer("bob", "1", 1), offer("cid", "1", 1)},
	}).UntilMS, "4 units are at the point")
	assert.Equal(t, []int64{0, 6}, []int64{all.left(t, "sku1~1"), all.left(t, "sku1")})
	again := WaitlistChange{Offers: []Offer{offer("ann", "1", 3)}}
	assert.Equal(t, []int64{1}, waitlist(t, all, again).UntilMS, "the same offer is made once")
	assert.EqualValues(t, 6, all.left(t, "sku1"))

	at := func(name, user string, quantity int64) PlaceOrder {
		o := buy(name, user, quantity)
		o.Point = "1"
		return o
	}
	assert.Equal(t, []PlaceCode{SoldOut, SoldOut, Placed, Placed, SoldOut}, listed(t, all,
		at("01", "cid", 1), at("02", "ann", 4), at("03", "ann", 2), at("04", "ann", 1), at("05", "cid", 1)),
		"once ann takes 2 of 3, the third is for anybody")
	assert.Equal(t, []int64{0, 6}, []int64{all.left(t, "sku1~1"), all.left(t, "sku1")})
	other := buy("06", "bob", 1) // of another point than the offer
	assert.Equal(t, []PlaceCode{Placed}, listed(t, all, other))
	assert.Equal(t, []OfferCode{OfferNone, OfferStands}, waitlist(t, all, WaitlistChange{Ends: []EndOffer{
		{SKU: "sku1", User: "ann", Entry: "entry of ann"}, {SKU: "sku1", User: "bob", Entry: "entry of bob"},
	}}).Ended)
	assert.Equal(t, []OfferCode{OfferNone, OfferEnded, OfferNone}, waitlist(t, all, WaitlistChange{Ends: []EndOffer{
		{SKU: "sku1", User: "bob", Entry: "another", Now: true},
		{SKU: "sku1", User: "bob", Entry: "entry of bob", Now: true},
		{SKU: "sku1", User: "bob", Entry: "entry of bob", Now: true},
	}}).Ended)
	assert.Equal(t, []int64{1, 6}, []int64{all.left(t, "sku1~1"), all.left(t, "sku1")})
}

func TestUnitsOfAWaveAreNotOfferedBeforeItOpens(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	wavesAre(t, all, Wave{"0", later, 5}) // one of six units is open
	assert.Equal(t, []int64{0, 1, 0}, waitlist(t, all, WaitlistChange{
		Offers: []Offer{offer("ann", "0", 2), offer("bob", "0", 1), offer("cid", "0", 1)},
	}).UntilMS)
}

// A load may revive an offer that was taken: then the stock is below what the offers have.
func TestAnOfferWithoutItsUnitsSellsNothing(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	waitlist(t, all, WaitlistChange{Offers: []Offer{offer("ann", "0", 1)}})
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Stock(lane, activity), "sku1~0", -1).Err()
	})
	assert.Equal(t, []PlaceCode{SoldOut}, listed(t, all, buy("01", "ann", 1)))
	assert.EqualValues(t, -1, all.left(t, "sku1~0"))
}

func TestNobodyOvertakesThoseWhoWait(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	waits := Wait{SKU: "sku1", Point: "0", Entry: "e1"}
	waitlist(t, all, WaitlistChange{Waits: []Wait{waits}, Offers: []Offer{offer("ann", "0", 2)}})
	assert.Equal(t, []PlaceCode{SoldOut, Placed}, listed(t, all, buy("01", "bob", 1), buy("02", "ann", 2)))
	elsewhere := buy("03", "bob", 1)
	elsewhere.Point = "1"
	assert.Equal(t, []PlaceCode{Placed}, listed(t, all, elsewhere), "nobody waits for these units")
	waitlist(t, all, WaitlistChange{Waits: []Wait{{SKU: "sku1", Point: "0", Seen: "e0"}}})
	assert.Equal(t, []PlaceCode{SoldOut}, listed(t, all, buy("04", "bob", 1)), "another buyer waits by now")
	waitlist(t, all, WaitlistChange{Waits: []Wait{{SKU: "sku1", Point: "0", Seen: "e1"}}})
	assert.Equal(t, []PlaceCode{Placed}, listed(t, all, buy("05", "bob", 1)))
}

func TestAnOfferNeedsNoPermitAndEnds(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	waitlist(t, all, WaitlistChange{Offers: []Offer{offer("ann", "0", 2)}})
	call := &PlaceCall{
		Lane: lane, Activity: activity, Waitlist: true, Permits: true, PermitSKUs: []string{"sku2"},
		Orders: []PlaceOrder{buy("01", "ann", 1), buy("02", "bob", 1)},
	}
	results := placeCall(t, all, call)
	assert.Equal(t, []PlaceCode{Placed, NoPermit}, []PlaceCode{results[0].Code, results[1].Code})

	lapsed := offer("bob", "0", 1)
	lapsed.UntilMS = 1_000_000_000_000
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Waitlist(lane, activity), OfferField("sku1", "bob"), lapsed.String(),
			WaitField("sku1", "0"), "e1").Err()
	})
	assert.Equal(t, []PlaceCode{SoldOut}, listed(t, all, buy("03", "bob", 1)))
	before := all.left(t, "sku1")
	assert.Equal(t, []OfferCode{OfferEnded}, waitlist(t, all, WaitlistChange{Ends: []EndOffer{
		{SKU: "sku1", User: "bob", Entry: "entry of bob"},
	}}).Ended)
	assert.Equal(t, before+1, all.left(t, "sku1"))
}

func TestNoOfferIsMadeWhileTheSaleDoesNotRun(t *testing.T) {
	t.Parallel()
	for name, meta := range map[string][]string{
		"closed": {"state", string(StateClosed)}, "paused": {"paused", "1"}, "ended": {"ends_ms", longAgo},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := newStores(t)
			sale(t, all, meta...)
			assert.Equal(t, []int64{0}, waitlist(t, all, WaitlistChange{Offers: []Offer{offer("ann", "0", 2)}}).UntilMS)
		})
	}
	all := newStores(t)
	sale(t, all, "state", string(StateLoading))
	assert.False(t, waitlist(t, all, WaitlistChange{Offers: []Offer{offer("ann", "0", 2)}}).Loaded)
}

// A list of another load counts as empty: its units are in the stock again.
func TestOffersOfAnOtherLoadCountForNothing(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	waitlist(t, all, WaitlistChange{
		Offers: []Offer{offer("ann", "0", 6)}, Waits: []Wait{{SKU: "sku1", Point: "0", Entry: "e1"}},
	})
	sale(t, all, "epoch", "8")
	assert.Equal(t, []PlaceCode{Placed}, listed(t, all, buy("01", "bob", 1)))
	for _, s := range all {
		fields, err := s.Redis.HGetAll(t.Context(), s.Keys.Waitlist(lane, activity)).Result()
		require.NoError(t, err)
		old := ParseWaitlist(fields, 7)
		assert.Len(t, old.Offers, 1)
		now := ParseWaitlist(fields, 8)
		assert.Empty(t, now.Offers)
	}
	assert.Equal(t, []int64{1}, waitlist(t, all, WaitlistChange{Offers: []Offer{offer("ann", "0", 1)}}).UntilMS)
	assert.EqualValues(t, 4, all.left(t, "sku1~0"))
}

func TestALoadFillsTheWaitingList(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	require.True(t, begin(t, all, 3))
	was := Waitlist{Offers: []Offer{offer("a~n", "0", 2)}, Waits: map[string]string{"sku1~0": "e1"}}
	was.Offers[0].UntilMS = 2_000_000_000_000
	require.NoError(t, fill(t, all, 3, LoadWaitlist, was.Pairs(3)...))
	require.NoError(t, open(t, all, 3, string(StateOpen)))
	for _, s := range all {
		fields, err := s.Redis.HGetAll(t.Context(), s.Keys.Waitlist(lane, activity)).Result()
		require.NoError(t, err)
		is := ParseWaitlist(fields, 3)
		assert.Equal(t, &was, is)
		got, err := s.Offered(t.Context(), lane, activity, "sku1", "a~n")
		require.NoError(t, err)
		assert.Equal(t, &was.Offers[0], got)
		got, err = s.Offered(t.Context(), lane, activity, "sku1", "other")
		require.NoError(t, err)
		assert.Nil(t, got)
	}
	assert.Equal(t, []PlaceCode{Placed}, listed(t, all, buy("01", "a~n", 2)))
}

func TestAnOfferThatCannotBeReadEnds(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	waitlist(t, all, WaitlistChange{Offers: []Offer{offer("ann", "0", 1)}})
	bad := []string{"", "0~1", "0~x~2000000000000~e1", "0~1~x~e1"}
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Waitlist(lane, activity), OfferField("sku1", "b0"), bad[0],
			OfferField("sku1", "b1"), bad[1], OfferField("sku1", "b2"), bad[2], OfferField("sku1", "b3"), bad[3]).Err()
	})
	var ends []EndOffer
	for _, s := range all {
		got, err := s.Offered(t.Context(), lane, activity, "sku1", "b1")
		require.NoError(t, err)
		assert.Nil(t, got)
		fields, err := s.Redis.HGetAll(t.Context(), s.Keys.Waitlist(lane, activity)).Result()
		require.NoError(t, err)
		is := ParseWaitlist(fields, epochOf(t, s))
		assert.Len(t, is.Offers, 1)
		require.Len(t, is.Unreadable, len(bad))
		ends = is.Unreadable
	}
	left := all.left(t, "sku1~0")
	ended := []OfferCode{OfferEnded, OfferEnded, OfferEnded, OfferEnded}
	assert.Equal(t, ended, waitlist(t, all, WaitlistChange{Ends: ends}).Ended)
	assert.Equal(t, make([]OfferCode, len(bad)), waitlist(t, all, WaitlistChange{Ends: ends}).Ended)
	assert.Equal(t, left, all.left(t, "sku1~0"))
}

// An operator may set units aside in a pause, until a time of its own, also after the end of the sale.
func TestUnitsThatAreSetAsideHaveAnEndOfTheirOwn(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	until := func(user string, ms int64) Offer {
		o := offer(user, "0", 2)
		o.UntilMS = ms
		return o
	}
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Meta(lane, activity), "paused", "1").Err()
	})
	change := WaitlistChange{Offers: []Offer{until("./h1", NoEnd), offer("bob", "0", 2), until("cid", 1000)}}
	assert.Equal(t, []int64{1, 0, 0}, waitlist(t, all, change).UntilMS, "paused, and over")
	all.each(t, func(s *Scripts) error {
		o, err := s.Offered(t.Context(), lane, activity, "sku1", "./h1")
		assert.EqualValues(t, NoEnd, o.UntilMS)
		return err
	})
	assert.EqualValues(t, 4, all.left(t, "sku1~0"))

	moved := until("ann", NoEnd)
	moved.Entry = "entry of ./h1"
	named := waitlist(t, all, WaitlistChange{
		Ends: []EndOffer{{SKU: "sku1", User: "./h1", Entry: moved.Entry, Now: true}}, Offers: []Offer{moved},
	})
	assert.Equal(t, []int64{1}, named.UntilMS, "another user gets it in one step")
	assert.EqualValues(t, 4, all.left(t, "sku1~0"))
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Meta(lane, activity), "paused", "0").Err()
	})
	assert.Equal(t, []PlaceCode{Placed}, listed(t, all, buy("01", "ann", 2)))

	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Meta(lane, activity), "state", "closed").Err()
	})
	assert.Equal(t, []int64{0}, waitlist(t, all, WaitlistChange{Offers: []Offer{until("dan", NoEnd)}}).UntilMS)
}

// Units that were taken, or have gone back, are not taken out of the stock a second time for the buyer to whom they
// were to move.
func TestUnitsMoveToAnotherBuyerOnlyWhileTheyAreThere(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	to := func(user string) Offer { return Offer{SKU: "sku1", Point: "1", User: user, Quantity: 1, Entry: "e"} }
	move := func(from, user string) WaitlistChange {
		return WaitlistChange{
			Ends:   []EndOffer{{SKU: "sku1", User: from, Entry: "e", Now: true}},
			Offers: []Offer{to(user)},
		}
	}
	waitlist(t, all, WaitlistChange{Offers: []Offer{to("desk")}})
	done := waitlist(t, all, move("desk", "ann"))
	assert.Equal(t, []int64{1}, done.UntilMS)
	done = waitlist(t, all, move("desk", "ann"))
	assert.Equal(t, []int64{1}, done.UntilMS, "she has them already")
	assert.Equal(t, []int64{3, 9}, []int64{all.left(t, "sku1~1"), all.left(t, "sku1")})

	ann := buy("ann", "ann", 1)
	ann.Point = "1"
	require.Equal(t, []PlaceCode{Placed}, listed(t, all, ann))
	for _, from := range []string{"ann", "desk"} {
		done = waitlist(t, all, move(from, "bob"))
		assert.Equal(t, []OfferCode{OfferNone}, done.Ended, from)
		assert.Equal(t, []int64{0}, done.UntilMS, from)
	}
	assert.Equal(t, []int64{3, 9}, []int64{all.left(t, "sku1~1"), all.left(t, "sku1")}, "ann has the units")
}

func TestAnOrderOfOfferedUnitsTakesNoOthers(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	waitlist(t, all, WaitlistChange{Offers: []Offer{offer("ann", "0", 1)}})
	var codes []PlaceCode
	for _, r := range placeCall(t, all, &PlaceCall{
		Lane: lane, Activity: activity, Waitlist: true, OffersOnly: true,
		Orders: []PlaceOrder{buy("01", "bob", 1), buy("02", "ann", 1), buy("03", "ann", 1)},
	}) {
		codes = append(codes, r.Code)
	}
	assert.Equal(t, []PlaceCode{SoldOut, Placed, SoldOut}, codes)
	assert.Equal(t, []PlaceCode{Placed}, listed(t, all, buy("04", "bob", 1)))
}
