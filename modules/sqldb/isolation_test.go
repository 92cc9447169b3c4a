package sqldb_test

import (
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/sqldb"
	"onrush/test/kit"
)

func TestTransactionWritesWhatChangedAfterItRead(t *testing.T) {
	t.Parallel()
	kit.EachIsolation(t, func(t *testing.T, s *kit.Stores) {
		if s.DB.Dialect == sqldb.SQLite {
			t.Skip("its one writer has no other beside it")
		}
		addStock(t, s.DB, "s1", 10)
		tries := 0
		require.NoError(t, s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			tries++
			sold(t, tx, "s1")
			_, err := s.DB.Write.ExecContext(t.Context(), `UPDATE activity_stock SET sold = sold + 1 WHERE sku_id = ?`,
				"s1")
			require.NoError(t, err)
			return sell(t.Context(), tx, "s1")
		}))
		assert.Equal(t, 1, tries)
		assert.Equal(t, 2, sold(t, s.DB.Read, "s1"))
	})
}
