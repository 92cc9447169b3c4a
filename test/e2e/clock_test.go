package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// shifted returns a clock that is wrong by d.
func shifted(d time.Duration) func() time.Time {
	return func() time.Time { return time.Now().Add(d) }
}

// ordinary places an ordinary order of a sku that a sale has put into the catalogue.
func ordinary(t *testing.T, p *site.Person, key string) client.Order {
	t.Helper()
	return p.CreateOrders(t, key, client.OrderRequest{Items: []client.OrderLine{{SKUID: "sku"}}})[0]
}

func TestAnInstanceWhoseClockIsAheadCancelsAndClosesNothingEarly(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		right := newPaySale(t, stores, site.Sale{})
		ahead := site.Start(t, stores, site.Idle(), site.Now(shifted(20*time.Minute)))
		unpaid := right.order(t)
		p := right.payment(t, right.order(t)) // the buyer has until its deadline to pay
		_, err := stores.DB.Write.ExecContext(t.Context(), `DELETE FROM sandbox_transactions`)
		require.NoError(t, err)
		right.Drain(t)
		for _, away := range []func(testing.TB){nil, stores.RedisAway} {
			if away != nil {
				away(t)
			}
			assert.Zero(t, ahead.Job(t, "cancel_unpaid"))
			assert.Zero(t, ahead.Job(t, "query_payments"))
		}
		stores.RedisBack(t)
		assert.Equal(t, "unpaid", right.status(t, unpaid))
		status, _ := right.paid(t, p)
		assert.Equal(t, "pending", status)

		buyer := right.buyer.At(ahead)
		placed := ordinary(t, buyer, "k1")
		require.WithinDuration(t, time.Now(), placed.PlacedAt, time.Minute)
		require.WithinDuration(t, time.Now().Add(30*time.Minute), placed.PayBefore, time.Minute)
		cancelled := buyer.CancelOrder(t, unpaid)
		require.WithinDuration(t, time.Now(), cancelled.CancelledAt, time.Minute)
		jobs := site.Read[client.ListJobs200JSONResponseBody](t, http.StatusOK,
			right.Operator(t).At(ahead).Call(t, http.MethodGet, "/admin/api/v1/jobs", "", nil))
		assert.InDelta(t, (20 * time.Minute).Milliseconds(), jobs.ClockOffsetMs, 60_000)
	}, kit.Breakable())
}

// The first request of an instance that has not read the stores' time yet reads it.
func TestTheFirstOrderOfAnInstanceWithAWrongClockHasTheTimeOfTheStores(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		right := newPaySale(t, stores, site.Sale{})
		stores.RedisAway(t)
		stores.SQLAway(t)
		ahead := site.Start(t, stores, site.Idle(), site.Now(shifted(20*time.Minute)))
		stores.SQLBack(t)
		stores.RedisBack(t)
		require.Eventually(t, func() bool {
			return stores.DB.Write.PingContext(t.Context()) == nil && stores.Redis.Ping(t.Context()).Err() == nil
		}, eventually, soon)
		placed := ordinary(t, right.buyer.At(ahead), "k1")
		require.WithinDuration(t, time.Now(), placed.PlacedAt, time.Minute)
		require.WithinDuration(t, time.Now().Add(30*time.Minute), placed.PayBefore, time.Minute)
	}, kit.Breakable())
}

func TestInstanceWhoseClockIsBehindCancelsAndQueriesInTime(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		behind := newPaySale(t, stores, site.Sale{}, site.Now(shifted(-20*time.Minute)))
		first, second, asked := behind.order(t), behind.order(t), behind.order(t)
		behind.payment(t, asked) // paid, and its webhook is lost
		behind.Drain(t)
		minute := time.Now().Add(-time.Minute).UnixMilli()
		due := func(order string) {
			_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE orders SET pay_before_ms = ? WHERE number = ?`,
				minute, order)
			require.NoError(t, err)
		}
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE payments SET ask_ms = ?`, minute)
		require.NoError(t, err)
		due(first)
		assert.Equal(t, 1, behind.Job(t, "cancel_unpaid"))
		require.WithinDuration(t, time.Now(), behind.buyer.GetOrder(t, first).CancelledAt, time.Minute)
		assert.Equal(t, 1, behind.Job(t, "query_payments"))
		require.WithinDuration(t, time.Now(), behind.buyer.GetOrder(t, asked).PaidAt, time.Minute)

		stores.RedisAway(t)
		due(second)
		assert.Equal(t, 1, behind.Job(t, "cancel_unpaid"), "SQL's time decides")
		stores.RedisBack(t)
	}, kit.Breakable())
}

func TestNothingIsCancelledWhileTheTimeOfTheStoresIsUnknown(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := newPaySale(t, stores, site.Sale{})
		s.order(t)
		s.Drain(t)
		stores.RedisAway(t)
		stores.SQLAway(t)
		for _, job := range s.Server.Jobs {
			if job.Name == "cancel_unpaid" || job.Name == "query_payments" {
				_, err := job.RunOnce(t.Context())
				require.ErrorContains(t, err, "no store returned its time", job.Name)
			}
		}
		stores.SQLBack(t)
		stores.RedisBack(t)
	}, kit.Breakable())
}
