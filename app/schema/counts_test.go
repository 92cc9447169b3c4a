package schema_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/schema"
	"onrush/test/kit"
)

// A database that is filled is counted when the counts come in.
func TestOrdersOfAFilledDatabaseAreCounted(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		_, err := changes(t, s).UpTo(t.Context(), 7)
		require.NoError(t, err)
		fillBeforeCounts(t, s)
		require.NoError(t, schema.Up(t.Context(), s.DB))

		var counts []struct {
			Activity string `db:"activity_id"`
			Counted  string `db:"counted"`
			Name     string `db:"name"`
			N        int64  `db:"n"`
		}
		require.NoError(t, s.DB.Read.SelectContext(t.Context(), &counts,
			`SELECT activity_id, counted, name, n FROM activity_counts`))
		has := map[string]int64{}
		for _, c := range counts {
			has[c.Activity+" "+c.Counted+" "+c.Name] = c.N
		}
		assert.Equal(t, map[string]int64{
			"a a ann": 4, "a a cid": 2, "a s:s ann": 4, "a s:s cid": 2,
			"a room r1": 2, "a room r2": 1, "a share_source link": 3, "b share_source link": 1,
		}, has)
		assertStatusCounts(t, s)
	}, kit.NoSchema())
}

// fillBeforeCounts inserts sales and orders by the schema that had no counts.
func fillBeforeCounts(t *testing.T, s *kit.Stores) {
	t.Helper()
	exec := func(query string, args ...any) {
		t.Helper()
		_, err := s.DB.Write.ExecContext(t.Context(), query, args...)
		require.NoError(t, err)
	}
	for id, state := range map[string]string{"a": "published", "b": "offline", "d": "draft"} {
		limit := map[string]int{"a": 3, "b": -1, "d": 1}[id]
		exec(`INSERT INTO activities (activity_id, shop_id, title, starts_ms, ends_ms, pay_within_s, purchase_limit,
			permit_ratio, state, lane, created_ms, retired_ms)
			VALUES (?, 'shop', 't', 0, 1, 60, ?, -1, ?, 1, 0, 0)`, id, limit, state)
		exec(`INSERT INTO activity_skus (activity_id, sku_id, position, flash_price, purchase_limit)
			VALUES (?, 's', 0, 1, ?)`, id, limit)
	}
	for i, o := range []struct{ activity, user, status, room string }{
		{"a", "ann", "unpaid", "r1"},
		{"a", "ann", "paid", "r1"},
		{"a", "bob", "cancelled", ""},
		{"a", "cid", "refunded", "r2"},
		{"a", "dan", "failed", ""},
		{"b", "ann", "unpaid", ""},
		{"", "ann", "paid", "r1"},
	} {
		exec(`INSERT INTO orders (number, user_id, task_id, digest, type, kind, status, shop_id, activity_id,
			point_id, goods_amount, freight_amount, total_amount, currency, delivery, pickup_point_id, address,
			remark, fields, room_id, share_code, share_source, inviter_id, search_name, placed_ms, placed_from,
			pay_before_ms, paid_ms, cancelled_ms, reason)
			VALUES (?, ?, ?, '', '', '', ?, '', ?, '', 0, 0, 0, '', '', '', '', '', '', ?, '', 'link', '', '', 0,
			'', 0, 0, 0, '')`,
			i+1, o.user, i, o.status, o.activity, o.room)
		exec(`INSERT INTO order_items (order_number, line, sku_id, title, image_url, quantity, price)
			VALUES (?, 1, 's', '', '', 2, 1)`, i+1)
	}
}

func assertStatusCounts(t *testing.T, s *kit.Stores) {
	t.Helper()
	var states []struct {
		Activity string `db:"activity_id"`
		Parts    int64  `db:"parts"`
		Unpaid   int64  `db:"unpaid"`
		Paid     int64  `db:"paid"`
		Others   int64  `db:"others"`
	}
	require.NoError(t, s.DB.Read.SelectContext(t.Context(),
		&states, `SELECT activity_id, COUNT(*) AS parts, SUM(unpaid) AS unpaid,
		SUM(paid) AS paid, SUM(cancelled + refunded + failed) AS others FROM activity_statuses GROUP BY activity_id
		ORDER BY activity_id`))
	require.Len(t, states, 2)
	assert.Equal(t, [4]int64{8, 1, 1, 3},
		[4]int64{states[0].Parts, states[0].Unpaid, states[0].Paid, states[0].Others})
	assert.Equal(t, [4]int64{8, 1, 0, 0},
		[4]int64{states[1].Parts, states[1].Unpaid, states[1].Paid, states[1].Others})
}
