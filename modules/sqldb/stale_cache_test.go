package sqldb_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/modules/sqldb"
)

func TestManyCallersOfTheSameCopiesShareOneRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int64
		release := make(chan struct{})
		f := sqldb.NewStaleCache("thing", time.Now, func(context.Context, []string) (map[string]int, error) {
			reads.Add(1)
			<-release
			return map[string]int{"a": 1, "b": 2}, nil
		})
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				got, err := f.GetAll(t.Context(), []string{"a", "b"})
				assert.NoError(t, err) //nolint:testifylint // not the goroutine of the test
				assert.Len(t, got, 2)
			})
		}
		synctest.Wait() // all wait for the one read
		close(release)
		all.Wait()
		assert.EqualValues(t, 1, reads.Load())
	})
}
