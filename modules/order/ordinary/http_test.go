package ordinary

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order/myorders"
	"onrush/test/goods"
	"onrush/test/kit"
	"onrush/web"
)

// site is the module's routes on a server, with a buyer and an operator.
type site struct {
	app  *fiber.App
	auth *web.Auth
}

func newSite(t *testing.T, s *kit.Stores) *site {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	app, err := web.NewApp(t.Context(), web.Config{RequestDeadline: time.Minute}, log, kit.IDs(2))
	require.NoError(t, err)
	auth, err := web.NewAuth(t.Context(), web.AuthConfig{Secret: strings.Repeat("s", 32)}, log, time.Now)
	require.NoError(t, err)
	sh := goods.New(s)
	buyers, operators := app.Group("/api/v1", auth.Require(web.RoleUser)),
		app.Group("/admin/api/v1", auth.Require(web.RoleAdmin))
	placer, mine := NewHTTPBuyer(newPlacer(s, sh, counting())), myorders.NewHTTPBuyer(ordersOf(s))
	buyers.Post("/orders", placer.Place)
	buyers.Post("/orders/confirm", placer.Confirm)
	buyers.Get("/orders", mine.List)
	buyers.Get("/orders/:order_number", mine.GetOrder)
	addresses, goods := catalogue.NewHTTPBuyer(sh.Addresses), catalogue.NewHTTPOperator(sh.Catalogue, web.Pictures{})
	buyers.Get("/addresses", addresses.List)
	buyers.Post("/addresses", addresses.Create)
	buyers.Put("/addresses/:address_id", addresses.Update)
	buyers.Delete("/addresses/:address_id", addresses.Remove)
	operators.Get("/skus", goods.SKUs)
	operators.Get("/skus/:sku_id", goods.SKU)
	operators.Put("/skus/:sku_id", goods.PutSKU)
	operators.Delete("/skus/:sku_id", goods.DeleteSKU)
	operators.Post("/skus/:sku_id/stock", goods.ChangeStock)
	operators.Get("/points", goods.Points)
	operators.Get("/points/:point_id", goods.Point)
	operators.Put("/points/:point_id", goods.PutPoint)
	operators.Delete("/points/:point_id", goods.DeletePoint)
	return &site{app: app, auth: auth}
}

// do sends a request of user, who is an operator if the name says so, with the Idempotency-Key
// "key", and returns the status and the answer.
func (st *site) do(t *testing.T, user, method, path, body string) (int, map[string]any) {
	t.Helper()
	role := web.RoleUser
	if user == "operator" {
		role = web.RoleAdmin
	}
	token, err := st.auth.Sign(user, role, time.Hour)
	require.NoError(t, err)
	req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", "key")
	res, err := st.app.Test(req, -1)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	answer := map[string]any{}
	if len(raw) > 0 {
		require.NoError(t, json.Unmarshal(raw, &answer), "%s %s: %s", method, path, raw)
	}
	return res.StatusCode, answer
}

const (
	skuJSON = `{"title":"Lamp","shop_id":"shop-a","image_url":"","kind":"physical","price":1000,"currency":"CNY",` +
		`"stock":5,"freight":{"fee":50,"free_over":0}}`
	pointJSON   = `{"name":"East","regions":["east"],"freight_extra":5,"pickup":true}`
	addressJSON = `{"receiver":"Li","phone":"1","region":"east","detail":"Road 1","is_default":false}`
)

