package lua

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/modules/ids"
)

// basket is an order of several skus at point 0.
func basket(name, user string, takes ...Take) PlaceOrder {
	o := buy(name, user, 1)
	o.SKU, o.Quantity = JoinTakes(takes)
	return o
}

func TestTakesAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	read := func(sku string, units int64) (takes []Take) {
		for sku, n := range Takes(sku, units) {
			takes = append(takes, Take{sku, n})
		}
		return takes
	}
	for _, takes := range [][]Take{{{"a", 3}}, {{"a", 3}, {"b.c:d_-", 12}}, {{"z", 1}, {"y", 1}, {"x", 9}}} {
		assert.Equal(t, takes, read(JoinTakes(takes)))
		sku, units := JoinTakes(takes)
		assert.Equal(t, takes, read(Held{SKU: sku}.MarkedSKU(), units))
	}
	sku, units := JoinTakes([]Take{{"a", 3}, {"b", 1}})
	assert.Equal(t, "a*3,b*1", sku)
	assert.EqualValues(t, 4, units)
	assert.True(t, Held{SKU: sku}.Has("b"))
	assert.False(t, Held{SKU: "ab"}.Has("b"))
	assert.Empty(t, read("a*x", 1))
	longest := make([]Take, MaxTakes)
	for i := range longest {
		longest[i] = Take{strings.Repeat("a", ids.Max), 999_999_999}
	}
	sku, _ = JoinTakes(longest)
	assert.LessOrEqual(t, len(Held{SKU: sku, Reserved: true}.MarkedSKU()), MaxTakesText, "what columns hold")
}

// Versions without baskets read a hold with these patterns, in Go and in scripts. They would give the units of a basket
// back to a sku of its text.
func TestVersionsWithoutBasketsCanNotReadTheHoldOfOne(t *testing.T) {
	t.Parallel()
	script := regexp.MustCompile(`^([^~]*)~([^~]*)~(\d+):?([^~]*)~(.*)$`)
	program := func(hold string) error {
		parts, _ := ids.Split(hold, 4)
		units, _, _ := strings.Cut(parts[2], ":")
		_, err := strconv.ParseInt(units, 10, 64)
		return err
	}
	sku, units := JoinTakes([]Take{{"12", 3}, {"34", 1}})
	outbox := Held{SKU: sku}.MarkedSKU()
	assert.Equal(t, "12", Held{SKU: "12"}.MarkedSKU())
	assert.Equal(t, FormatHeld(sku, "0", units, "5~ann"), FormatHeld(outbox, "0", units, "5~ann"))
	for _, hold := range []string{
		FormatHeld(sku, "0", units, "5~ann"), Held{sku, "0", units, "5~ann", "7", false}.String(),
		ids.Join(outbox, "0", "4", "5~ann"), // as such a version writes it from the row of a restock
	} {
		assert.False(t, script.MatchString(hold), hold)
		require.Error(t, program(hold), hold)
	}
	for _, hold := range []Held{
		{sku, "0", units, "5~ann", "", false},
		{sku, "0", units, "5~ann", "7", true},
		{"b", "b", units, "b5~ann", "b", true},
	} {
		read, ok := ParseHeld(hold.String())
		assert.True(t, ok)
		assert.Equal(t, hold, read)
	}
}

// Each sku of a basket has its own waves, and its own window of an item limit.
func TestABasketWaitsForTheWaveOrTheWindowOfEachSku(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	wavesAre(t, all, Wave{"0", later, 4}, Wave{"1", later, 4}) // 2 units of sku1 are open
	call := &PlaceCall{Lane: lane, Activity: activity, ItemLimit: 2, ItemMS: 1e9, Orders: []PlaceOrder{
		basket("1", "ann", Take{"sku2", 1}, Take{"sku1", 3}),
		basket("2", "ann", Take{"sku2", 2}, Take{"sku1", 1}),
		basket("3", "bob", Take{"sku2", 1}, Take{"sku1", 1}),
		basket("4", "bob", Take{"sku2", 1}, Take{"sku1", 1}),
	}}
	assert.Equal(t, []PlaceResult{
		{Code: NextWave, NextMS: later, SKU: "sku1"},
		placedAs(buy("2", "ann", 1)), placedAs(buy("3", "bob", 1)),
		{Code: OverItemLimit, SKU: "sku2"},
	}, placeCall(t, all, call))
	assert.NotEmpty(t, all.hash(t, all.keys().Meta(lane, activity))[EmptyField("sku1")], "no unit is open")
}

