package bench

import (
	"context"
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

// rows is how many orders and labels a database has.
func rows(b *testing.B, db *sqldb.DB) (n [2]int) {
	b.Helper()
	for i, table := range []string{"orders", "order_labels"} {
		require.NoError(b, db.Read.GetContext(b.Context(), &n[i], `SELECT COUNT(*) FROM `+table))
	}
	return n
}

const (
	bareOrders = `INSERT INTO orders (number, user_id, task_id, digest, type, kind, status, shop_id, activity_id,
		point_id, sku_id, quantity, total_amount, search_name, pay_before_ms, paid_ms, cancelled_ms, reason,
		refunded_amount, record) VALUES `
	bareLabels = `INSERT INTO order_labels (name, value, number) VALUES `
)

// insertBare inserts orders and their labels, a transaction for each insertBatch of them.
func insertBare(b *testing.B, db *sqldb.DB, orders []*order.Order) {
	b.Helper()
	row := "(?" + strings.Repeat(",?", 19) + ")"
	for part := range slices.Chunk(orders, insertBatch) {
		var args, labels []any
		for _, o := range part {
			record, err := order.EncodeRecord(o)
			require.NoError(b, err)
			it := o.Items[0]
			args = append(args, int64(o.Number), o.User, o.Task, o.Digest, string(o.Type), string(o.Kind),
				string(o.Status), o.Shop, o.Activity, o.Point, it.SKU, it.Quantity, o.TotalAmount, "thing sku",
				int64(o.PayBefore), o.PaidMS, o.CancelledMS, o.Reason, o.RefundedAmount, string(record))
			labels = append(labels, "room_id", o.Room, int64(o.Number), "share_code", o.ShareCode, int64(o.Number),
				"share_source", o.ShareSource, int64(o.Number), "inviter_id", o.Inviter, int64(o.Number))
		}
		tx, err := db.Write.BeginTxx(b.Context(), nil)
		require.NoError(b, err)
		_, err = tx.ExecContext(b.Context(), bareOrders+sqldb.Repeat(row, len(part)), args...)
		require.NoError(b, err)
		_, err = tx.ExecContext(b.Context(), bareLabels+sqldb.Repeat("(?,?,?)", 4*len(part)), labels...)
		require.NoError(b, err)
		require.NoError(b, tx.Commit())
	}
}
