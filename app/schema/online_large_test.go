//go:build large

package schema_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/schema"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// onlineOrders is the variable with the number of rows of TestChangesOfOrdersRunWhileOrdersAreWritten.
const onlineOrders = "ONRUSH_TEST_ONLINE_ORDERS"

// onlineChanges are the kinds of changes that a version may bring to the table of orders, with what they tell the
// server: a server that can't do it so refuses the statement instead of locking out those who write.
var onlineChanges = []struct{ name, statement string }{
	{"a column", `ALTER TABLE orders ADD COLUMN label VARCHAR(64) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;`},
	{"an index", `CREATE INDEX orders_paid ON orders (paid_ms, number) /*! ALGORITHM=INPLACE LOCK=NONE */;`},
	{"a wider text", `ALTER TABLE orders MODIFY COLUMN reason VARCHAR(200) NOT NULL
		/*! , ALGORITHM=INPLACE, LOCK=NONE */;`},
	{"no index", `DROP INDEX orders_paid /*! ON orders */;`},
}

// writing are the statements of those who place and pay orders meanwhile.
type writing struct {
	statements int
	longest    time.Duration
	failed     []error
}

// write inserts orders and pays them until done is closed, an order at a time.
func (w *writing) write(ctx context.Context, db *sqldb.DB, from int64, done <-chan struct{}) {
	const insert = `INSERT INTO orders (number, user_id, task_id, digest, type, kind, status, shop_id, activity_id,
		point_id, sku_id, quantity, total_amount, search_name, pay_before_ms, paid_ms, cancelled_ms, reason,
		refunded_amount, record)
		SELECT ?, user_id, ?, digest, type, kind, 'unpaid', shop_id, activity_id, point_id, sku_id, quantity,
		total_amount, search_name, pay_before_ms, 0, cancelled_ms, reason, refunded_amount, record
		FROM orders WHERE number = 1000`
	const pay = `UPDATE orders SET status = 'paid', paid_ms = 1 WHERE number = ? AND status = 'unpaid'`
	for number := from; ; number++ {
		select {
		case <-done:
			return
		default:
		}
		for _, statement := range []struct {
			query string
			args  []any
		}{{insert, []any{number, fmt.Sprint("online.", number)}}, {pay, []any{number}}} {
			began := time.Now()
			_, err := db.Write.ExecContext(ctx, statement.query, statement.args...)
			w.longest, w.statements = max(w.longest, time.Since(began)), w.statements+1
			if err != nil {
				w.failed = append(w.failed, err)
				return
			}
		}
	}
}

// double fills the table until it has as many orders as asked for.
func double(t *testing.T, db *sqldb.DB, orders int64) {
	t.Helper()
	fill(t, db, 0, 1000)
	db, err := db.Patient(1)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	const more = `INSERT INTO orders (number, user_id, task_id, digest, type, kind, status, shop_id, activity_id,
		point_id, sku_id, quantity, total_amount, search_name, pay_before_ms, paid_ms, cancelled_ms, reason,
		refunded_amount, record, receiver_phone, receiver_name)
		SELECT number + ?, CONCAT('user', number MOD 100003), CONCAT(task_id, '.', ?), digest,
		type, kind, status, shop_id, activity_id, point_id, sku_id, quantity, total_amount, search_name, pay_before_ms,
		paid_ms, cancelled_ms, reason, refunded_amount, RPAD(record, 600, ' '), receiver_phone, receiver_name
		FROM orders WHERE number >= 1000 + ? AND number < 1000 + ?`
	const batch = 20_000 // a transaction
	for has := int64(1000); has < orders; {
		add := min(has, orders-has)
		for from := int64(0); from < add; from += batch {
			_, err := db.Write.ExecContext(t.Context(), more, has, has, from, min(from+batch, add))
			require.NoError(t, err)
		}
		has += add
		t.Logf("%s: %d orders", time.Now().Format(time.TimeOnly), has)
	}
}

// TestChangesOfOrdersRunWhileOrdersAreWritten changes a table of orders while two place and pay orders, and logs how
// long each change and the longest of their statements took. The table has 20,000 orders, or as many as the variable
// says.
func TestChangesOfOrdersRunWhileOrdersAreWritten(t *testing.T) {
	t.Parallel()
	orders := int64(20_000)
	if text := os.Getenv(onlineOrders); text != "" {
		var err error
		orders, err = strconv.ParseInt(text, 10, 64)
		require.NoError(t, err)
	}
	o := kit.Own(t, kit.NoSchema(), kit.FlushAtCommit(), kit.BufferMB(2048), kit.SQLArgs(
		"--loose-innodb-log-file-size=1G", "--loose-innodb-redo-log-capacity=2G",
		"--loose-innodb-online-alter-log-max-size=1G", "--loose-innodb-doublewrite=OFF"))
	require.NoError(t, schema.Up(t.Context(), o.DB))
	files := fstest.MapFS{}
	names, err := fs.Glob(schema.Files, "*.sql")
	require.NoError(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(schema.Files, name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: text}
	}
	double(t, o.DB, orders)
	logSize(t, o.DB, orders)
	for i, c := range onlineChanges {
		files[fmt.Sprintf("%05d_online.sql", len(names)+1+i)] = &fstest.MapFile{
			Data: []byte("-- +goose Up\n" + c.statement + "\n-- +goose Down\n"),
		}
		build, err := schema.BuildOf(files)
		require.NoError(t, err)
		quiet := measure(t, o.Stores, int64(2*i+1)*1_000_000_000, func() error {
			return loopFor(t.Context(), 3*time.Second)
		})
		began := time.Now()
		busy := measure(t, o.Stores, int64(2*i+2)*1_000_000_000, func() error { return build.Up(t.Context(), o.DB) })
		t.Logf("%s: %s; writers: %d statements, the longest %s (without a change %s)",
			c.name, time.Since(began).Round(time.Millisecond), busy.statements, busy.longest.Round(time.Millisecond),
			quiet.longest.Round(time.Millisecond))
		assert.Positive(t, busy.statements)
	}
}

// loopFor returns after a time.
func loopFor(ctx context.Context, d time.Duration) error {
	timed, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-timed.Done()
	return nil
}

// measure lets two write while do runs.
func measure(t *testing.T, s *kit.Stores, from int64, do func() error) (all writing) {
	t.Helper()
	var writers [2]writing
	done := make(chan struct{})
	var ended sync.WaitGroup
	for i := range writers {
		db := s.ConnectSQL(t)
		ended.Go(func() { writers[i].write(t.Context(), db, from+int64(i)*400_000_000, done) })
	}
	require.NoError(t, do())
	close(done)
	ended.Wait()
	for _, w := range writers {
		require.Empty(t, w.failed)
		all.statements += w.statements
		all.longest = max(all.longest, w.longest)
	}
	return all
}

func logSize(t *testing.T, db *sqldb.DB, orders int64) {
	t.Helper()
	var version string
	require.NoError(t, db.Read.GetContext(t.Context(), &version, `SELECT VERSION()`))
	execute(t, db, `ANALYZE TABLE orders`)
	var bytes int64
	require.NoError(t, db.Read.GetContext(t.Context(), &bytes, `SELECT data_length + index_length
		FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'orders'`))
	t.Logf("%s, %d orders, %d MB", version, orders, bytes>>20)
}
