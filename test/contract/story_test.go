package contract

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

func TestEveryRouteAnswersAsTheOpenAPIFileSays(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := open(t, stores)
		s.noted = map[string]bool{}
		s.running(t)
		w := s.offer(t)
		w.stocksUp(t)
		w.buys(t)
		w.waits(t)
		w.checksAndChanges(t)
		w.looksAfter(t)
		w.watches(t)
		w.blocks(t)
		w.deals(t)
		w.givesBack(t)
		w.clearsFlag(t)
		w.redeems(t)
		w.keepsTime(t)
		w.handles(t)
		w.discardsDeadEntry(t)
		w.losesRedis(t)
		w.getsACode(t)
		w.browses(t)
		w.hears(t)
		w.delivers(t)
		w.looksAtChanges(t)
		w.rushes(t)
		w.sellsOut(t)
		w.ada.do(t, 204, "deleteAddress", param("address_id", w.address))
		w.ada.do(t, 404, "deleteAddress", param("address_id", w.address))
		for _, op := range s.operations {
			assert.True(t, s.done[op.id], "%s was never answered with 2xx", op.id)
		}
		s.assertSeen(t)
	})
}

// world is a shop with a sale, an operator and a buyer.
type world struct {
	*shop
	op, ada               *person
	activity, draft       string
	lane                  int
	address, number, task string
	dead                  string
	room                  string // a sale with a waiting room, once a place is asked for
	coming                string // a published sale that starts later, once one is needed
	closed                string // a sale that was taken offline, once one is needed
	money                 money
	many                  money  // a paid order of many lamps
	voucher               string // a code
	delivery              string // to an endpoint, once one is registered
}

// running calls the routes that need no token.
func (s *shop) running(t *testing.T) {
	t.Helper()
	anybody := &person{shop: s}
	anybody.do(t, 200, "livez")
	anybody.do(t, 200, "metrics")
	anybody.do(t, 200, "readyz")
	for _, id := range []string{"getOpenAPIYAML", "getOpenAPIJSON", "getDocs", "getConsole"} {
		anybody.do(t, 200, id)
	}
	for folder, file := range map[string]string{"shop": "main.js", "console": "console.css", "shared": "style.css"} {
		anybody.do(t, 200, "getPageAsset", param("version", s.version(t)), param("folder", folder), param("file", file))
	}
	anybody.do(t, 200, "getPageAsset",
		param("version", s.version(t)), param("folder", "vendor"), param("file", "LICENSES.txt"))
	anybody.do(t, 404, "getPageAsset",
		param("version", "0123456789abcdef"), param("folder", "shop"), param("file", "main.js"))
	for _, name := range []string{"docs.css", "docs.js"} {
		anybody.do(t, 200, "getDocsAsset", param("file", name))
	}
	anybody.do(t, 200, "getHumanScript")
	anybody.do(t, 200, "getClient")
	anybody.do(t, 200, "getClientTypes")
	anybody.do(t, 200, "getHumanWorker")
	token := anybody.do(t, 200, "devToken", sent(object{"user_id": "grace", "role": "admin"})).JSON(t)["token"].(string)
	grace := &person{shop: s, token: token}
	grace.do(t, 200, "getQueue")
	unread := s.buyer(t, "nobody")
	assert.Empty(t, unread.do(t, 200, "listOrders").JSON(t)["items"])
	assert.Empty(t, unread.do(t, 200, "listAddresses").JSON(t)["items"])
}

// version returns the version in the addresses of the shop page's files.
func (s *shop) version(t testing.TB) string {
	t.Helper()
	page := (&person{shop: s}).send(t, s.request(t, "getShop"))
	found := regexp.MustCompile(`/assets/pages/([0-9a-f]{16})/shop/main.js`).FindSubmatch(page.Body)
	require.Len(t, found, 2)
	return string(found[1])
}

type object = map[string]any

