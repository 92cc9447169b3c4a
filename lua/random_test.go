package lua

import (
	"context"
	"fmt"
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

// world runs random calls on every store. Ids come from small sets, so that calls meet.
type world struct {
	all    stores
	taken  map[string]int64 // by stock changes: field → units added
	given  map[string]int64 // what loads and repairs gave: field → units
	placed []Ack            // every order that was placed, with its entry
	nextID int
}

func TestRandomCallsGiveEqualAnswersAndEqualKeysOnEveryRedis(t *testing.T) {
	t.Parallel()
	mini := redis.NewClient(&redis.Options{Addr: miniredis.RunT(t).Addr(), MaxRetries: -1, ReadTimeout: time.Minute})
	t.Cleanup(func() { _ = mini.Close() })
	mini.AddHook(declaredKeys{})
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{all: storesOn(mini), taken: map[string]int64{}, given: map[string]int64{}}
		defer w.clear(t)
		if rapid.Bool().Draw(rt, "loaded") {
			w.load(rt)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"":        w.noUnitIsLost,
			"place":   w.place,
			"return":  w.giveBack,
			"ack":     w.ack,
			"dead":    w.dead,
			"load":    w.load,
			"step":    w.loadStep,
			"permit":  w.permit,
			"line":    w.joinLine,
			"change":  w.change,
			"list":    w.waitlist,
			"repair":  w.repair,
			"state":   w.state,
			"lease":   w.lease,
			"deadend": w.replay,
		})
	})
}

// clear removes the keys of one run, since all runs share their servers.
func (w *world) clear(t *testing.T) {
	t.Helper()
	for _, s := range w.all {
		for key := range dump(t, s) {
			require.NoError(t, s.Redis.Del(context.WithoutCancel(t.Context()), key).Err())
		}
	}
}

func pick(t *rapid.T, what string, from ...string) string {
	return rapid.SampledFrom(from).Draw(t, what)
}

func aUser(t *rapid.T) string   { return pick(t, "user", "ann", "bob:y", "~c~id", "dän x") }
func aSKU(t *rapid.T) string    { return pick(t, "sku", "sku1", "sku2") }
func aPoint(t *rapid.T) string  { return pick(t, "point", "0", "1") }
func aTask(t *rapid.T) string   { return "t" + strconv.Itoa(rapid.IntRange(1, 30).Draw(t, "task")) }
func aDeadID(t *rapid.T) string { return pick(t, "dead id", "x1", "x2", "x3") }
func aNumber(t *rapid.T) string {
	return "900000000000000000" + strconv.Itoa(rapid.IntRange(1, 30).Draw(t, "number"))
}

func (w *world) place(t *rapid.T) {
	call := &PlaceCall{
		Lane: lane, Activity: activity, Permits: rapid.Bool().Draw(t, "permits"),
		PermitSKUs: []string{"sku1", "sku2"}, Waitlist: rapid.Bool().Draw(t, "waitlist"),
		DeadlineMS: rapid.SampledFrom([]int64{0, 0, 0, 1000, 99999999999999}).Draw(t, "deadline"),
	}
	keyed := rapid.Bool().Draw(t, "keyed")
	for range rapid.IntRange(0, 6).Draw(t, "orders") {
		o := PlaceOrder{
			Task: aTask(t), Digest: pick(t, "digest", "d1", "d1", "d2"), Number: aNumber(t),
			User: aUser(t), SKU: aSKU(t), Point: aPoint(t),
			Quantity: rapid.Int64Range(1, 3).Draw(t, "quantity"),
		}
		if rapid.IntRange(0, 3).Draw(t, "basket") == 0 {
			o.SKU, o.Quantity = JoinTakes([]Take{{"sku1", o.Quantity}, {"sku2", 1}})
		}
		if keyed {
			o.LimitKey = pick(t, "limit key", "house1", "house2")
		}
		w.nextID++
		o.Entry = fmt.Sprintf("%s~%d~%s~%s", o.Number, w.nextID, activity, o.User)
		if rapid.IntRange(0, 9).Draw(t, "look up only") > 0 {
			o.Record = []byte(pick(t, "record", "{}", "\x00\xff binary\r\n"))
		}
		call.Orders = append(call.Orders, o)
	}
	for i, r := range placeCall(t, w.all, call) {
		if o := call.Orders[i]; r.Code == Placed {
			w.placed = append(w.placed, stored(o))
		}
	}
}

func (w *world) giveBack(t *rapid.T) {
	numbers := rapid.SliceOfN(rapid.Custom(aNumber), 0, 5).Draw(t, "numbers")
	giveBack(t, w.all, numbers...)
}

