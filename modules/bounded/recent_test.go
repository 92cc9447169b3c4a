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

// TestTheEntriesThatWereUsedLastAreKept uses many keys often, and then as many new ones once or twice each, which a Map
// would not keep.
func TestTheEntriesThatWereUsedLastAreKept(t *testing.T) {
	t.Parallel()
	const most = 100_000
	r := bounded.NewRecent[string, int](most)
	use := func(kind string, n, times int) (kept int) {
		for i := range n {
			r.Set(kind+strconv.Itoa(i), i)
		}
		for range times {
			kept = 0
			for i := range n {
				if v, found := r.Get(kind + strconv.Itoa(i)); found && v == i {
					kept++
				}
			}
		}
		return kept
	}
	use("known-", most, 5)
	// Not exactly half, since the shards don't get equal parts.
	assert.Equal(t, most*2/5, use("new-", most*2/5, 1))
	assert.LessOrEqual(t, r.Len(), most)
	use("more-", 3*most, 1)
	assert.LessOrEqual(t, r.Len(), most)
	assert.Greater(t, r.Len(), most/2-most/50)
}

// TestAnEntryThatIsUsedStays asks for an entry more often than a generation of a shard can fill: with 156 entries in a
// generation, the 100 new ones between two reads can't end two generations, whichever shards they hash to.
func TestAnEntryThatIsUsedStays(t *testing.T) {
	t.Parallel()
	r := bounded.NewRecent[int, string](20_000)
	r.Set(-1, "used")
	for i := range 100_000 {
		r.Set(i, "new")
		if i%100 == 0 {
			v, found := r.Get(-1)
			require.True(t, found, "after %d others", i)
			require.Equal(t, "used", v)
		}
	}
}

func TestARecentValueIsMadeOnceForAllWhoAskAtOnce(t *testing.T) {
	t.Parallel()
	r := bounded.NewRecent[int, *int](10)
	var made atomic.Int64
	values := make([]*int, 48)
	kit.Crowd(len(values), func(i int) {
		values[i] = r.GetOrMake(1, func() *int { made.Add(1); return new(int) })
	})
	assert.Equal(t, int64(1), made.Load())
	for _, v := range values {
		assert.Same(t, values[0], v)
	}
}

// TestRecentIsAMapThatForgets compares it with a map: what it returns is what was stored last, and a key that was
// removed is gone.
func TestRecentIsAMapThatForgets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r, model := bounded.NewRecent[int, int](1), map[int]int{}
		keys := rapid.IntRange(0, 300)
		for range rapid.IntRange(0, 2000).Draw(t, "steps") {
			key := keys.Draw(t, "key")
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				model[key] = len(model)
				r.Set(key, model[key])
			case 1:
				delete(model, key)
				r.Delete(key)
			case 2:
				if v := r.GetOrMake(key, func() int { return -1 }); v == -1 {
					model[key] = -1
				} else if v != model[key] {
					t.Fatalf("%d is %d, not %d", key, v, model[key])
				}
			default:
				v, found := r.Get(key)
				if want, known := model[key]; found && (!known || v != want) {
					t.Fatalf("%d is %d, not %d (%v)", key, v, want, known)
				}
			}
		}
		if r.Len() > 128 {
			t.Fatalf("%d entries", r.Len())
		}
	})
}

func TestReadingARecentEntryAllocatesNothing(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts all
	r := bounded.NewRecent[string, int](10)
	r.Set("key", 1)
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = r.Get("key") }))
}

// BenchmarkNewKeys stores keys that were not seen before, as a crowd of buyers brings them.
func BenchmarkNewKeys(b *testing.B) {
	for name, set := range map[string]func([32]byte, *int){
		"map": bounded.New[[32]byte, *int](100_000).Set, "recent": bounded.NewRecent[[32]byte, *int](200_000).Set,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			v := new(int)
			var key [32]byte
			for i := 0; b.Loop(); i++ {
				key[0], key[1], key[2], key[3] = byte(i), byte(i>>8), byte(i>>16), byte(i>>24)
				set(key, v)
			}
		})
	}
}
