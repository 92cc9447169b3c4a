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

// before applies the changes before one.
func before(t *testing.T, s *kit.Stores, version int64) {
	t.Helper()
	_, err := changes(t, s).UpTo(t.Context(), version-1)
	require.NoError(t, err)
}

// fill stores orders of a shop as version 5 has them: seckill orders, and after them an ordinary one
// with a lamp and a gift card, one with a card, and a virtual one.
func fill(t *testing.T, db *sqldb.DB, orders int) {
	t.Helper()
	exec := func(query string, args ...any) {
		_, err := db.Write.ExecContext(context.WithoutCancel(t.Context()), query, args...)
		require.NoError(t, err)
	}
	exec(`INSERT INTO skus VALUES ('lamp', 'shop', 'Lamp', '', 'physical', 4900, 'CNY', 5, 600, 0, 1),
		('card', 'shop', 'Card', '', 'voucher', 1000, 'CNY', 5, 0, 0, 1)`)
	for id, state := range map[string]string{"sale": "published", "gone": "offline", "draft": "draft"} {
		exec(`INSERT INTO activities VALUES (?, 'shop', 't', 0, 1, 1, -1, -1, ?, 1, 0, 0)`, id, state)
		exec(`INSERT INTO activity_skus VALUES (?, 'lamp', 0, 100, -1)`, id)
	}
	const order = `(?,'user',?,'digest-of-16-byte',?,?,'paid','shop','','0',100,0,100,'CNY','none',
		'','','','','','','','','desk lamp',1,'10.0.0.1',2,3,0,'')`
	const item = `(?,?,?,'Desk lamp','https://img.example/lamp.jpg',1,100)`
	for from := 0; from < orders; from += 500 {
		var orderArgs, itemArgs []any
		n := min(500, orders-from)
		for i := range n {
			number := int64(1000 + from + i)
			orderArgs = append(orderArgs, number, "1.activity.0123456789abcdef."+strconv.FormatInt(number, 10),
				"seckill", "physical")
			itemArgs = append(itemArgs, number, 1, "lamp")
		}
		exec(`INSERT INTO orders VALUES `+sqldb.Repeat(order, n), orderArgs...)
		exec(`INSERT INTO order_items VALUES `+sqldb.Repeat(item, n), itemArgs...)
	}
	exec(`INSERT INTO orders VALUES `+sqldb.Repeat(order, 3), 1, "a", "ordinary", "physical", 2, "b", "ordinary",
		"voucher", 3, "c", "ordinary", "virtual")
	exec(`INSERT INTO order_items VALUES `+sqldb.Repeat(item, 4), 1, 1, "lamp", 1, 2, "card", 2, 1, "card",
		3, 1, "gone")
	exec(`INSERT INTO vouchers VALUES (2, 'code-2', 'active')`)
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
		before(t, s, 6)
		fill(t, s.DB, orders)
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

		texts := func(query string) (found []string) {
			require.NoError(t, s.DB.Read.SelectContext(ctx, &found, query))
			return found
		}
		assert.Equal(t, []string{"gone", "sale"},
			texts(`SELECT activity_id FROM sale_skus WHERE title = 'Lamp' AND freight_fee = 600 ORDER BY activity_id`))
		assert.Equal(t, []string{"physical", "voucher", "", ""},
			texts(`SELECT kind FROM order_items WHERE order_number <= 3 ORDER BY order_number, line`))
		assert.Equal(t, []string{"code-2"},
			texts(`SELECT code FROM vouchers WHERE order_number = 2 AND line = 1 AND unit = 1 AND status = 'active'`))
		// An older instance still runs while the others are replaced.
		for _, query := range []string{
			`INSERT INTO vouchers (order_number, code, status) VALUES (1, 'code-1', 'active')`,
			`INSERT INTO order_items (order_number, line, sku_id, title, image_url, quantity, price)
				VALUES (4, 1, 'lamp', 't', '', 1, 1)`,
		} {
			_, err := s.DB.Write.ExecContext(ctx, query)
			require.NoError(t, err)
		}
	}, kit.NoSchema())
}

// Changes up to the tenth are those of a database that is still empty.
const firstRepeatable = 11

func TestEachChangeRunsAgainAfterACrash(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		provider := changes(t, s)
		before(t, s, 6)
		fill(t, s.DB, 10)
		for _, source := range provider.ListSources() {
			_, err := provider.UpTo(ctx, source.Version)
			require.NoError(t, err)
			if source.Version < firstRepeatable || s.MySQLDSN == "" {
				continue // SQLite makes a change whole or not at all
			}
			made := describe(t, s)
			_, err = s.DB.Write.ExecContext(ctx, `DELETE FROM goose_db_version WHERE version_id = ?`, source.Version)
			require.NoError(t, err)
			_, err = provider.UpTo(ctx, source.Version)
			require.NoError(t, err, source.Path)
			assert.Equal(t, made, describe(t, s), source.Path)
		}
		var codes, copies int
		require.NoError(t, s.DB.Read.GetContext(ctx, &codes, `SELECT COUNT(*) FROM vouchers`))
		require.NoError(t, s.DB.Read.GetContext(ctx, &copies, `SELECT COUNT(*) FROM sale_skus`))
		assert.Equal(t, 1, codes)
		assert.Equal(t, 2, copies)
	}, kit.NoSchema())
}