var (
	lampBody = object{
		"title": "Lamp", "shop_id": "shop-1", "image_url": "https://example.com/lamp.jpg", "kind": "physical",
		"price": 4900, "currency": "EUR", "stock": 1000, "freight": object{"fee": 500, "free_over": 100000},
	}
	pointBody   = object{"name": "North", "regions": []string{"DE-HH", "DE-SH"}, "freight_extra": 100, "pickup": true}
	addressBody = object{
		"receiver": "Ada", "phone": "+44 20", "region": "DE-HH", "detail": "12 Square", "is_default": true,
	}
)

// version returns the version field of a sku.
func version(sku site.Answer) string {
	return regexp.MustCompile(`"version":\d+`).FindString(string(sku.Body))
}

func saleBody() object {
	now := time.Now()
	return object{
		"title": "Lamps at noon", "shop_id": "shop-1", "starts_at": now.Add(-time.Minute),
		"ends_at": now.Add(time.Hour), "pay_within_s": 900, "purchase_limit": 100000, "permit_ratio": 50.5,
		"description": "Desk lamps,\n\thalf price", "image_url": "https://example.com/sale.jpg",
		"images": []any{"https://example.com/1.jpg", "https://example.com/2.jpg"},
		"skus": []object{{
			"sku_id": "lamp", "flash_price": 1900, "purchase_limit": 100000,
			"stock": []object{{"point_id": "north", "quantity": 100000}, {"point_id": "0", "quantity": 100000}},
		}},
	}
}

