package e2e

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// twoBlueAndOne are the parts of the bundle set: its price, 100, is 33 for each blue one and 34 for the sku.
var twoBlueAndOne = seckill.Parts{{SKU: "blue", Quantity: 2}, {SKU: "sku", Quantity: 1}}

func newBundleSale(t *testing.T, stores *kit.Stores, sale site.Sale) *basketSale {
	t.Helper()
	sale.Parts = twoBlueAndOne
	return newBasketSale(t, stores, sale)
}

// set submits an order of bundles.
func (w *basketSale) set(t *testing.T, by *site.Person, n int, address string) site.Answer {
	t.Helper()
	a := by.Insist(http.MethodPost, "/api/v1/seckill/path", "",
		map[string]any{"activity_id": w.activity, "sku_id": "set"})
	if a.Status != http.StatusOK {
		return a
	}
	return by.Submit(t, a.JSON(t)["path"].(string), rand.Text(),
		map[string]any{"quantity": n, "address_id": address})
}

func TestABundleIsPlacedPaidRefundedAndCancelledAsItsParts(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBundleSale(t, stores, site.Sale{Stock: map[string]int64{"0": 9}})
		bundle := w.buyer.GetActivity(t, w.activity).Skus[3]
		assert.EqualValues(t, 4, bundle.Remaining, "9 blue ones")
		assert.EqualValues(t, 4, bundle.Total)
		assert.Len(t, bundle.Parts, 2)

		path := w.buyer.Path(t, w.activity, "set")
		quote := w.buyer.Confirm(t, path, client.ConfirmRequest{Quantity: 2, AddressID: w.address})
		assert.EqualValues(t, 200, quote.GoodsAmount)
		assert.Equal(t, client.OrderBundle{SKUID: "set", Title: "Set", Quantity: 2, Price: 100}, quote.Bundle)
		key, body := rand.Text(), map[string]any{"quantity": 2, "confirmation": quote.Confirmation}
		a := w.buyer.Submit(t, path, key, body)
		require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
		paid := a.Placed(t).OrderNumber
		for _, stored := range []bool{false, true} {
			if stored {
				w.Drain(t)
			}
			o := w.buyer.GetOrder(t, paid)
			assert.Equal(t, []string{"blue 4", "sku 2"}, items(o.Items))
			assert.Equal(t, quote.Bundle, o.Bundle)
			assert.Equal(t, o.GoodsAmount, 4*o.Items[0].Price+2*o.Items[1].Price)
			again := w.buyer.Submit(t, path, key, body)
			assert.Equal(t, paid, again.Placed(t).OrderNumber)
			for _, sku := range []string{"set", "blue"} {
				tasks := w.buyer.Call(t, http.MethodGet,
					"/api/v1/seckill/tasks?activity_id="+w.activity+"&sku_id="+sku, "", nil).JSON(t)["items"].([]any)
				assert.Len(t, tasks, 1, sku)
			}
		}
		cancelled := w.set(t, w.buyer, 1, w.address).Placed(t).OrderNumber
		assert.Equal(t, map[string]string{"sku": "6", "blue": "3", "green": "9", "set": "1"}, w.account(t))
		w.buyer.CancelOrder(t, cancelled)
		assert.Equal(t, map[string]string{"sku": "7", "blue": "5", "green": "9", "set": "2"}, w.account(t))
		assert.Equal(t, http.StatusConflict, w.swapped(t, paid, "green"))
		assert.Len(t, w.Operator(t).ListAdminOrders(t, "activity_id="+w.activity+"&sku_id=set").Items, 2)
		file := w.Operator(t).Call(t, http.MethodGet, admin+"/orders.csv?activity_id="+w.activity, "", nil)
		assert.Equal(t, 1, strings.Count(string(file.Body), "set x 2"))

		p := w.payment(t, paid)
		assert.EqualValues(t, 200, p.Amount)
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		part := w.Operator(t).RefundOrder(t, paid, rand.Text(),
			client.RefundRequest{Items: []client.RefundItem{{SKUID: "blue", Quantity: 1}}})
		assert.EqualValues(t, 33, part.Amount)
		w.Operator(t).RefundOrder(t, paid, rand.Text(), client.RefundRequest{})
		w.settle(t)
		assert.Equal(t, "refunded", w.status(t, paid))
		report := w.Operator(t).GetReport(t, w.activity)
		assert.Equal(t, []int64{200, 2}, []int64{report.Skus[3].Sums.PaidAmount, report.Skus[3].Sums.PaidUnits})
		assert.Equal(t, []int64{0, 4}, []int64{report.Skus[1].Sums.PaidAmount, report.Skus[1].Sums.PaidUnits})
		a = w.Operator(t).Insist(http.MethodPost, admin+"/orders/"+paid+"/restock", rand.Text(),
			map[string]any{"reason": "sent back"})
		require.Equal(t, http.StatusOK, a.Status, string(a.Body))
		assert.Equal(t, map[string]string{"sku": "9", "blue": "9", "green": "9", "set": "4"}, w.account(t))
	})
}

