package contract

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/web/client"
)

// whole are the operations whose items are not a page of a list, each with the reason.
var whole = map[string]string{
	"listPayments":    "of one order, which has few",
	"listDrawEntries": "of a buyer in one draw, one for each sku",
	"listWaits":       "what a buyer waits for, at most 20",
	"listReminders":   "of what a buyer is reminded, at most 20",
	"listTasks":       "the newest of a buyer in one sale, at most 20",
	"listChannels":    "the ways to pay that are on",
	"search":          "the best hits",
	"getRevenue":      "one item for each currency",
	"getHistory":      "at most a few days of one sale",
	"checkActivity":   "the checks of one sale",
	"auditActivity":   "the skus and points of one sale",
	"listInstances":   "those that run",
	"listRefusals":    "one item for each code",
	"listJobs":        "all jobs",
	"getQueue":        "all lanes",
	"getOrder":        "the items of one order",
	"getAdminOrder":   "the items of one order",
	"getRefund":       "the items of one refund",
}

// feed is the list that goes on at its end: its next_cursor is there even if there is no more.
const feed = "listEvents"

// itemsOf returns the schema of a GET operation's answer if it has items.
func itemsOf(op *operation) *openapi3.Schema {
	schema := op.answer(http.StatusOK)
	if op.method != http.MethodGet || schema == nil || schema.Properties["items"] == nil {
		return nil
	}
	return schema
}

func TestEveryListHasTheSameShape(t *testing.T) {
	t.Parallel()
	lists := 0
	for _, op := range read(t).operations {
		schema := itemsOf(op)
		if schema == nil || whole[op.id] != "" {
			assert.True(t, whole[op.id] == "" || schema != nil, "%s has no items: remove it from whole", op.id)
			continue
		}
		lists++
		cursor := "after"
		if op.id == "listOrders" {
			cursor = "before"
		}
		names := []string{}
		for _, q := range op.params("query") {
			names = append(names, q.Name)
		}
		assert.Contains(t, names, cursor, op.id)
		always, sometimes := []string{"items", "page_size", "partial"}, []string{"next_cursor", "total", "page"}
		if op.id == feed {
			always, sometimes = []string{"items", "next_cursor", "more"}, []string{"missed"}
		}
		for name := range schema.Properties {
			assert.Contains(t, slices.Concat(always, sometimes), name, op.id)
		}
		assert.Subset(t, schema.Required, always, op.id)
		assert.Contains(t, schema.Properties, "next_cursor", op.id)
		assert.Equal(t, slices.Contains(names, "page"), schema.Properties["total"] != nil,
			"%s: a list has a total if pages have numbers", op.id)
	}
	assert.Greater(t, lists, 20)
}

func TestWhatContinuesAfterACursorHasPagesOfOneSize(t *testing.T) {
	t.Parallel()
	for _, op := range read(t).operations {
		sizes, continues := 0, false
		for _, q := range op.params("query") {
			switch q.Name {
			case "after", "before":
				continues = op.id != "watchMyEvents" // a stream has no pages
			case "page_size":
				sizes++
				assert.Equal(t, []float64{1, 100}, []float64{*q.Schema.Value.Min, *q.Schema.Value.Max}, op.id)
			case "limit", "cursor", "offset", "per_page":
				assert.Fail(t, op.id+" has another word for page_size or after: "+q.Name)
			}
		}
		assert.Equal(t, continues, sizes == 1, op.id)
		assert.Equal(t, continues, itemsOf(op) != nil && whole[op.id] == "", op.id)
	}
}

// Each list is read by its cursor to its end, one item at a time, and has the same items as the list at once.
func TestEveryListIsReadToItsEndByItsCursor(t *testing.T) {
	t.Parallel()
	inTurn(t)
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := standing(t, stores)
		w.site.Drain(t)
		long := 0
		for _, op := range w.operations {
			if itemsOf(op) == nil || whole[op.id] != "" || op.id == feed {
				continue
			}
			cursor := "after"
			if op.id == "listOrders" {
				cursor = "before"
			}
			page := func(q string) (items []any, next string) {
				good := w.good(t, op)
				a := w.caller(op).send(t, good.with(query(q)))
				require.Equal(t, http.StatusOK, a.Status, "%s?%s: %s", op.id, q, a.Body)
				body := a.JSON(t)
				next, _ = body["next_cursor"].(string)
				return body["items"].([]any), next
			}
			all, next := page("page_size=100")
			require.Empty(t, next, op.id)
			one, next := page("page_size=1")
			for next != "" {
				items, after := page("page_size=1&" + cursor + "=" + url.QueryEscape(next))
				one, next = append(one, items...), after
				require.LessOrEqual(t, len(one), len(all)+1, op.id)
			}
			assert.Len(t, one, len(all), op.id)
			if len(all) > 1 {
				long++
			}
		}
		assert.Greater(t, long, 5)
	})
}

func TestListsWithoutAKeyAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		w.ada.do(t, 201, "createAddress", sent(addressBody))
		w.comingSale(t)
		for _, id := range []string{"erp", "mail"} {
			w.op.do(t, 201, "putEndpoint", param("endpoint_id", id), sent(object{"url": "http://127.0.0.1:1/"}))
		}
		audit := param("name", "audit")
		for n := range 2 {
			w.op.do(t, 202, "runJob", audit)
			require.Eventually(t, func() bool {
				runs := do[client.RunList](t, w.op, 200, "listRuns", audit).Items
				open := func(r client.Run) bool { return r.EndedAt.IsZero() }
				return len(runs) > n && !slices.ContainsFunc(runs, open)
			}, time.Minute, 10*time.Millisecond)
		}
		for id, p := range map[string]*person{"listAddresses": w.ada, "listActivities": w.ada, "listEndpoints": w.op} {
			first := p.do(t, 200, id, query("page_size=1")).JSON(t)
			second := p.do(t, 200, id, query("page_size=1&after="+first["next_cursor"].(string))).JSON(t)
			assert.NotEqual(t, first["items"], second["items"], id)
			assert.EqualValues(t, 2, second["total"], id)
			assert.NotContains(t, second, "next_cursor", id)
			p.do(t, 422, id, query("after=abc"))
		}
		first := w.op.do(t, 200, "listRuns", audit, query("page_size=1")).JSON(t)
		w.op.do(t, 200, "listRuns", audit, query("page_size=1&after="+first["next_cursor"].(string)))
	})
}
