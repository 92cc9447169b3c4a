package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func TestASaleIsDraftedPublishedAndTakenOffline(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, alice := s.Operator(t), s.Buyer(t, "alice")
		stockShop(t, op)
		draft := op.CreateActivity(t, lampSale("east"))
		assert.Equal(t, "draft", draft.State)
		assert.EqualValues(t, -1, draft.PurchaseLimit, "no limit unless one is set")
		assert.InDelta(t, -1, draft.PermitRatio, 0)
		at := admin + "/activities/" + draft.ActivityID
		for _, call := range []string{"/offline", "/reload"} {
			requireRefusal(t, op.Call(t, http.MethodPost, at+call, "", nil), http.StatusConflict, "conflict")
		}

		body := lampSale("east", "south")
		body.Title, body.PurchaseLimit = "Bright lamps", 2
		changed := site.Read[client.AdminActivity](t, http.StatusOK, op.Call(t, http.MethodPut, at, "", body))
		assert.Equal(t, "Bright lamps", changed.Title)
		assert.Equal(t, changed, op.GetAdminActivity(t, draft.ActivityID))
		assert.Empty(t, alice.ListActivities(t, "").Items, "buyers see no drafts")

		assert.Equal(t, "published", op.PublishActivity(t, draft.ActivityID).State)
		requireRefusal(t, op.Call(t, http.MethodPut, at, "", lampSale("east")), http.StatusConflict, "conflict")
		op.PublishActivity(t, draft.ActivityID)
		requireShown(t, alice, draft.ActivityID)

		for range 2 {
			assert.Equal(t, "offline", op.TakeActivityOffline(t, draft.ActivityID).State)
		}
		requireRefusal(t, op.Call(t, http.MethodPost, at+"/publish", "", nil), http.StatusConflict, "conflict")
		requireRefusal(t, op.Call(t, http.MethodPut, at, "", lampSale("east")), http.StatusConflict, "conflict")
		for state, n := range map[string]int64{"draft": 0, "published": 0, "offline": 1} {
			list := site.Read[client.AdminActivityList](t, http.StatusOK,
				op.Call(t, http.MethodGet, admin+"/activities?state="+state, "", nil))
			assert.Equal(t, n, list.Total, state)
		}
	})
}

// requireShown waits until a buyer's list has the published lamp sale, and looks at it.
func requireShown(t *testing.T, p *site.Person, activity string) {
	t.Helper()
	list := site.Poll(t, p, "/api/v1/activities?state=running",
		func(list client.ActivityList) bool { return len(list.Items) == 1 })
	shown := list.Items[0]
	assert.Equal(t, activity, shown.ActivityID)
	assert.Equal(t, "running", shown.State)
	assert.Equal(t, client.ActivitySKU{
		SKUID: "lamp", Title: "Desk lamp", ImageURL: "https://img.example/lamp.png", Kind: "physical", Currency: "CNY",
		PurchaseLimit: -1, ListPrice: 4900, FlashPrice: 1900, Total: 100, Remaining: 100,
		Freight: client.Freight{Fee: 600, FreeOver: 10000},
	}, shown.Skus[0])
}

func TestASaleThatDoesNotFitTheCatalogueIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		stockShop(t, op)
		op.PutSKU(t, "alien", client.SKURequest{
			Title: "Alien", ShopID: "elsewhere", Kind: "virtual", Price: 1, Currency: "CNY",
		})
		sale := func(skus ...client.ActivityRequestSKU) any { return with(t, lampSale(), "skus", skus) }
		at := func(sku string, points ...string) client.ActivityRequestSKU {
			stock := []client.PointStock{}
			for _, p := range points {
				stock = append(stock, client.PointStock{PointID: p, Quantity: 1})
			}
			return client.ActivityRequestSKU{SKUID: sku, FlashPrice: 1, Stock: stock}
		}
		changed := func(field string, value any) any { return with(t, lampSale("east"), field, value) }
		draft := op.CreateActivity(t, lampSale("east")).ActivityID

		for name, body := range map[string]any{
			"an unknown sku":           sale(at("unknown", "east")),
			"an unknown point":         sale(at("lamp", "moon")),
			"a sku twice":              sale(at("lamp", "east"), at("lamp", "south")),
			"a point twice":            sale(at("lamp", "east", "east")),
			"another shop's sku":       sale(at("alien", "0")),
			"a course in the east":     sale(at("course", "east")),
			"no sku":                   sale(),
			"no stock":                 sale(at("lamp")),
			"it ends before it starts": changed("ends_at", "2020-01-01T00:00:00Z"),
			"a limit of nothing":       changed("purchase_limit", 0),
			"a ratio of nothing":       changed("permit_ratio", 0),
			"no time to pay":           changed("pay_within_s", 0),
			"a room that admits none":  changed("waiting_room", map[string]any{"paths_per_second": 0}),
			"an unknown check":         changed("human_check", "riddle"),
			"a captcha of nobody":      changed("human_check", "captcha"),
			"a limit without a time":   changed("limits", map[string]any{"item": map[string]any{"requests": 1}}),
		} {
			for method, path := range map[string]string{
				http.MethodPost: admin + "/activities", http.MethodPut: admin + "/activities/" + draft,
			} {
				a := op.Call(t, method, path, "", body)
				assert.Equal(t, "invalid_request", a.Code(), "%s, %s: %d %s", name, method, a.Status, a.Body)
				assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s, %s", name, method)
			}
		}
	})
}
