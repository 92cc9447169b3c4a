package bench

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/test/kit"
)

const (
	heavyBuyers = 100
	heavyOrders = 1000 // of each
	// fillChunk is how many orders one statement stores, and fillSecond how many of them have the same second.
	fillChunk, fillSecond = 10_000, 1000
	// fillDays is how old the oldest order is.
	fillDays = 60
)

// filler stores many orders fast: copies of an order that was inserted as the mover inserts orders, with another
// number, buyer, task, digest and times. The first orders belong to buyers with 1,000 orders, if all are enough
// for that, and the others to buyers with 30 orders. The orders of a buyer lie far from each other. All are paid, so
// that no job changes them.
type filler struct {
	db    *sql.DB // without the time limits of the program's connections
	n     int
	first time.Time
	like  *order.Order
}

func newFiller(b *testing.B, stores *kit.Stores, n int) *filler {
	b.Helper()
	db, err := sql.Open("mysql", stores.MySQLDSN)
	require.NoError(b, err)
	b.Cleanup(func() { _ = db.Close() })
	f := &filler{db: db, n: n, first: time.Now().AddDate(0, 0, -fillDays).Truncate(time.Second)}
	f.like = listedOrder("first", 1, 0)
	f.like.Number, f.like.PlacedAt = order.NewNumber(f.first.Add(-time.Hour), 1, 1), api.Millis(f.first.UnixMilli())
	f.like.PayBefore = api.Millis(f.first.Add(15 * time.Minute).UnixMilli())
	f.like.Status, f.like.PaidMS = order.Paid, f.first.UnixMilli()
	require.NoError(b, stores.DB.InTx(b.Context(), func(tx *sqlx.Tx) error {
		return order.Insert(b.Context(), tx, []*order.Order{f.like}, nil)
	}))
	return f
}

// heavy returns how many orders belong to buyers with many.
func (f *filler) heavy() int {
	if f.n < 2*heavyBuyers*heavyOrders {
		return 0
	}
	return heavyBuyers * heavyOrders
}

// buyers returns how many buyers have 30 orders.
func (f *filler) buyers() int { return (f.n - f.heavy()) / listOrders }

// fill stores the orders without the secondary indexes, and makes these afterwards, which is several times faster.
func (f *filler) fill(b *testing.B) {
	b.Helper()
	began := time.Now()
	f.exec(b, `CREATE TABLE sequence (i INT NOT NULL PRIMARY KEY)`)
	f.exec(b, `INSERT INTO sequence VALUES `+sequence())
	drop, add := f.indexes(b)
	f.exec(b, `ALTER TABLE orders `+drop)
	// Otherwise a log of 32 MB flushes pages all the time. A server that can't change it is only slower.
	_, _ = f.db.ExecContext(b.Context(), `SET GLOBAL innodb_log_file_size = 1073741824`)
	copyOrder, copyItem := f.copies(b)
	total := f.buyers()*listOrders + f.heavy()
	for from := 0; from < total; from += fillChunk {
		n := min(fillChunk, total-from)
		f.exec(b, copyOrder, from, n)
		f.exec(b, copyItem, f.number(from), f.number(from+fillChunk))
	}
	f.exec(b, `ALTER TABLE orders `+add)
	f.exec(b, `ANALYZE TABLE orders, order_items`)
	b.Logf("%d orders stored in %v", total, time.Since(began))
}

// sequence returns the rows of the table sequence.
func sequence() string {
	var rows strings.Builder
	for i := range fillChunk {
		fmt.Fprintf(&rows, ",(%d)", i)
	}
	return rows.String()[1:]
}

// step returns how many seconds lie between orders of different seconds.
func (f *filler) step() int { return max(fillDays*24*3600*fillSecond/f.n, 1) }

// number returns the lowest number of an order of the second of order i.
func (f *filler) number(i int) order.Number {
	return order.FirstNumberAt(f.first.Add(time.Duration(i/fillSecond*f.step()) * time.Second))
}