// offer adds skus to the catalogue, drafts a sale and publishes another.
func (s *shop) offer(t *testing.T) *world {
	t.Helper()
	w := &world{shop: s, op: s.operator(t), ada: s.buyer(t, "ada")}
	sku := w.op.do(t, 200, "putSKU", param("sku_id", "lamp"), sent(lampBody))
	again := w.op.do(t, 200, "putSKU", param("sku_id", "lamp"), sent(sku.JSON(t)))
	assert.JSONEq(t, string(sku.Body), strings.Replace(string(again.Body), version(again), version(sku), 1),
		"what was read can be sent back")
	w.op.do(t, 409, "putSKU", param("sku_id", "lamp"), sent(sku.JSON(t)))
	for range 2 {
		raised := w.op.do(t, 200, "changeSKUStock", param("sku_id", "lamp"), key("s1"),
			sent(object{"delta": 5})).JSON(t)
		assert.EqualValues(t, 1005, raised["stock"])
	}
	w.op.do(t, 409, "changeSKUStock", param("sku_id", "lamp"), key("s2"), sent(object{"delta": -1006}))
	w.op.do(t, 422, "changeSKUStock", param("sku_id", "lamp"), key("s1"), sent(object{"delta": 6}))
	w.op.do(t, 404, "changeSKUStock", param("sku_id", "nothing"), key("s1"), sent(object{"delta": 6}))
	w.op.do(t, 200, "putSKU", param("sku_id", "unused"), sent(lampBody))
	w.op.do(t, 204, "deleteSKU", param("sku_id", "unused"))
	w.op.do(t, 404, "deleteSKU", param("sku_id", "unused"))
	w.op.do(t, 200, "listSKUs", query("page=1&page_size=5"))
	point := w.op.do(t, 200, "putPoint", param("point_id", "north"), sent(pointBody))
	w.op.do(t, 200, "putPoint", param("point_id", "north"), sent(point.JSON(t)))
	w.op.do(t, 200, "putPoint", param("point_id", "south"), sent(object{"name": "South"}))
	w.op.do(t, 200, "putPoint", param("point_id", "unused"), sent(object{"name": "Nowhere"}))
	w.op.do(t, 204, "deletePoint", param("point_id", "unused"))
	w.op.do(t, 404, "deletePoint", param("point_id", "unused"))
	w.op.do(t, 200, "listPoints")
	w.op.do(t, 200, "listClaims", query("page_size=1"))
	assert.Empty(t, w.op.do(t, 200, "listClaims", query("shared=true&after=A")).JSON(t)["items"])

	unused := w.op.do(t, 201, "createActivity", sent(saleBody())).JSON(t)["activity_id"].(string)
	w.op.do(t, 204, "deleteActivity", param("activity_id", unused))
	w.op.do(t, 404, "deleteActivity", param("activity_id", unused))
	w.draft = w.op.do(t, 201, "createActivity", sent(saleBody())).JSON(t)["activity_id"].(string)
	w.op.do(t, 200, "putActivity", param("activity_id", w.draft), sent(saleBody()))
	named := param("activity_id", "named-by-operator")
	w.op.do(t, 200, "putActivity", named, sent(saleBody()))
	w.op.do(t, 200, "putActivity", named, sent(saleBody()))
	w.op.do(t, 204, "deleteActivity", named)
	w.op.do(t, 200, "getStats", param("activity_id", w.draft))
	w.op.do(t, 409, "takeActivityOffline", param("activity_id", w.draft))
	w.op.do(t, 409, "changeStock", param("activity_id", w.draft), key("k"),
		sent(object{"sku_id": "lamp", "point_id": "0", "delta": 1}))
	w.ada.do(t, 404, "getActivity", param("activity_id", w.draft))
	open := saleBody()
	open["permit_ratio"] = -1 // with permits a path is valid for one order
	w.activity = w.op.do(t, 201, "createActivity", sent(open)).JSON(t)["activity_id"].(string)
	w.lane = int(w.op.do(t, 200, "publishActivity", param("activity_id", w.activity)).JSON(t)["lane"].(float64))
	w.op.do(t, 200, "publishActivity", param("activity_id", w.activity))
	w.op.do(t, 409, "putActivity", param("activity_id", w.activity), sent(saleBody()))
	w.op.do(t, 409, "deleteActivity", param("activity_id", w.activity))
	w.op.do(t, 409, "deleteSKU", param("sku_id", "lamp"))
	w.op.do(t, 409, "deletePoint", param("point_id", "north"))
	w.op.do(t, 200, "getAdminActivity", param("activity_id", w.activity))
	w.op.do(t, 200, "listAdminActivities", query("state=draft&page=1&page_size=1"))

	assert.Len(t, w.ada.do(t, 200, "listActivities", query("state=running")).JSON(t)["items"], 1)
	assert.Empty(t, w.ada.do(t, 200, "listActivities", query("state=upcoming")).JSON(t)["items"])
	w.ada.do(t, 200, "getActivity", param("activity_id", w.activity))

	address := w.ada.do(t, 201, "createAddress", sent(addressBody))
	w.address = address.JSON(t)["address_id"].(string)
	w.ada.do(t, 200, "replaceAddress", param("address_id", w.address), sent(address.JSON(t)))
	w.ada.do(t, 200, "listAddresses", query("page=1&page_size=100"))
	return w
}

// path gets an order path for the lamp of the sale.
func (w *world) path(t testing.TB, p *person) string {
	t.Helper()
	return p.do(t, 200, "takePath", sent(object{"activity_id": w.activity, "sku_id": "lamp"})).JSON(t)["path"].(string)
}

