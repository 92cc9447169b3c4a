package contract

import (
	"fmt"
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
	"onrush/web"
	"onrush/web/client"
)

// shopkeeper is an operator of one shop, shop-2, beside the shop of the world.
type shopkeeper struct {
	*person
	activity, draft, order, payment string
	shared                          string // an order that was paid together with one of the other shop, otherOrder
	sharedPayment, otherOrder       string
}

// keeps opens a second shop with a sku, a sale, a voucher and orders, and makes a key for its operator.
func (w *world) keeps(t *testing.T, scope string) *shopkeeper {
	t.Helper()
	made := do[client.Key](t, w.op, 201, "createKey", key("keeper"+scope),
		sent(object{"name": "keeper " + scope, "scope": scope, "shop_id": "shop-2"}))
	assert.Equal(t, "shop-2", string(made.ShopID))
	k := &shopkeeper{person: &person{shop: w.shop, name: "key:" + made.Name, token: made.Secret}}
	vase := clone(lampBody)
	vase["title"], vase["shop_id"] = "Vase", "shop-2"
	k.do(t, 200, "putSKU", param("sku_id", "vase"), sent(vase))
	pass := voucherBody(4900)
	pass["title"], pass["shop_id"] = "Pass", "shop-2"
	k.do(t, 200, "putSKU", param("sku_id", "pass"), sent(pass))
	k.do(t, 200, "importVouchers", param("sku_id", "pass"), sent(object{"codes": []string{"PASS-1"}}))
	k.draft = do[client.AdminActivity](t, k.person, 201, "createActivity", sent(k.saleBody())).ActivityID
	k.activity = do[client.AdminActivity](t, k.person, 200, "putActivity", param("activity_id", "vases"),
		sent(k.saleBody())).ActivityID
	k.do(t, 200, "publishActivity", param("activity_id", k.activity))
	zoe := w.buyer(t, "zoe")
	home := clone(addressBody)
	home["receiver"], home["phone"] = "Zoe Zadeh", "13800000000"
	address := do[client.Address](t, zoe, 201, "createAddress", sent(home)).AddressID
	k.order = do[client.CreateOrders201JSONResponseBody](t, zoe, 201, "createOrders", key("own"), sent(object{
		"items": []object{{"sku_id": "vase", "quantity": 1}}, "address_id": address,
	})).Orders[0].OrderNumber
	k.payment = w.paysOrders(t, zoe, "own", k.order)
	both := do[client.CreateOrders201JSONResponseBody](t, zoe, 201, "createOrders", key("both"), sent(object{
		"items": []object{{"sku_id": "vase", "quantity": 1}, {"sku_id": "lamp", "quantity": 1}}, "address_id": address,
	})).Orders
	require.Len(t, both, 2)
	for _, o := range both {
		if o.ShopID == "shop-2" {
			k.shared = o.OrderNumber
		} else {
			k.otherOrder = o.OrderNumber
		}
	}
	k.sharedPayment = w.paysOrders(t, zoe, "both", k.shared, k.otherOrder)
	return k
}

func (k *shopkeeper) saleBody() object {
	body := saleBody()
	body["title"], body["shop_id"] = "Vases at noon", "shop-2"
	body["skus"].([]object)[0]["sku_id"] = "vase"
	return body
}

// paysOrders pays orders together, and returns the number of the payment.
func (w *world) paysOrders(t *testing.T, buyer *person, k string, numbers ...string) string {
	t.Helper()
	begun := do[client.Payment](t, buyer, 201, "beginPayment", key("p-"+k), sent(object{
		"order_numbers": numbers, "channel": "sandbox", "return_url": site.ShopOrigin + "/paid",
	}))
	p := site.Payment{
		Number: begun.PayNumber, Transaction: "txn-" + k, Amount: begun.Amount, Currency: begun.Currency,
	}
	w.site.Money(t, p)
	answer, err := w.site.Notify(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.Status)
	return p.Number
}