func TestABasketIsHeldAsOneOrderAndGivenBackAsOne(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "limit", "9", "limit:sku2", "3")
	o := basket("1", "ann", Take{"sku1", 2}, Take{"sku2", 3})
	assert.Equal(t, []PlaceResult{placedAs(o)}, place(t, all, o))
	k := all.keys()
	assert.Equal(t, map[string]string{"sku1": "8", "sku1~0": "4", "sku1~1": "4", "sku2": "2", "sku2~0": "2"},
		all.hash(t, k.Stock(lane, activity)))
	assert.Equal(t, map[string]string{"a:ann": "5", "s:sku2~ann": "3"}, all.hash(t, k.Bought(lane, activity)))
	assert.Equal(t, map[string]string{o.Number: "sku1*2,sku2*3~0~b5~ann"}, all.hash(t, k.Held(lane, activity)))
	held, ok := ParseHeld("sku1*2,sku2*3~0~b5~ann")
	assert.True(t, ok)
	assert.Equal(t, Held{SKU: o.SKU, Point: "0", Quantity: 5, User: "ann"}, held)

	assert.Equal(t, []ReturnCode{Returned, NotHeld}, giveBack(t, all, o.Number, o.Number))
	stock := all.hash(t, k.Stock(lane, activity))
	assert.Equal(t, []string{"10", "6", "5", "5"},
		[]string{stock["sku1"], stock["sku1~0"], stock["sku2"], stock["sku2~0"]})
	assert.Empty(t, all.hash(t, k.Bought(lane, activity)))
}

func TestABasketIsRefusedForOneOfItsSkus(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "limit", "8", "limit:sku2", "2")
	results := place(t, all,
		basket("1", "ann", Take{"sku1", 7}, Take{"sku2", 1}),
		basket("2", "ann", Take{"sku1", 1}, Take{"sku2", 3}),
		basket("3", "ann", Take{"sku1", 6}, Take{"sku2", 3}),
		basket("4", "ann", Take{"sku1", 6}, Take{"sku2", 2}),
		basket("5", "bob", Take{"sku1", 1}, Take{"sku2", 1}))
	assert.Equal(t, []PlaceResult{
		{Code: SoldOut, SKU: "sku1"},
		{Code: OverSKULimit, SKU: "sku2"},
		{Code: OverActivityLimit},
		placedAs(buy("4", "ann", 1)),
		{Code: SoldOut, SKU: "sku1"},
	}, results)
	k := all.keys()
	assert.Equal(t, map[string]string{"sku1": "4", "sku1~0": "0", "sku1~1": "4", "sku2": "3", "sku2~0": "3"},
		all.hash(t, k.Stock(lane, activity)), "a refused basket takes nothing")
}

func TestABasketUsesUpAPermitOfEachSku(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	givePermits(t, all, "sku1", "ann", "bob", "cid")
	givePermits(t, all, "sku2", "ann", "cid")
	results := placeCall(t, all, &PlaceCall{
		Lane: lane, Activity: activity, Permits: true, PermitSKUs: []string{"sku1", "sku2"}, Orders: []PlaceOrder{
			basket("1", "ann", Take{"sku1", 1}, Take{"sku2", 1}),
			basket("2", "ann", Take{"sku1", 1}, Take{"sku2", 1}),
			basket("3", "bob", Take{"sku1", 1}, Take{"sku2", 1}),
			basket("4", "cid", Take{"sku1", 1}, Take{"sku2", 9}),
		},
	})
	assert.Equal(t, []PlaceResult{
		placedAs(buy("1", "ann", 1)),
		{Code: NoPermit, SKU: "sku1"},
		{Code: NoPermit, SKU: "sku2"},
		{Code: SoldOut, SKU: "sku2"},
	}, results)
	for sku, left := range map[string][]string{"sku1": {"bob"}, "sku2": nil} {
		permits, err := same(t, all, func(s *Scripts) ([]string, error) {
			users, err := s.Redis.ZRange(t.Context(), s.Keys.Permits(lane, activity, sku), 0, -1).Result()
			return append([]string(nil), users...), err
		})
		require.NoError(t, err)
		assert.Equal(t, left, permits, sku)
	}
}

func TestABasketThatIsWrittenWronglyIsAnError(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	for _, sku := range []string{"sku1*1,sku1*1", "sku1*1,sku2*2", "sku1*0,sku2*2"} {
		o := buy("1", "ann", 2)
		o.SKU = sku
		_, err := same(t, all, func(s *Scripts) (string, error) {
			_, _, err := s.Place(t.Context(), &PlaceCall{Lane: lane, Activity: activity, Orders: []PlaceOrder{o}})
			return "", err
		})
		require.Error(t, err, sku)
	}
	assert.Empty(t, all.hash(t, all.keys().Held(lane, activity)))
}

// basketModel is what a sale of sku1 and sku2 at point 0 should be after random orders.
type basketModel struct {
	stock  map[string]int64
	bought map[string]int64
	holds  map[string][]Take
	sets   map[string]int64 // how many of the bundle set each hold is of
	user   map[string]string
	limits map[string]int64 // of the skus, and of all under ""
}