// buys places orders in all ways and reads them while they are cached and after they are stored.
func (w *world) buys(t *testing.T) {
	t.Helper()
	w.site.Job(t, "announce_sales")
	path := param("path", w.path(t, w.ada))
	confirmed := w.ada.do(t, 200, "confirm", path,
		sent(object{"quantity": 2, "delivery": "express", "address_id": w.address})).JSON(t)
	assert.Equal(t, "north", confirmed["point_id"])
	body := sent(object{
		"quantity": 2, "confirmation": confirmed["confirmation"], "remark": "Ring\ttwice\nplease",
		"fields": object{"gift": "yes"}, "room_id": "room-7", "share_code": "s1", "share_source": "feed",
		"inviter_id": "grace", "client_reference": "PO/2026-1", "notify_token": "form-1",
	})
	placed := w.ada.do(t, 202, "submit", path, key("k1"), body)
	assert.Equal(t, placed.Task(t), w.ada.do(t, 202, "submit", path, key("k1"), body).Task(t))
	assert.Equal(t, "idempotency_key_reused",
		w.ada.do(t, 422, "submit", path, key("k1"), sent(object{"quantity": 1, "address_id": w.address})).Code())
	assert.Equal(t, "address_required", w.ada.do(t, 422, "submit", path, key("k2"), sent(object{"quantity": 1})).Code())
	w.number, w.task = placed.JSON(t)["order_number"].(string), placed.JSON(t)["task_id"].(string)

	pickup := w.ada.do(t, 200, "confirm", path,
		sent(object{"quantity": 1, "delivery": "pickup", "pickup_point_id": "north"})).JSON(t)
	assert.Equal(t, "north", pickup["pickup_point_id"])
	second := w.ada.do(t, 202, "submit", path, key("k3"),
		sent(object{"quantity": 1, "delivery": "pickup", "pickup_point_id": "north"})).JSON(t)

	w.ada.do(t, 200, "getTask", param("task_id", w.task))
	w.looksAtOrders(t, "cache")
	first, last := w.watch(t, w.task, func() { w.site.Drain(t) })
	assert.Equal(t, "SUBMITTED", first["status"])
	assert.Equal(t, "SUCCESS", last["status"])
	first, _ = w.watch(t, w.task, func() {})
	assert.Equal(t, "SUCCESS", first["status"])
	w.ada.do(t, 200, "getTask", param("task_id", w.task))
	w.looksAtOrders(t, "sql")

	w.ada.do(t, 200, "listChannels")
	found := w.op.do(t, 200, "listAdminOrders",
		query("room_id=room-7&share_code=s1&share_source=feed&inviter_id=grace")).JSON(t)["items"].([]any)
	require.Len(t, found, 1)
	assert.Equal(t, w.number, found[0].(object)["order_number"])
	cancel := param("order_number", second["order_number"].(string))
	assert.Equal(t, "cancelled", w.ada.do(t, 200, "cancelOrder", cancel).JSON(t)["status"])
	assert.Equal(t, "not_cancellable", w.ada.do(t, 409, "cancelOrder", cancel).Code())

	ordinary := sent(object{
		"items": []object{{"sku_id": "lamp", "quantity": 2}}, "address_id": w.address, "remark": "soon",
		"client_reference": "PO/2026-2",
	})
	orders := w.ada.do(t, 201, "createOrders", key("k4"), ordinary)
	assert.JSONEq(t, string(orders.Body), string(w.ada.do(t, 201, "createOrders", key("k4"), ordinary).Body))
	other := sent(object{
		"items": []object{{"sku_id": "lamp", "quantity": 2}}, "address_id": w.address, "remark": "soon",
		"client_reference": "PO/2026-3",
	})
	assert.Equal(t, "idempotency_key_reused", w.ada.do(t, 422, "createOrders", key("k4"), other).Code())
	found = w.op.do(t, 200, "listAdminOrders", query("client_reference=PO/2026-2")).JSON(t)["items"].([]any)
	require.Len(t, found, 1)
	assert.Equal(t, "PO/2026-2", found[0].(object)["client_reference"])
	w.ada.do(t, 409, "createOrders", key("k5"),
		sent(object{"items": []object{{"sku_id": "lamp", "quantity": 9999}}, "address_id": w.address}))
	w.ada.do(t, 404, "createOrders", key("k6"), sent(object{"items": []object{{"sku_id": "nothing", "quantity": 1}}}))
}