// ack acknowledges entries at the head of the queue, or other entries.
func (w *world) ack(t *rapid.T) {
	queue := w.all.list(t, w.all.keys().Queue(lane))
	queue = queue[:min(len(queue), rapid.IntRange(0, 5).Draw(t, "entries"))]
	acks := make([]Ack, 0, len(queue))
	for _, entry := range queue {
		i := slices.IndexFunc(w.placed, func(a Ack) bool { return a.Entry == entry })
		if i < 0 {
			acks = append(acks, Ack{Entry: entry, Verdict: VerdictDead, DeadID: aDeadID(t), Dead: entry})
			continue
		}
		a := w.placed[i]
		a.Verdict = Verdict(pick(t, "verdict", "S", "S", "F", "D", "R"))
		switch a.Verdict {
		case VerdictFailed:
			a.Reason = pick(t, "reason", "", "no: unit")
		case VerdictDead:
			a.DeadID, a.Dead = aDeadID(t), "{}"
		case VerdictRepeat:
			a.Of = Repeat{
				Number: aNumber(t), State: VerdictStored, Unpaid: rapid.Bool().Draw(t, "unpaid"),
				Counts: rapid.Bool().Draw(t, "counts"),
			}
		case VerdictStored, VerdictOverLimit, VerdictWait:
		}
		switch rapid.IntRange(0, 9).Draw(t, "twist") {
		case 0:
			a.Task = ""
		case 1:
			a.Task = aTask(t)
		case 2:
			a.Entry = "other"
		}
		acks = append(acks, a)
	}
	ack(t, w.all, acks...)
}

func (w *world) dead(t *rapid.T) {
	order := PlaceOrder{Number: aNumber(t), User: aUser(t), Task: aTask(t)}
	if len(w.placed) > 0 && rapid.Bool().Draw(t, "placed") {
		a := rapid.SampledFrom(w.placed).Draw(t, "order")
		order = PlaceOrder{Number: a.Number, User: a.User, Task: a.Task}
	}
	discard(t, w.all, order, aDeadID(t))
}

func (w *world) replay(t *rapid.T) {
	id, entry := aDeadID(t), "replayed"
	if len(w.placed) > 0 {
		entry = rapid.SampledFrom(w.placed).Draw(t, "order").Entry
	}
	_, err := same(t, w.all, func(s *Scripts) (bool, error) {
		return s.ReplayDead(t.Context(), lane, id, entry)
	})
	require.NoError(t, err)
}

// load loads the activity whole, if it is not loaded.
func (w *world) load(t *rapid.T) {
	epoch := rapid.Int64Range(1, 4).Draw(t, "epoch")
	if !begin(t, w.all, epoch) {
		return
	}
	w.placed, w.taken, w.given = nil, map[string]int64{}, map[string]int64{
		"sku1": 9, "sku1~0": 5, "sku1~1": 4, "sku2": 20, "sku2~0": 10, "sku2~1": 10,
	}
	var pairs []string
	for field, units := range w.given {
		pairs = append(pairs, field, strconv.FormatInt(units, 10))
	}
	require.NoError(t, fill(t, w.all, epoch, LoadStock, pairs...))
	meta := map[string]string{
		"state":     pick(t, "state", string(StateOpen), string(StateOpen), string(StateOpen), string(StateClosed)),
		"starts_ms": longAgo,
		"ends_ms":   pick(t, "ends", farAway, farAway, farAway, longAgo),
		"limit":     pick(t, "limit", "-1", "4"),
	}
	if rapid.Bool().Draw(t, "sku limit") {
		meta["limit:sku1"] = "2"
	}
	_, err := same(t, w.all, func(s *Scripts) (bool, error) {
		return true, s.LoadOpen(t.Context(), lane, activity, epoch, meta)
	})
	require.NoError(t, err)
}

// loadStep does one step of a load alone, which an activity that is loaded refuses.
func (w *world) loadStep(t *rapid.T) {
	epoch := rapid.Int64Range(1, 4).Draw(t, "epoch")
	if w.all.hash(t, w.all.keys().Meta(lane, activity))["state"] == "" {
		require.ErrorIs(t, fill(t, w.all, epoch, LoadPaid, "sku1~0", "1"), ErrSuperseded)
		return
	}
	assert.False(t, begin(t, w.all, epoch))
	require.ErrorIs(t, fill(t, w.all, epoch, LoadPaid, "sku1~0", "1"), ErrSuperseded)
	require.ErrorIs(t, open(t, w.all, epoch, string(StateOpen)), ErrSuperseded)
}

func (w *world) permit(t *rapid.T) {
	permitOf(t, w.all, aUser(t), rapid.SampledFrom([]float64{0, 0.1, 0.3, 1.5}).Draw(t, "ratio"))
}

