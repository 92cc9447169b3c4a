package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"onrush/modules/sqldb"
	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

// addStock makes a row of activity_stock to work on, with nothing sold.
func addStock(t *testing.T, db *sqldb.DB, sku string, total int) {
	t.Helper()
	_, err := db.Write.ExecContext(t.Context(), `INSERT INTO activity_stock VALUES ('a', ?, '0', ?, 0, 0)`, sku, total)
	require.NoError(t, err)
}

func sell(ctx context.Context, q sqlx.ExecerContext, sku string) error {
	_, err := q.ExecContext(ctx, `UPDATE activity_stock SET sold = sold + 1
		WHERE activity_id = 'a' AND sku_id = ? AND point_id = '0'`, sku) // by the whole key: locks one row
	return err
}

func sold(t *testing.T, q sqlx.QueryerContext, sku string) int {
	t.Helper()
	var n int
	require.NoError(t, sqlx.GetContext(t.Context(), q, &n, `SELECT sold FROM activity_stock WHERE sku_id = ?`, sku))
	return n
}

func TestTransactionsThatDeadlockBothEndUpCommitted(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t)
	addStock(t, s.DB, "s1", 10)
	addStock(t, s.DB, "s2", 10)
	var tries atomic.Int32
	var holdsFirst sync.WaitGroup
	holdsFirst.Add(2)
	sellBoth := func(first, second string) error {
		var once sync.Once
		return s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			tries.Add(1)
			if err := sell(t.Context(), tx, first); err != nil {
				return err
			}
			once.Do(func() { // in the first try, each holds what the other wants next
				holdsFirst.Done()
				holdsFirst.Wait()
			})
			return sell(t.Context(), tx, second)
		})
	}
	var both errgroup.Group
	both.Go(func() error { return sellBoth("s1", "s2") })
	both.Go(func() error { return sellBoth("s2", "s1") })
	require.NoError(t, both.Wait())
	assert.Greater(t, tries.Load(), int32(2), "there was no deadlock")
	assert.Equal(t, 2, sold(t, s.DB.Read, "s1"))
	assert.Equal(t, 2, sold(t, s.DB.Read, "s2"))
}

// A server undoes a transaction or a statement of it, and asks for another try.
func TestATransactionRunsAgainAfterAnErrorThatEndsWithIt(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		addStock(t, s.DB, "s1", 10)
		for done, number := range []uint16{1213, 1205, 1020} { // a deadlock, a wait for a lock, a row that had changed
			tries := 0
			require.NoError(t, s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
				if err := sell(t.Context(), tx, "s1"); err != nil {
					return err
				}
				if tries++; tries == 1 {
					return fmt.Errorf("sell: %w", &mysql.MySQLError{Number: number})
				}
				return nil
			}))
			assert.Equal(t, 2, tries)
			assert.Equal(t, done+1, sold(t, s.DB.Read, "s1"), "the first try left nothing")
		}
	})
}

func TestDeadlocksWithoutEndAreGivenUp(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		tries := 0
		err := s.DB.InTx(t.Context(), func(*sqlx.Tx) error {
			tries++
			return &mysql.MySQLError{Number: 1213}
		})
		require.Error(t, err)
		assert.True(t, sqldb.IsRetryable(err))
		assert.Equal(t, 5, tries)
	})
}

func TestFailedTransactionLeavesNothing(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		addStock(t, s.DB, "s1", 10)
		own := errors.New("no")
		err := s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			return errors.Join(sell(t.Context(), tx, "s1"), own)
		})
		require.ErrorIs(t, err, own)
		assert.Panics(t, func() {
			_ = s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
				require.NoError(t, sell(t.Context(), tx, "s1"))
				panic("no")
			})
		})
		assert.Zero(t, sold(t, s.DB.Read, "s1"))
		require.NoError(t, s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error { return sell(t.Context(), tx, "s1") }))
		assert.Equal(t, 1, sold(t, s.DB.Read, "s1"), "the store still takes transactions")
	})
}

func TestFailedCommitIsAnError(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		addStock(t, s.DB, "s1", 10)
		err := s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			err := sell(t.Context(), tx, "s1")
			s.SQLAway(t)
			return err
		})
		require.ErrorContains(t, err, "commit")
		assert.False(t, sqldb.IsRowError(err), "an unavailable store is never a row error")
		assert.False(t, sqldb.IsDuplicate(err))
		s.SQLBack(t)
	}, kit.Breakable())
}

func TestCancelledCallRollsBackAndHarmsNoOther(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		addStock(t, s.DB, "s1", 1000)
		for range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			err := s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
				require.NoError(t, sell(ctx, tx, "s1"))
				cancel()
				return sell(ctx, tx, "s1")
			})
			require.ErrorIs(t, err, context.Canceled)
			require.NoError(t, s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error { return sell(t.Context(), tx, "s1") }))
		}
		assert.Equal(t, 20, sold(t, s.DB.Write, "s1"))
	})
}

func TestCallIsCutShortInTheMiddleOfAQuery(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		addStock(t, s.DB, "s1", 10)
		long := `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000)
			SELECT COUNT(*) FROM n AS a, n AS b`
		if s.DB.Dialect == sqldb.MySQL {
			long = `SELECT SLEEP(60)`
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		start := time.Now()
		err := s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
			var n int64
			return tx.GetContext(ctx, &n, long)
		})
		require.Error(t, err)
		assert.Less(t, time.Since(start), 5*time.Second)
		require.NoError(t, s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error { return sell(t.Context(), tx, "s1") }))
		assert.Equal(t, 1, sold(t, s.DB.Read, "s1"))
	})
}

func TestViewSeesOneStateWhileOthersCommit(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		addStock(t, s.DB, "s1", 10)
		err := s.DB.InView(t.Context(), func(tx *sqlx.Tx) error {
			assert.Equal(t, 0, sold(t, tx, "s1"))
			require.NoError(t, s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error { return sell(t.Context(), tx, "s1") }))
			assert.Equal(t, 0, sold(t, tx, "s1"), "what was committed meanwhile")
			assert.Equal(t, 1, sold(t, s.DB.Write, "s1"), "outside of the view")
			return nil
		})
		require.NoError(t, err)
		err = s.DB.InView(t.Context(), func(tx *sqlx.Tx) error { return sell(t.Context(), tx, "s1") })
		require.Error(t, err, "a view only reads")
	})
}

func TestInstancesWriteToOneStoreConcurrently(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		addStock(t, s.DB, "s1", 1000)
		other := s.ConnectSQL(t)
		var writers errgroup.Group
		for _, db := range []*sqldb.DB{s.DB, other, s.DB, other} {
			writers.Go(func() error {
				for range 25 {
					err := db.InTx(t.Context(), func(tx *sqlx.Tx) error {
						// Reading first is what makes a lock that comes late fail.
						var n int
						if err := tx.GetContext(t.Context(), &n,
							`SELECT sold FROM activity_stock WHERE sku_id = 's1'`); err != nil {
							return err
						}
						return sell(t.Context(), tx, "s1")
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
		require.NoError(t, writers.Wait())
		assert.Equal(t, 100, sold(t, other.Read, "s1"))
	})
}

func TestPlaceholderLists(t *testing.T) {
	t.Parallel()
	assert.Empty(t, sqldb.In(0))
	assert.Empty(t, sqldb.In(-1))
	assert.Equal(t, "?", sqldb.In(1))
	assert.Equal(t, "?,?,?", sqldb.In(3))
	assert.Equal(t, "(?,?),(?,?)", sqldb.Repeat("(?,?)", 2))
}
