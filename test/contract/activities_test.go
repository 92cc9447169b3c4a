package contract

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/site"
	"onrush/web/client"
)

func TestDraftsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		draft, named := param("activity_id", w.draft), param("activity_id", "named-by-operator")
		w.op.do(t, 200, "putActivity", draft, sent(saleBody()))
		w.op.do(t, 200, "putActivity", named, sent(saleBody()))
		w.op.do(t, 200, "putActivity", named, sent(saleBody()))
		w.op.do(t, 204, "deleteActivity", named)
		w.op.do(t, 404, "deleteActivity", named)
		w.op.do(t, 200, "getStats", draft)
		assert.Empty(t, do[client.History](t, w.op, 200, "getHistory", draft).Items)
		w.op.do(t, 409, "takeActivityOffline", draft)
		w.op.do(t, 409, "changeStock", draft, key("k"), sent(object{"sku_id": "lamp", "point_id": "0", "delta": 1}))
		w.ada.do(t, 404, "getActivity", draft)
		w.op.do(t, 200, "getAdminActivity", draft)
		w.op.do(t, 200, "listAdminActivities", query("state=draft&q=lamp&page=1&page_size=1"))
	})
}

func TestPublishedSalesAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		sale := param("activity_id", w.activity)
		w.op.do(t, 200, "publishActivity", sale)
		w.op.do(t, 409, "putActivity", sale, sent(saleBody()))
		w.op.do(t, 409, "deleteActivity", sale)
		w.op.do(t, 200, "getAdminActivity", sale)
		assert.Len(t, do[client.ActivityList](t, w.ada, 200, "listActivities", query("state=running")).Items, 1)
		assert.Empty(t, do[client.ActivityList](t, w.ada, 200, "listActivities", query("state=upcoming")).Items)
		shown := do[client.Activity](t, w.ada, 200, "getActivity", sale).Skus[0]
		assert.ElementsMatch(t, []string{"north", "0"}, shown.PointIds)
		w.op.do(t, 200, "changeStock", sale, key("empty"),
			sent(object{"sku_id": "lamp", "point_id": "north", "delta": -99_999}))
		require.Eventually(t, func() bool {
			return slices.Equal([]string{"north"},
				do[client.Activity](t, w.ada, 200, "getActivity", sale).Skus[0].SoldOutPoints)
		}, time.Minute, 10*time.Millisecond)

		assert.NotZero(t, do[client.AdminActivity](t, w.op, 200, "pauseActivity", sale).PausedAt)
		assert.Equal(t, "sale_paused",
			w.ada.do(t, 409, "takePath", sent(object{"activity_id": w.activity, "sku_id": "lamp"})).Code())
		w.op.do(t, 200, "getStats", sale)
		assert.Zero(t, do[client.AdminActivity](t, w.op, 200, "resumeActivity", sale).PausedAt)

		w.op.do(t, 200, "takeActivityOffline", sale)
		w.op.do(t, 409, "publishActivity", sale)
		w.op.do(t, 409, "pauseActivity", sale)
		w.op.do(t, 409, "resumeActivity", sale)
		assert.Equal(t, "failure", w.level(t, w.activity, "times"))
		assert.Equal(t, "ended", do[client.Activity](t, w.ada, 200, "getActivity", sale).State)
		assert.Equal(t, "offline",
			w.ada.do(t, 409, "takePath", sent(object{"activity_id": w.activity, "sku_id": "lamp"})).Code())
	})
}

func TestFilesOfSalesAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		id, dry := param("activity_id", "filed"), query("dry_run=true")
		file := saleBody()
		file["state"] = "published"
		shown := do[client.SalePlan](t, w.op, 200, "putActivityFile", id, dry, sent(file))
		assert.Empty(t, shown.State, "there is no sale yet")
		w.op.do(t, 404, "getAdminActivity", id)
		done := do[client.SalePlan](t, w.op, 200, "putActivityFile", id, sent(file))
		assert.Equal(t, shown.Differences, done.Differences)
		assert.Equal(t, "published", done.State)
		assert.Empty(t, do[client.SalePlan](t, w.op, 200, "putActivityFile", id, sent(file)).Differences)

		more := object{"title": "More lamps", "version": done.Version, "skus": []object{{
			"sku_id": "lamp", "stock": []object{{"point_id": "north", "quantity": 7}},
		}}}
		var fields []string
		for _, d := range do[client.SalePlan](t, w.op, 200, "putActivityFile", id, dry, sent(more)).Differences {
			fields = append(fields, d.Field)
		}
		assert.Equal(t, []string{"skus[lamp].stock[0].quantity", "skus[lamp].stock[north].quantity", "title"}, fields)
		w.op.do(t, 200, "changeActivity", id, sent(object{"title": "Others"}))
		for _, how := range []func(*request){dry, query("dry_run=false")} {
			stale := w.op.do(t, 409, "putActivityFile", id, how, sent(more))
			assert.Equal(t, "stale_version", stale.Code())
			assert.Contains(t, string(stale.Body), "Others")
		}
		delete(more, "version")
		w.op.do(t, 200, "putActivityFile", id, sent(more))
		stock := do[client.AdminActivity](t, w.op, 200, "getAdminActivity", id).Skus[0].Stock
		for _, point := range stock {
			assert.EqualValues(t, map[string]int{"north": 7, "0": 0}[point.PointID], point.Quantity)
		}
		for field, wrong := range map[string]object{
			"shop_id":                   {"shop_id": "shop-2"},
			"can't lose a sku":          {"skus": []object{{"sku_id": "tent"}}},
			"skus[1].sku_id":            {"skus": []object{{"sku_id": "lamp"}, {"sku_id": "tent"}}},
			"skus[0].stock[0].point_id": {"skus": []object{{"sku_id": "lamp", "stock": []object{{"point_id": "far"}}}}},
		} {
			refused := w.op.do(t, 422, "putActivityFile", id, dry, sent(wrong))
			assert.Contains(t, string(refused.Body), field)
		}
		w.op.do(t, 200, "takeActivityOffline", id)
		w.op.do(t, 409, "putActivityFile", id, sent(file))
		w.op.do(t, 422, "putActivityFile", param("activity_id", "other"), sent(object{"title": "No skus"}))
	})
}

func TestGoodsThatRequireFieldsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		body := clone(lampBody)
		body["required_fields"] = []string{"size"}
		w.op.do(t, 200, "putSKU", param("sku_id", "lamp"), sent(body))
		w.op.do(t, 200, "listSKUs")
		w.ada.do(t, 200, "listShopSKUs")
		sale := do[client.AdminActivity](t, w.op, 201, "createActivity", sent(saleBody())).ActivityID
		w.op.do(t, 200, "publishActivity", param("activity_id", sale))
		shown := do[client.ActivityList](t, w.ada, 200, "listActivities").Items
		assert.True(t, slices.ContainsFunc(shown, func(a client.Activity) bool {
			return slices.Equal(a.Skus[0].RequiredFields, []string{"size"})
		}))
		order := object{"items": []object{{"sku_id": "lamp", "quantity": 1}}, "address_id": w.address}
		assert.Contains(t, string(w.ada.do(t, 422, "createOrders", key("k"), sent(order)).Body), "fields.size")
	})
}

func TestClonesAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		again := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
		sale := param("activity_id", w.activity)
		cloned := do[client.AdminActivity](t, w.op, 201, "cloneActivity", sale,
			sent(object{"starts_at": again, "ends_at": again.Add(time.Hour)}))
		assert.Equal(t, "draft", cloned.State)
		w.op.do(t, 422, "cloneActivity", sale, sent(object{"ends_at": "2026-01-01T00:00:00Z"}))
		w.op.do(t, 404, "cloneActivity", param("activity_id", "nothing"))
		drafts := do[client.AdminActivityList](t, w.op, 200, "listAdminActivities", query("page_size=1&state=draft"))
		assert.Equal(t, cloned.ActivityID, drafts.Items[0].ActivityID)
		w.op.do(t, 200, "listAdminActivities", query("state=draft&after="+drafts.NextCursor))
	})
}

func TestChecksOfSalesAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		assert.Equal(t, "ok", w.level(t, w.activity, "times"))
		assert.Equal(t, "ok", w.level(t, w.activity, "prices"))
		dear, id := saleBody(), param("activity_id", "dear")
		dear["skus"].([]object)[0]["flash_price"] = 4901 // more than the lamp costs
		w.op.do(t, 200, "putActivity", id, sent(dear))
		assert.Equal(t, "warning", w.level(t, "dear", "prices"))
		assert.Equal(t, "warning", w.level(t, "dear", "times"), "it starts in the past")
		w.op.do(t, 204, "deleteActivity", id)
		w.op.do(t, 404, "checkActivity", id)
	})
}

// level returns the level of the only item of a check.
func (w *world) level(t *testing.T, activity, check string) (level string) {
	t.Helper()
	for _, item := range do[client.ActivityChecks](t, w.op, http.StatusOK, "checkActivity",
		param("activity_id", activity)).Items {
		if item.Check == check {
			require.Empty(t, level, "%s of %s has more than one item", check, activity)
			level = item.Level
		}
	}
	return level
}

// The only unit of the sale is taken. The sale says within which time it may come back.
func TestASoldOutSaleAnswersAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		sale := w.site.Open(t, site.Sale{SKU: "scarce", Stock: map[string]int64{"0": 1}})
		path := do[client.Path](t, w.ada, 200, "takePath", sent(object{"activity_id": sale, "sku_id": "scarce"})).Path
		w.ada.do(t, 202, "submit", param("path", path), key("scarce")) // without a body it is one unit
		require.Eventually(t, func() bool {
			a := w.ada.send(t, w.request(t, "getActivity", param("activity_id", sale)))
			var shown client.Activity
			if json.Unmarshal(a.Body, &shown) != nil || len(shown.Skus) == 0 {
				return false
			}
			within := shown.Skus[0].BackWithinS
			return within != nil && *within <= 900
		}, time.Minute, 20*time.Millisecond)
	})
}