func (w *world) joinLine(t *rapid.T) {
	expired := rapid.Int64Range(0, 9).Draw(t, "expired")
	users := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) LineUser {
		return LineUser{User: aUser(t), Score: rapid.Int64Range(0, 1<<52-1).Draw(t, "score")}
	}), 1, 5).Draw(t, "users")
	joinAll(t, w.all, join{
		Expired: expired, StartsMS: rapid.SampledFrom([]int64{begun, notBegun}).Draw(t, "start"),
		First: expired + rapid.Int64Range(0, 3).Draw(t, "first"), Most: rapid.Int64Range(1, 4).Draw(t, "most"),
	}, users...)
}

func (w *world) change(t *rapid.T) {
	sku, point, delta := aSKU(t), aPoint(t), rapid.Int64Range(-5, 5).Draw(t, "delta")
	if change(t, w.all, pick(t, "change", "c1", "c2", "c3", "c4"), sku, point, delta) == ChangeApplied {
		w.taken[sku] += delta
		w.taken[StockField(sku, point)] += delta
	}
}

// waitlist ends offers, makes others and marks who waits.
func (w *world) waitlist(t *rapid.T) {
	var c WaitlistChange
	for range rapid.IntRange(0, 3).Draw(t, "ends") {
		user := aUser(t)
		c.Ends = append(c.Ends, EndOffer{
			SKU: aSKU(t), User: user, Entry: pick(t, "entry", "e1", "e2"), Now: rapid.Bool().Draw(t, "now"),
		})
	}
	for range rapid.IntRange(0, 3).Draw(t, "offers") {
		c.Offers = append(c.Offers, Offer{
			SKU: aSKU(t), Point: aPoint(t), User: aUser(t), Quantity: rapid.Int64Range(1, 3).Draw(t, "quantity"),
			Entry: pick(t, "entry", "e1", "e2"), UntilMS: rapid.SampledFrom([]int64{0, NoEnd}).Draw(t, "until"),
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, "waits") {
		c.Waits = append(c.Waits, Wait{
			SKU: aSKU(t), Point: aPoint(t), Entry: pick(t, "entry", "", "e1"), Seen: pick(t, "seen", "e1", "e2"),
		})
	}
	if w.all.hash(t, w.all.keys().Meta(lane, activity))["epoch"] != "" {
		waitlist(t, w.all, c)
	}
}

func (w *world) repair(t *rapid.T) {
	add := map[string]int64{}
	sku, point, units := aSKU(t), aPoint(t), rapid.Int64Range(0, 3).Draw(t, "units")
	add[sku], add[StockField(sku, point)] = units, units
	if repair(t, w.all, rapid.Int64Range(1, 4).Draw(t, "epoch"), nil, nil, add) {
		w.taken[sku] += units
		w.taken[StockField(sku, point)] += units
	}
}

func (w *world) state(t *rapid.T) {
	state := pick(t, "state", string(StateOpen), string(StateClosed))
	_, err := same(t, w.all, func(s *Scripts) (bool, error) {
		return s.SetState(t.Context(), lane, activity, ActivityState(state))
	})
	require.NoError(t, err)
}

func (w *world) lease(t *rapid.T) {
	size, start := rapid.Int64Range(1, 9).Draw(t, "size"), rapid.Int64Range(1, 1<<22).Draw(t, "start")
	_, err := same(t, w.all, func(s *Scripts) (int64, error) {
		return s.LeaseNumbers(t.Context(), lane, Lease{Size: size, Start: start, Skip: 1000})
	})
	require.NoError(t, err)
}

// offered returns the units that are offered, by field.
func (w *world) offered(t *rapid.T) map[string]int64 {
	s := w.all[0]
	fields, err := s.Redis.HGetAll(t.Context(), s.Keys.Waitlist(lane, activity)).Result()
	require.NoError(t, err)
	list := ParseWaitlist(fields, epochOf(t, s))
	units := list.Units()
	for _, o := range list.Offers {
		units[o.SKU] += o.Quantity
	}
	return units
}

// noUnitIsLost asserts that no stock is below 0, that a sku's total is the sum of its points, and that no more
// units are in the stock than were ever given.
func (w *world) noUnitIsLost(t *rapid.T) {
	stock := w.all.hash(t, w.all.keys().Stock(lane, activity))
	offered := w.offered(t)
	sums := map[string]int64{}
	for field, value := range stock {
		units, err := strconv.ParseInt(value, 10, 64)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, units, int64(0), field)
		assert.LessOrEqual(t, units+offered[field], w.given[field]+w.taken[field], field)
		if sku, _, regional := strings.Cut(field, ids.Separator); regional {
			sums[sku] += units
		}
	}
	for sku, sum := range sums {
		assert.Equal(t, strconv.FormatInt(sum, 10), stock[sku], sku)
	}
}
