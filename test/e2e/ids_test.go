package e2e

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// The longest ids; together they have every character that an id may have. Each begins with another that has a meaning
// somewhere: in URLs, CSV, YAML, SQL or Redis.
const (
	longSale  = ":ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789."
	longSKU   = "..-zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA_:9876543"
	longPoint = "-._:0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwx"
	longShop  = "_shop:0123456789.ABCDEFGHIJKLMNOPQRSTUVWXYZ-abcdefghijklmnopqrst"
)

// idsSale is a published sale of the longest ids, and of ids that others could be taken for.
type idsSale struct {
	*site.Site
	op *site.Person
}

func newIDsSale(t *testing.T, stores *kit.Stores) *idsSale {
	t.Helper()
	w := &idsSale{Site: site.Start(t, stores, site.Idle(), site.Reachable())}
	w.op = w.Operator(t)
	for _, id := range []string{longSale, longSKU, longPoint, longShop} {
		require.Len(t, id, 64)
	}
	// Without regard to case the first two would be one; joined by a colon the next two would be.
	stock := []struct {
		sku, point string
		units      int64
	}{{longSKU, longPoint, 4}, {strings.ToUpper(longSKU), longPoint, 5}, {"a:b", "c", 6}, {"a", "b:c", 7}}
	skus := make([]client.ActivityRequestSKU, len(stock))
	for i, s := range stock {
		w.op.PutSKU(t, s.sku, client.SKURequest{
			Title: "Lamp", ShopID: longShop, Kind: "physical", Price: 500, Currency: "CNY",
		})
		w.op.PutPoint(t, s.point, client.PointRequest{Name: s.point, Regions: []string{s.point}, Pickup: true})
		skus[i] = client.ActivityRequestSKU{
			SKUID: s.sku, FlashPrice: 300, PurchaseLimit: 3,
			Stock: []client.PointStock{{PointID: s.point, Quantity: s.units}},
		}
	}
	body := client.ActivityRequest{
		Title: "Sale", ShopID: longShop, StartsAt: time.Now().Add(-time.Minute), EndsAt: time.Now().Add(time.Hour),
		PayWithinS: 900, PermitRatio: 100, PurchaseLimit: 5, Skus: skus,
	}
	must(t, http.StatusOK, w.op.Call(t, http.MethodPut, admin+"/activities/"+longSale, "", body))
	w.op.PublishActivity(t, longSale)
	w.Job(t, "preheat")
	return w
}

// buy takes a path with a permit, picks the goods up at a point, and returns the order's number and its task.
func (w *idsSale) buy(t *testing.T, p *site.Person, sku, point, key string) client.Submitted {
	t.Helper()
	path := p.Path(t, longSale, sku)
	shown := p.Confirm(t, path, client.ConfirmRequest{Quantity: 1, Delivery: "pickup", PickupPointID: point})
	require.Equal(t, point, shown.PointID)
	body := client.SubmitRequest{Quantity: 1, Delivery: "pickup", PickupPointID: point}
	return p.Submit(t, path, key, body).Placed(t)
}

// pay pays an order on the page of the sandbox, which then notifies the webhook.
func (w *idsSale) pay(t *testing.T, p *site.Person, number string) {
	t.Helper()
	begun := p.BeginPayment(t, "pay-"+number, number)
	page, err := url.Parse(begun.Next.RedirectURL)
	require.NoError(t, err)
	must(t, http.StatusAccepted, w.Stranger().Call(t, http.MethodPost, page.Path+"/pay?"+page.RawQuery, "",
		client.SandboxActionRequest{}))
	require.Eventually(t, func() bool { return p.GetOrder(t, number).Status == "paid" }, eventually, soon)
}

// sees requires that an order has the longest ids.
func sees(t *testing.T, o client.Order) {
	t.Helper()
	require.Len(t, o.Items, 1)
	assert.Equal(t, []string{longSale, longShop, longSKU, longPoint, longPoint, longPoint}, []string{
		o.ActivityID, o.ShopID, o.Items[0].SKUID, o.PointID, o.Items[0].PointID, o.PickupPointID,
	})
}

// onAll runs a test on real stores, if there are some, and always on embedded ones: SQLite compares ids by rules of its
// own.
func onAll(t *testing.T, test func(t *testing.T, stores *kit.Stores)) {
	t.Helper()
	t.Run("own embedded", func(t *testing.T) {
		t.Parallel()
		test(t, kit.OnEmbedded(t))
	})
	kit.Each(t, test)
}