// getsACode buys a voucher with the price 0, which is paid at once, and reads all orders.
func (w *world) getsACode(t *testing.T) {
	t.Helper()
	card := clone(lampBody)
	card["kind"], card["price"], card["freight"] = "voucher", 0, object{"fee": 0, "free_over": 0}
	w.op.do(t, 200, "putSKU", param("sku_id", "card"), sent(card))
	placed := w.ada.do(t, 201, "createOrders", key("k7"),
		sent(object{"items": []object{{"sku_id": "card", "quantity": 1}}})).JSON(t)
	number := placed["orders"].([]any)[0].(object)["order_number"].(string)
	w.ada.do(t, 201, "beginPayment", key("k8"), sent(object{"order_numbers": []string{number}, "channel": "sandbox"}))
	assert.NotEmpty(t, w.ada.do(t, 200, "getOrder", param("order_number", number)).JSON(t)["voucher_code"])
	w.op.do(t, 200, "listAdminOrders")
}

// browses looks at the goods of the shop.
func (w *world) browses(t *testing.T) {
	t.Helper()
	items := []object{{"sku_id": "lamp", "quantity": 2}, {"sku_id": "nothing", "quantity": 1}}
	quoted := w.ada.do(t, 200, "confirmOrders", sent(object{"items": items, "address_id": w.address})).JSON(t)
	assert.Equal(t, "north", quoted["quotes"].([]any)[0].(object)["point_id"])
	assert.Equal(t, "not_found", quoted["problems"].([]any)[0].(object)["code"])
	quoted = w.ada.do(t, 200, "confirmOrders",
		sent(object{"items": items[:1], "delivery": "pickup", "pickup_point_id": "north"})).JSON(t)
	assert.Equal(t, "north", quoted["quotes"].([]any)[0].(object)["pickup_point_id"])
	assert.Equal(t, "address_required",
		w.ada.do(t, 422, "confirmOrders", sent(object{"items": items[:1]})).Code())
	w.ada.do(t, 404, "confirmOrders", sent(object{"items": items[:1], "address_id": "nothing"}))
	for _, list := range []struct{ id, filter, item string }{
		{"listShopSKUs", "&shop_id=shop-1", "sku_id"},
		{"listShopPoints", "", "point_id"},
		{"listRegions", "", "region"},
	} {
		first := w.ada.do(t, 200, list.id, query("page_size=1"+list.filter)).JSON(t)
		next := first["next_cursor"].(string)
		assert.Equal(t, next, first["items"].([]any)[0].(object)[list.item])
		a := w.ada.do(t, 200, list.id, query("page_size=1&after="+next+list.filter))
		require.Len(t, a.JSON(t)["items"], 1)
		assert.NotEqual(t, next, a.JSON(t)["items"].([]any)[0].(object)[list.item])
		again := w.ada.send(t, w.request(t, list.id, query("page_size=1&after="+next+list.filter), func(r *request) {
			r.header.Set("If-None-Match", a.Header.Get("ETag"))
		}))
		assert.Equal(t, http.StatusNotModified, again.Status)
		assert.Empty(t, again.Body)
	}
	assert.Len(t, w.ada.do(t, 200, "listShopPoints", query("pickup=true")).JSON(t)["items"], 1)
	lamp := w.ada.do(t, 200, "getShopSKU", param("sku_id", "lamp"))
	assert.Equal(t, true, lamp.JSON(t)["in_stock"])
	assert.NotContains(t, string(lamp.Body), `"stock"`)
	w.ada.do(t, 404, "getShopSKU", param("sku_id", "nothing"))
}

func (w *world) looksAtOrders(t *testing.T, source string) {
	t.Helper()
	assert.Equal(t, source, w.ada.do(t, 200, "getOrder", param("order_number", w.number)).JSON(t)["source"])
	pages := w.ada.do(t, 200, "listOrders", query("page=1&page_size=1")).JSON(t)
	assert.EqualValues(t, 2, pages["total"])
	rest := w.ada.do(t, 200, "listOrders", query("page_size=5&before="+pages["next_cursor"].(string))).JSON(t)
	assert.Len(t, rest["items"], 1)
	all := "status=unpaid&type=seckill&kind=physical&shop_id=shop-1&name=LAMP&period=last_three_months&order_number=" +
		w.number
	assert.Len(t, w.ada.do(t, 200, "listOrders", query(all)).JSON(t)["items"], 1)
	assert.Empty(t, w.ada.do(t, 200, "listOrders", query("period=older")).JSON(t)["items"])
}