// copies returns the statements that copy the order and its item. Their arguments are the first order of a chunk
// and the number of orders, and the numbers between which the orders of the chunk lie.
func (f *filler) copies(b *testing.B) (copyOrder, copyItem string) {
	b.Helper()
	user := fmt.Sprintf(`CASE WHEN i < %d THEN CONCAT('heavy-', i %% %d) ELSE CONCAT('buyer-', (i - %d) %% %d) END`,
		f.heavy(), heavyBuyers, f.heavy(), f.buyers())
	number := fmt.Sprintf(`%d + ((i DIV %d * %d) << 32) + ((i * 2654435761) & %d)`,
		int64(order.NewNumber(f.first, 1, 0)), fillSecond, f.step(), order.SeqMask)
	ms := func(at int64) string {
		return fmt.Sprintf(`%d + i DIV %d * %d`, at, fillSecond, 1000*f.step())
	}
	placed, payBefore := int64(f.like.PlacedAt), int64(f.like.PayBefore)
	content := fmt.Sprintf(`REPLACE(REPLACE(SUBSTRING(record, LOCATE(',"c":', record)), '%s', %s), '%s', %s)`,
		api.FormatMS(placed), isoTime(ms(placed)), api.FormatMS(payBefore), isoTime(ms(payBefore)))
	record := fmt.Sprintf(`CONCAT('{"v":1,"n":"', %s, '","u":"', %s, '","t":"1.a.', MD5(i), '","dg":"',
		LEFT(MD5(-i), 16), '","ip":"192.0.2.1"', %s)`, number, user, content)
	names, values := f.columns(b, "orders", map[string]string{
		"number": number, "user_id": user, "task_id": `CONCAT('1.a.', MD5(i))`, "digest": `LEFT(MD5(-i), 16)`,
		"paid_ms": ms(f.like.PaidMS), "pay_before_ms": ms(payBefore), "record": record,
	})
	copyOrder = fmt.Sprintf(`INSERT INTO orders (%s) SELECT %s FROM (SELECT ? + i AS i FROM sequence WHERE i < ?) AS s
		JOIN (SELECT * FROM orders WHERE number = %d) AS o ORDER BY i`, names, values, f.like.Number)
	names, values = f.columns(b, "order_items", map[string]string{"order_number": "number"})
	copyItem = fmt.Sprintf(`INSERT INTO order_items (%s) SELECT %s
		FROM (SELECT number FROM orders WHERE number >= ? AND number < ?) AS s
		JOIN (SELECT * FROM order_items WHERE order_number = %d) AS o ORDER BY number`, names, values, f.like.Number)
	return copyOrder, copyItem
}

// isoTime returns SQL for the text that the API writes of a time in ms, which is of full seconds.
func isoTime(ms string) string {
	at := fmt.Sprintf(`TIMESTAMPADD(SECOND, (%s) DIV 1000, '1970-01-01')`, ms)
	return `DATE_FORMAT(` + at + `, '%Y-%m-%dT%H:%i:%s.000Z')`
}

// columns returns the columns of a table, and their values: from changed, or else the column itself.
func (f *filler) columns(b *testing.B, table string, changed map[string]string) (names, values string) {
	b.Helper()
	all := f.texts(b, `SELECT column_name FROM information_schema.columns
		WHERE table_schema = DATABASE() AND table_name = ? ORDER BY ordinal_position`, table)
	kept := slices.Clone(all)
	for i, name := range all {
		if value, ok := changed[name]; ok {
			kept[i] = value
		}
	}
	return strings.Join(all, ", "), strings.Join(kept, ", ")
}

// indexes returns how ALTER TABLE drops and adds the secondary indexes of orders.
func (f *filler) indexes(b *testing.B) (drop, add string) {
	b.Helper()
	const list = ` FROM information_schema.statistics
		WHERE table_schema = DATABASE() AND table_name = 'orders' AND index_name <> 'PRIMARY' GROUP BY index_name`
	drops := f.texts(b, `SELECT CONCAT('DROP INDEX ', index_name)`+list)
	adds := f.texts(b, `SELECT CONCAT('ADD ', CASE MIN(non_unique) WHEN 0 THEN 'UNIQUE ' ELSE '' END, 'INDEX ',
		index_name, ' (', GROUP_CONCAT(column_name ORDER BY seq_in_index), ')')`+list)
	return strings.Join(drops, ", "), strings.Join(adds, ", ")
}

func (f *filler) texts(b *testing.B, query string, args ...any) (texts []string) {
	b.Helper()
	require.NoError(b, sqlx.NewDb(f.db, "mysql").SelectContext(b.Context(), &texts, query, args...))
	require.NotEmpty(b, texts)
	return texts
}

func (f *filler) exec(b *testing.B, query string, args ...any) {
	b.Helper()
	_, err := f.db.ExecContext(context.WithoutCancel(b.Context()), query, args...)
	require.NoError(b, err, "%.200s", query)
}
