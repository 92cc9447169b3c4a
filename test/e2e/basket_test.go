package e2e

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// basketSale is a sale of the skus sku, blue and green, of which an order may take two.
type basketSale struct{ *swapSale }

func newBasketSale(t *testing.T, stores *kit.Stores, sale site.Sale, opts ...site.Option) *basketSale {
	t.Helper()
	sale.BasketMax = 2
	w := newSwapSale(t, stores, sale, opts...)
	w.address = w.buyer.Address(t, "north")
	return &basketSale{w}
}

// units are the lines of a request, from skus and quantities.
func units(of ...any) (lines []map[string]any) {
	lines = []map[string]any{}
	for i := 0; i < len(of); i += 2 {
		lines = append(lines, map[string]any{"sku_id": of[i], "quantity": of[i+1]})
	}
	return lines
}

// path asks for a path for lines.
func (w *basketSale) path(by *site.Person, lines []map[string]any) site.Answer {
	return by.Insist(http.MethodPost, "/api/v1/seckill/path", "",
		map[string]any{"activity_id": w.activity, "lines": lines})
}

// submit submits lines, with a path for path's, and returns the answer.
func (w *basketSale) submit(t *testing.T, path []map[string]any, key string, body map[string]any) site.Answer {
	t.Helper()
	a := w.path(w.buyer, path)
	require.Equal(t, http.StatusOK, a.Status, string(a.Body))
	return w.buyer.Submit(t, a.JSON(t)["path"].(string), key, body)
}

// basket places an order of lines.
func (w *basketSale) basket(t *testing.T, of []map[string]any) string {
	t.Helper()
	a := w.submit(t, of, rand.Text(), map[string]any{"lines": of, "address_id": w.address})
	require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
	return a.Placed(t).OrderNumber
}

// items are the skus and quantities of an order.
func items(o []client.Item) (items []string) {
	for _, it := range o {
		items = append(items, fmt.Sprint(it.SKUID, " ", it.Quantity))
	}
	return items
}

func TestAnOrderOfSeveralSkusIsPlacedPaidRefundedAndCancelledWhole(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBasketSale(t, stores, site.Sale{Stock: map[string]int64{"0": 9}, SKULimit: 4, PurchaseLimit: 8})
		paid := w.basket(t, units("sku", 1, "blue", 2)) // only Redis has it
		o := w.buyer.GetOrder(t, paid)
		assert.Equal(t, []string{"blue 2", "sku 1"}, items(o.Items))
		assert.EqualValues(t, 300, o.GoodsAmount)
		list := w.buyer.ListOrders(t, "order_number="+paid).Items
		require.Len(t, list, 1)
		assert.Equal(t, items(o.Items), items(list[0].Items))
		cancelled := w.basket(t, units("green", 2, "sku", 3))
		assert.Equal(t, map[string]string{"sku": "5", "blue": "7", "green": "7"}, w.account(t))
		for sku, orders := range map[string]int{"sku": 2, "blue": 1, "green": 1} {
			found := w.Operator(t).ListAdminOrders(t, "activity_id="+w.activity+"&sku_id="+sku).Items
			assert.Len(t, found, orders, sku)
			tasks := w.buyer.Call(t, http.MethodGet,
				"/api/v1/seckill/tasks?activity_id="+w.activity+"&sku_id="+sku, "", nil).JSON(t)["items"].([]any)
			assert.Len(t, tasks, orders, sku)
		}
		w.buyer.CancelOrder(t, cancelled)
		assert.Equal(t, map[string]string{"sku": "8", "blue": "7", "green": "9"}, w.account(t))
		assert.Equal(t, http.StatusConflict, w.swapped(t, paid, "green"))

		p := w.payment(t, paid)
		assert.EqualValues(t, 300, p.Amount)
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		assert.Equal(t, "paid", w.status(t, paid))
		part := w.Operator(t).RefundOrder(t, paid, rand.Text(),
			client.RefundRequest{Items: []client.RefundItem{{SKUID: "blue", Quantity: 1}}})
		assert.EqualValues(t, 100, part.Amount)
		w.Operator(t).RefundOrder(t, paid, rand.Text(), client.RefundRequest{})
		w.settle(t)
		assert.Equal(t, "refunded", w.status(t, paid))
		a := w.Operator(t).Insist(http.MethodPost, admin+"/orders/"+paid+"/restock", rand.Text(),
			map[string]any{"reason": "sent back"})
		require.Equal(t, http.StatusOK, a.Status, string(a.Body))
		assert.Equal(t, map[string]string{"sku": "9", "blue": "9", "green": "9"}, w.account(t))
	})
}

