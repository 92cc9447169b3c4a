package e2e

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// file reads the operators' file of the orders that a query selects, by order number.
func file(t *testing.T, s *site.Site, query string) map[string]map[string]string {
	t.Helper()
	a := s.Operator(t).Call(t, http.MethodGet, admin+"/orders.csv"+query, "", nil)
	require.Equal(t, http.StatusOK, a.Status)
	rows, err := csv.NewReader(strings.NewReader(string(a.Body))).ReadAll()
	require.NoError(t, err)
	byNumber := map[string]map[string]string{}
	for _, row := range rows[1:] {
		cells := map[string]string{}
		for i, name := range rows[0] {
			cells[name] = strings.TrimPrefix(row[i], "'")
		}
		byNumber[cells["order_number"]] = cells
	}
	return byNumber
}

// seen returns an order as its buyer, operators and the feed see it.
func seen(t *testing.T, s *site.Site, buyer *site.Person, number string) map[string]client.Order {
	t.Helper()
	views := map[string]client.Order{
		"order":          buyer.GetOrder(t, number),
		"list":           buyer.ListOrders(t, "order_number="+number).Items[0],
		"operator order": asOrder(t, s.Operator(t).GetAdminOrder(t, number)),
	}
	for _, e := range events(t, s, "types=order.placed") {
		if e.Data.Order.OrderNumber == number {
			views["event"] = asOrder(t, e.Data.Order)
		}
	}
	return views
}

// asOrder returns the fields of another view that orders have.
func asOrder(t *testing.T, view any) (o client.Order) {
	t.Helper()
	text, err := json.Marshal(view)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &o))
	return o
}

func TestAnExpressOrderSaysFromWhichPointItShips(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, eastSale())
		ada := s.Buyer(t, "ada")
		body := client.SubmitRequest{Delivery: "express", AddressID: ada.Address(t, "shanghai")}
		flash := ada.Submit(t, ada.Path(t, activity, "sku"), "k", body).Placed(t).OrderNumber
		cached := ada.GetOrder(t, flash)
		assert.Equal(t, "cache", cached.Source)
		assert.Equal(t, "east", cached.PointID)
		s.Drain(t)
		ordinary := ada.CreateOrders(t, "o", client.OrderRequest{
			Items: []client.OrderLine{{SKUID: "sku"}}, AddressID: body.AddressID,
		})

		for _, order := range []string{flash, ordinary[0].OrderNumber} {
			views := seen(t, s, ada, order)
			require.Len(t, views, 4)
			for view, o := range views {
				assert.Equal(t, "east", o.PointID, view)
				assert.Equal(t, "east", o.Items[0].PointID, view)
			}
			assert.Equal(t, "east", file(t, s, "")[order]["point_id"])
		}
	})
}

func TestTheNotifyTokenOfABuyerIsInOrdersEventsAndFiles(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		ada := s.Buyer(t, "ada")
		const token = "form:1a2b/3c=="
		flash := ada.Submit(t, ada.Path(t, activity, "sku"), "k",
			client.SubmitRequest{NotifyToken: token}).Placed(t).OrderNumber
		s.Drain(t)
		ordinary := ada.CreateOrders(t, "o", client.OrderRequest{
			Items: []client.OrderLine{{SKUID: "sku"}}, NotifyToken: token,
		})
		for _, order := range []string{flash, ordinary[0].OrderNumber} {
			for view, o := range seen(t, s, ada, order) {
				assert.Equal(t, token, o.NotifyToken, view)
			}
			assert.Equal(t, token, file(t, s, "")[order]["notify_token"])
		}
	})
}