// The lines of a bundle have shares of its price: 33 for each blue one and 34 for the sku. Whatever went back before,
// no line takes more than is left, and a refused refund takes no units.
func TestALineOfABundleNeverRefundsMoreThanWasPaid(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBundleSale(t, stores, site.Sale{Stock: map[string]int64{"0": 9}})
		bought := w.set(t, w.buyer, 2, w.address).Placed(t).OrderNumber
		p := w.payment(t, bought, w.basket(t, units("green", 4))) // whose money a bundle must not take
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		back := func(body map[string]any) (site.Answer, int64) {
			a := w.Operator(t).Insist(http.MethodPost, admin+"/orders/"+bought+"/refund", rand.Text(), body)
			if a.Status != http.StatusAccepted {
				return a, 0
			}
			return a, parsed[client.Refund](a).Amount
		}
		refused := func(sku string, n int) {
			t.Helper()
			a, _ := back(map[string]any{"items": units(sku, n)})
			requireRefusal(t, a, http.StatusConflict, "refund_too_large")
		}
		refused("blue", 5)
		var sum int64
		for _, part := range []map[string]any{{"amount": 100}, {"items": units("sku", 2)}} {
			a, amount := back(part)
			require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
			sum += amount
			refused("blue", 4)
		}
		assert.EqualValues(t, 168, sum)
		refused("blue", 1)
		_, rest := back(map[string]any{})
		assert.EqualValues(t, 200, sum+rest)
		w.settle(t)
		assert.Equal(t, "refunded", w.status(t, bought))
		_, refunded := w.paid(t, p)
		assert.EqualValues(t, 200, refunded)
	})
}

