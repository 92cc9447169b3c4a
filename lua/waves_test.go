package lua

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// later is a time at which no test arrives.
const later = 99999999999990

// wavesAre sets the waves of sku1.
func wavesAre(t tb, all stores, waves ...Wave) {
	t.Helper()
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Meta(lane, activity), WavesField("sku1"), FormatWaves(waves)).Err()
	})
}

func TestUnitsOfAWaveThatOpensLaterAreNotSold(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all) // 6 units at point 0, 4 at point 1
	wavesAre(t, all, Wave{"0", 1, 2}, Wave{"0", later, 3}, Wave{"0", later - 5, 1}, Wave{"1", later, 1})
	next := PlaceResult{Code: NextWave, NextMS: later - 5}
	assert.Equal(t, []PlaceResult{next}, place(t, all, buy("1", "ann", 3)), "2 of 6 are open")
	fits := buy("2", "ann", 2)
	assert.Equal(t, []PlaceResult{placedAs(fits), next}, place(t, all, fits, buy("3", "bob", 1)), "in one batch")
	elsewhere := buy("4", "bob", 3)
	elsewhere.Point = "1"
	more := buy("5", "bob", 1)
	more.Point = "1"
	assert.Equal(t, []PlaceResult{placedAs(elsewhere), {Code: NextWave, NextMS: later}},
		place(t, all, elsewhere, more))
	assert.NotEmpty(t, all.hash(t, all.keys().Meta(lane, activity))[EmptyField("sku1")], "no unit is open")

	wavesAre(t, all, Wave{"0", 2, 3}, Wave{"0", 1, 1}, Wave{"1", later, 1})
	last := buy("6", "bob", 4)
	assert.Equal(t, []PlaceResult{placedAs(last), {Code: SoldOut}}, place(t, all, last, buy("7", "cid", 1)))
}

func TestAReturnedUnitOfAnOpenWaveIsOpen(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	wavesAre(t, all, Wave{"0", later, 4})
	first := buy("1", "ann", 2)
	require.Equal(t, []PlaceResult{placedAs(first)}, place(t, all, first))
	giveBack(t, all, first.Number)
	again := buy("2", "bob", 2)
	assert.Equal(t, []PlaceResult{placedAs(again)}, place(t, all, again))
}

// A buyer whom only a closed wave stands in the way of keeps the permit; one of a sku that is sold out loses it.
func TestAPermitIsKeptUntilTheNextWave(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	wavesAre(t, all, Wave{"0", later, 6})
	givePermits(t, all, "sku1", "ann")
	call := &PlaceCall{Lane: lane, Activity: activity, Permits: true, Orders: []PlaceOrder{buy("1", "ann", 1)}}
	require.Equal(t, NextWave, placeCall(t, all, call)[0].Code)
	wavesAre(t, all)
	assert.Equal(t, Placed, placeCall(t, all, call)[0].Code)
}

func TestPermitsAreIssuedForOpenUnits(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	wavesAre(t, all, Wave{"0", later, 6}, Wave{"1", later, 3})
	assert.Equal(t, PermitTaken, permitOf(t, all, "ann", 1).Code)
	assert.Equal(t, PermitNone, permitOf(t, all, "bob", 1).Code, "one unit is open")
	allIssued := func() bool {
		r, err := same(t, all, func(s *Scripts) (bool, error) {
			r, err := s.ReadPermits(t.Context(), lane, activity, "sku1", 1, 0, 10)
			return r.AllIssued, err
		})
		require.NoError(t, err)
		return r
	}
	assert.True(t, allIssued())
	wavesAre(t, all, Wave{"0", later, 6}, Wave{"1", 1, 3})
	assert.False(t, allIssued())
	assert.Equal(t, PermitTaken, permitOf(t, all, "bob", 1).Code)
	wavesAre(t, all, Wave{"0", later, 6}, Wave{"1", later, 4})
	assert.Equal(t, PermitSoldOut, permitOf(t, all, "cid", 1).Code)
}

func TestAStockChangeTakesNoUnitsOfAClosedWave(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	wavesAre(t, all, Wave{"0", later, 4})
	assert.Equal(t, ChangeTooMuch, change(t, all, "c1", "sku1", "0", -3))
	assert.Equal(t, ChangeApplied, change(t, all, "c2", "sku1", "0", -2))
	assert.Equal(t, ChangeApplied, change(t, all, "c3", "sku1", "0", 5))
	assert.Equal(t, ChangeApplied, change(t, all, "c4", "sku1", "0", -5), "what was added is open")
}

func TestWavesAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		waves := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Wave {
			return Wave{
				anID.Draw(t, "point"), rapid.Int64Range(0, 1<<50).Draw(t, "at"),
				rapid.Int64Range(1, 1e9).Draw(t, "quantity"),
			}
		})).Draw(t, "waves")
		read, ok := ParseWaves(FormatWaves(waves))
		assert.True(t, ok)
		assert.Len(t, read, len(waves))
		for i := range read {
			assert.Equal(t, waves[i], read[i])
		}
	})
	for _, text := range []string{"0", "0~1", "0~x~1", "0~1~x", "0~1~1~1"} {
		_, ok := ParseWaves(text)
		assert.False(t, ok, text)
	}
}

// waveModel is what the scripts may sell of sku1, in words that are simpler than theirs. Its clock is its own: a wave
// that has opened by it is written with a time that has passed, and another one with a time that never comes.
type waveModel struct {
	all    stores
	nowMS  int64
	waves  []Wave
	left   map[string]int64            // by point
	orders map[string]map[string]int64 // by number: units by point
	next   int
}