func TestAQuantityThatIsNotGivenIsOne(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		ada := s.Buyer(t, "ada")
		path := ada.Path(t, activity, "sku")
		confirmed := site.Read[client.Confirmation](t, http.StatusOK,
			ada.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/confirm", "", nil))
		assert.EqualValues(t, 1, confirmed.Items[0].Quantity)
		first := ada.Submit(t, path, "k", map[string]any{}).Placed(t)
		for _, one := range []any{1, nil} {
			again := ada.Submit(t, path, "k", map[string]any{"quantity": one}).Placed(t)
			assert.Equal(t, first.OrderNumber, again.OrderNumber, "the same request in other words")
		}
		for _, wrong := range []any{0, -1, "1"} {
			a := ada.Submit(t, path, "k2", map[string]any{"quantity": wrong})
			requireRefusal(t, a, http.StatusUnprocessableEntity, "invalid_request")
			a = ada.Call(t, http.MethodPost, "/api/v1/orders", "o", map[string]any{
				"items": []any{map[string]any{"sku_id": "sku", "quantity": wrong}},
			})
			requireRefusal(t, a, http.StatusUnprocessableEntity, "invalid_request")
			assert.Contains(t, string(a.Body), `"field":"items[0].quantity"`)
		}
		o := ada.CreateOrders(t, "o", client.OrderRequest{Items: []client.OrderLine{{SKUID: "sku"}}})
		assert.EqualValues(t, 1, o[0].Items[0].Quantity)
		for _, one := range []any{1, nil} {
			same := site.Read[client.CreateOrders201JSONResponseBody](t, http.StatusCreated,
				ada.Call(t, http.MethodPost, "/api/v1/orders", "o", map[string]any{
					"items": []any{map[string]any{"sku_id": "sku", "quantity": one}},
				}))
			assert.Equal(t, o, same.Orders)
		}
	})
}

func TestPlacingSaysWhichSKUsAreUnknown(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		s.Open(t, site.Sale{})
		a := s.Buyer(t, "ada").Call(t, http.MethodPost, "/api/v1/orders", "o", client.OrderRequest{
			Items: []client.OrderLine{{SKUID: "sku"}, {SKUID: "gone"}, {SKUID: "sold-off"}},
		})
		requireRefusal(t, a, http.StatusNotFound, "not_found")
		problem := site.Read[client.Problem](t, http.StatusNotFound, a)
		assert.Equal(t, "There is no such sku: gone, sold-off.", problem.Detail)
		assert.Equal(t, []client.FieldError{
			{Field: "items[1].sku_id", Detail: "does not exist"}, {Field: "items[2].sku_id", Detail: "does not exist"},
		}, problem.Errors)
	})
}

func TestCountsByRoomAndSourceLeaveOutFailedAndCancelledOrders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		ada := s.Buyer(t, "ada")
		buy := func(key string) string {
			return ada.Submit(t, ada.Path(t, activity, "sku"), key,
				client.SubmitRequest{RoomID: "room", ShareSource: "chat"}).Placed(t).OrderNumber
		}
		counts := func() []int64 {
			stats := s.Operator(t).GetStats(t, activity)
			return []int64{stats.Rooms[0].Orders, stats.ShareSources[0].Orders}
		}
		buy("kept")
		cancelled, due := buy("cancelled"), buy("due")
		s.Drain(t)
		assert.Equal(t, []int64{3, 3}, counts())
		ada.CancelOrder(t, cancelled)
		assert.Equal(t, []int64{2, 2}, counts(), "cancelled by the buyer")
		exec(t, stores, `UPDATE orders SET pay_before_ms = 1 WHERE number = `+due)
		require.Equal(t, 1, s.Job(t, "cancel_unpaid"))
		assert.Equal(t, []int64{1, 1}, counts(), "not paid in time")
		buy("failed")
		exec(t, stores, `UPDATE activity_stock SET total = sold`)
		s.Drain(t)
		assert.Equal(t, []int64{1, 1}, counts(), "without a unit in SQL")
	})
}

