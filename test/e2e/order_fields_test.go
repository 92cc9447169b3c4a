package e2e

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
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
			cells[name] = row[i]
		}
		byNumber[cells["order_number"]] = cells
	}
	return byNumber
}

// seen returns an order as its buyer, operators and the feed see it.
func seen(t *testing.T, s *site.Site, buyer *site.Person, order string) map[string]map[string]any {
	t.Helper()
	listed := must(t, http.StatusOK, buyer.Call(t, http.MethodGet, "/api/v1/orders?order_number="+order, "", nil))
	views := map[string]map[string]any{
		"order": must(t, http.StatusOK, buyer.Call(t, http.MethodGet, "/api/v1/orders/"+order, "", nil)),
		"list":  listed["items"].([]any)[0].(map[string]any),
		"operator order": must(t, http.StatusOK,
			s.Operator(t).Call(t, http.MethodGet, admin+"/orders/"+order, "", nil)),
	}
	for _, e := range events(t, s, "&types=order.placed") {
		if o := e["data"].(map[string]any)["order"].(map[string]any); o["order_number"] == order {
			views["event"] = o
		}
	}
	return views
}

func TestAnExpressOrderSaysFromWhichPointItShips(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, eastSale())
		ada := s.Buyer(t, "ada")
		body := map[string]any{"delivery": "express", "address_id": ada.Address(t, "shanghai")}
		placed := must(t, http.StatusAccepted, ada.Submit(t, ada.Path(t, activity, "sku"), "k", body))
		flash := placed["order_number"].(string)
		cached := must(t, http.StatusOK, ada.Call(t, http.MethodGet, "/api/v1/orders/"+flash, "", nil))
		assert.Equal(t, "cache", cached["source"])
		assert.Equal(t, "east", cached["point_id"])
		s.Drain(t)
		ordinary := must(t, http.StatusCreated, ada.Call(t, http.MethodPost, "/api/v1/orders", "o", map[string]any{
			"items": []any{map[string]any{"sku_id": "sku"}}, "address_id": body["address_id"],
		}))["orders"].([]any)[0].(map[string]any)["order_number"].(string)

		for _, order := range []string{flash, ordinary} {
			views := seen(t, s, ada, order)
			require.Len(t, views, 4)
			for view, o := range views {
				assert.Equal(t, "east", o["point_id"], view)
				assert.Equal(t, "east", o["items"].([]any)[0].(map[string]any)["point_id"], view)
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
		flash := must(t, http.StatusAccepted, ada.Submit(t, ada.Path(t, activity, "sku"), "k",
			map[string]any{"notify_token": token}))["order_number"].(string)
		s.Drain(t)
		ordinary := must(t, http.StatusCreated, ada.Call(t, http.MethodPost, "/api/v1/orders", "o", map[string]any{
			"items": []any{map[string]any{"sku_id": "sku"}}, "notify_token": token,
		}))["orders"].([]any)[0].(map[string]any)["order_number"].(string)
		for _, order := range []string{flash, ordinary} {
			for view, o := range seen(t, s, ada, order) {
				assert.Equal(t, token, o["notify_token"], view)
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
		confirmed := must(t, http.StatusOK, ada.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/confirm", "", nil))
		assert.InDelta(t, 1, confirmed["items"].([]any)[0].(map[string]any)["quantity"], 0)
		first := must(t, http.StatusAccepted, ada.Submit(t, path, "k", map[string]any{}))
		for _, one := range []any{1, nil} {
			again := must(t, http.StatusAccepted, ada.Submit(t, path, "k", map[string]any{"quantity": one}))
			assert.Equal(t, first["order_number"], again["order_number"], "the same request in other words")
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
		ordinary := func(item map[string]any) map[string]any {
			return must(t, http.StatusCreated, ada.Call(t, http.MethodPost, "/api/v1/orders", "o",
				map[string]any{"items": []any{item}}))["orders"].([]any)[0].(map[string]any)
		}
		o := ordinary(map[string]any{"sku_id": "sku"})
		assert.InDelta(t, 1, o["items"].([]any)[0].(map[string]any)["quantity"], 0)
		for _, one := range []any{1, nil} {
			same := ordinary(map[string]any{"sku_id": "sku", "quantity": one})
			assert.Equal(t, o["order_number"], same["order_number"])
		}
	})
}

func TestPlacingSaysWhichSKUsAreUnknown(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		s.Open(t, site.Sale{})
		a := s.Buyer(t, "ada").Call(t, http.MethodPost, "/api/v1/orders", "o", map[string]any{"items": []any{
			map[string]any{"sku_id": "sku"}, map[string]any{"sku_id": "gone"}, map[string]any{"sku_id": "sold-off"},
		}})
		requireRefusal(t, a, http.StatusNotFound, "not_found")
		problem := a.JSON(t)
		assert.Equal(t, "There is no such sku: gone, sold-off.", problem["detail"])
		assert.Equal(t, []any{
			map[string]any{"field": "items[1].sku_id", "detail": "does not exist"},
			map[string]any{"field": "items[2].sku_id", "detail": "does not exist"},
		}, problem["errors"])
	})
}

func TestCountsByRoomAndSourceLeaveOutFailedAndCancelledOrders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		ada := s.Buyer(t, "ada")
		buy := func(key string) string {
			return must(t, http.StatusAccepted, ada.Submit(t, ada.Path(t, activity, "sku"), key,
				map[string]any{"room_id": "room", "share_source": "chat"}))["order_number"].(string)
		}
		counts := func() []any {
			stats := must(t, http.StatusOK, s.Operator(t).Call(t, http.MethodGet,
				admin+"/activities/"+activity+"/stats", "", nil))
			return []any{
				stats["rooms"].([]any)[0].(map[string]any)["orders"],
				stats["share_sources"].([]any)[0].(map[string]any)["orders"],
			}
		}
		buy("kept")
		cancelled, due := buy("cancelled"), buy("due")
		s.Drain(t)
		assert.Equal(t, []any{3.0, 3.0}, counts())
		must(t, http.StatusOK, ada.Call(t, http.MethodPost, "/api/v1/orders/"+cancelled+"/cancel", "", nil))
		assert.Equal(t, []any{2.0, 2.0}, counts(), "cancelled by the buyer")
		exec(t, stores, `UPDATE orders SET pay_before_ms = 1 WHERE number = `+due)
		require.Equal(t, 1, s.Job(t, "cancel_unpaid"))
		assert.Equal(t, []any{1.0, 1.0}, counts(), "not paid in time")
		buy("failed")
		exec(t, stores, `UPDATE activity_stock SET total = sold`)
		s.Drain(t)
		assert.Equal(t, []any{1.0, 1.0}, counts(), "without a unit in SQL")
	})
}

