package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// archive is a buyer whose orders are all in the archive.
type archive struct {
	*paySale

	clock           *kit.Clock
	bought          bought
	ordinary        client.OrderRequest
	paid, cancelled string // orders of a sale
	made            string // an ordinary order, paid
	late            site.Payment
	before          client.OrderList // what the buyer saw when they were live
}

// newArchive lets a buyer order, pay one order and miss the deadline of another, and archives all when they are old.
func newArchive(t *testing.T, stores *kit.Stores) *archive {
	t.Helper()
	clock := kit.NewClock(time.Now())
	w := &archive{clock: clock, paySale: newPaySale(t, stores, site.Sale{}, site.Time(clock.Now),
		site.Configured(func(cfg *server.Config) { cfg.Keep.Orders = order.MinKeep }))}
	w.bought = buyOnce(t, w.Site, w.activity, "buyer")
	w.paid, w.cancelled = w.bought.first.Placed(t).OrderNumber, w.order(t)
	w.ordinary = client.OrderRequest{Items: []client.OrderLine{{SKUID: "sku"}}, ClientReference: "till-7"}
	w.made = w.buyer.CreateOrders(t, "ordinary", w.ordinary)[0].OrderNumber
	require.Equal(t, http.StatusOK, w.notify(t, w.payment(t, w.paid, w.made)).Status)
	m := w.buyer.BeginPayment(t, "late", w.cancelled)
	w.late = site.Payment{Number: m.PayNumber, Transaction: "txn-late", Amount: m.Amount, Currency: m.Currency}
	clock.Advance(time.Hour)
	w.runMoneyJobs(t)
	require.Equal(t, "cancelled", w.status(t, w.cancelled))

	clock.Advance(order.MinKeep - 2*time.Hour)
	require.Equal(t, 1, w.Job(t, "retire_activities"))
	assert.Zero(t, w.Job(t, "archive_orders"), "they are not old enough")
	clock.Advance(2 * time.Hour)
	w.buyer = w.Buyer(t, "buyer") // the token of then has expired
	w.bought.Person = w.buyer
	w.before = w.buyer.ListOrders(t, "")
	require.Len(t, w.before.Items, 3)
	w.archiveAll(t, 3)
	return w
}

// archiveAll runs the job, which archives so many orders.
func (w *archive) archiveAll(t *testing.T, orders int) {
	t.Helper()
	assert.Equal(t, orders, w.Job(t, "archive_orders"))
	assert.Zero(t, w.live(t))
}

// live returns how many orders are live.
func (w *archive) live(t *testing.T) (n int) {
	t.Helper()
	require.NoError(t, w.Stores.DB.Read.GetContext(t.Context(), &n, `SELECT COUNT(*) FROM orders`))
	return n
}

func TestBuyersAndOperatorsReadArchivedOrdersAsLiveOnes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newArchive(t, stores)
		for query, want := range map[string]int{
			"": 3, "period=older": 3, "period=last_three_months": 0, "status=paid": 2, "type=ordinary": 1,
			"order_number=" + w.paid: 1, "before=" + w.before.Items[0].OrderNumber: 2, "page=2&page_size=2": 1,
		} {
			assert.Len(t, w.buyer.ListOrders(t, query).Items, want, query)
		}
		assert.Equal(t, w.before, w.buyer.ListOrders(t, ""))
		assert.NotEmpty(t, w.buyer.GetOrder(t, w.paid).Events)
		op := w.Operator(t)
		for query, want := range map[string]int{
			"": 3, "?status=cancelled": 1, "?activity_id=" + w.activity: 2, "?user_id=buyer": 3, "?type=ordinary": 1,
			"?order_number=" + w.made: 1, "?client_reference=till-7": 1, "?client_reference=till-7&status=unpaid": 0,
		} {
			list := site.Read[client.AdminOrderList](t, http.StatusOK,
				op.Ask(http.MethodGet, admin+"/orders"+query, "", nil))
			assert.Len(t, list.Items, want, query)
			assert.EqualValues(t, want, list.Total, query)
			file := string(op.Call(t, http.MethodGet, admin+"/orders.csv"+query, "", nil).Body)
			assert.Equal(t, want+1, strings.Count(file, "\n"), file)
		}
		assert.Equal(t, "paid", op.GetAdminOrder(t, w.made).Status)
		for _, text := range []string{w.paid, "buyer", "till-7"} {
			assert.NotEmpty(t, search(t, op, text), text)
		}
		assert.Empty(t, op.ListEvents(t, "types=order.paid"), "they are too old")
		assert.Zero(t, w.live(t), "who only reads moves nothing")
	})
}

func TestTheKeysOfArchivedOrdersAreKnown(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newArchive(t, stores)
		w.bought.requireReplay(t, "archived")
		task := site.Read[client.Task](t, http.StatusOK,
			w.buyer.Ask(http.MethodGet, tasks+w.bought.first.Placed(t).TaskID, "", nil))
		assert.Equal(t, []string{"SUCCESS", w.paid}, []string{string(task.Status), task.OrderNumber})
		assert.Equal(t, w.made, w.buyer.CreateOrders(t, "ordinary", w.ordinary)[0].OrderNumber)
		w.ordinary.ClientReference = "till-8"
		requireRefusal(t, w.buyer.Call(t, http.MethodPost, "/api/v1/orders", "ordinary", w.ordinary),
			http.StatusUnprocessableEntity, "idempotency_key_reused")
		assert.Zero(t, w.live(t))
	})
}

func TestWhatComesLateForAnArchivedOrderIsCarriedOut(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newArchive(t, stores)
		w.late.At = w.clock.Now()
		w.Money(t, w.late)
		require.Equal(t, http.StatusOK, w.notify(t, w.late).Status, "money for a cancelled order")
		assert.Equal(t, 1, w.live(t))
		assert.Zero(t, w.Job(t, "archive_orders"), "its refund is not sent")
		w.sendRefunds(t)
		n, amount := w.refunds(t, w.late)
		assert.Equal(t, []int64{1, w.late.Amount}, []int64{int64(n), amount})
		assert.Equal(t, "cancelled", w.status(t, w.cancelled))
		exec(t, stores, `UPDATE payments SET flag = ''`)
		w.archiveAll(t, 1)

		op := w.Operator(t)
		must(t, http.StatusCreated, op.Call(t, http.MethodPost, admin+"/orders/"+w.made+"/notes", "",
			map[string]any{"text": "asks for an invoice"}))
		w.archiveAll(t, 1)
		op.RefundOrder(t, w.made, "refund", client.RefundRequest{Reason: "broken"})
		w.sendRefunds(t)
		assert.Equal(t, "refunded", w.status(t, w.made))
		assert.Equal(t, "paid", w.status(t, w.paid))
		w.archiveAll(t, 1)
		requireRefusal(t, w.buyer.Call(t, http.MethodPost, "/api/v1/orders/"+w.paid+"/cancel", "", nil),
			http.StatusConflict, "not_cancellable")
		list := w.buyer.ListOrders(t, "period=older")
		assert.Len(t, list.Items, 3)
		assert.EqualValues(t, 3, list.Total)
	})
}

// sendRefunds sends the refunds that are due by the clock of the test.
func (w *archive) sendRefunds(t *testing.T) {
	t.Helper()
	w.clock.Advance(time.Second)
	require.NotZero(t, w.Job(t, "send_refunds"))
}
