package schema_test

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"onrush/app/schema"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

var tables = []string{
	"skus", "stock_points", "addresses", "activities", "activity_skus", "activity_stock",
	"orders", "order_labels", "order_items", "order_log", "stock_outbox",
}

func TestProgramsThatStartTogetherAllFindTheSchema(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		const programs = 48
		var dbs [programs]*sqldb.DB
		for i := range dbs {
			dbs[i] = s.ConnectSQL(t)
		}
		var start errgroup.Group
		for _, db := range dbs {
			start.Go(func() error {
				err := schema.Up(t.Context(), db)
				for errors.Is(err, schema.ErrBusy) { // on a slow server, the first takes longer than others wait
					err = schema.Up(t.Context(), db)
				}
				return err
			})
		}
		require.NoError(t, start.Wait())
		for _, table := range tables {
			var rows int
			require.NoError(t, s.DB.Read.GetContext(t.Context(), &rows, `SELECT COUNT(*) FROM `+table), table)
			assert.Zero(t, rows, table)
		}
		var applied int
		require.NoError(t, s.DB.Read.GetContext(t.Context(), &applied,
			`SELECT COUNT(*) FROM schema_changes WHERE version = 1 AND applied = 1`))
		assert.Equal(t, 1, applied)
	}, kit.NoSchema())
}

func TestSchemaIsAppliedOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		_, err := s.DB.Write.ExecContext(t.Context(), `INSERT INTO stock_points
			(point_id, name, regions, freight_extra, pickup, updated_ms) VALUES ('0', 'n', '[]', 0, 0, 0)`)
		require.NoError(t, err)
		require.NoError(t, schema.Up(t.Context(), s.DB))
		var points int
		require.NoError(t, s.DB.Read.GetContext(t.Context(), &points, `SELECT COUNT(*) FROM stock_points`))
		assert.Equal(t, 1, points)
	})
}

// Every text column of MySQL must compare as SQLite does.
func TestTextComparesByteByByte(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		for _, id := range []string{"a", "A", "a ", "á", "ab"} {
			_, err := s.DB.Write.ExecContext(t.Context(), `INSERT INTO stock_points
				(point_id, name, regions, freight_extra, pickup, updated_ms) VALUES (?, 'n', '[]', 0, 0, 0)`, id)
			if id == "a " && s.MySQLDSN != "" {
				require.True(t, sqldb.IsDuplicate(err), "utf8mb4_bin pads with spaces: %v", err)
				continue
			}
			require.NoError(t, err, "%q", id)
		}
		var found []string
		require.NoError(t, s.DB.Read.SelectContext(t.Context(), &found,
			`SELECT point_id FROM stock_points WHERE point_id <> 'a ' ORDER BY point_id`))
		assert.Subset(t, found, []string{"A", "ab", "á"})
	})
}

// Ids are case-sensitive: a table that is made without a collation would get the collation of the database, which
// ignores case.
func TestAllTextsOfMySQLCompareByteByByte(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		if s.MySQLDSN == "" {
			return // SQLite compares so unless a column says otherwise
		}
		var others []string
		require.NoError(t, s.DB.Read.SelectContext(t.Context(), &others, `SELECT CONCAT(TABLE_NAME, '.', COLUMN_NAME)
			FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME <> 'schema_changes'
			AND COLLATION_NAME <> 'utf8mb4_bin'`))
		assert.Empty(t, others)
	})
}

func TestChecksRefuseInvalidValues(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		for name, insert := range map[string]string{
			"negative stock": `INSERT INTO skus
				VALUES ('s', 'shop', 't', '', '', 'physical', 1, 'EUR', -1, 1, 0, 0, 0, '')`,
			"no time to pay": `INSERT INTO activities VALUES ('a', 'shop', 't', 0, 1, 0, -1, 1, 'draft', 0, 0, 0,
				'none', '', '', 0, 0, 0, 0, '', '', '', 0, 0, '', 0, '', '', 0, 0, 0, '', 0, '', 0, '', 0)`,
			"oversold":     `INSERT INTO activity_stock VALUES ('a', 's', '0', 10, 11, 0)`,
			"sold below 0": `INSERT INTO activity_stock VALUES ('a', 's', '0', 10, -1, 0)`,
			"empty item":   `INSERT INTO order_items VALUES (1, 1, 's', '', 0, 0)`,
		} {
			_, err := s.DB.Write.ExecContext(t.Context(), insert)
			require.Error(t, err, name)
			assert.True(t, sqldb.IsRowError(err), "%s: %v", name, err)
			assert.False(t, sqldb.IsDuplicate(err), "%s: %v", name, err)
			assert.False(t, sqldb.IsRetryable(err), "%s: %v", name, err)
		}
		_, err := s.DB.Write.ExecContext(t.Context(), `INSERT INTO activity_stock VALUES ('a', 's', '0', 10, 10, 0)`)
		require.NoError(t, err)
		_, err = s.DB.Write.ExecContext(t.Context(), `UPDATE activity_stock SET sold = sold + 1`)
		assert.True(t, sqldb.IsRowError(err), "an update is checked as well: %v", err)
	})
}
