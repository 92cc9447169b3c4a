package order

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestManyCallersOfTheSameCopiesShareOneRead(t *testing.T) {
	t.Parallel()
	const callers = 50
	var reads, waiting atomic.Int64
	release := make(chan struct{})
	f := newFresh("thing", time.Now, func(context.Context, []string) (map[string]int, error) {
		reads.Add(1)
		<-release
		return map[string]int{"a": 1, "b": 2}, nil
	})
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			waiting.Add(1)
			got, err := f.Many(context.Background(), []string{"a", "b"})
			assert.NoError(t, err) //nolint:testifylint // not the goroutine of the test
			assert.Len(t, got, 2)
		})
	}
	require.Eventually(t, func() bool { return waiting.Load() == callers && reads.Load() > 0 }, time.Minute, time.Millisecond)
	close(release)
	all.Wait()
	assert.Less(t, reads.Load(), int64(5))
}
