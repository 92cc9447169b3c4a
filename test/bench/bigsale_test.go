package bench

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order"
	ordercounts "onrush/modules/order/counts"
	"onrush/test/kit"
	"onrush/test/stage"
)

// bigSale is how many orders the sale of TestBigSaleContinuesWhileItIsAuditedAndLoaded has in SQL.
// ONRUSH_TEST_BIG_SALE sets another number, such as 2000000.
func bigSale(t *testing.T) int {
	t.Helper()
	text := os.Getenv("ONRUSH_TEST_BIG_SALE")
	if text == "" {
		return 4000
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// A sale with very many stored orders is audited, compared and loaded again while buyers place and
// cancel. Nothing is lost; the figures are logged.
func TestBigSaleContinuesWhileItIsAuditedAndLoaded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a large sale")
	}
	n := bigSale(t)
	// As a server of such sales has; with 128 MB a load reads from disk and takes three times as long.
	stores := kit.Own(t, kit.BufferMB(2048))
	s := stage.Open(t, stores.Stores, stage.Sale{Stock: map[string]int64{"0": int64(n) + 1_000_000}, Limit: 3})
	ctx := context.WithoutCancel(t.Context())
	began := time.Now()
	fillBigSale(t, s, n)
	t.Logf("%d orders stored after %v", n, time.Since(began))

	sells := func() (took time.Duration) {
		began := time.Now()
		require.NoError(t, stores.Redis.FlushDB(ctx).Err())
		require.NoError(t, s.Loader.Open(ctx, s.Activity))
		s.PlaceAsked(t, "first") //nolint:contextcheck // the test's own
		return time.Since(began)
	}
	t.Logf("sells again %v after it was lost", sells())
	began = time.Now()
	require.NoError(t, s.Loader.FillTasks(ctx, s.Activity))
	t.Logf("has all tasks after %v more", time.Since(began))
	counts, err := ordercounts.Statuses(ctx, stores.DB.Read, s.Activity)
	require.NoError(t, err)
	tasks, err := stores.Redis.HLen(ctx, stores.Keys.Tasks(s.Lane, s.Activity)).Result()
	require.NoError(t, err)
	assert.Equal(t, counts.All()+1, tasks)

	for name, work := range map[string]func(){
		"the audit of the job": func() {
			audit, err := s.Auditor.Account(ctx, s.Activity)
			require.NoError(t, err)
			assert.True(t, audit.OK, "%+v", audit)
		},
		"a repair, which compares tokens and counts": func() {
			audit, err := s.Auditor.Repair(ctx, s.Activity)
			require.NoError(t, err)
			assert.True(t, audit.OK, "%+v", audit)
		},
	} {
		took, worst := during(t, s, work)
		t.Logf("%s took %v; meanwhile at worst: the fence was waited for %v, an order was stored after %v, a cancel "+
			"took %v",
			name, took, worst.fence, worst.stored, worst.cancel)
	}
	s.Move(t)
	_, err = s.Outbox.RunOnce(ctx)
	require.NoError(t, err)
	audit, err := s.Auditor.Account(ctx, s.Activity)
	require.NoError(t, err)
	assert.True(t, audit.OK, "%+v", audit)
}

// worst are the longest times that others waited.
type worst struct{ fence, stored, cancel time.Duration }