func TestABasketIsPlacedOnceWithItsKeyInAnyOrderOfItsLines(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBasketSale(t, stores, site.Sale{Stock: map[string]int64{"0": 9}})
		one, same := units("sku", 1, "blue", 2), units("blue", 2, "sku", 1)
		first := w.submit(t, one, "key", map[string]any{"lines": one, "address_id": w.address})
		again := w.submit(t, same, "key", map[string]any{"lines": same, "address_id": w.address})
		require.Equal(t, http.StatusAccepted, again.Status, string(again.Body))
		assert.Equal(t, first.Placed(t).OrderNumber, again.Placed(t).OrderNumber)
		other := w.submit(t, one, "key", map[string]any{"lines": units("sku", 2, "blue", 2), "address_id": w.address})
		assert.Equal(t, "idempotency_key_reused", other.Code())
		w.Drain(t)
		again = w.submit(t, same, "key", map[string]any{"lines": same, "address_id": w.address})
		assert.Equal(t, first.Placed(t).OrderNumber, again.Placed(t).OrderNumber)
		assert.Equal(t, map[string]string{"sku": "8", "blue": "7", "green": "9"}, w.account(t))
	})
}

func TestABasketWithAConfirmationCostsWhatItSays(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBasketSale(t, stores, site.Sale{})
		of := units("sku", 1, "blue", 2)
		path := w.path(w.buyer, of).JSON(t)["path"].(string)
		confirm := func(body map[string]any) site.Answer {
			return w.buyer.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/confirm", "", body)
		}
		quote := confirm(map[string]any{"lines": of, "address_id": w.address})
		require.Equal(t, http.StatusOK, quote.Status, string(quote.Body))
		assert.EqualValues(t, 300, quote.JSON(t)["total_amount"])
		assert.Len(t, quote.JSON(t)["items"], 2)
		confirmation := quote.JSON(t)["confirmation"]
		for name, body := range map[string]map[string]any{
			"other units": {"lines": units("sku", 2, "blue", 2), "confirmation": confirmation},
			"a quantity":  {"quantity": 3, "confirmation": confirmation},
			"one sku":     {"lines": units("sku", 1), "confirmation": confirmation},
			"another sku": {"lines": units("sku", 1, "green", 2), "confirmation": confirmation},
			"twice":       {"lines": units("sku", 1, "sku", 2), "confirmation": confirmation},
			"both":        {"lines": of, "quantity": 3, "confirmation": confirmation},
		} {
			assert.Equal(t, "invalid_request", w.buyer.Submit(t, path, rand.Text(), body).Code(), name)
		}
		a := w.buyer.Submit(t, path, rand.Text(), map[string]any{"lines": of, "confirmation": confirmation})
		require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
	})
}

func TestAPathOfSeveralSkusIsRefusedForOneOfThem(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBasketSale(t, stores, site.Sale{Stock: map[string]int64{"0": 3}, SKULimit: 3})
		for name, of := range map[string][]map[string]any{
			"too many": units("sku", 1, "blue", 1, "green", 1), "twice": units("sku", 1, "sku", 1),
			"no units": units("sku", 0, "blue", 1), "too many units": units("sku", 1<<40, "blue", 1), "none": {},
		} {
			a := w.path(w.buyer, of)
			assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s: %s", name, a.Body)
		}
		assert.Equal(t, http.StatusNotFound, w.path(w.buyer, units("sku", 1, "other", 1)).Status)
		both := w.buyer.Insist(http.MethodPost, "/api/v1/seckill/path", "",
			map[string]any{"activity_id": w.activity, "sku_id": "sku", "lines": units("sku", 1, "blue", 1)})
		assert.Equal(t, http.StatusUnprocessableEntity, both.Status)

		path := w.path(w.buyer, units("sku", 1, "blue", 1)).JSON(t)["path"].(string)
		over := w.buyer.Submit(t, path, rand.Text(), map[string]any{
			"lines": units("sku", 1, "blue", 4), "address_id": w.address,
		})
		assert.Equal(t, "purchase_limit", over.Code())
		assert.Contains(t, string(over.Body), `"lines[0].sku_id"`)
		beside := w.buyer.Insist(http.MethodPost, "/api/v1/seckill/path", "",
			map[string]any{"activity_id": w.activity, "sku_id": "sku", "lines": units()})
		assert.Equal(t, http.StatusUnprocessableEntity, beside.Status, string(beside.Body))
		w.basket(t, units("blue", 3))
		refused := w.submitOn(t, path, units("sku", 1, "blue", 1))
		assert.Equal(t, "purchase_limit", refused.Code())
		other := w.Buyer(t, "other")
		address := other.Address(t, "north")
		of := units("sku", 1, "green", 1)
		path = w.path(other, of).JSON(t)["path"].(string)
		w.basket(t, units("green", 3))
		late := other.Submit(t, path, rand.Text(), map[string]any{"lines": of, "address_id": address})
		assert.Equal(t, "sold_out_unpaid_pending", late.Code())
		assert.Contains(t, string(late.Body), `"lines[0].sku_id"`)
		assert.Equal(t, map[string]string{"sku": "3", "blue": "0", "green": "0"}, w.account(t))
	})
}