// of the other shop is whatever these texts name.
func (w *world) othersMarks(k *shopkeeper) []string {
	return []string{
		"shop-1", "Lamp", `"lamp"`, w.activity, w.draft, w.number, w.money.order, w.money.payment, w.money.refund,
		w.many.order, w.many.payment, w.cash, w.back, w.outside, w.voucher, "SPA-1", `"gift"`, `"spa"`, `"eve"`,
		`"ada"`,
		k.otherOrder, k.sharedPayment,
	}
}

// rows returns all rows of what shops have.
func (w *world) rows(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, table := range []string{
		"skus", "stock_points", "activities", "activity_skus", "activity_stock", "orders", "orders_archive",
		"order_items", "order_log", "order_notes", "payments", "payment_orders", "payment_notifications", "refunds",
		"vouchers", "voucher_pools", "voucher_codes", "voucher_waits", "stock_outbox", "events", "blocked",
		"endpoints", "settings",
	} {
		//nolint:sqlclosecheck // below
		rows, err := w.stores.DB.Write.QueryxContext(t.Context(), "SELECT * FROM "+table)
		require.NoError(t, err)
		var lines []string
		for rows.Next() {
			values, err := rows.SliceScan()
			require.NoError(t, err)
			lines = append(lines, fmt.Sprintf("%s %s", table, values))
		}
		require.NoError(t, rows.Err())
		require.NoError(t, rows.Close())
		slices.Sort(lines)
		all.WriteString(strings.Join(lines, "\n"))
	}
	return all.String()
}

// owned are the parameters of paths that name what belongs to a shop.
var owned = []string{"activity_id", "sku_id", "order_number", "pay_number", "refund_number", "code", "user_id"}

// A shop's operator calls each operators' route with a valid request about another shop's things.
func TestAnOperatorOfAShopSeesAndChangesNothingOfOthers(t *testing.T) {
	t.Parallel()
	inTurn(t)
	w := standing(t, kit.OnEmbedded(t))
	k := w.keeps(t, "admin")
	requests := map[*operation]*request{} // before the first of them changes something
	for _, op := range w.operations {
		if op.role() == web.RoleAdmin {
			requests[op] = w.good(t, op)
			if op.id == "getUserTrail" {
				param("user_id", "ada")(requests[op])
			}
		}
	}
	w.site.Drain(t)
	before, marks := w.rows(t), w.othersMarks(k)
	for _, mark := range marks {
		require.NotEmpty(t, mark)
	}
	declared := 0
	for op, good := range requests {
		a := k.send(t, good)
		for _, mark := range marks {
			assert.NotContains(t, string(a.Body), mark, op.id)
		}
		assert.Less(t, a.Status, 500, op.id)
		if shops, _ := op.op.Extensions["x-shops"].(bool); !shops {
			assert.Equal(t, []any{403, "forbidden"}, []any{a.Status, a.Code()}, op.id)
			continue
		}
		declared++
		if slices.ContainsFunc(owned, func(name string) bool { return good.params[name] != "" }) {
			assert.Equal(t, 404, a.Status, "%s: %s", op.id, a.Body)
		}
	}
	assert.Greater(t, declared, 50)
	assert.Equal(t, before, w.rows(t))
}

