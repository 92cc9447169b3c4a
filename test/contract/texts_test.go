package contract

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/web"
	"onrush/web/client"
)

// of returns a text of n characters, the last of which is an x, so that a truncation is detected.
func of(char string, n int) string { return strings.Repeat(char, n-1) + "x" }

// longest are the texts of buyers and operators at their greatest length, made of one character.
type longest struct {
	sku, point, sale, address, submit object
	user                              string
}

func ofAll(char string) longest {
	// Regions are compared without invisible characters, so the end keeps the regions of two such characters apart.
	region := strings.Repeat(char, 58) + fmt.Sprintf("%06x", []rune(char)[0])
	return longest{
		user: of(char, 64),
		sku: object{
			"title": of(char, 200), "shop_id": "shop-1", "image_url": pictureOf(char),
			"description": of(char, 2000), "kind": "physical", "price": 1, "currency": "EUR", "stock": 100,
		},
		point: object{"name": of(char, 200), "regions": []string{region}},
		sale:  object{"title": of(char, 200), "description": of(char, 5000)},
		address: object{
			"receiver": of(char, 100), "phone": of(char, 40), "region": region, "detail": of(char, 300),
			"is_default": true,
		},
		submit: object{
			"remark": of(char, 500), "fields": object{of(char, 64): of(char, 200)}, "room_id": of(char, 64),
			"share_code": of(char, 64), "share_source": of(char, 64), "inviter_id": of(char, 64),
		},
	}
}

// pictureOf is the longest path of a picture, of a character if paths may have it as it is.
func pictureOf(char string) string {
	if strings.Contains(`<"\%`, char) {
		char = "a"
	}
	return "/" + of(char, 499)
}