// submitOn submits lines with a path.
func (w *basketSale) submitOn(t *testing.T, path string, of []map[string]any) site.Answer {
	t.Helper()
	return w.buyer.Submit(t, path, rand.Text(), map[string]any{"lines": of, "address_id": w.address})
}

func TestABasketInASaleWithPermitsTakesOneOfEachSku(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBasketSale(t, stores, site.Sale{Stock: map[string]int64{"0": 9}, PermitRatio: 2})
		of := units("sku", 1, "blue", 1)
		path := w.path(w.buyer, of).JSON(t)["path"].(string)
		assert.Equal(t, path, w.path(w.buyer, of).JSON(t)["path"], "the same permits")
		assert.Equal(t, http.StatusAccepted, w.submitOn(t, path, of).Status)
		assert.Equal(t, "path_expired", w.submitOn(t, path, of).Code(), "a permit is one order")
		alone := w.buyer.Path(t, w.activity, "sku")
		assert.Equal(t, http.StatusAccepted, w.buyer.Submit(t, alone, rand.Text(),
			map[string]any{"quantity": 1, "address_id": w.address}).Status)
		assert.Equal(t, "path_expired", w.submitOn(t, path, of).Code())
	})
}

// The goods of a basket come from one stock point, which must have all of them.
func TestABasketComesFromOneStockPoint(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBasketSale(t, stores, site.Sale{
			Stock: map[string]int64{"0": 2, "n": 5}, Regions: map[string][]string{"n": {"north"}},
		})
		w.basket(t, units("sku", 3, "blue", 2))
		stock := site.Stock(t, stores, w.activity)
		assert.Equal(t, []string{"2", "3", "2"}, []string{stock["sku~n"], stock["blue~n"], stock["blue~0"]})
	})
}

func TestASaleWithBasketsHasNoWaitingList(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBasketSale(t, stores, site.Sale{})
		a := w.Operator(t).Insist(http.MethodPatch, admin+"/activities/"+w.activity, "",
			map[string]any{"offer_within_s": 60})
		assert.Equal(t, http.StatusUnprocessableEntity, a.Status, string(a.Body))
		assert.Contains(t, string(a.Body), "basket_max")
		a = w.Operator(t).Insist(http.MethodPatch, admin+"/activities/"+w.activity, "", map[string]any{"basket_max": 5})
		assert.Contains(t, string(a.Body), "after publishing")
		plain := newPaySale(t, stores, site.Sale{SKU: "x", Others: []string{"y"}, Kind: catalogue.Virtual})
		refused := plain.buyer.Insist(http.MethodPost, "/api/v1/seckill/path", "",
			map[string]any{"activity_id": plain.activity, "lines": units("x", 1, "y", 1)})
		assert.Equal(t, "invalid_request", refused.Code())
		assert.Contains(t, string(refused.Body), "at most 1")
	})
}

// Two instances place and cancel the same two skus at once, the lines in either order, on rows that are all hot.
func TestACrowdOfBasketsSellsEachUnitOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const stock = 20
		s := site.Start(t, stores)
		other := site.Start(t, stores)
		w := &basketSale{&swapSale{graceSale: &graceSale{paySale: &paySale{Site: s}}}}
		w.activity = s.Open(t, site.Sale{
			Others: []string{"blue"}, Stock: map[string]int64{"0": stock}, BasketMax: 2,
		})
		codes := kit.AtOnce(48, func(i int) string {
			buyer := []*site.Site{s, other}[i%2].Buyer(t, fmt.Sprintf("buyer%d", i))
			of := units("sku", 1, "blue", 1)
			if i/2%2 == 0 {
				slices.Reverse(of)
			}
			a := w.path(buyer, of)
			if a.Status == http.StatusOK {
				a = buyer.Submit(t, a.JSON(t)["path"].(string), "key", map[string]any{"lines": of})
			}
			if a.Status == http.StatusAccepted && i%4 == 0 {
				number := a.Placed(t).OrderNumber
				buyer.Insist(http.MethodPost, "/api/v1/orders/"+number+"/cancel", "", nil)
				return "cancelled"
			}
			if a.Status == http.StatusAccepted {
				return "placed"
			}
			return a.Code()
		})
		placed := 0
		for _, code := range codes {
			if code == "placed" {
				placed++
			}
			assert.Contains(t, []string{"placed", "cancelled", "sold_out", "sold_out_unpaid_pending"}, code)
		}
		s.Drain(t)
		s.Job(t, "settle_stock")
		assert.Empty(t, s.Audit(t, w.activity))
		left := site.Stock(t, stores, w.activity)
		for _, sku := range []string{"sku", "blue"} {
			assert.Equal(t, fmt.Sprint(stock-placed), left[sku], sku)
		}
	})
}
