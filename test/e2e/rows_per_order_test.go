package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// perOrder are the rows and index entries, the primary key's included, that moving orders of one item with attribution
// adds for each: docs/contributing/performance.md has the table. Each costs the move of a crowd.
var perOrder = map[string]struct{ rows, indexes int64 }{
	"orders": {1, 9}, "order_labels": {4, 1}, "order_sources": {1, 1},
}

func TestAnOrderTakesFewRowsAndIndexEntries(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	s := site.Start(t, stores, site.Idle())
	activity := s.Open(t, site.Sale{PurchaseLimit: 5, SKULimit: 5})
	buy := func(user string) {
		buyer := s.Buyer(t, user)
		must(t, 202, buyer.Submit(t, buyer.Path(t, activity, "sku"), "key-of-"+user, client.SubmitRequest{
			Quantity: 1, RoomID: "live-42", ShareCode: "a1b2c3d4", ShareSource: "feed", InviterID: "user-7",
		}))
	}
	buy("first") // what only the first order of a sale adds
	s.Job(t, "move_orders")
	before := rowsOf(t, stores)
	const orders = 20
	for i := range orders {
		buy(string(rune('a' + i)))
	}
	s.Job(t, "move_orders")
	after := rowsOf(t, stores)
	got := map[string]struct{ rows, indexes int64 }{}
	for table, rows := range after {
		if added := rows - before[table]; added > 0 && table != "activity_counts" && table != "events" {
			assert.Zero(t, added%orders, table)
			got[table] = struct{ rows, indexes int64 }{added / orders, indexesOf(t, stores, table)}
		}
	}
	assert.Equal(t, perOrder, got)
	assert.Equal(t, int64(2*orders), after["activity_counts"]-before["activity_counts"], "of each buyer's units")
	assert.Equal(t, int64(1), after["events"]-before["events"], "of the orders of a batch together")
}

// rowsOf returns how many rows each table has.
func rowsOf(t *testing.T, stores *kit.Stores) map[string]int64 {
	t.Helper()
	var tables []string
	require.NoError(t, stores.DB.Read.SelectContext(t.Context(), &tables,
		`SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()`))
	rows := map[string]int64{}
	for _, table := range tables {
		var n int64
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &n, "SELECT COUNT(*) FROM "+table))
		rows[table] = n
	}
	return rows
}

func indexesOf(t *testing.T, stores *kit.Stores, table string) (n int64) {
	t.Helper()
	require.NoError(t, stores.DB.Read.GetContext(t.Context(), &n, `SELECT COUNT(DISTINCT index_name)
		FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = ?`, table))
	return n
}