// The bundle's limit counts bundles, those of its parts and of the sale count units, in Redis and in SQL.
func TestABundleCountsUnderItsLimitAndThoseOfItsParts(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBundleSale(t, stores, site.Sale{
			Stock: map[string]int64{"0": 20}, SKULimit: 5, BundleLimit: 2, PurchaseLimit: 9,
		})
		lost := func() {
			w.Drain(t)
			require.NoError(t, stores.Redis.FlushDB(t.Context()).Err())
			w.Job(t, "preheat")
		}
		path := w.buyer.Path(t, w.activity, "set")
		a := w.buyer.Insist(http.MethodPost, "/api/v1/seckill/"+path+"/confirm", "",
			map[string]any{"quantity": 3, "address_id": w.address})
		assert.Equal(t, "purchase_limit", a.Code())
		assert.NotContains(t, string(a.Body), "lines[", "the request has no lines")
		first := w.set(t, w.buyer, 1, w.address).Placed(t).OrderNumber
		over := w.set(t, w.buyer, 2, w.address)
		assert.Equal(t, "purchase_limit", over.Code())
		assert.Contains(t, string(over.Body), "limit is 2; you have bought 1")
		lost()
		over = w.set(t, w.buyer, 2, w.address)
		assert.Contains(t, string(over.Body), "limit is 2; you have bought 1", "SQL has counted it")
		a = w.buyer.Submit(t, w.buyer.Path(t, w.activity, "blue"), rand.Text(),
			map[string]any{"quantity": 4, "address_id": w.address})
		assert.Contains(t, string(a.Body), "limit is 5; you have bought 2")
		w.basket(t, units("blue", 2, "green", 1))
		a = w.set(t, w.buyer, 1, w.address)
		assert.Contains(t, string(a.Body), "limit is 5; you have bought 4", "blue ones, in bundles and alone")
		w.buyer.CancelOrder(t, first)
		w.Job(t, "settle_stock")
		lost()
		assert.Equal(t, http.StatusAccepted, w.set(t, w.buyer, 1, w.address).Status)
		assert.Equal(t, map[string]string{"sku": "19", "blue": "16", "green": "19", "set": "8"}, w.account(t))
	})
}

func TestABundleComesFromOneStockPointAndIsSoldOutWithAPart(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBundleSale(t, stores, site.Sale{
			Stock: map[string]int64{"0": 3, "n": 3}, Regions: map[string][]string{"n": {"north"}}, PermitRatio: 5,
		})
		assert.EqualValues(t, 2, w.buyer.GetActivity(t, w.activity).Skus[3].Remaining, "one at each point")
		a := w.set(t, w.buyer, 2, w.address)
		assert.Equal(t, "sold_out", a.Code(), "no unit of the other point")
		a = w.set(t, w.buyer, 1, w.address)
		require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
		w.clock.Advance(2 * time.Second)
		shown := w.buyer.GetActivity(t, w.activity).Skus[3]
		assert.EqualValues(t, 1, shown.Remaining)
		assert.Equal(t, []string{"n"}, shown.SoldOutPoints)
		a = w.set(t, w.buyer, 1, w.address)
		assert.Equal(t, "sold_out_unpaid_pending", a.Code())
		south := w.buyer.Address(t, "south")
		a = w.set(t, w.buyer, 1, south)
		require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
		w.clock.Advance(2 * time.Second)
		shown = w.buyer.GetActivity(t, w.activity).Skus[3]
		assert.True(t, shown.SoldOut)
		assert.True(t, shown.UnpaidPending)
		a = w.buyer.Insist(http.MethodPost, "/api/v1/seckill/path", "",
			map[string]any{"activity_id": w.activity, "sku_id": "set"})
		assert.Contains(t, a.Code(), "sold_out")
		stock := site.Stock(t, stores, w.activity)
		assert.Equal(t, []string{"1", "1", "2", "2"},
			[]string{stock["blue~n"], stock["blue~0"], stock["sku~n"], stock["sku~0"]})
	})
}

// Else buyers at the limit of the bundle would hold permits of its parts that others need.
func TestABuyerAtTheLimitOfABundleTakesNoPermitOfItsParts(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBundleSale(t, stores, site.Sale{BundleLimit: 1, PermitRatio: 1})
		a := w.set(t, w.buyer, 1, w.address)
		require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
		a = w.buyer.Insist(http.MethodPost, "/api/v1/seckill/path", "",
			map[string]any{"activity_id": w.activity, "sku_id": "set"})
		assert.Equal(t, "purchase_limit", a.Code())
	})
}

