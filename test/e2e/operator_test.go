package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

func TestASaleIsDraftedPublishedAndTakenOffline(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, alice := s.Operator(t), s.Buyer(t, "alice")
		stockShop(t, op)
		draft := must(t, http.StatusCreated, op.Call(t, http.MethodPost, admin+"/activities", "", lampSale("east")))
		assert.Equal(t, "draft", draft["state"])
		assert.InDelta(t, -1, draft["purchase_limit"], 0, "no limit unless one is set")
		assert.InDelta(t, -1, draft["permit_ratio"], 0)
		at := admin + "/activities/" + draft["activity_id"].(string)
		for _, call := range []string{"/offline", "/reload"} {
			requireRefusal(t, op.Call(t, http.MethodPost, at+call, "", nil), http.StatusConflict, "conflict")
		}

		body := with(with(lampSale("east", "south"), "title", "Bright lamps"), "purchase_limit", 2)
		changed := must(t, http.StatusOK, op.Call(t, http.MethodPut, at, "", body))
		assert.Equal(t, "Bright lamps", changed["title"])
		assert.Equal(t, changed, must(t, http.StatusOK, op.Call(t, http.MethodGet, at, "", nil)))
		assert.Empty(t, must(t, http.StatusOK, alice.Call(t, http.MethodGet, "/api/v1/activities", "", nil))["items"],
			"buyers see no drafts")

		assert.Equal(t, "published",
			must(t, http.StatusOK, op.Call(t, http.MethodPost, at+"/publish", "", nil))["state"])
		requireRefusal(t, op.Call(t, http.MethodPut, at, "", lampSale("east")), http.StatusConflict, "conflict")
		must(t, http.StatusOK, op.Call(t, http.MethodPost, at+"/publish", "", nil))
		requireShown(t, alice, draft["activity_id"].(string))

		assert.Equal(t, "offline", must(t, http.StatusOK, op.Call(t, http.MethodPost, at+"/offline", "", nil))["state"])
		assert.Equal(t, "offline", must(t, http.StatusOK, op.Call(t, http.MethodPost, at+"/offline", "", nil))["state"])
		requireRefusal(t, op.Call(t, http.MethodPost, at+"/publish", "", nil), http.StatusConflict, "conflict")
		requireRefusal(t, op.Call(t, http.MethodPut, at, "", lampSale("east")), http.StatusConflict, "conflict")
		for state, n := range map[string]float64{"draft": 0, "published": 0, "offline": 1} {
			assert.InDelta(t, n, must(t, http.StatusOK,
				op.Call(t, http.MethodGet, admin+"/activities?state="+state, "", nil))["total"], 0, state)
		}
	})
}

// requireShown waits until a buyer's list has the published lamp sale, and looks at it.
func requireShown(t *testing.T, p *site.Person, activity string) {
	t.Helper()
	var items []any
	require.Eventually(t, func() bool {
		items = must(t, http.StatusOK,
			p.Call(t, http.MethodGet, "/api/v1/activities?state=running", "", nil))["items"].([]any)
		return len(items) == 1
	}, eventually, soon)
	shown := items[0].(map[string]any)
	assert.Equal(t, activity, shown["activity_id"])
	assert.Equal(t, "running", shown["state"])
	lamp := shown["skus"].([]any)[0].(map[string]any)
	assert.Equal(t, "lamp", lamp["sku_id"])
	assert.Equal(t, "Desk lamp", lamp["title"])
	assert.Equal(t, "https://img.example/lamp.png", lamp["image_url"])
	for field, want := range map[string]float64{
		"list_price": 4900, "flash_price": 1900, "total": 100, "remaining": 100,
	} {
		assert.InDelta(t, want, lamp[field], 0, field)
	}
	assert.Equal(t, false, lamp["sold_out"])
}

