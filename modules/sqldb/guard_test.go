package sqldb_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"onrush/modules/problem"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// TestOnlyInTxEndsItsTransaction tries to end a transaction from inside, in each way, and says that all is well.
func TestOnlyInTxEndsItsTransaction(t *testing.T) {
	t.Parallel()
	statement := func(query string) func(*testing.T, *sqlx.Tx) {
		return func(t *testing.T, tx *sqlx.Tx) {
			t.Helper()
			_, err := tx.ExecContext(t.Context(), query)
			require.ErrorIs(t, err, sqldb.ErrHost)
		}
	}
	ends := map[string]func(*testing.T, *sqlx.Tx){
		"Commit": func(t *testing.T, tx *sqlx.Tx) {
			t.Helper()
			require.ErrorIs(t, tx.Commit(), sqldb.ErrHost)
		},
		"Rollback":             func(t *testing.T, tx *sqlx.Tx) { t.Helper(); assert.NoError(t, tx.Rollback()) },
		"COMMIT":               statement(`COMMIT`),
		"commit with spaces":   statement("\n\t commit"),
		"commit after comment": statement("/* of the host */ COMMIT"),
		"executed comment":     statement("/*! COMMIT */"),
		"ROLLBACK":             statement(`ROLLBACK`),
		"BEGIN":                statement(`BEGIN`),
		"a table":              statement(`CREATE TABLE mine (id INTEGER)`),
		"a procedure":          statement(`CALL mine()`),
		"query": func(t *testing.T, tx *sqlx.Tx) {
			t.Helper()
			rows, err := tx.QueryContext(t.Context(), `COMMIT`) //nolint:rowserrcheck // there are none
			require.ErrorIs(t, err, sqldb.ErrHost)
			assert.Nil(t, rows)
		},
		"prepared": func(t *testing.T, tx *sqlx.Tx) {
			t.Helper()
			_, err := tx.PrepareContext(t.Context(), `COMMIT`) //nolint:sqlclosecheck // there is none
			require.ErrorIs(t, err, sqldb.ErrHost)
		},
	}
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		addStock(t, s.DB, "s1", 10)
		for name, end := range ends {
			tries := 0
			err := s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
				tries++
				require.NoError(t, sell(t.Context(), tx, "s1"))
				end(t, tx)
				return nil
			})
			require.ErrorIs(t, err, sqldb.ErrHost, name)
			assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err), name)
			assert.Equal(t, 1, tries, name)
			assert.Zero(t, sold(t, s.DB.Read, "s1"), name)
		}
		err := s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			for _, query := range []string{
				`SAVEPOINT here`, `UPDATE activity_stock SET sold = sold + 5`, `ROLLBACK TO here`,
				`RELEASE SAVEPOINT here`,
			} {
				_, err := tx.ExecContext(t.Context(), query)
				require.NoError(t, err, query)
			}
			return sell(t.Context(), tx, "s1")
		})
		require.NoError(t, err)
		assert.Equal(t, 1, sold(t, s.DB.Read, "s1"), "savepoints are the host's")
	})
}

// TestADeadlockThatNobodyReportsRollsBackAll has two transactions that lock two rows in different orders; neither
// returns the error of a statement, and goes on with other statements.
func TestADeadlockThatNobodyReportsRollsBackAll(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t)
	addStock(t, s.DB, "s1", 10)
	addStock(t, s.DB, "s2", 10)
	addStock(t, s.DB, "s3", 10)
	var holdsFirst sync.WaitGroup
	holdsFirst.Add(2)
	var tries atomic.Int32
	sellAll := func(first, second string) error {
		var once sync.Once
		return s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			tries.Add(1)
			if err := sell(t.Context(), tx, first); err != nil {
				return err
			}
			once.Do(func() {
				holdsFirst.Done()
				holdsFirst.Wait()
			})
			_ = sell(t.Context(), tx, second)
			_ = sell(t.Context(), tx, "s3")
			return nil
		})
	}
	var both errgroup.Group
	both.Go(func() error { return sellAll("s1", "s2") })
	both.Go(func() error { return sellAll("s2", "s1") })
	require.NoError(t, both.Wait())
	assert.Greater(t, tries.Load(), int32(2), "there was no deadlock")
	for _, sku := range []string{"s1", "s2", "s3"} {
		assert.Equal(t, 2, sold(t, s.DB.Read, sku), sku)
	}
}

// TestATransactionWhoseConnectionIsKilledIsNotCommitted has a transaction that goes on after its connection was lost.
// vtgate would answer that its commit succeeded.
func TestATransactionWhoseConnectionIsKilledIsNotCommitted(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t)
	addStock(t, s.DB, "s1", 10)
	server := s.Below(t)
	err := s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
		require.NoError(t, sell(t.Context(), tx, "s1"))
		var connection int64
		require.NoError(t, server.Write.GetContext(t.Context(), &connection, `SELECT p.id
			FROM information_schema.innodb_trx t JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
			WHERE p.db = DATABASE()`))
		_, err := server.Write.ExecContext(t.Context(), fmt.Sprintf("KILL %d", connection))
		require.NoError(t, err)
		require.Error(t, sell(t.Context(), tx, "s1"))
		_ = sell(t.Context(), tx, "s1")
		return nil
	})
	require.Error(t, err)
	assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
	assert.Zero(t, sold(t, s.DB.Read, "s1"))
}
