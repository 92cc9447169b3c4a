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
	"onrush/web/client"
)

func TestOrderShowsItsAttribution(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		alice := s.Buyer(t, "alice")
		said := client.SubmitRequest{
			Remark: "Ring twice,\nplease: “ä€😀” {\"a\":1}", RoomID: "room-7", ShareCode: "SHARE+1", ShareSource: "群聊",
			InviterID: "bob:_x", ClientReference: "PO/2026-11#7", NotifyToken: "form:1a2b",
			Fields: client.Fields{"gift": "yes", "消息": "生日快乐", "empty": ""},
		}
		number := alice.Submit(t, alice.Path(t, activity, "sku"), "k1", said).Placed(t).OrderNumber
		plain := alice.Buy(t, activity, "sku", "k2").Placed(t).OrderNumber

		for _, source := range []string{"cache", "sql"} {
			o := alice.GetOrder(t, number)
			assert.Equal(t, source, o.Source)
			shown := client.SubmitRequest{
				Remark: o.Remark, RoomID: o.RoomID, ShareCode: o.ShareCode, ShareSource: o.ShareSource,
				InviterID: o.InviterID, ClientReference: o.ClientReference, NotifyToken: o.NotifyToken,
				Fields: o.Fields,
			}
			assert.Equal(t, said, shown, source)
			o.Events = nil // lists omit them
			assert.Equal(t, []client.Order{o}, alice.ListOrders(t, "order_number="+number).Items, source)
			none := alice.Call(t, http.MethodGet, "/api/v1/orders/"+plain, "", nil).JSON(t)
			for field := range with(t, said, "quantity", 1) {
				assert.NotContains(t, none, field, source)
			}
			s.Drain(t)
		}
		op := s.Operator(t)
		for field, value := range map[string]string{
			"client_reference": said.ClientReference, "room_id": said.RoomID, "share_code": said.ShareCode,
			"share_source": said.ShareSource, "inviter_id": said.InviterID,
		} {
			query := url.Values{field: {value}}.Encode()
			for _, query := range []string{query, query + "&activity_id=" + activity} {
				listed := op.ListAdminOrders(t, query).Items
				require.Len(t, listed, 1, query)
				assert.Equal(t, number, listed[0].OrderNumber)
				assert.Equal(t, []string{number}, slices.Collect(maps.Keys(file(t, s, "?"+query))))
			}
			assert.Empty(t, op.ListAdminOrders(t, field+"=other").Items, field)
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
			"an inviter with a space": {"inviter_id": "zoe "},
			"an inviter of dots":      {"inviter_id": ".."},
			"a NUL":                   {"room_id": "a\x00b"},
			"too many fields":         {"fields": many},
			"too heavy fields":        {"fields": heavy},
			"a long field":            {"fields": map[string]string{"a": strings.Repeat("x", 501)}},
			"a long name":             {"fields": map[string]string{strings.Repeat("x", 65): "a"}},
			"a field without name":    {"fields": map[string]string{"": "a"}},
			"a field that is no text": {"fields": map[string]any{"a": 1}},
			"something unheard of":    {"colour": "red"},
		} {
			a := alice.Submit(t, path, keyOf(name), extra)
			assert.Equal(t, "invalid_request", a.Code(), "%s: %d %s", name, a.Status, a.Body)
			assert.Equal(t, http.StatusUnprocessableEntity, a.Status, name)
		}
		assert.Equal(t, "100", site.Stock(t, stores, activity)["sku"])

		room := strings.Repeat("字", 64)
		most := client.SubmitRequest{
			Remark: strings.Repeat("字", 500), RoomID: room, ShareCode: room, ShareSource: room, InviterID: room,
		}
		o := alice.Submit(t, path, "most", most).Placed(t)
		s.Drain(t)
		shown := alice.GetOrder(t, o.OrderNumber)
		assert.Equal(t, "sql", shown.Source, "what the API takes, SQL takes too")
		assert.Equal(t, most.Remark, shown.Remark)
	})
}