func TestASaleThatDoesNotFitTheCatalogueIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		stockShop(t, op)
		must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/skus/alien", "", map[string]any{
			"title": "Alien", "shop_id": "elsewhere", "kind": "virtual", "price": 1, "currency": "CNY", "stock": 0,
		}))
		sale := func(skus ...map[string]any) map[string]any { return with(lampSale(), "skus", skus) }
		lamp := func(points ...string) map[string]any {
			stock := []map[string]any{}
			for _, p := range points {
				stock = append(stock, map[string]any{"point_id": p, "quantity": 1})
			}
			return map[string]any{"sku_id": "lamp", "flash_price": 1, "stock": stock}
		}
		draft := must(t, http.StatusCreated,
			op.Call(t, http.MethodPost, admin+"/activities", "", lampSale("east")))["activity_id"].(string)

		for name, body := range map[string]map[string]any{
			"an unknown sku":           sale(with(lamp("east"), "sku_id", "unknown")),
			"an unknown point":         sale(lamp("moon")),
			"a sku twice":              sale(lamp("east"), lamp("south")),
			"a point twice":            sale(lamp("east", "east")),
			"another shop's sku":       sale(with(lamp("0"), "sku_id", "alien")),
			"a course in the east":     sale(with(lamp("east"), "sku_id", "course")),
			"no sku":                   sale(),
			"no stock":                 sale(lamp()),
			"it ends before it starts": with(lampSale("east"), "ends_at", "2020-01-01T00:00:00Z"),
			"a limit of nothing":       with(lampSale("east"), "purchase_limit", 0),
			"a ratio of nothing":       with(lampSale("east"), "permit_ratio", 0),
			"no time to pay":           with(lampSale("east"), "pay_within_s", 0),
			"a room that admits none":  with(lampSale("east"), "waiting_room", map[string]any{"paths_per_second": 0}),
			"an unknown check":         with(lampSale("east"), "human_check", "riddle"),
			"a captcha of nobody":      with(lampSale("east"), "human_check", "captcha"),
			"a limit without a time": with(lampSale("east"), "limits",
				map[string]any{"item": map[string]any{"requests": 1}}),
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

func TestOperatorsRoutesAreForOperators(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		for call, method := range map[string]string{
			"/skus": http.MethodGet, "/points": http.MethodGet, "/queue": http.MethodGet, "/queue/dead": http.MethodGet,
			"/activities": http.MethodGet, "/activities/" + activity + "/offline": http.MethodPost,
			"/activities/" + activity + "/audit/repair": http.MethodPost,
		} {
			requireRefusal(t, s.Buyer(t, "alice").Call(t, method, admin+call, "", nil),
				http.StatusForbidden, "forbidden")
			requireRefusal(t, s.Stranger().Call(t, method, admin+call, "", nil), http.StatusUnauthorized,
				"unauthorized")
		}
		must(t, http.StatusAccepted, s.Buyer(t, "alice").Buy(t, activity, "sku", "k1"))
	})
}

func TestReloadIsForASaleThatRedisLost(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 3}, PurchaseLimit: 1})
		alice := buyOnce(t, s, activity, "alice")
		reload := admin + "/activities/" + activity + "/reload"
		requireRefusal(t, op.Call(t, http.MethodPost, reload, "", nil), http.StatusConflict, "conflict")
		s.Drain(t)
		require.NoError(t, stores.Redis.FlushDB(t.Context()).Err())
		requireRefusal(t, op.Call(t, http.MethodGet, admin+"/activities/"+activity+"/audit", "", nil),
			http.StatusConflict, "conflict")

		must(t, http.StatusOK, op.Call(t, http.MethodPost, reload, "", nil))

		requireRefusal(t, op.Call(t, http.MethodPost, reload, "", nil), http.StatusConflict, "conflict")
		assert.Equal(t, map[string]string{"sku": "2", "sku:0": "2"}, stockInRedis(t, stores, activity))
		requireRefusal(t, alice.Submit(t, alice.path, "k2", one), http.StatusConflict, "purchase_limit")
		alice.requireReplay(t, "loaded again")
		assert.Empty(t, s.Audit(t, activity))
		requireRefusal(t, op.Call(t, http.MethodPost, admin+"/activities/nothing/reload", "", nil),
			http.StatusNotFound, "not_found")
	})
}