func TestAnOperatorOfAShopWorksInIt(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		k := w.keeps(t, "admin")
		me := do[client.Me](t, k.person, 200, "getMe")
		assert.Equal(t, "shop-2", string(me.ShopID))
		var may, described []string
		for _, r := range me.Routes {
			may = append(may, r.Route)
		}
		for _, op := range w.operations {
			if shops, _ := op.op.Extensions["x-shops"].(bool); shops {
				described = append(described, op.method+" "+op.path[len("/admin/api/v1"):])
			}
		}
		assert.ElementsMatch(t, described, may)
		listed := do[client.KeyList](t, w.op, 200, "listKeys").Items
		assert.Equal(t, []string{"shop-2", "admin"}, []string{string(listed[0].ShopID), string(listed[0].Scope)})

		refund := do[client.Refund](t, k.person, 202, "refundOrder", param("order_number", k.order), key("r"),
			sent(object{"amount": 1})).RefundNumber
		for id, has := range map[string][]string{
			"listAdminActivities": {k.activity, k.draft}, "listSKUs": {"vase", "pass"}, "listVoucherPools": {"pass"},
			"listAdminOrders": {k.order, k.shared}, "listAdminPayments": {k.payment}, "listRefunds": {refund},
		} {
			body := k.do(t, 200, id).JSON(t)
			assert.Len(t, body["items"], len(has), "%s: %v", id, body)
			for _, own := range has {
				assert.Contains(t, fmt.Sprint(body), own, id)
			}
			assert.Len(t, w.op.do(t, 200, id, query("shop_id=shop-2")).JSON(t)["items"], len(has), id)
			k.do(t, 200, id, query("shop_id=shop-2"))
			k.do(t, 403, id, query("shop_id=shop-1"))
		}
		for id, mark := range map[string]string{
			"exportOrders": k.order, "exportPayments": k.payment, "exportRefunds": refund,
		} {
			file := string(k.do(t, 200, id).Body)
			assert.Contains(t, file, mark)
			assert.NotContains(t, file, k.otherOrder)
		}
		// Nothing tells of the other order that its buyer paid together with one of this shop.
		shared := do[client.AdminOrder](t, k.person, 200, "getAdminOrder", param("order_number", k.shared))
		assert.Empty(t, shared.Payments)
		k.do(t, 404, "getAdminPayment", param("pay_number", k.sharedPayment))
		k.do(t, 200, "getAdminPayment", param("pay_number", k.payment))
		assert.Len(t, do[client.AdminOrder](t, k.person, 200, "getAdminOrder",
			param("order_number", k.order)).Payments, 1)
		k.do(t, 200, "getRefund", param("refund_number", refund))
		w.findsOfShop(t, k, refund)
		k.do(t, 422, "listPoints", query("activity_id="+w.activity))
		k.do(t, 200, "listPoints", query("activity_id="+k.activity))
	})
}

// findsOfShop searches as a shop's operator, and reads what the shop earned and what became of its buyers.
func (w *world) findsOfShop(t *testing.T, k *shopkeeper, refund string) {
	t.Helper()
	find := func(p *person, q string) (ids []string) {
		q = "q=" + url.QueryEscape(q)
		for _, hit := range do[client.SearchResult](t, p, 200, "search", query(q)).Items {
			ids = append(ids, hit.Kind+" "+hit.ID)
		}
		return ids
	}
	for q, want := range map[string][]string{
		k.order: {"order " + k.order}, k.payment: {"payment " + k.payment}, refund: {"refund " + refund},
		"zoe":               {"user zoe", "order " + k.shared, "order " + k.order},
		"zoe zadeh":         {"order " + k.shared, "order " + k.order},
		"+86 138-0000-0000": {"order " + k.shared, "order " + k.order},
	} {
		assert.ElementsMatch(t, want, find(k.person, q), q)
		assert.Subset(t, find(w.op, q), want, q)
	}
	others := find(w.op, "13800000000")
	assert.Contains(t, others, "order "+k.otherOrder)
	for _, q := range []string{k.otherOrder, k.sharedPayment, w.places(t, "adas").OrderNumber, "ada"} {
		assert.NotEmpty(t, find(w.op, q), q)
		assert.Empty(t, find(k.person, q), q)
	}
	earned := do[client.RevenueList](t, k.person, 200, "getRevenue").Items
	all := do[client.RevenueList](t, w.op, 200, "getRevenue").Items
	require.Len(t, earned, 1)
	own := do[client.AdminOrder](t, k.person, 200, "getAdminOrder", param("order_number", k.order)).TotalAmount +
		do[client.AdminOrder](t, k.person, 200, "getAdminOrder", param("order_number", k.shared)).TotalAmount
	assert.Equal(t, []int64{own, 2}, []int64{earned[0].PaidAmount, earned[0].Payments})
	assert.Greater(t, all[0].PaidAmount, own)

	zoe := w.buyer(t, "zoe")
	zoe.do(t, 404, "takePath", sent(object{"activity_id": k.activity, "sku_id": "nothing"}))
	zoe.do(t, 404, "takePath", sent(object{"activity_id": w.activity, "sku_id": "nothing"}))
	trail := do[client.Trail](t, k.person, 200, "getUserTrail", param("user_id", "zoe"))
	assert.Len(t, trail.Orders, 2)
	require.Len(t, trail.Refusals, 1)
	assert.Equal(t, k.activity, trail.Refusals[0].ActivityID)
	request := trail.Refusals[0].FirstRequestID
	assert.Equal(t, []string{"refusal " + request}, find(k.person, request))
	everywhere := do[client.Trail](t, w.op, 200, "getUserTrail", param("user_id", "zoe"))
	assert.Len(t, everywhere.Orders, 3)
	require.Len(t, everywhere.Refusals, 2)
	for _, r := range everywhere.Refusals {
		if r.ActivityID == w.activity {
			assert.Empty(t, find(k.person, r.FirstRequestID))
			assert.NotEmpty(t, find(w.op, r.FirstRequestID))
		}
	}
	k.do(t, 404, "getUserTrail", param("user_id", "ada"))
}

