package bounded_test

import (
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/modules/bounded"
	"onrush/test/kit"
)

func TestAMapKeepsNoMoreThanItsBound(t *testing.T) {
	t.Parallel()
	m := bounded.ByString[int](100)
	for i := range 10_000 {
		m.Set(strconv.Itoa(i), i)
	}
	m.Settle()
	assert.LessOrEqual(t, m.Len(), 100)
	assert.Positive(t, m.Len())
}

func TestAWeighedMapKeepsNoMoreThanItsWeight(t *testing.T) {
	t.Parallel()
	m := bounded.Weighed(1000, func(_ int, text string) uint32 { return uint32(len(text)) })
	for i := range 1000 {
		m.Set(i, "ten bytes.")
	}
	m.Settle()
	assert.LessOrEqual(t, m.Weight(), uint64(1000))
	assert.LessOrEqual(t, m.Len(), 100)
	assert.Positive(t, m.Len())
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

func TestValuesAreReplacedAndRemoved(t *testing.T) {
	t.Parallel()
	m := bounded.New[[2]byte, string](10)
	key := [2]byte{1, 2}
	_, found := m.Get(key)
	assert.False(t, found)
	m.Set(key, "a")
	m.Set(key, "b")
	got, found := m.Get(key)
	assert.True(t, found)
	assert.Equal(t, "b", got)
	m.Delete(key)
	_, found = m.Get(key)
	assert.False(t, found)
}

func TestReadingAllocatesNothing(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts all allocations
	type record struct{ a, b, c int }
	m := bounded.ByString[record](10)
	m.Set("key", record{1, 2, 3})
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = m.Get("key") }))
}