func TestChannelsSayHowToPayOnEachDevice(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	list := site.Read[client.ChannelList](t, http.StatusOK,
		s.Buyer(t, "ada").Call(t, http.MethodGet, "/api/v1/channels", "", nil))
	assert.Equal(t, []client.Channel{{Channel: "sandbox", Ways: []client.PaymentWay{
		{Device: "computer", By: "redirect_url"}, {Device: "phone", By: "redirect_url"},
	}}}, list.Items)
}

// unitsOf returns what operators see of the units of a sale's first sku: total, remaining, held and paid.
func unitsOf(t *testing.T, s *site.Site, activity string) []int64 {
	t.Helper()
	stock := s.Operator(t).GetStats(t, activity).Stock[0]
	return []int64{stock.Total, *stock.Remaining, stock.Held, stock.Paid}
}

func TestASoldOutSaleSaysWithinWhichTimeUnitsMayComeBack(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := newPaySale(t, stores, site.Sale{Stock: map[string]int64{"0": 2}, PayWithinS: 600})
		activity, ada := s.activity, s.buyer
		waitFor := func(expected func(sku client.ActivitySKU) bool) client.ActivitySKU {
			t.Helper()
			return site.Poll(t, ada, "/api/v1/activities/"+activity, func(a client.Activity) bool {
				return expected(a.Skus[0])
			}).Skus[0]
		}
		shows := func(soldOut, pending bool, why string) {
			t.Helper()
			sku := waitFor(func(sku client.ActivitySKU) bool {
				return sku.SoldOut == soldOut && sku.UnpaidPending == pending
			})
			require.Equal(t, pending, sku.BackWithinS != nil, why)
			if pending {
				assert.Greater(t, *sku.BackWithinS, int64(500), why)
				assert.LessOrEqual(t, *sku.BackWithinS, int64(600), why)
			}
		}
		shows(false, false, "units are left")
		orders := make([]string, 2)
		for i := range orders {
			orders[i] = ada.Buy(t, activity, "sku", fmt.Sprint(i)).Placed(t).OrderNumber
		}
		shows(true, true, "both are unpaid")
		meta := stores.Keys.Meta(site.Lane(t, stores, activity), activity)
		emptied, err := stores.Redis.HGet(t.Context(), meta, "empty:sku").Int64()
		require.NoError(t, err)
		require.NoError(t, stores.Redis.HSet(t.Context(), meta, "empty:sku", emptied-60_000).Err())
		waitFor(func(sku client.ActivitySKU) bool { // it counts from the last unit that was taken
			return sku.BackWithinS != nil && *sku.BackWithinS <= 540
		})
		hint := func() int { return parsed[client.Problem](askPath(s.Buyer(t, "bea"), activity)).RefreshAfterMs }
		assert.InDelta(t, 530_000, hint(), 10_000, "a refusal says the same")
		require.NoError(t, stores.Redis.HDel(t.Context(), meta, "empty:sku").Err()) // as after a load
		require.Eventually(t, func() bool { return hint() == 1000 }, eventually, soon, "it isn't known")
		require.NoError(t, stores.Redis.HSet(t.Context(), meta, "empty:sku", 1).Err())
		require.Eventually(t, func() bool { return hint() == 1000 }, eventually, soon, "it is past")
		require.NoError(t, stores.Redis.HSet(t.Context(), meta, "empty:sku", emptied).Err())
		s.Drain(t)
		ada.CancelOrder(t, orders[0])
		shows(false, false, "a unit is back")
		again := ada.Buy(t, activity, "sku", "again").Placed(t).OrderNumber
		shows(true, true, "sold once more")
		s.Drain(t)
		assert.Equal(t, []int64{2, 0, 2, 0}, unitsOf(t, s.Site, activity), "unpaid units are held")
		require.Equal(t, http.StatusOK, s.notify(t, s.payment(t, orders[1], again)).Status)
		s.settle(t)
		shows(true, false, "all are paid")
		assert.Equal(t, []int64{2, 0, 0, 2}, unitsOf(t, s.Site, activity), "paid units are not held")
	})
}
