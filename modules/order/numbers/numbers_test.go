package numbers

import (
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/test/kit"
)

// keyOf returns a key of a site.
func keyOf(text string) func(context.Context) ([32]byte, error) {
	return func(context.Context) ([32]byte, error) { return sha256.Sum256([]byte(text)), nil }
}

func roundsOfKey(t *testing.T, text string) rounds {
	t.Helper()
	key, err := keyOf(text)(t.Context())
	require.NoError(t, err)
	return roundsOf(key)
}

// over returns the numbers of an instance over a Redis.
func over(s *lua.Scripts, now func() time.Time) *Numbers {
	return New(Deps{Lua: s, Clock: clock.New(now), Key: keyOf("site"), Random: rand.Uint64})
}

func TestSequencesArePermutedOneToOne(t *testing.T) {
	t.Parallel()
	n := roundsOfKey(t, "one site")
	seen := make([]uint64, (order.SeqMask+1)/64)
	for seq := range uint32(order.SeqMask + 1) {
		p := n.permute(seq)
		if p > order.SeqMask || seen[p/64]&(1<<(p%64)) != 0 {
			require.Failf(t, "not one to one", "%d becomes %d", seq, p)
		}
		seen[p/64] |= 1 << (p % 64)
		if n.invert(p) != seq {
			require.Failf(t, "not inverted", "%d", seq)
		}
	}
}

// Neighbours in the sequence must be far apart, or two orders of one buyer would reveal how many
// were placed between them.
func TestNumbersDoNotRevealHowManyWereSold(t *testing.T) {
	t.Parallel()
	const seqs = 1 << 14
	n := roundsOfKey(t, "one site")
	deltas := map[uint32]int{}
	ascents, near := 0, 0
	for seq := range uint32(seqs) {
		a, b := n.permute(seq), n.permute(seq+1)
		deltas[b-a]++
		if b > a {
			ascents++
		}
		if max(a, b)-min(a, b) < 1<<12 { // one in about 512 by chance
			near++
		}
	}
	assert.InDelta(t, seqs/2, ascents, seqs/20, "as often up as down")
	assert.Less(t, near, seqs/100)
	most := 0
	for _, times := range deltas {
		most = max(most, times)
	}
	assert.Less(t, most, seqs/50, "no distance is common")

	other := roundsOfKey(t, "another site")
	same := 0
	for seq := range uint32(seqs) {
		if n.permute(seq) == other.permute(seq) {
			same++
		}
	}
	assert.Less(t, same, 20, "the key decides")
}

func TestNumbersDrawnAtOnceByManyInstancesDiffer(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const instances, perInstance, draws = 3, 4, 700
		still := kit.NewClock(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)) // all in one second
		var mu sync.Mutex
		seen := map[order.Number]bool{}
		var all sync.WaitGroup
		for range instances {
			n := over(lua.New(stores.ConnectRedis(t), stores.Keys), still.Now)
			for range perInstance {
				all.Go(func() {
					for range draws {
						number, err := n.Next(context.WithoutCancel(t.Context()), 3)
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						seen[number] = true
						mu.Unlock()
					}
				})
			}
		}
		all.Wait()
		assert.Len(t, seen, instances*perInstance*draws)
		for number := range seen {
			assert.Equal(t, 3, number.Lane())
			assert.Equal(t, still.Now(), number.Time())
		}
	})
}

func TestSequenceContinuesAfterItWraps(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		n := New(Deps{
			Lua: lua.New(stores.Redis, stores.Keys), Clock: clock.New(time.Now), Key: keyOf("site"),
			Random: func() uint64 { return order.SeqMask - 1 },
		})
		seen := map[order.Number]bool{}
		for range segment + 5 {
			number, err := n.Next(t.Context(), 1)
			require.NoError(t, err)
			seen[number] = true
		}
		assert.Len(t, seen, segment+5)
	})
}

func TestNoNumberIsDrawnWithoutRedis(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		n := over(lua.New(stores.Redis, stores.Keys), time.Now)
		stores.RedisAway(t)
		_, err := n.Next(t.Context(), 1)
		require.Error(t, err)
		stores.RedisBack(t)
		require.Eventually(t, func() bool { _, err := n.Next(t.Context(), 1); return err == nil }, 10*time.Second,
			5*time.Millisecond)
	}, kit.Breakable())
}
