package archive_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/order/archive"
	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/stage"
)

func archiver(db *sqldb.DB, cfg archive.Config, faults order.Faults) *archive.Archiver {
	return archive.New(cfg, order.Deps{DB: db, Clock: clock.Fixed(time.Now), Faults: faults})
}

// insertOld stores n ordinary orders that are old enough for the archive, and returns their numbers, ascending.
func insertOld(t *testing.T, db *sqldb.DB, n int) (numbers []order.Number) {
	t.Helper()
	for i := range n {
		o := order.Order{
			Number: order.NewNumber(time.Now().Add(-order.MinKeep-time.Hour), 0, uint32(i)), User: "u",
			Task: fmt.Sprint("1~sale~hash-", i), Status: order.Paid,
			Content: order.Content{
				Type: order.Ordinary, TotalAmount: 1000, Items: []order.Item{{SKU: "s", Quantity: 1}},
			},
		}
		require.NoError(t, stage.Insert(t.Context(), db, o))
		numbers = append(numbers, o.Number)
	}
	return numbers
}

// in returns the numbers in a table, ascending.
func in(t *testing.T, db *sqldb.DB, table string) []order.Number {
	t.Helper()
	numbers := []order.Number{}
	require.NoError(t, db.Read.SelectContext(t.Context(), &numbers, `SELECT number FROM `+table+` ORDER BY number`))
	return numbers
}

// execEach runs a statement with each argument.
func execEach[T any](t *testing.T, db *sqldb.DB, statement string, args ...T) {
	t.Helper()
	for _, arg := range args {
		_, err := db.Write.ExecContext(t.Context(), statement, arg)
		require.NoError(t, err)
	}
}

func TestOldFinishedOrdersAreArchivedAndNoOthers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		db := stores.DB
		numbers := insertOld(t, db, 14)
		finished, pending, running, unpaid := numbers[:5], numbers[5:11], numbers[11:13], numbers[13:]
		recent := order.NewNumber(time.Now().Add(-order.MinKeep+time.Hour), 0, 1)
		require.NoError(t, stage.Insert(t.Context(), db, order.Order{
			Number: recent, Task: "recent", Status: order.Paid,
			Content: order.Content{Items: []order.Item{{Quantity: 1}}},
		}))
		execEach(t, db, `UPDATE orders SET status = 'cancelled' WHERE number = ?`, finished[1])
		execEach(t, db, `UPDATE orders SET status = 'refunded' WHERE number = ?`, finished[2])
		execEach(t, db, `UPDATE orders SET status = 'failed' WHERE number = ?`, finished[3])
		execEach(t, db, `UPDATE orders SET status = 'unpaid' WHERE number = ?`, unpaid...)
		execEach(t, db, `UPDATE orders SET activity_id = '`+s.Activity+`' WHERE number = ?`, running...)
		insertPayments(t, db, slices.Concat(pending, finished[4:]))
		execEach(t, db, `INSERT INTO voucher_waits (order_number, line, unit, sku_id, since_ms, held)
			VALUES (?, 1, 1, 's', 1, 0)`, pending[0])
		execEach(t, db, `INSERT INTO payment_closes (order_number) VALUES (?)`, pending[1])
		execEach(t, db, `UPDATE payments SET status = 'pending' WHERE pay_number = ?`, pending[2])
		execEach(t, db, `UPDATE payments SET flag = 'amount' WHERE pay_number = ?`, pending[3])
		execEach(t, db, `UPDATE refunds SET status = 'failed' WHERE pay_number = ?`, pending[4])
		execEach(t, db, `UPDATE disputes SET state = 'open' WHERE pay_number = ?`, pending[5])

		a := archiver(db, archive.Config{}, nil)
		n, err := a.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, len(finished), n)
		assert.Equal(t, finished, in(t, db, "orders_archive"))
		assert.Equal(t, append(slices.Clone(numbers[5:]), recent), in(t, db, "orders"))

		execEach(t, db, `UPDATE activities SET retired_ms = ?`, 1)
		n, err = a.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, len(running), n, "the orders of the sale that was retired")
		assert.Subset(t, in(t, db, "orders_archive"), running)
	})
}

// insertPayments stores a payment of each order, with a refund and a dispute, all of them finished.
func insertPayments(t *testing.T, db *sqldb.DB, numbers []order.Number) {
	t.Helper()
	for _, n := range numbers {
		for _, statement := range []string{
			`INSERT INTO payment_orders (pay_number, order_number, amount) VALUES (%d, %d, 1)`,
			`INSERT INTO payments (pay_number, user_id, task_id, digest, channel, status, amount, refunded_amount,
				currency, transaction_id, next_step, flag, deliveries, created_ms, ask_ms, paid_ms)
				VALUES (%d, 'u', '%d', '', 'sandbox', 'paid', 1, 0, 'CNY', '', '', '', 0, 1, 1, 1)`,
			`INSERT INTO refunds (refund_number, pay_number, channel, transaction_id, order_number, amount, currency,
				reason, status, attempts, next_try_ms, last_error, created_ms, done_ms)
				VALUES (%d, %d, 'sandbox', 't', %d, 1, 'CNY', '', 'done', 1, 1, '', 1, 1)`,
			`INSERT INTO disputes (pay_number, dispute_id, channel, transaction_id, amount, currency, reason, state,
				status, refundable, due_ms, event_ms, opened_ms, closed_ms)
				VALUES (%d, '%d', 'sandbox', 't', 1, 'CNY', '', 'won', '', 0, 0, 1, 1, 1)`,
		} {
			_, err := db.Write.ExecContext(t.Context(), strings.ReplaceAll(statement, `%d`, n.String()))
			require.NoError(t, err)
		}
	}
}