// watch follows a task; between is called once the first event is there.
func (w *world) watch(t *testing.T, task string, between func()) (first, last object) {
	t.Helper()
	r := w.request(t, "watchTask", param("task_id", task))
	req, err := w.ada.http(context.WithoutCancel(t.Context()), r)
	require.NoError(t, err)
	res, err := w.client.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	reader := bufio.NewReader(res.Body)
	var text strings.Builder
	for !strings.HasSuffix(text.String(), "\n\n") {
		line, err := reader.ReadString('\n')
		require.NoError(t, err)
		text.WriteString(line)
	}
	between()
	rest, err := io.ReadAll(reader)
	require.NoError(t, err)
	text.Write(rest)
	w.ada.holds(t, r, site.Answer{Status: res.StatusCode, Header: res.Header, Body: []byte(text.String())})

	var events []object
	for event := range strings.SplitSeq(strings.TrimSuffix(text.String(), "\n\n"), "\n\n") {
		if event == ":" {
			continue // keeps the connection alive
		}
		data, ok := strings.CutPrefix(event, "event: task\ndata: ")
		require.True(t, ok, event)
		var task object
		require.NoError(t, json.Unmarshal([]byte(data), &task))
		require.NoError(t, w.conforms(w.doc.Components.Schemas["Task"].Value, task), data)
		events = append(events, task)
	}
	require.NotEmpty(t, events)
	return events[0], events[len(events)-1]
}

// blocks blocks a user and a network, and ends both blocks.
func (w *world) blocks(t *testing.T) {
	t.Helper()
	w.op.do(t, 404, "getBlocked", param("subject", "mallory"))
	w.op.do(t, 200, "putBlocked", param("subject", "mallory"),
		sent(object{"reason": "resells", "until": time.Now().Add(time.Hour)}))
	w.op.do(t, 200, "putBlocked", param("subject", "192.0.2.0/24"), sent(object{"reason": "robots"}))
	w.op.do(t, 422, "putBlocked", param("subject", "0.0.0.0/0"), sent(object{"reason": "typo"}))
	w.op.do(t, 200, "getBlocked", param("subject", "user:mallory"))
	assert.Len(t, w.op.do(t, 200, "listBlocked", query("page=1&page_size=5")).JSON(t)["items"], 2)
	first := w.op.do(t, 200, "listBlocked", query("page_size=1&from=2026-01-01T00:00:00Z")).JSON(t)
	next := w.op.do(t, 200, "listBlocked", query("page_size=1&before="+first["next_cursor"].(string))).JSON(t)
	assert.Equal(t, "mallory", next["items"].([]any)[0].(object)["subject"])
	assert.Len(t, w.op.do(t, 200, "listBlocked", query("kind=user")).JSON(t)["items"], 1)
	for _, subject := range []string{"mallory", "address:192.0.2.0/24"} {
		w.op.do(t, 204, "deleteBlocked", param("subject", subject))
		w.op.do(t, 404, "deleteBlocked", param("subject", subject))
	}
}