func (m *waveModel) open(point string) int64 {
	open := m.left[point]
	for _, w := range m.waves {
		if w.Point == point && w.AtMS > m.nowMS {
			open -= w.Quantity
		}
	}
	return open
}

// write writes the waves as they are at the time of the model.
func (m *waveModel) write(t *rapid.T) {
	written := make([]Wave, len(m.waves))
	for i, w := range m.waves {
		written[i] = Wave{w.Point, 1 + w.AtMS, w.Quantity}
		if w.AtMS > m.nowMS {
			written[i].AtMS = later - 100 + w.AtMS
		}
	}
	wavesAre(t, m.all, written...)
}

func (m *waveModel) place(t *rapid.T) {
	call := &PlaceCall{Lane: lane, Activity: activity}
	for range rapid.IntRange(1, 5).Draw(t, "orders") {
		m.next++
		o := buy(strconv.Itoa(100+m.next), "u"+strconv.Itoa(m.next), rapid.Int64Range(1, 4).Draw(t, "quantity"))
		o.Point = aPoint(t)
		call.Orders = append(call.Orders, o)
	}
	for i, r := range placeCall(t, m.all, call) {
		o := call.Orders[i]
		if m.open(o.Point) < o.Quantity {
			assert.Contains(t, []PlaceCode{NextWave, SoldOut}, r.Code)
			assert.Equal(t, m.left[o.Point] > max(m.open(o.Point), 0), r.Code == NextWave, "whether more will open")
			continue
		}
		require.Equal(t, Placed, r.Code)
		m.left[o.Point] -= o.Quantity
		m.orders[o.Number] = map[string]int64{o.Point: o.Quantity}
	}
}

func (m *waveModel) giveBack(t *rapid.T) {
	for number, units := range m.orders { // any one
		giveBack(t, m.all, number)
		for point, n := range units {
			m.left[point] += n
		}
		delete(m.orders, number)
		return
	}
}

// plan changes the waves that open later, within the units that are open or of such waves.
func (m *waveModel) plan(t *rapid.T) {
	var waves []Wave
	for _, w := range m.waves {
		if w.AtMS <= m.nowMS {
			waves = append(waves, w)
		}
	}
	m.waves = waves
	for range rapid.IntRange(0, 3).Draw(t, "waves") {
		w := Wave{aPoint(t), m.nowMS + rapid.Int64Range(1, 9).Draw(t, "in"), rapid.Int64Range(1, 5).Draw(t, "quantity")}
		if m.open(w.Point) >= w.Quantity {
			m.waves = append(m.waves, w)
		}
	}
	m.write(t)
}

func (m *waveModel) clock(t *rapid.T) {
	m.nowMS += rapid.Int64Range(-1, 4).Draw(t, "passes")
	m.write(t)
}

func (m *waveModel) change(t *rapid.T) {
	m.next++
	point, delta := aPoint(t), rapid.Int64Range(-4, 4).Draw(t, "delta")
	code := change(t, m.all, "c"+strconv.Itoa(m.next), "sku1", point, delta)
	if -delta > max(m.open(point), 0) {
		assert.Equal(t, ChangeTooMuch, code)
		return
	}
	assert.Equal(t, ChangeApplied, code)
	m.left[point] += delta
}

func (m *waveModel) permits(t *rapid.T) {
	var open int64
	for point := range m.left {
		open += max(m.open(point), 0)
	}
	soldOut := permitOf(t, m.all, "permit", 0.5).Code == PermitSoldOut
	assert.Equal(t, open == 0, soldOut)
}

func (m *waveModel) nothingIsLost(t *rapid.T) {
	stock := m.all.hash(t, m.all.keys().Stock(lane, activity))
	for point, units := range m.left {
		require.GreaterOrEqual(t, units, int64(0))
		require.Equal(t, strconv.FormatInt(units, 10), stock[StockField("sku1", point)])
	}
	require.Equal(t, strconv.FormatInt(m.left["0"]+m.left["1"], 10), stock["sku1"])
}

// sellRest opens all waves and sells what is left.
func (m *waveModel) sellRest(t *rapid.T) {
	m.nowMS += 1000
	m.write(t)
	for point, units := range m.left {
		for range units {
			m.next++
			o := buy(strconv.Itoa(100+m.next), "last", 1)
			o.Point = point
			require.Equal(t, Placed, place(t, m.all, o)[0].Code)
		}
	}
	assert.Equal(t, "0", m.all.hash(t, m.all.keys().Stock(lane, activity))["sku1"])
}

func TestNoMoreIsPlacedThanIsOpenAndEverythingInTheEnd(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	rapid.Check(t, func(t *rapid.T) {
		all.each(t, func(s *Scripts) error {
			for key := range dump(t, s) {
				if err := s.Redis.Del(t.Context(), key).Err(); err != nil {
					return err
				}
			}
			return nil
		})
		sale(t, all)
		m := &waveModel{
			all: all, left: map[string]int64{"0": 6, "1": 4}, orders: map[string]map[string]int64{}, nowMS: 50,
		}
		t.Repeat(map[string]func(*rapid.T){
			"": m.nothingIsLost, "place": m.place, "return": m.giveBack, "plan": m.plan, "clock": m.clock,
			"change": m.change, "permits": m.permits,
		})
		m.sellRest(t)
	})
}

// Whether a wave has opened is decided by the time of Redis.
func TestAWaveOpensByTheTimeOfRedis(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	now := time.Now()
	wavesAre(t, all, Wave{"0", now.Add(-time.Minute).UnixMilli(), 3}, Wave{"0", now.Add(time.Hour).UnixMilli(), 3})
	assert.Equal(t, Placed, place(t, all, buy("1", "ann", 3))[0].Code)
	assert.Equal(t, NextWave, place(t, all, buy("2", "ann", 1))[0].Code)
}