func TestChannelsSayHowToPayOnEachDevice(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	list := must(t, http.StatusOK, s.Buyer(t, "ada").Call(t, http.MethodGet, "/api/v1/channels", "", nil))
	assert.Equal(t, []any{map[string]any{"channel": "sandbox", "ways": []any{
		map[string]any{"device": "computer", "by": "redirect_url"},
		map[string]any{"device": "phone", "by": "redirect_url"},
	}}}, list["items"])
}

// unitsOf returns what operators see of the units of a sale's first sku: total, remaining, held and paid.
func unitsOf(t *testing.T, s *site.Site, activity string) []any {
	t.Helper()
	stats := must(t, http.StatusOK,
		s.Operator(t).Call(t, http.MethodGet, admin+"/activities/"+activity+"/stats", "", nil))
	stock := stats["stock"].([]any)[0].(map[string]any)
	return []any{stock["total"], stock["remaining"], stock["held"], stock["paid"]}
}

func TestASoldOutSaleSaysWithinWhichTimeUnitsMayComeBack(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := newPaySale(t, stores, site.Sale{Stock: map[string]int64{"0": 2}, PayWithinS: 600})
		activity, ada := s.activity, s.buyer
		sku := func() map[string]any {
			a := must(t, http.StatusOK, ada.Call(t, http.MethodGet, "/api/v1/activities/"+activity, "", nil))
			return a["skus"].([]any)[0].(map[string]any)
		}
		shows := func(soldOut, pending bool, why string) {
			t.Helper()
			require.Eventually(t, func() bool {
				s := sku()
				return s["sold_out"] == soldOut && s["unpaid_pending"] == pending
			}, eventually, soon, why)
			within, said := sku()["back_within_s"].(float64)
			require.Equal(t, pending, said, why)
			if said {
				assert.Greater(t, within, 500.0, why)
				assert.LessOrEqual(t, within, 600.0, why)
			}
		}
		shows(false, false, "units are left")
		orders := make([]string, 2)
		for i := range orders {
			accepted := must(t, http.StatusAccepted, ada.Buy(t, activity, "sku", fmt.Sprint(i)))
			orders[i] = accepted["order_number"].(string)
		}
		shows(true, true, "both are unpaid")
		meta := stores.Keys.Meta(laneOf(t, stores, activity), activity)
		emptied, err := stores.Redis.HGet(t.Context(), meta, "empty:sku").Int64()
		require.NoError(t, err)
		require.NoError(t, stores.Redis.HSet(t.Context(), meta, "empty:sku", emptied-60_000).Err())
		require.Eventually(t, func() bool { return sku()["back_within_s"].(float64) <= 540 }, eventually, soon,
			"it counts from the last unit that was taken")
		require.NoError(t, stores.Redis.HSet(t.Context(), meta, "empty:sku", emptied).Err())
		s.Drain(t)
		must(t, http.StatusOK, ada.Call(t, http.MethodPost, "/api/v1/orders/"+orders[0]+"/cancel", "", nil))
		shows(false, false, "a unit is back")
		again := must(t, http.StatusAccepted, ada.Buy(t, activity, "sku", "again"))["order_number"].(string)
		shows(true, true, "sold once more")
		s.Drain(t)
		assert.Equal(t, []any{2.0, 0.0, 2.0, 0.0}, unitsOf(t, s.Site, activity), "unpaid units are held")
		require.Equal(t, http.StatusOK, s.notify(t, s.payment(t, orders[1], again)).Status)
		s.settle(t)
		shows(true, false, "all are paid")
		assert.Equal(t, []any{2.0, 0.0, 0.0, 2.0}, unitsOf(t, s.Site, activity), "paid units are not held")
	})
}