func TestABundleIsRefusedWhereItsPartsCanNotBeTaken(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBundleSale(t, stores, site.Sale{})
		path := "/api/v1/seckill/path"
		for name, a := range map[string]site.Answer{
			"in a basket": w.path(w.buyer, units("set", 1, "green", 1)),
			"a waiting list": w.Operator(t).Insist(http.MethodPatch, admin+"/activities/"+w.activity, "",
				map[string]any{"offer_within_s": 60}),
			"other parts": w.Operator(t).Insist(http.MethodPatch, admin+"/activities/"+w.activity, "", map[string]any{
				"skus": []any{map[string]any{"sku_id": "set", "parts": []any{
					map[string]any{"sku_id": "sku", "quantity": 1}, map[string]any{"sku_id": "blue", "quantity": 1},
				}}},
			}),
			"units set aside": w.Operator(t).Insist(http.MethodPost, admin+"/activities/"+w.activity+"/holds",
				rand.Text(), map[string]any{"sku_id": "set", "point_id": "0", "quantity": 1}),
			"a waiting buyer": w.buyer.Insist(http.MethodPost, "/api/v1/seckill/waitlist", rand.Text(),
				map[string]any{"activity_id": w.activity, "sku_id": "set", "quantity": 1, "address_id": w.address}),
		} {
			assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s: %s", name, a.Body)
		}
		other := newPaySale(t, stores, site.Sale{SKU: "x"})
		a := other.buyer.Insist(http.MethodPost, path, "",
			map[string]any{"activity_id": other.activity, "sku_id": "set"})
		assert.Equal(t, http.StatusNotFound, a.Status, "of another sale")
		of := w.buyer.Path(t, w.activity, "set")
		for _, quantity := range []any{0, -1, 10_000, 9999, 1 << 40} {
			a := w.buyer.Submit(t, of, rand.Text(), map[string]any{"quantity": quantity, "address_id": w.address})
			assert.NotEqual(t, http.StatusAccepted, a.Status, quantity)
			assert.Less(t, a.Status, 500, string(a.Body))
		}
		lines := w.buyer.Submit(t, of, rand.Text(), map[string]any{"lines": units("set", 1), "address_id": w.address})
		assert.Equal(t, http.StatusAccepted, lines.Status, string(lines.Body))
		assert.Equal(t, "99", w.account(t)["sku"])
	})
}

// Two instances sell bundles and their parts at once, and some are cancelled: each unit is sold once.
func TestACrowdOfBundlesAndTheirPartsSellsEachUnitOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const stock = 30
		s := site.Start(t, stores)
		other := site.Start(t, stores)
		activity := s.Open(t, site.Sale{
			Others: []string{"blue"}, Stock: map[string]int64{"0": stock}, Parts: twoBlueAndOne, BundleLimit: 1,
		})
		codes := kit.AtOnce(48, func(i int) string {
			buyer := []*site.Site{s, other}[i%2].Buyer(t, fmt.Sprintf("buyer%d", i))
			sku := []string{"set", "set", "blue"}[i%3]
			a := buyer.Insist(http.MethodPost, "/api/v1/seckill/path", "",
				map[string]any{"activity_id": activity, "sku_id": sku})
			if a.Status == http.StatusOK {
				a = buyer.Submit(t, a.JSON(t)["path"].(string), "key", map[string]any{})
			}
			if a.Status != http.StatusAccepted {
				return a.Code()
			}
			if i%5 == 0 {
				buyer.Insist(http.MethodPost, "/api/v1/orders/"+a.Placed(t).OrderNumber+"/cancel", "", nil)
				return "cancelled"
			}
			return sku
		})
		sold := map[string]int{}
		for _, code := range codes {
			sold[code]++
			assert.Contains(t, []string{"set", "blue", "cancelled", "sold_out", "sold_out_unpaid_pending"}, code)
		}
		s.Drain(t)
		s.Job(t, "settle_stock")
		assert.Empty(t, s.Audit(t, activity))
		left := site.Stock(t, stores, activity)
		assert.Equal(t, fmt.Sprint(stock-sold["set"]), left["sku"])
		assert.Equal(t, fmt.Sprint(stock-2*sold["set"]-sold["blue"]), left["blue"])
	})
}
