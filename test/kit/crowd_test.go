package kit_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
)

func TestTheCallsOfACrowdBeginTogetherAndEndBeforeIt(t *testing.T) {
	t.Parallel()
	var c kit.Concurrency
	var all sync.WaitGroup
	all.Add(48)
	results := kit.AtOnce(48, func(i int) int {
		c.Begin()
		defer c.End()
		all.Done()
		all.Wait() // each call waits for all others
		return 2 * i
	})
	assert.EqualValues(t, 48, c.Most())
	assert.Equal(t, 94, results[47])
	c.Begin()
	assert.EqualValues(t, 48, c.Most(), "the others have ended")
}

func TestWhatIsRepeatedIsDoneOnceMoreAtTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		done, calls := make(chan struct{}), 0
		time.AfterFunc(2500*time.Millisecond, func() { close(done) })
		kit.Repeat(done, time.Second, func() { calls++ })
		assert.Equal(t, 4, calls, "at 0, 1 and 2 s, and at the end")
	})
}

func TestTimePassesOnlyInABubble(t *testing.T) {
	t.Parallel()
	assert.Panics(t, func() { kit.Pass(time.Hour) })
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		kit.Pass(time.Hour)
		assert.Equal(t, time.Hour, time.Since(began))
	})
}
