package bench

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"onrush/app/schema"
	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/site"
)

const (
	// moveOrders is how many orders one turn moves, and inserts.
	moveOrders = 4000
	// insertBatch is how many orders a transaction of the bare loop inserts; the mover's default.
	insertBatch = 500
	// leastMove is what the mover has to reach of the bare loop's speed.
	leastMove = 0.5
)

// BenchmarkMove moves the queue of one lane into SQL, which flushes to disk at every commit, and
// compares that with a bare loop that inserts the same rows into the same tables of another
// database on the same server.
func BenchmarkMove(b *testing.B) {
	stores := kit.Own(b, kit.FlushAtCommit())
	q := newQueue(b, site.Start(b, stores.Stores, site.Idle()))
	bare := twin(b, stores.Stores)
	var speeds turns
	for b.Loop() {
		orders := q.place(b, moveOrders)
		speeds.take(
			func() float64 { return speed(func() { q.move(b, moveOrders) }) },
			func() float64 { return speed(func() { insertBare(b, bare, orders) }) },
		)
	}
	require.Equal(b, rows(b, bare), rows(b, stores.DB))
	require.Empty(b, q.site.Audit(b, q.activity))
	speeds.report(b, "orders/s", "bare-orders/s", leastMove)
}

// speed is how many orders a second work moves.
func speed(work func()) float64 {
	started := time.Now()
	work()
	return moveOrders / time.Since(started).Seconds()
}

func (q *queue) move(b *testing.B, n int) {
	b.Helper()
	for moved := 0; moved < n; {
		m, err := q.site.Server.Mover.RunOnce(b.Context())
		require.NoError(b, err)
		require.Positive(b, m)
		moved += m
	}
}

// twin opens another database with the same tables on the same server.
func twin(b *testing.B, s *kit.Stores) *sqldb.DB {
	b.Helper()
	_, err := s.DB.Write.ExecContext(b.Context(), `CREATE DATABASE twin`)
	require.NoError(b, err)
	cfg, err := mysql.ParseDSN(s.MySQLDSN)
	require.NoError(b, err)
	cfg.DBName = "twin"
	db, err := sqldb.OpenMySQL(b.Context(), cfg.FormatDSN(), 2)
	require.NoError(b, err)
	b.Cleanup(func() { _ = db.Close() })
	require.NoError(b, schema.Up(context.WithoutCancel(b.Context()), db))
	return db
}

// rows is how many orders and items a database has.
func rows(b *testing.B, db *sqldb.DB) (n [2]int) {
	b.Helper()
	for i, table := range []string{"orders", "order_items"} {
		require.NoError(b, db.Read.GetContext(b.Context(), &n[i], `SELECT COUNT(*) FROM `+table))
	}
	return n
}

const (
	bareOrders = `INSERT INTO orders (number, user_id, task_id, digest, type, kind, status, shop_id, activity_id,
		point_id, goods_amount, freight_amount, total_amount, currency, delivery, pickup_point_id, address, remark,
		fields, room_id, share_code, share_source, inviter_id, search_name, placed_ms, placed_from, pay_before_ms,
		paid_ms, cancelled_ms, reason, content) VALUES `
	bareItems = `INSERT INTO order_items (order_number, line, sku_id, title, image_url, quantity, price) VALUES `
)

// content returns the JSON that is stored with an order.
func content(b *testing.B, o *order.Order) string {
	b.Helper()
	c, err := order.NewContent(o)
	require.NoError(b, err)
	data, err := json.Marshal(c)
	require.NoError(b, err)
	return string(data)
}

// insertBare inserts orders and their items, a transaction for each insertBatch of them.
func insertBare(b *testing.B, db *sqldb.DB, orders []*order.Order) {
	b.Helper()
	row := "(?" + strings.Repeat(",?", 30) + ")"
	for part := range slices.Chunk(orders, insertBatch) {
		args, items := make([]any, 0, 31*len(part)), make([]any, 0, 7*len(part))
		for _, o := range part {
			args = append(args, int64(o.Number), o.User, o.Task, o.Digest, string(o.Type), string(o.Kind),
				string(o.Status), o.Shop, o.Activity, o.Point, o.GoodsAmount, o.FreightAmount, o.TotalAmount,
				o.Currency, string(o.Delivery), o.PickupPoint, o.Address, o.Remark, o.Fields, o.Room, o.ShareCode,
				o.ShareSource, o.Inviter, o.SearchName, o.PlacedMS, o.PlacedFrom, o.PayBeforeMS, o.PaidMS,
				o.CancelledMS, o.Reason, content(b, o))
			it := o.Items[0]
			items = append(items, int64(o.Number), 1, it.SKU, it.Title, it.ImageURL, it.Quantity, it.Price)
		}
		tx, err := db.Write.BeginTxx(b.Context(), nil)
		require.NoError(b, err)
		_, err = tx.ExecContext(b.Context(), bareOrders+sqldb.Repeat(row, len(part)), args...)
		require.NoError(b, err)
		_, err = tx.ExecContext(b.Context(), bareItems+sqldb.Repeat("(?,?,?,?,?,?,?)", len(part)), items...)
		require.NoError(b, err)
		require.NoError(b, tx.Commit())
	}
}