func TestBuyerOrdersWhatTheOperatorOffersOverHTTP(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		st := newSite(t, s)
		status, sku := st.do(t, "operator", "PUT", "/admin/api/v1/skus/sku-1", skuJSON)
		require.Equal(t, 200, status, sku)
		assert.Equal(t, "sku-1", sku["sku_id"])
		status, point := st.do(t, "operator", "PUT", "/admin/api/v1/points/p1", pointJSON)
		require.Equal(t, 200, status, point)
		for _, list := range []string{"skus", "points"} {
			status, answer := st.do(t, "operator", "GET", "/admin/api/v1/"+list, "")
			require.Equal(t, 200, status)
			assert.Len(t, answer["items"], 1)
		}
		status, address := st.do(t, "u", "POST", "/api/v1/addresses", addressJSON)
		require.Equal(t, 201, status, address)
		id := address["address_id"].(string)

		body := `{"items":[{"sku_id":"sku-1","quantity":2}],"address_id":"` + id + `"}`
		status, placed := st.do(t, "u", "POST", "/api/v1/orders", body)
		require.Equal(t, 201, status, placed)
		status, again := st.do(t, "u", "POST", "/api/v1/orders", body)
		require.Equal(t, 201, status)
		assert.Equal(t, true, again["replayed"])
		delete(again, "replayed")
		assert.Equal(t, placed, again)
		order := placed["orders"].([]any)[0].(map[string]any)
		assert.InEpsilon(t, 2055, order["total_amount"], 0)

		status, one := st.do(t, "u", "GET", "/api/v1/orders/"+order["order_number"].(string), "")
		require.Equal(t, 200, status)
		assert.Equal(t, order, one)
		status, list := st.do(t, "u", "GET",
			"/api/v1/orders?status=unpaid&type=ordinary&kind=physical&shop_id=shop-a&name=LAMP&page_size=3"+
				"&order_number="+
				order["order_number"].(string), "")
		require.Equal(t, 200, status, list)
		delete(order, "events") // lists omit them
		assert.Equal(t, []any{order}, list["items"])

		status, changed := st.do(t, "u", "PUT", "/api/v1/addresses/"+id,
			strings.Replace(addressJSON, "Road 1", "Road 2", 1))
		require.Equal(t, 200, status, changed)
		assert.Equal(t, "Road 2", changed["detail"])
		status, _ = st.do(t, "u", "DELETE", "/api/v1/addresses/"+id, "")
		assert.Equal(t, 204, status)
	})
}

func TestBadInputIsAProblemAndNeverAnInternalError(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		st := newSite(t, s)
		for request, want := range map[string]struct {
			body   string
			status int
			code   string
		}{
			"GET /api/v1/orders?page=0":              {"", 422, "invalid_request"},
			"GET /api/v1/orders?status=open":         {"", 422, "invalid_request"},
			"GET /api/v1/orders?order_number=x":      {"", 422, "invalid_request"},
			"GET /api/v1/orders?colour=red":          {"", 422, "invalid_request"},
			"GET /api/v1/orders?name=%00":            {"", 422, "invalid_request"},
			"GET /api/v1/orders?before=-1":           {"", 422, "invalid_request"},
			"GET /api/v1/orders/x":                   {"", 404, "not_found"},
			"GET /api/v1/orders/9223372036854775807": {"", 404, "not_found"},
			"POST /api/v1/orders":                    {`{"items":"all"}`, 422, "invalid_request"},
			"POST /api/v1/orders?a":                  {`{}`, 422, "invalid_request"},
			"POST /api/v1/addresses":                 {`{"receiver":1}`, 422, "invalid_request"},
			"POST /api/v1/addresses?b":               {`{}`, 422, "invalid_request"},
			"POST /api/v1/addresses?c": {
				`{"address_id":"mine","receiver":"Li","phone":"1","region":"e","detail":"R"}`, 422, "invalid_request",
			},
			"PUT /api/v1/addresses/nope":          {addressJSON, 404, "not_found"},
			"PUT /api/v1/addresses/%27%20OR%201":  {addressJSON, 404, "not_found"},
			"DELETE /api/v1/addresses/nope":       {"", 404, "not_found"},
			"GET /api/v1/addresses?page_size=101": {"", 422, "invalid_request"},
			"PUT /admin/api/v1/skus/a%20b":        {skuJSON, 422, "invalid_request"},
			"PUT /admin/api/v1/skus/sku-1":        {`{"title":"no price"}`, 422, "invalid_request"},
			"PUT /admin/api/v1/skus/sku-1?d": {
				`{"sku_id":"sku-2","price":1,"stock":1}`, 422, "invalid_request",
			},
			"PUT /admin/api/v1/skus/sku-1?e": {
				strings.Replace(skuJSON, "1000", "-1", 1), 422, "invalid_request",
			},
			"PUT /admin/api/v1/points/p1": {
				`{"name":"P","regions":"east"}`, 422, "invalid_request",
			},
			"PUT /admin/api/v1/points/p1?f":                   {`{"name":""}`, 422, "invalid_request"},
			"GET /admin/api/v1/skus?before=3&page_size=2&x=1": {"", 422, "invalid_request"},
			"GET /admin/api/v1/points?page=x":                 {"", 422, "invalid_request"},
		} {
			method, path, _ := strings.Cut(request, " ")
			status, problem := st.do(t, "operator", method, path, want.body)
			assert.Equal(t, want.status, status, "%s: %v", request, problem)
			assert.Equal(t, want.code, problem["code"], request)
		}
		status, _ := st.do(t, "u", "PUT", "/admin/api/v1/skus/sku-1", skuJSON)
		assert.Equal(t, 403, status)
	})
}
