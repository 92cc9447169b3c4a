package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

func TestOrderShowsItsAttribution(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		alice := s.Buyer(t, "alice")
		said := map[string]any{
			"remark": "Ring twice,\nplease: “ä€😀” {\"a\":1}", "room_id": "room-7", "share_code": "SHARE+1",
			"share_source": "群聊", "inviter_id": "bob:_x",
			"client_reference": "PO/2026-11#7", "notify_token": "form:1a2b",
			"fields": map[string]any{"gift": "yes", "消息": "生日快乐", "empty": ""},
		}
		body := with(said, "quantity", 1)
		number := must(t, http.StatusAccepted,
			alice.Submit(t, alice.Path(t, activity, "sku"), "k1", body))["order_number"].(string)
		plain := must(t, http.StatusAccepted, alice.Buy(t, activity, "sku", "k2"))["order_number"].(string)

		for _, source := range []string{"cache", "sql"} {
			o := must(t, http.StatusOK, alice.Call(t, http.MethodGet, "/api/v1/orders/"+number, "", nil))
			listed := must(t, http.StatusOK,
				alice.Call(t, http.MethodGet, "/api/v1/orders?order_number="+number, "", nil))["items"].([]any)
			delete(o, "events") // lists omit them
			assert.Equal(t, []any{o}, listed, source)
			assert.Equal(t, source, o["source"])
			for field, value := range said {
				assert.Equal(t, value, o[field], "%s, in %s", field, source)
			}
			none := must(t, http.StatusOK, alice.Call(t, http.MethodGet, "/api/v1/orders/"+plain, "", nil))
			for field := range said {
				assert.NotContains(t, none, field, source)
			}
			s.Drain(t)
		}
		for _, field := range []string{"client_reference", "room_id", "share_code", "share_source", "inviter_id"} {
			query := "?" + url.Values{field: {said[field].(string)}}.Encode()
			for _, query := range []string{query, query + "&activity_id=" + activity} {
				listed := must(t, http.StatusOK, s.Operator(t).Call(t, http.MethodGet, admin+"/orders"+query, "", nil))
				require.Len(t, listed["items"], 1, query)
				assert.Equal(t, number, listed["items"].([]any)[0].(map[string]any)["order_number"])
				assert.Equal(t, []string{number}, slices.Collect(maps.Keys(file(t, s, query))))
			}
			other := must(t, http.StatusOK,
				s.Operator(t).Call(t, http.MethodGet, admin+"/orders?"+field+"=other", "", nil))
			assert.Empty(t, other["items"], field)
			assert.Empty(t, file(t, s, "?"+field+"=other"))
		}
	})
}

func TestAttributionThatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		alice := s.Buyer(t, "alice")
		path := alice.Path(t, activity, "sku")
		many, heavy := map[string]string{}, map[string]string{}
		for i := range 21 {
			many[fmt.Sprint(i)] = "x"
		}
		for i := range 20 {
			heavy[fmt.Sprint(i)] = strings.Repeat("x", 300)
		}

		for name, extra := range map[string]map[string]any{
			"a long remark":           {"remark": strings.Repeat("x", 501)},
			"a long room":             {"room_id": strings.Repeat("x", 65)},
			"a long share code":       {"share_code": strings.Repeat("x", 65)},
			"a long reference":        {"client_reference": strings.Repeat("x", 65)},
			"a reference of words":    {"client_reference": "PO 1"},
			"a reference in German":   {"client_reference": "Größe"},
			"a long notify token":     {"notify_token": strings.Repeat("x", 129)},
			"a notify token of words": {"notify_token": "a b"},
			"a long share source":     {"share_source": strings.Repeat("x", 65)},
			"a long inviter":          {"inviter_id": strings.Repeat("x", 65)},
			"a NUL":                   {"room_id": "a\x00b"},
			"too many fields":         {"fields": many},
			"too heavy fields":        {"fields": heavy},
			"a long field":            {"fields": map[string]string{"a": strings.Repeat("x", 501)}},
			"a long name":             {"fields": map[string]string{strings.Repeat("x", 65): "a"}},
			"a field without name":    {"fields": map[string]string{"": "a"}},
			"a field that is no text": {"fields": map[string]any{"a": 1}},
			"something unheard of":    {"colour": "red"},
		} {
			a := alice.Submit(t, path, keyOf(name), with(extra, "quantity", 1))
			assert.Equal(t, "invalid_request", a.Code(), "%s: %d %s", name, a.Status, a.Body)
			assert.Equal(t, http.StatusUnprocessableEntity, a.Status, name)
		}
		assert.Equal(t, "100", stockInRedis(t, stores, activity)["sku"])

		most := map[string]any{
			"quantity": 1, "remark": strings.Repeat("字", 500), "room_id": strings.Repeat("字", 64),
			"share_code": strings.Repeat("字", 64), "share_source": strings.Repeat("字", 64),
			"inviter_id": strings.Repeat("字", 64),
		}
		number := must(t, http.StatusAccepted, alice.Submit(t, path, "most", most))["order_number"].(string)
		s.Drain(t)
		o := must(t, http.StatusOK, alice.Call(t, http.MethodGet, "/api/v1/orders/"+number, "", nil))
		assert.Equal(t, "sql", o["source"], "what the API takes, SQL takes too")
		assert.Equal(t, most["remark"], o["remark"])
	})
}
