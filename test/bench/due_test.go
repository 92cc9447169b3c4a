package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// dueOrders is how many orders the benchmark lets become due at the same time.
const dueOrders = 100_000

// fallDue stores n unpaid orders whose time to pay is over.
func (q *queue) fallDue(tb testing.TB, n int) {
	tb.Helper()
	q.place(tb, n)
	q.site.Drain(tb)
	_, err := q.site.Stores.DB.Write.ExecContext(tb.Context(),
		`UPDATE orders SET pay_before_ms = 1 WHERE status = 'unpaid'`)
	require.NoError(tb, err)
}

// cancelDue runs the job until nothing is due any more, and returns how many it cancelled.
func (q *queue) cancelDue(tb testing.TB) (cancelled int) {
	tb.Helper()
	for {
		n := q.site.Job(tb, "cancel_unpaid")
		if cancelled += n; n == 0 {
			return cancelled
		}
	}
}

// requireAllBack checks that SQL and Redis have got all units back.
func (q *queue) requireAllBack(tb testing.TB) {
	tb.Helper()
	audit, err := q.site.Server.Auditor.Audit(tb.Context(), q.activity)
	require.NoError(tb, err)
	assert.True(tb, audit.OK, "%+v", audit)
	assert.Equal(tb, audit.Items[0].Total, audit.Items[0].Remaining)
	assert.Zero(tb, audit.Items[0].Sold)
	var owed int
	require.NoError(tb, q.site.Stores.DB.Read.GetContext(tb.Context(), &owed, `SELECT COUNT(*) FROM stock_outbox`))
	assert.Zero(tb, owed)
}

// BenchmarkCancelDue lets many orders become due at the same time, and cancels them with their stock
// back, while SQL flushes at every commit.
func BenchmarkCancelDue(b *testing.B) {
	stores := kit.Own(b, kit.FlushAtCommit())
	q := newQueue(b, site.Start(b, stores.Stores, site.Idle()))
	var took time.Duration
	turns := 0
	n := few(dueOrders)
	for b.Loop() {
		b.StopTimer()
		q.fallDue(b, n)
		b.StartTimer()
		began := time.Now()
		require.Equal(b, n, q.cancelDue(b))
		took += time.Since(began)
		turns++
	}
	q.requireAllBack(b)
	b.ReportMetric(took.Seconds()/float64(turns), "s/100k")
}

func TestManyOrdersDueAtTheSameTimeAreCancelledAndTheirStockReturned(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a large sale")
	}
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const n = 5000
		q := newQueue(t, site.Start(t, stores, site.Idle()))
		q.fallDue(t, n)
		assert.Equal(t, n, q.cancelDue(t))
		q.requireAllBack(t)
	})
}