// looksAfter makes the calls of an operator while a sale runs.
func (w *world) looksAfter(t *testing.T) {
	t.Helper()
	sale := param("activity_id", w.activity)
	raise := sent(object{"sku_id": "lamp", "point_id": "0", "delta": 5})
	changed := w.op.do(t, 200, "changeStock", sale, key("c1"), raise)
	assert.JSONEq(t, string(changed.Body), string(w.op.do(t, 200, "changeStock", sale, key("c1"), raise).Body))
	w.op.do(t, 422, "changeStock", sale, key("c1"), sent(object{"sku_id": "lamp", "point_id": "0", "delta": 6}))
	w.op.do(t, 409, "changeStock", sale, key("c2"), sent(object{"sku_id": "lamp", "point_id": "0", "delta": -1000000}))
	w.op.do(t, 404, "changeStock", sale, key("c3"), sent(object{"sku_id": "lamp", "point_id": "east", "delta": 1}))
	assert.Empty(t, w.op.do(t, 200, "listPendingChanges", sale).JSON(t)["items"])
	closed := w.op.do(t, 200, "abandonChange", sale, param("change_id", changed.JSON(t)["change_id"].(string)))
	assert.Equal(t, "done", closed.JSON(t)["status"], "it was carried out")
	w.op.do(t, 404, "abandonChange", sale, param("change_id", "change:nothing"))

	w.site.Job(t, "flush_answer_counters")
	stats := w.op.do(t, 200, "getStats", sale).JSON(t)
	assert.Equal(t, true, stats["loaded"])
	answers := stats["answers"].(object)
	assert.NotZero(t, answers["submit:ok"])
	assert.NotZero(t, answers["submit:address_required"])
	assert.Equal(t, []any{object{"room_id": "room-7", "orders": 1.0}}, stats["rooms"])
	assert.Equal(t, []any{object{"share_source": "feed", "orders": 1.0}}, stats["share_sources"])

	assert.Equal(t, true, w.op.do(t, 200, "auditActivity", sale).JSON(t)["ok"])
	assert.Equal(t, true, w.op.do(t, 200, "repairActivity", sale).JSON(t)["ok"])
}

// discardsDeadEntry adds an entry without a record to the queue, and discards it.
func (w *world) discardsDeadEntry(t *testing.T) {
	t.Helper()
	id := w.addDeadEntry(t)
	w.op.do(t, 200, "replayDead", param("dead_id", id))
	assert.Empty(t, w.op.do(t, 200, "listDead").JSON(t)["items"])
	w.op.do(t, 404, "replayDead", param("dead_id", id))
	w.site.Drain(t)
	w.op.do(t, 200, "discardDead", param("dead_id", id))
	w.op.do(t, 404, "discardDead", param("dead_id", id))
}

// addDeadEntry creates a dead entry and returns its id.
func (w *world) addDeadEntry(t *testing.T) string {
	t.Helper()
	number := order.NewNumber(time.Now(), w.lane, 4711)
	entry := order.FormatEntry(number, time.Now().UnixMilli(), w.activity, "ada")
	require.NoError(t, w.stores.Redis.RPush(t.Context(), w.stores.Keys.LockLog(w.lane), entry).Err())
	w.op.do(t, 200, "getQueue")
	w.site.Drain(t)
	dead := w.op.do(t, 200, "listDead", query("page=1&page_size=10")).JSON(t)["items"].([]any)
	require.Len(t, dead, 1)
	return dead[0].(object)["dead_id"].(string)
}

// losesRedis empties Redis, reloads the sale, and takes it offline.
func (w *world) losesRedis(t *testing.T) {
	t.Helper()
	sale := param("activity_id", w.activity)
	w.op.do(t, 409, "reloadActivity", sale)
	require.NoError(t, w.stores.Redis.FlushDB(t.Context()).Err())
	assert.Equal(t, false, w.op.do(t, 200, "getStats", sale).JSON(t)["loaded"])
	w.op.do(t, 409, "auditActivity", sale)
	w.op.do(t, 409, "repairActivity", sale)
	w.op.do(t, 200, "reloadActivity", sale)
	assert.Equal(t, true, w.op.do(t, 200, "auditActivity", sale).JSON(t)["ok"])
	w.op.do(t, 200, "takeActivityOffline", sale)
	w.op.do(t, http.StatusConflict, "publishActivity", sale)
	assert.Equal(t, "failure", w.level(t, w.activity, "times"))
	assert.NotEmpty(t, w.op.do(t, 200, "getHistory", sale).JSON(t)["items"], "it is in the program")
	assert.Equal(t, "ended", w.ada.do(t, 200, "getActivity", sale).JSON(t)["state"])
	assert.Equal(t, "offline",
		w.ada.do(t, 409, "takePath", sent(object{"activity_id": w.activity, "sku_id": "lamp"})).Code())
}
