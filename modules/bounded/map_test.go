package bounded_test

import (
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/modules/bounded"
	"onrush/test/kit"
)

// TestTheEntriesThatWereUsedLastAreKept uses many keys often, and then as many new ones once or twice each.
func TestTheEntriesThatWereUsedLastAreKept(t *testing.T) {
	t.Parallel()
	const most = 100_000
	m := bounded.New[string, int](most)
	use := func(kind string, n, times int) (kept int) {
		for i := range n {
			m.Set(kind+strconv.Itoa(i), i)
		}
		for range times {
			kept = 0
			for i := range n {
				if v, found := m.Get(kind + strconv.Itoa(i)); found && v == i {
					kept++
				}
			}
		}
		return kept
	}
	use("known-", most, 5)
	// Not exactly half, since the shards don't get equal parts.
	assert.Equal(t, most*2/5, use("new-", most*2/5, 1))
	assert.LessOrEqual(t, m.Len(), most)
	use("more-", 3*most, 1)
	assert.LessOrEqual(t, m.Len(), most)
	assert.Greater(t, m.Len(), most/2-most/50)
}

// TestAnEntryThatIsUsedStays asks for an entry more often than a generation of a shard can fill: with at least 100
// entries in a generation, the 100 new ones between two reads can't end two generations, whichever shards they hash to.
func TestAnEntryThatIsUsedStays(t *testing.T) {
	t.Parallel()
	for _, most := range []int{200, 2000, 20_000} {
		m := bounded.New[int, string](most)
		m.Set(-1, "used")
		for i := range 5 * most {
			m.Set(i, "new")
			if i%100 == 0 {
				v, found := m.Get(-1)
				require.True(t, found, "after %d others", i)
				require.Equal(t, "used", v)
			}
		}
	}
}

func TestAWeighedMapKeepsNoMoreThanItsWeight(t *testing.T) {
	t.Parallel()
	m := bounded.Weighed(8000, func(_ int, weight int) int { return weight })
	for i := range 10_000 {
		m.Set(i%1500, i%100)
		m.Delete(i % 77)
	}
	weight, n := 0, 0
	for i := range 1500 {
		if w, found := m.Get(i); found {
			weight, n = weight+w, n+1
		}
	}
	assert.LessOrEqual(t, weight, 8000)
	assert.Greater(t, weight, 8000/3)
	assert.Equal(t, n, m.Len())
	m.Set(-1, 1000)
	m.Set(-1, 1001)
	_, found := m.Get(-1)
	assert.False(t, found, "heavier than an eighth")
}

func TestAValueIsMadeOnceForAllWhoAskAtOnce(t *testing.T) {
	t.Parallel()
	m := bounded.New[int, *int](10)
	var made atomic.Int64
	values := make([]*int, 48)
	kit.Crowd(len(values), func(i int) {
		values[i] = m.GetOrMake(1, func() *int { made.Add(1); return new(int) })
	})
	assert.Equal(t, int64(1), made.Load())
	for _, v := range values {
		assert.Same(t, values[0], v)
	}
}

// TestAMapOnlyForgets compares it with a map: what it returns is what was stored last, and a key that was removed is
// gone.
func TestAMapOnlyForgets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(0, 1000).Draw(t, "most")
		m, model := bounded.New[int, int](most), map[int]int{}
		keys := rapid.IntRange(0, 300)
		for range rapid.IntRange(0, 2000).Draw(t, "steps") {
			key := keys.Draw(t, "key")
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				model[key] = len(model)
				m.Set(key, model[key])
			case 1:
				delete(model, key)
				m.Delete(key)
			case 2:
				if v := m.GetOrMake(key, func() int { return -1 }); v == -1 {
					model[key] = -1
				} else if v != model[key] {
					t.Fatalf("%d is %d, not %d", key, v, model[key])
				}
			default:
				v, found := m.Get(key)
				if want, known := model[key]; found && (!known || v != want) {
					t.Fatalf("%d is %d, not %d (%v)", key, v, want, known)
				}
			}
			if m.Len() > max(most, 2) {
				t.Fatalf("%d entries", m.Len())
			}
		}
	})
}

func TestReadingAllocatesNothing(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts all allocations
	m := bounded.New[string, [3]int](10)
	m.Set("key", [3]int{1, 2, 3})
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = m.Get("key") }))
}

// BenchmarkNewKeys stores keys that were not seen before, as a crowd of buyers brings them.
func BenchmarkNewKeys(b *testing.B) {
	b.ReportAllocs()
	m, v := bounded.New[[32]byte, *int](200_000), new(int)
	var key [32]byte
	for i := 0; b.Loop(); i++ {
		key[0], key[1], key[2], key[3] = byte(i), byte(i>>8), byte(i>>16), byte(i>>24)
		m.Set(key, v)
	}
}

// BenchmarkOneKey reads the key that everybody reads, such as the activity of a sale.
func BenchmarkOneKey(b *testing.B) {
	b.ReportAllocs()
	m := bounded.New[string, *int](20_000)
	m.Set("key", new(int))
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			m.Get("key")
		}
	})
}