// place returns what the script should answer; sets is how many of the bundle the takes are the parts of.
func (m *basketModel) place(o PlaceOrder, takes []Take, sets int64) PlaceResult {
	if m.bought[o.User]+o.Quantity > m.limits[""] {
		return PlaceResult{Code: OverActivityLimit, Bought: m.bought[o.User]}
	}
	named := func(r PlaceResult, sku string) PlaceResult {
		if len(takes) > 1 {
			r.SKU = sku
		}
		return r
	}
	if had := m.bought["set"+o.User]; had+sets > m.limits["set"] {
		return PlaceResult{Code: OverSKULimit, Bought: had, SKU: "set"}
	}
	for _, take := range takes {
		if had := m.bought[take.SKU+o.User]; had+take.Quantity > m.limits[take.SKU] {
			return named(PlaceResult{Code: OverSKULimit, Bought: had}, take.SKU)
		}
		if m.stock[take.SKU] < take.Quantity {
			return named(PlaceResult{Code: SoldOut}, take.SKU)
		}
	}
	m.holds[o.Number], m.user[o.Number], m.sets[o.Number] = takes, o.User, sets
	m.move(o.Number, 1)
	return placedAs(o)
}

// move takes the units of an order, or gives them back with -1.
func (m *basketModel) move(number string, times int64) {
	m.bought["set"+m.user[number]] += times * m.sets[number]
	for _, take := range m.holds[number] {
		m.stock[take.SKU] -= times * take.Quantity
		m.bought[m.user[number]] += times * take.Quantity
		m.bought[take.SKU+m.user[number]] += times * take.Quantity
	}
}

func TestRandomBasketsTakeAllTheirUnitsOrNone(t *testing.T) {
	t.Parallel()
	mini := redis.NewClient(&redis.Options{Addr: miniredis.RunT(t).Addr(), MaxRetries: -1, ReadTimeout: time.Minute})
	t.Cleanup(func() { _ = mini.Close() })
	rapid.Check(t, func(rt *rapid.T) {
		all := storesOn(mini)
		sale(rt, all, "limit", "6", "limit:sku1", "4", "limit:sku2", "4", "limit:set", "2")
		m := &basketModel{
			stock: map[string]int64{"sku1": 6, "sku2": 5}, bought: map[string]int64{}, holds: map[string][]Take{},
			user: map[string]string{}, limits: map[string]int64{"": 6, "sku1": 4, "sku2": 4, "set": 2},
			sets: map[string]int64{},
		}
		for round := range rapid.IntRange(1, 8).Draw(rt, "rounds") {
			m.round(rt, all, round)
		}
	})
}

// round places a few orders, gives some back, and compares the stores with the model.
func (m *basketModel) round(t *rapid.T, all stores, round int) {
	var orders []PlaceOrder
	var want []PlaceResult
	for i := range rapid.IntRange(1, 4).Draw(t, "orders") {
		var takes []Take
		for _, sku := range rapid.SampledFrom([][]string{
			{"sku1"}, {"sku2"}, {"sku1", "sku2"}, {"sku2", "sku1"},
		}).Draw(t, "skus") {
			takes = append(takes, Take{sku, rapid.Int64Range(1, 3).Draw(t, "quantity")})
		}
		o := basket(fmt.Sprintf("%d%d", round, i), pick(t, "user", "ann", "bob:y", "~c~id"), takes...)
		var sets int64
		if len(takes) > 1 && rapid.Bool().Draw(t, "of a bundle") {
			sets = rapid.Int64Range(1, 2).Draw(t, "sets")
			o.SKU, o.Quantity = JoinBundle("set", sets, takes)
		}
		orders, want = append(orders, o), append(want, m.place(o, takes, sets))
	}
	require.Equal(t, want, place(t, all, orders...))
	for _, number := range slices.Sorted(maps.Keys(m.holds)) {
		if rapid.IntRange(0, 3).Draw(t, "back") == 0 {
			m.move(number, -1)
			delete(m.holds, number)
			require.Equal(t, []ReturnCode{Returned}, giveBack(t, all, number))
		}
	}
	k := all.keys()
	stock := all.hash(t, k.Stock(lane, activity))
	for _, sku := range []string{"sku1", "sku2"} {
		require.Equal(t, strconv.FormatInt(m.stock[sku], 10), stock[sku+"~0"], sku)
	}
	bought := all.hash(t, k.Bought(lane, activity))
	for _, user := range []string{"ann", "bob:y", "~c~id"} {
		for key, field := range map[string]string{
			user: "a:" + user, "sku1" + user: "s:sku1~" + user, "set" + user: "s:set~" + user,
		} {
			had, _ := strconv.ParseInt(bought[field], 10, 64)
			require.Equal(t, m.bought[key], had, field)
		}
	}
	require.Len(t, all.hash(t, k.Held(lane, activity)), len(m.holds))
}