func TestOrdersThatCannotBeArchivedDoNotKeepOthersFromIt(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		numbers := insertOld(t, stores.DB, 5)
		execEach(t, stores.DB, `INSERT INTO payment_closes (order_number) VALUES (?)`, numbers[:3]...)
		a := archiver(stores.DB, archive.Config{Page: 2, PagesPerRun: 1}, nil)
		for i, want := range []int{0, 1, 1, 0} { // the fourth run begins with the first orders again
			n, err := a.RunOnce(t.Context())
			require.NoError(t, err)
			assert.Equal(t, want, n, "run %d", i)
		}
		assert.Equal(t, numbers[3:], in(t, stores.DB, "orders_archive"))
	})
}

func TestACrashWhileOrdersAreArchivedLeavesEachInOneTable(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		numbers := insertOld(t, stores.DB, 4)
		for step, want := range map[string][2][]order.Number{
			"archive": {numbers, {}}, "archive_commit": {numbers[2:], numbers[:2]},
		} {
			a := archiver(stores.DB, archive.Config{Page: 2}, func(done string) error {
				if done == step {
					return errors.New("crash")
				}
				return nil
			})
			_, err := a.RunOnce(t.Context())
			require.Error(t, err, step)
			assert.Equal(t, want[0], in(t, stores.DB, "orders"), step)
			assert.Equal(t, want[1], in(t, stores.DB, "orders_archive"), step)
			for _, n := range want[1] {
				recall(t, stores.DB, n)
			}
		}
		n, err := archiver(stores.DB, archive.Config{Page: 2}, nil).RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 4, n)
		assert.Equal(t, numbers, in(t, stores.DB, "orders_archive"))
	})
}

func recall(t *testing.T, db *sqldb.DB, n order.Number) {
	t.Helper()
	require.NoError(t, db.InTx(t.Context(), func(tx *sqlx.Tx) error { return order.LockRow(t.Context(), tx, n) }))
}

// Archivers of several instances, and those who change orders, meet at the same orders.
func TestNoOrderAndNoChangeIsLostBetweenManyArchiversAndThoseWhoChangeOrders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const workers, rounds, each = 48, 4, 3
		numbers := insertOld(t, stores.DB, 12)
		changes := make([][]order.Number, workers)
		errs := make([]error, workers)
		kit.Crowd(workers, func(i int) {
			for range rounds {
				shuffled := slices.Clone(numbers)
				rand.Shuffle(len(shuffled), func(a, b int) { shuffled[a], shuffled[b] = shuffled[b], shuffled[a] })
				work := func() error { return change(t.Context(), stores.DB, shuffled[:each]) }
				if i%2 == 0 {
					work = func() (err error) {
						_, err = archiver(stores.DB, archive.Config{Page: 5}, nil).RunOnce(t.Context())
						return err
					}
				} else {
					changes[i] = append(changes[i], shuffled[:each]...)
				}
				errs[i] = work()
				for try := 0; sqldb.IsRetryable(errs[i]) && try < 50; try++ { // a deadlock, as its caller would
					errs[i] = work()
				}
				if errs[i] != nil {
					return
				}
			}
		})
		want := map[order.Number]int64{}
		for i, err := range errs {
			require.NoError(t, err)
			for _, n := range changes[i] {
				want[n]++
			}
		}
		all := slices.Concat(in(t, stores.DB, "orders"), in(t, stores.DB, "orders_archive"))
		slices.Sort(all)
		require.Equal(t, numbers, all, "each order is in one table")
		stored, err := order.SelectAll(t.Context(), stores.DB.Read, numbers)
		require.NoError(t, err)
		require.Len(t, stored, len(numbers))
		for _, o := range stored {
			assert.Equal(t, want[o.Number], o.RefundedAmount, "changes of order %s", o.Number)
		}
	})
}

// change adds 1 to the refunded amount of orders, under their locks.
func change(ctx context.Context, db *sqldb.DB, numbers []order.Number) error {
	return db.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := order.LockRows(ctx, tx, numbers); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, `UPDATE orders SET refunded_amount = refunded_amount + 1
			WHERE number IN (`+sqldb.In(len(numbers))+`)`, sqldb.Args(numbers)...)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n != int64(len(numbers)) {
			return errors.Join(err, fmt.Errorf("%d of %d orders are live under the lock", n, len(numbers)))
		}
		return nil
	})
}

func TestAnArchivedOrderIsFoundByNumberAndByTask(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		numbers := insertOld(t, stores.DB, 3)
		want, err := order.SelectAll(t.Context(), stores.DB.Read, numbers)
		require.NoError(t, err)
		require.NoError(t, stage.Archive(t.Context(), stores.DB, fmt.Sprint(`number <> `, int64(numbers[1]))))

		got, err := order.SelectAll(t.Context(), stores.DB.Read, numbers)
		require.NoError(t, err)
		assert.Equal(t, want, got, "the same, newest first")
		known, err := order.SelectStored(t.Context(), stores.DB.Read, numbers)
		require.NoError(t, err)
		assert.Len(t, known, len(numbers))
		by, err := order.ByTask(t.Context(), stores.DB, "1~sale~hash-2")
		require.NoError(t, err)
		assert.Equal(t, numbers[2], by.Number)
		require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			return order.LockRows(t.Context(), tx, append([]order.Number{4711}, numbers...))
		}), "a number without an order is ignored")
		assert.Equal(t, numbers, in(t, stores.DB, "orders"), "who locks orders makes them live")
	})
}