func TestLongestTextsAreStoredUnchanged(t *testing.T) {
	t.Parallel()
	inTurn(t)
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores).offer(t)
		// Of one to four bytes; what JSON or HTML escapes; what SQL, patterns and keys give a meaning.
		for i, char := range []string{
			"a", "é", "漢", "😀", "<", "\u2028", `"`, `\`, "'", "%", "_", ":", "{", "\u200b", "\u202e",
		} {
			w.survives(t, fmt.Sprint("s", i), char)
		}
	})
}

// survives passes texts through catalogue, address, confirmation, cache, SQL and lists.
func (w *world) survives(t *testing.T, id, char string) {
	t.Helper()
	l := ofAll(char)
	has(t, l.sku, w.op.do(t, 200, "putSKU", param("sku_id", id), sent(l.sku)).JSON(t))
	has(t, l.point, w.op.do(t, 200, "putPoint", param("point_id", id), sent(l.point)).JSON(t))
	sale := saleBody()
	maps.Copy(sale, l.sale)
	sale["skus"] = []object{{"sku_id": id, "flash_price": 1, "stock": []object{{"point_id": id, "quantity": 10}}}}
	created := w.op.do(t, 201, "createActivity", sent(sale)).JSON(t)
	has(t, l.sale, created)
	activity := created["activity_id"].(string)
	w.op.do(t, 200, "publishActivity", param("activity_id", activity))
	shown := w.ada.do(t, 200, "getActivity", param("activity_id", activity)).JSON(t)
	has(t, l.sale, shown)
	has(t, object{
		"title": l.sku["title"], "image_url": l.sku["image_url"], "description": l.sku["description"],
	}, shown["skus"].([]any)[0].(object))

	buyer := w.buyer(t, l.user)
	address := buyer.do(t, 201, "createAddress", sent(l.address)).JSON(t)
	has(t, l.address, buyer.do(t, 200, "replaceAddress", param("address_id", address["address_id"].(string)),
		sent(address)).JSON(t))
	has(t, l.address, buyer.do(t, 200, "listAddresses").JSON(t)["items"].([]any)[0].(object))

	path := param("path", do[client.Path](t, buyer, 200, "takePath",
		sent(object{"activity_id": activity, "sku_id": id})).Path)
	confirmed := buyer.do(t, 200, "confirm", path,
		sent(object{"quantity": 1, "address_id": address["address_id"]})).JSON(t)
	require.Equal(t, id, confirmed["point_id"], "the region finds its point")
	has(t, l.address, confirmed["address"].(object))
	body := clone(l.submit)
	body["quantity"], body["confirmation"] = 1, confirmed["confirmation"]
	number := do[client.Submitted](t, buyer, 202, "submit", path, key("k"), sent(body)).OrderNumber
	ordinary := buyer.do(t, 201, "createOrders", key("k"), sent(object{
		"items": []object{{"sku_id": id, "quantity": 1}}, "address_id": address["address_id"],
		"remark": l.submit["remark"],
	})).JSON(t)["orders"].([]any)[0].(object)
	has(t, object{"remark": l.submit["remark"]}, ordinary)

	cached := w.bought(t, buyer, number, "cache", l)
	w.site.Drain(t)
	stored := w.bought(t, buyer, number, "sql", l)
	cached["source"] = "sql"
	assert.Equal(t, cached, stored, "the order is the same before and after it moved")
	assert.Empty(t, do[client.DeadList](t, w.op, 200, "listDead").Items)
	w.cancels(t, buyer, activity, number, l)
}

func (w *world) bought(t *testing.T, buyer *person, number, source string, l longest) object {
	t.Helper()
	o := buyer.do(t, 200, "getOrder", param("order_number", number)).JSON(t)
	require.Equal(t, source, o["source"])
	has(t, l.submit, o)
	has(t, l.address, o["address"].(object))
	has(t, object{"title": l.sku["title"], "image_url": l.sku["image_url"]}, o["items"].([]any)[0].(object))
	half := string([]rune(l.sku["title"].(string))[100:])
	found := buyer.do(t, 200, "listOrders", query("type=seckill&name="+url.QueryEscape(half))).JSON(t)["items"]
	listed := clone(o)
	for _, field := range []string{"events", "address_open"} { // lists omit them
		delete(listed, field)
	}
	assert.Equal(t, []any{map[string]any(listed)}, found)
	return o
}

func (w *world) cancels(t *testing.T, buyer *person, activity, number string, l longest) {
	t.Helper()
	stats := w.op.do(t, 200, "getStats", param("activity_id", activity)).JSON(t)
	assert.Equal(t, []any{object{"room_id": l.submit["room_id"], "orders": 1.0}}, stats["rooms"])
	buyer.do(t, 200, "cancelOrder", param("order_number", number))
	audit := w.op.do(t, 200, "auditActivity", param("activity_id", activity)).JSON(t)
	assert.Equal(t, true, audit["ok"])
	assert.EqualValues(t, 10, audit["items"].([]any)[0].(object)["remaining"])
}

// has requires that whole has every field of part.
func has(t *testing.T, part, whole object) {
	t.Helper()
	for name, value := range clone(part) {
		assert.Equal(t, value, whole[name], name)
	}
}

func TestOneCharacterMoreIsRefused(t *testing.T) {
	t.Parallel()
	inTurn(t)
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := standing(t, stores)
		for _, char := range []string{"a", "😀"} {
			l := ofAll(char)
			for id, texts := range map[string]object{
				"putSKU": l.sku, "putPoint": l.point, "createActivity": l.sale, "createAddress": l.address,
				"submit": l.submit, "createOrders": {"remark": l.submit["remark"]},
			} {
				for name, value := range texts {
					for what, longer := range longer(char, name, value) {
						body := w.bodies()[id]
						body[name] = longer
						op := w.byID[id]
						a := w.caller(op).send(t, w.good(t, op).with(sent(body)))
						assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s %s: %s", id, what, a.Body)
						assert.Contains(t, string(a.Body), `"field":"`+name, "%s %s", id, what)
					}
				}
			}
			_, err := w.site.Server.Auth.Sign(char+l.user, web.RoleUser, 1)
			require.Error(t, err)
			w.ada.send(t, w.request(t, "devToken", sent(object{"user_id": l.user})))
			assert.Equal(t, 422, w.ada.send(t, w.request(t, "devToken", sent(object{"user_id": char + l.user}))).Status)
			assert.Equal(t, 422,
				w.ada.send(t, w.request(t, "listOrders", query("name="+url.QueryEscape(of(char, 201))))).Status)
			w.ada.do(t, 200, "listOrders", query("name="+url.QueryEscape(of(char, 200))))
		}
	})
}

// longer are values that are one character too long.
func longer(char, name string, value any) map[string]any {
	switch v := value.(type) {
	case string:
		if name == "shop_id" || name == "kind" || name == "currency" {
			return nil // no free text
		}
		return map[string]any{name: char + v}
	case []string:
		return map[string]any{name: []string{char + v[0]}}
	case object:
		wrong := map[string]any{}
		for k, text := range v {
			wrong[name+" key"] = object{char + k: text}
			wrong[name+" value"] = object{k: char + text.(string)}
		}
		return wrong
	}
	return nil
}

func TestPointMayServeManyRegionsWithUnusualNames(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores).offer(t)
		for _, char := range []string{"<", "a", "&", "é"} {
			regions, size := []string{}, 0
			for i := range 1000 {
				text := fmt.Sprintf("%04d", i)
				regions = append(regions, text+strings.Repeat(char, 28))
				if size += len(text) + 28*len(char) + 3; size > 60_000 {
					break // as many as a body holds
				}
			}
			many := do[client.Point](t, w.op, 200, "putPoint", param("point_id", "many"),
				sent(object{"name": "Many", "regions": regions}))
			assert.Equal(t, regions, many.Regions)
			assert.Equal(t, regions, do[client.PointList](t, w.op, 200, "listPoints").Items[0].Regions)
		}
	})
}
