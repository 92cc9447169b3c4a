package inventory_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestAuditThatWaitsForAConnectionHoldsNoLock(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		if stores.DB.Dialect == sqldb.SQLite {
			t.Skip("its views have connections of their own")
		}
		s := stage.Open(t, stores, stage.Sale{})
		pool, err := stores.DB.Pool(sqldb.Pool{Writers: 2, LockWait: time.Second})
		require.NoError(t, err)
		t.Cleanup(func() { _ = pool.Close() })
		taken, err := pool.Write.Conn(t.Context())
		require.NoError(t, err)
		auditor := s.StartOn(t, nil, pool, stores.Redis).Auditor
		audited := make(chan error, 1)
		go func() {
			_, err := auditor.Audit(t.Context(), s.Activity)
			audited <- err
		}()
		// It holds one connection and waits for the other.
		require.Eventually(t, func() bool { return pool.Write.Stats().WaitCount > 0 }, 10*time.Second, time.Millisecond)

		o := s.Place(t, "ann", 1)
		moving, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_, err = s.Mover.RunOnce(moving)
		require.NoError(t, err)
		assert.Contains(t, s.Stored(t), o.Number)
		require.NoError(t, taken.Close())
		require.NoError(t, <-audited)
	})
}

func TestConcurrentAuditsNeedTwoConnections(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		sales := []string{s.Activity}
		for range 3 {
			id, _ := s.Publish(t)
			sales = append(sales, id)
		}
		pool, err := stores.DB.Pool(sqldb.Pool{Writers: 2, LockWait: time.Second})
		require.NoError(t, err)
		t.Cleanup(func() { _ = pool.Close() })
		auditor := s.StartOn(t, nil, pool, stores.Redis).Auditor
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		kit.Crowd(len(sales), func(i int) {
			for range 25 {
				if audit, err := auditor.Account(ctx, sales[i]); err != nil || !audit.OK {
					t.Errorf("%+v, %v", audit, err)
					return
				}
			}
		})
	})
}
