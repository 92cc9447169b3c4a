package seckill

import (
	"context"
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

func numbersOf(secret string) *Numbers {
	return NewNumbers(nil, clock.New(time.Now), []byte(secret), rand.Uint64)
}

func TestSequencesArePermutedOneToOne(t *testing.T) {
	t.Parallel()
	n := numbersOf("one secret")
	seen := make([]uint64, (order.SeqMask+1)/64)
	for seq := range uint32(order.SeqMask + 1) {
		p := n.permute(seq)
		if p > order.SeqMask || seen[p/64]&(1<<(p%64)) != 0 {
			require.Failf(t, "not one to one", "%d becomes %d", seq, p)
		}
		seen[p/64] |= 1 << (p % 64)
	}
}

// Neighbours in the sequence must be far apart, or two orders of one buyer would reveal how many
// were placed between them.
func TestNumbersDoNotRevealHowManyWereSold(t *testing.T) {
	t.Parallel()
	const seqs = 1 << 14
	n := numbersOf("one secret")
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

	other := numbersOf("another secret")
	same := 0
	for seq := range uint32(seqs) {
		if n.permute(seq) == other.permute(seq) {
			same++
		}
	}
	assert.Less(t, same, 20, "the secret decides")
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
			n := NewNumbers(lua.New(stores.ConnectRedis(t), stores.Keys), clock.New(still.Now),
				[]byte("secret"), rand.Uint64)
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
		n := NewNumbers(lua.New(stores.Redis, stores.Keys), clock.New(time.Now), []byte("secret"), func() uint64 {
			return order.SeqMask - 1
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
		n := NewNumbers(lua.New(stores.Redis, stores.Keys), clock.New(time.Now), []byte("secret"), rand.Uint64)
		stores.RedisAway(t)
		_, err := n.Next(t.Context(), 1)
		require.Error(t, err)
		stores.RedisBack(t)
		require.Eventually(t, func() bool { _, err := n.Next(t.Context(), 1); return err == nil }, 10*time.Second,
			5*time.Millisecond)
	}, kit.Breakable())
}
