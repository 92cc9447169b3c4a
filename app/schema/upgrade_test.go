package schema_test

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/schema"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// baseline is the version of the first change, with which every database begins.
const baseline = 1

// fill stores orders of a shop as the baseline has them, through the columns that its programs name: an instance of
// that version runs until the others are replaced, so these statements work at every later version too.
func fill(t *testing.T, db *sqldb.DB, from, orders int) {
	t.Helper()
	const order = `(?,'user',?,'digest-of-16-byte','ordinary','physical','paid','shop','','0','',0,100,'desk lamp',2,3,
		0,'',0,'{"v":1,"n":"1000","u":"user","t":"task","dg":"digest-of-16-byte","c":{"type":"ordinary"}}')`
	const item = `(?,1,'lamp','physical',1)`
	for end := from + orders; from < end; from += 500 {
		var orderArgs, itemArgs []any
		n := min(500, end-from)
		for i := range n {
			number := int64(1000 + from + i)
			orderArgs = append(orderArgs, number, "1.activity.0123456789abcdef."+strconv.FormatInt(number, 10))
			itemArgs = append(itemArgs, number)
		}
		for query, args := range map[string][]any{
			`INSERT INTO orders (number, user_id, task_id, digest, type, kind, status, shop_id, activity_id, point_id,
				sku_id, quantity, total_amount, search_name, pay_before_ms, paid_ms, cancelled_ms, reason,
				refunded_amount, record) VALUES ` + sqldb.Repeat(order, n): orderArgs,
			`INSERT INTO order_items (order_number, line, sku_id, kind, quantity) VALUES ` +
				sqldb.Repeat(item, n): itemArgs,
		} {
			_, err := db.Write.ExecContext(t.Context(), query, args...)
			require.NoError(t, err)
		}
	}
}

// TestFilledDatabaseIsUpgraded has 2,000 orders, or as many as ONRUSH_TEST_UPGRADE_ORDERS says.
func TestFilledDatabaseIsUpgraded(t *testing.T) {
	t.Parallel()
	orders := 2000
	if text := os.Getenv("ONRUSH_TEST_UPGRADE_ORDERS"); text != "" {
		var err error
		orders, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := context.WithoutCancel(t.Context())
		_, err := provider(t, s).ApplyVersion(ctx, baseline, true)
		require.NoError(t, err)
		fill(t, s.DB, 0, orders)
		began := time.Now()
		require.NoError(t, schema.Up(ctx, s.DB))
		t.Logf("%d orders upgraded in %s", orders, time.Since(began))
		if s.MySQLDSN != "" {
			var bytes int64
			const size = `SELECT SUM(data_length + index_length) FROM information_schema.tables
				WHERE table_schema = DATABASE() AND table_name IN ('orders', 'order_items')`
			require.NoError(t, s.DB.Read.GetContext(ctx, &bytes, size))
			t.Logf("an order has about %d bytes", bytes/int64(orders))
		}
		fill(t, s.DB, orders, 1)
		var found int
		require.NoError(t, s.DB.Read.GetContext(ctx, &found, `SELECT COUNT(*) FROM orders o
			JOIN order_items i ON i.order_number = o.number WHERE o.total_amount = 100 * i.quantity`))
		assert.Equal(t, orders+1, found)
	}, kit.NoSchema())
}

func TestEachChangeRunsAgainAfterACrash(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		for _, source := range provider(t, s).ListSources() {
			_, err := provider(t, s).ApplyVersion(ctx, source.Version, true)
			require.NoError(t, err)
			if source.Version == baseline {
				fill(t, s.DB, 0, 10)
			}
			if s.MySQLDSN == "" {
				continue // SQLite makes a change whole or not at all
			}
			made := describe(t, s)
			_, err = s.DB.Write.ExecContext(ctx, `UPDATE schema_changes SET applied = 0 WHERE version = ?`,
				source.Version)
			require.NoError(t, err)
			_, err = provider(t, s).ApplyVersion(ctx, source.Version, true)
			require.NoError(t, err, source.Path)
			assert.Equal(t, made, describe(t, s), source.Path)
		}
		for _, table := range []string{"orders", "order_items"} {
			var rows int
			require.NoError(t, s.DB.Read.GetContext(ctx, &rows, `SELECT COUNT(*) FROM `+table))
			assert.Equal(t, 10, rows, table)
		}
	}, kit.NoSchema())
}