// What the path doesn't name, the body does.
func TestAnOperatorOfAShopPutsNothingIntoOthers(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		k := w.keeps(t, "admin")
		before := w.rows(t)
		lamp, vase, taken := clone(lampBody), clone(lampBody), clone(lampBody)
		lamp["sku_id"] = "lamp"
		vase["sku_id"], vase["shop_id"] = "vase", "shop-2"
		taken["sku_id"], taken["shop_id"] = "lamp", "shop-2" // would move it here
		foreign := k.saleBody()
		foreign["skus"].([]object)[0]["sku_id"] = "lamp"
		for name, a := range map[string]struct {
			status int
			id     string
			parts  []part
		}{
			"its sku into another":       {422, "putSKU", []part{param("sku_id", "vase"), sent(lampOf("vase"))}},
			"a new sku into another":     {422, "putSKU", []part{param("sku_id", "new"), sent(lampOf("new"))}},
			"another's sku into its own": {404, "putSKU", []part{param("sku_id", "lamp"), sent(taken)}},
			"a batch of another":         {422, "putSKUs", []part{sent(object{"items": []any{vase, lamp}})}},
			"a batch that moves one":     {422, "putSKUs", []part{sent(object{"items": []any{vase, taken}})}},
			"a batch of stock": {422, "setSKUStocks", []part{sent(object{"items": []any{
				object{"sku_id": "vase", "stock": 1}, object{"sku_id": "lamp", "stock": 1},
			}})}},
			"a new sale of another": {422, "createActivity", []part{sent(saleBody())}},
			"a sale put into another": {
				422, "putActivity", []part{param("activity_id", k.draft), sent(saleBody())},
			},
			"a sale's file into another": {
				422, "putActivityFile", []part{param("activity_id", "new"), sent(saleBody())},
			},
			"another's sku in its sale": {422, "createActivity", []part{sent(foreign)}},
			"refunds of both": {422, "refundOrders", []part{
				key("b"), sent(object{"order_numbers": []any{k.order, k.otherOrder}}),
			}},
		} {
			t.Log(name)
			k.do(t, a.status, a.id, a.parts...)
		}
		w.op.do(t, 422, "createKey", key("feed"),
			sent(object{"name": "feed", "scope": "events", "shop_id": "shop-2"}))
		assert.Equal(t, before, w.rows(t))
		until := sent(object{"name": "of another", "scope": "till", "expires_at": time.Now().Add(time.Hour)})
		k.do(t, 403, "createKey", key("mine"), until)
	})
}

func lampOf(id string) object {
	lamp := clone(lampBody)
	lamp["sku_id"] = id
	return lamp
}
