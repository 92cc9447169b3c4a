package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func TestFinishedRowsAreDeletedAndOrdersStay(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(time.Now())
		const keep = 30 * 24 * time.Hour
		keeping := site.Configured(func(cfg *server.Config) {
			cfg.Keep.Records, cfg.Keep.Finished = keep, keep
		})
		w := newPaySale(t, stores, site.Sale{}, site.Time(clock.Now), keeping)
		op := w.Operator(t)
		raise := client.StockRequest{SKUID: "sku", PointID: "0", Delta: 5}
		must(t, http.StatusOK, op.Call(t, http.MethodPost, admin+"/activities/"+w.activity+"/stock", "raise", raise))
		must(t, http.StatusOK, op.Call(t, http.MethodPost, admin+"/skus/sku/stock", "raise",
			client.SKUStockRequest{Delta: 5}))
		number := w.order(t)
		p := w.payment(t, number)
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		w.settle(t)

		tables := []string{
			"stock_outbox", "idempotency_keys", "payment_notifications", "operator_log", "sandbox_payments",
			"sandbox_transactions",
		}
		rows := func() (n int) {
			for _, table := range tables {
				var count int
				require.NoError(t, stores.DB.Read.GetContext(t.Context(), &count, `SELECT COUNT(*) FROM `+table))
				n += count
			}
			return n
		}
		before := rows()
		assert.GreaterOrEqual(t, before, len(tables))
		clock.Advance(keep - time.Hour)
		assert.Zero(t, w.Job(t, "delete_finished"))
		ahead := site.Start(t, stores, site.Idle(), site.Now(shifted(2*keep)), keeping)
		assert.Zero(t, ahead.Job(t, "delete_finished"), "its clock is wrong")
		clock.Advance(2 * time.Hour)
		assert.Equal(t, before, w.Job(t, "delete_finished"))
		assert.Zero(t, rows())
		w.buyer = w.Buyer(t, "buyer") // the token of then has expired
		assert.Equal(t, "paid", w.status(t, number))
		p.At = clock.Now()
		require.Equal(t, http.StatusOK, w.notify(t, p).Status, "a late repeat of the webhook")
		status, refunded := w.paid(t, p)
		assert.Equal(t, "paid", status, "its money is settled once all the same")
		assert.Zero(t, refunded)
	})
}

func TestDraftsAndGoodsAreDeletedUnlessTheyAreUsed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		stockShop(t, op)
		remove := func(path string) int { return op.Call(t, http.MethodDelete, admin+path, "", nil).Status }
		draft := op.CreateActivity(t, lampSale("0", "east")).ActivityID
		published := publish(t, op, lampSale("0"))
		assert.Equal(t, http.StatusConflict, remove("/activities/"+published))
		assert.Equal(t, http.StatusConflict, remove("/points/east"), "the draft has stock there")
		assert.Equal(t, http.StatusNoContent, remove("/activities/"+draft))
		assert.Equal(t, http.StatusNotFound, remove("/activities/"+draft))
		assert.Equal(t, http.StatusNoContent, remove("/points/east"))
		assert.Equal(t, http.StatusNoContent, remove("/points/south"))
		assert.Equal(t, http.StatusConflict, remove("/skus/lamp"), "a sale sells it")

		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE activities SET retired_ms = 1, ends_ms = 2`)
		require.NoError(t, err)
		assert.Equal(t, http.StatusNoContent, remove("/skus/lamp"))
		shown := site.Start(t, stores, site.Idle()).Buyer(t, "b").GetActivity(t, published)
		assert.Equal(t, "Desk lamp", shown.Skus[0].Title, "the sale has its own copy")
		var left int
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &left,
			`SELECT COUNT(*) FROM activity_stock WHERE activity_id = ?`, draft))
		assert.Zero(t, left)
	})
}
