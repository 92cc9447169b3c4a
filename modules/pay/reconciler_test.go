package pay

import (
	"context"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/test/kit"
)

// slowBank takes callTime, in the time of the test's synctest bubble, to answer that a payment is not paid yet.
type slowBank struct {
	Gateway

	callTime time.Duration
	deadline time.Time
	calls    atomic.Int64
	inTime   atomic.Int64 // calls that ended before the deadline
	running  kit.Concurrency
}

func (g *slowBank) Query(ctx context.Context, _ *Payment) (Found, error) {
	g.running.Begin()
	defer g.running.End()
	g.calls.Add(1)
	select {
	case <-ctx.Done():
		return Found{}, ctx.Err()
	case <-time.NewTimer(g.callTime).C:
	}
	if time.Now().Before(g.deadline) {
		g.inTime.Add(1)
	}
	return Found{}, nil
}

func (*slowBank) Close(context.Context, *Payment) error { return nil }

// crowdSize is how many payments have a common deadline: ONRUSH_TEST_CROWD, or few where that is not set.
func crowdSize(t *testing.T) int {
	t.Helper()
	text := os.Getenv("ONRUSH_TEST_CROWD")
	if text == "" {
		return 600
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// The time of calls grows as the crowd shrinks, so that one at a time would take ten times as long as there
// is: 3,000 payments take 100 ms each.
func TestManyPaymentsWithOneDeadlineAreQueriedBeforeIt(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	crowd := crowdSize(t)
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		deadline := begun.Add(10 * time.Minute)
		bank := &slowBank{callTime: 5 * time.Minute / time.Duration(crowd), deadline: deadline}
		ask := deadline.Add(-30 * time.Second).UnixMilli()
		require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			for i := range crowd {
				n := order.Number(i + 1)
				p := &Payment{
					Number: n, User: "ada", Task: n.String(), Channel: "bank", Status: Pending, Amount: 1,
					Currency: "EUR", CreatedMS: begun.UnixMilli(), AskMS: ask, ExpiresMS: deadline.UnixMilli(),
					Orders: []PaymentOrder{{Payment: n, Order: n, Amount: 1}},
				}
				if err := InsertPayment(t.Context(), tx, p); err != nil {
					return err
				}
			}
			return nil
		}))
		a := NewReconciler(Config{}, Deps{
			DB: stores.DB, Gateways: Gateways{"bank": bank}, Clock: clock.Fixed(time.Now),
		}, &Processor{})
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		asked := func() (n int) {
			require.NoError(t, stores.DB.Write.GetContext(t.Context(), &n,
				`SELECT COUNT(*) FROM payments WHERE asked_ms > 0`))
			return n
		}
		first := time.Duration(0)
		for range tick.C {
			if !time.Now().Before(deadline) {
				break
			}
			_, err := a.RunOnce(t.Context())
			require.NoError(t, err)
			if first == 0 && bank.calls.Load() > 0 {
				first = time.Until(deadline)
			}
		}
		t.Logf("%d payments of %s a call: first run of calls ended %s before the deadline, %d calls in time, %d "+
			"payments asked about, at most %d side by side",
			crowd, bank.callTime, first, bank.inTime.Load(), asked(), bank.running.Most())
		assert.Equal(t, crowd, asked(), "each is asked about before the deadline")
		assert.LessOrEqual(t, bank.running.Most(), int64(8), "bounded by the setting")
		assert.Less(t, first, 5*time.Minute, "not in the first half of the time to pay")
	})
}