// during runs work while orders are placed, moved and cancelled.
func during(t *testing.T, s *stage.Stage, work func()) (took time.Duration, w worst) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var others sync.WaitGroup
	others.Go(func() { s.Mover.Run(ctx) })
	others.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			o := s.Order(fmt.Sprintf("during%d-%d", i, time.Now().UnixNano()), "0", 1)
			began := time.Now()
			results, err := s.TryPlace(ctx, o)
			if ctx.Err() != nil {
				return
			}
			//nolint:testifylint // require must not end a goroutine
			if !assert.NoError(t, err) || !assert.Equal(t, lua.Placed, results[0].Code) {
				return
			}
			for {
				var stored int
				err := s.Stores.DB.Read.GetContext(ctx, &stored, `SELECT COUNT(*) FROM orders WHERE number = ?`,
					o.Number)
				if ctx.Err() != nil {
					return
				}
				if !assert.NoError(t, err) { //nolint:testifylint // require must not end a goroutine
					return
				}
				if stored == 1 {
					break
				}
			}
			w.stored = max(w.stored, time.Since(began))
			began = time.Now()
			if err := s.Canceller.Cancel(ctx, o.User, o.Number, ""); ctx.Err() == nil {
				assert.NoError(t, err)
				w.cancel = max(w.cancel, time.Since(began))
			}
		}
	})
	others.Go(func() {
		for ctx.Err() == nil {
			began := time.Now()
			_, err := s.Stores.DB.Write.ExecContext(ctx,
				`UPDATE activity_stock SET epoch = epoch WHERE activity_id = ?`, s.Activity)
			if ctx.Err() == nil && assert.NoError(t, err) {
				w.fence = max(w.fence, time.Since(began))
			}
		}
	})
	began := time.Now()
	work()
	took = time.Since(began)
	stop()
	others.Wait()
	return took, w
}

// fillBigSale stores n orders at once, of which one in 20 is unpaid and one is cancelled.
func fillBigSale(t *testing.T, s *stage.Stage, n int) {
	t.Helper()
	ctx := t.Context()
	// The program's own connections give a statement up that takes as long.
	db, err := sql.Open("mysql", s.Stores.MySQLDSN)
	require.NoError(t, err)
	defer func() { _ = db.Close() }()
	first := s.Place(t, "first", 1)
	s.Move(t)
	exec := func(query string, args ...any) {
		t.Helper()
		_, err := db.ExecContext(ctx, query, args...)
		require.NoError(t, err)
	}
	const columns = `digest, type, kind, shop_id, activity_id, point_id, sku_id, quantity, total_amount, search_name,
		pay_before_ms, paid_ms, cancelled_ms, reason, refunded_amount`
	for range n { // those that are placed later in the same second must not get these numbers
		s.Order("", "0", 1)
	}
	for has := 1; has < n; has *= 2 {
		exec(`INSERT INTO orders (number, user_id, task_id, status, record, `+columns+`)
			SELECT number + ?, CONCAT('u', number + ?), CONCAT('1~a~h', number + ?),
				CASE (number + ?) % 20 WHEN 0 THEN 'unpaid' WHEN 1 THEN 'cancelled' ELSE 'paid' END,
				CONCAT('{"v":1,"n":"', number + ?, '","u":"u', number + ?, '","t":"1~a~h', number + ?,
					'","dg":"digest"', SUBSTRING(record, LOCATE(',"c":', record))), `+columns+`
			FROM orders WHERE activity_id = ? AND number < ? ORDER BY number LIMIT ?`,
			has, has, has, has, has, has, has, s.Activity, first.Number+order.Number(has), min(has, n-has))
	}
	exec(`UPDATE activity_stock SET sold = (SELECT COUNT(*) FROM orders WHERE activity_id = ? AND status <> 'cancelled')
		WHERE activity_id = ?`,
		s.Activity, s.Activity)
	exec(`INSERT INTO activity_counts (activity_id, counted, name, n) SELECT activity_id, 'a', user_id, 1 FROM orders
		WHERE activity_id = ? AND status <> 'cancelled' AND number > ?`, s.Activity, first.Number)
	for _, status := range []string{"unpaid", "paid", "cancelled"} {
		exec(`UPDATE activity_statuses SET `+status+` = (SELECT COUNT(*) FROM orders
			WHERE activity_id = ? AND status = ?)
			WHERE activity_id = ? AND part = 0`, s.Activity, status, s.Activity)
	}
	exec(`UPDATE activity_statuses SET unpaid = 0 WHERE activity_id = ? AND part <> 0`, s.Activity)
}