func TestASaleOfTheLongestIDsGoesTheWholeWay(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, stores *kit.Stores) {
		w := newIDsSale(t, stores)
		alice := w.Buyer(t, "a~l_i:c.e")
		first := w.buy(t, alice, longSKU, longPoint, "first")
		again := w.buy(t, alice, longSKU, longPoint, "first")
		assert.Equal(t, first.OrderNumber, again.OrderNumber)
		second := w.buy(t, alice, longSKU, longPoint, "second")

		assert.Equal(t, "SUBMITTED", alice.GetTask(t, first.TaskID).Status)
		sees(t, alice.GetOrder(t, first.OrderNumber))
		w.Drain(t)
		assert.Equal(t, "SUCCESS", alice.GetTask(t, first.TaskID).Status)
		stores.LoseRedis(t)
		_, err := w.Server.Activities.Reload(t.Context(), longSale)
		require.NoError(t, err)
		assert.Equal(t, "SUCCESS", alice.GetTask(t, first.TaskID).Status, "from SQL")
		assert.Equal(t, first.OrderNumber, w.buy(t, alice, longSKU, longPoint, "first").OrderNumber)

		list := alice.ListOrders(t, "shop_id="+longShop).Items
		require.Len(t, list, 2)
		for _, o := range list {
			sees(t, o)
		}
		w.pay(t, alice, first.OrderNumber)
		alice.CancelOrder(t, second.OrderNumber)
		w.Job(t, "settle_stock")
		w.op.RefundOrder(t, first.OrderNumber, "refund", client.RefundRequest{
			Items: []client.RefundItem{{SKUID: longSKU, Quantity: 1}},
		})
		w.Job(t, "send_refunds")
		assert.Equal(t, "refunded", alice.GetOrder(t, first.OrderNumber).Status)
		w.isTold(t, first.OrderNumber, second.OrderNumber)
	})
}

// isTold requires that the events and the file of orders have the ids, and that the audit finds no drift.
func (w *idsSale) isTold(t *testing.T, refunded, cancelled string) {
	t.Helper()
	found := events(t, w.Site, "")
	assert.Equal(t, []string{"order.placed", "order.paid", "order.refunded"}, courses(found)[refunded])
	assert.Equal(t, []string{"order.placed", "order.cancelled"}, courses(found)[cancelled])
	for _, e := range found {
		switch {
		case e.Data.Order.OrderNumber != "":
			o := e.Data.Order
			assert.Equal(t, []string{longSale, longSKU, longPoint, longPoint},
				[]string{o.ActivityID, o.Items[0].SKUID, o.PointID, o.Items[0].PointID}, e.Type)
		case strings.HasPrefix(string(e.Type), "activity."):
			assert.Equal(t, longSale, e.Data.Activity.ActivityID)
		}
	}
	for _, query := range []string{"activity_id=" + longSale, "sku_id=" + longSKU, "shop_id=" + longShop} {
		file := w.op.Call(t, http.MethodGet, admin+"/orders.csv?"+query, "", nil)
		rows, err := csv.NewReader(strings.NewReader(string(file.Body))).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, 3, query)
		cell := func(row int, name string) string { return rows[row][slices.Index(rows[0], name)] }
		for row := 1; row < 3; row++ {
			assert.Equal(t, []string{longSale, longSKU + " x 1", "'" + longPoint, longShop}, []string{
				cell(row, "activity_id"), cell(row, "items"), cell(row, "point_id"), cell(row, "shop_id"),
			}, "a spreadsheet would take a leading - for a formula")
		}
	}
	for _, target := range []string{"activity:" + longSale, "sku:" + longSKU, "point:" + longPoint} {
		assert.NotEmpty(t, w.op.ListChanges(t, target), target)
	}
	assert.Empty(t, w.Audit(t, longSale))
	left := map[string]int64{longSKU: 3, strings.ToUpper(longSKU): 5, "a:b": 6, "a": 7}
	for _, item := range w.op.AuditActivity(t, longSale).Items {
		assert.Equal(t, left[item.SKUID], item.Remaining, item.SKUID)
	}
}

// Each of the pairs would be one sku, or one stock, if case were ignored or a colon joined the ids.
func TestIDsThatCouldBeTakenForEachOtherSellTheirOwnUnits(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, stores *kit.Stores) {
		w := newIDsSale(t, stores)
		for i, s := range [][2]string{{strings.ToUpper(longSKU), longPoint}, {"a:b", "c"}, {"a", "b:c"}} {
			p := w.Buyer(t, string(rune('u'+i)))
			for n := range i + 1 {
				w.buy(t, p, s[0], s[1], string(rune('0'+n)))
			}
		}
		left := map[string]int64{longSKU: 4, strings.ToUpper(longSKU): 4, "a:b": 4, "a": 4}
		for _, moved := range []bool{false, true} {
			if moved {
				w.Drain(t)
			}
			assert.Empty(t, w.Audit(t, longSale))
			for _, item := range w.op.AuditActivity(t, longSale).Items {
				assert.Equal(t, left[item.SKUID], item.Remaining, item.SKUID)
			}
		}
	})
}
