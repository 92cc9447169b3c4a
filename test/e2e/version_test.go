package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// titledDraft is a draft of the sku "sku".
func titledDraft(title string, price, units int64) client.ActivityRequest {
	start := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	return client.ActivityRequest{
		Title: title, ShopID: "shop", StartsAt: start, EndsAt: start.Add(time.Hour), PayWithinS: 900,
		Skus: []client.ActivityRequestSKU{{
			SKUID: "sku", FlashPrice: price, Stock: []client.PointStock{{PointID: "0", Quantity: units}},
		}},
	}
}

// edit is something that several operators may edit.
type edit struct {
	method, path string
	write        string // where path has another route for changes
	body         func(i int) any
	key          func(i int) string
}

// edits returns one of each thing that operators edit.
func edits(t *testing.T, s *site.Site, op *site.Person) map[string]edit {
	t.Helper()
	sale := admin + "/activities/" + s.Open(t, site.Sale{})
	draft := admin + "/activities/draft"
	must(t, http.StatusOK, op.Call(t, http.MethodPut, draft, "", titledDraft("Draft", 100, 10)))
	point := func(i int) any { return client.PointRequest{Name: fmt.Sprint("Point ", i)} }
	must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/points/east", "", point(0)))
	endpoint := func(i int) any {
		return client.EndpointRequest{URL: fmt.Sprintf("https://shop.example/%d", i), Enabled: new(false)}
	}
	must(t, http.StatusCreated, op.Call(t, http.MethodPut, admin+"/endpoints/erp", "", endpoint(0)))
	block := func(i int) any { return client.BlockRequest{Reason: fmt.Sprint("robot ", i)} }
	must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/blocked/user:eve", "", block(0)))
	return map[string]edit{
		"draft": {method: http.MethodPut, path: draft, body: func(i int) any {
			return titledDraft(fmt.Sprint("Draft ", i), int64(100+i), int64(10+i))
		}},
		"sale": {method: http.MethodPatch, path: sale, body: func(i int) any {
			return client.ActivityChange{Title: fmt.Sprint("Sale ", i)}
		}},
		"stock": {
			method: http.MethodPost, path: sale, write: sale + "/stock",
			body: func(i int) any { return client.StockRequest{SKUID: "sku", PointID: "0", Delta: int64(1 + i)} },
			key:  func(i int) string { return fmt.Sprint("k", i) },
		},
		"sku": {method: http.MethodPut, path: admin + "/skus/sku", body: func(i int) any {
			return client.SKURequest{
				Title: fmt.Sprint("Lamp ", i), ShopID: "shop", Kind: "physical", Price: 1000, Currency: "CNY",
			}
		}},
		"point":    {method: http.MethodPut, path: admin + "/points/east", body: point},
		"endpoint": {method: http.MethodPut, path: admin + "/endpoints/erp", body: endpoint},
		"block":    {method: http.MethodPut, path: admin + "/blocked/user:eve", body: block},
	}
}

// insistUntilChanged repeats a request while it is 503, unless that says that the change is made: Redis gets it later,
// and a repetition would find the thing changed, by itself.
func insistUntilChanged(p *site.Person, method, path, key string, body any) (a site.Answer) {
	for range 100 {
		a = p.Ask(method, path, key, body)
		if a.Status != http.StatusServiceUnavailable || strings.Contains(string(a.Body), "The activity is changed") {
			break
		}
	}
	return a
}

// Of 48 operators who change the same version of a thing at once, one does, and the others are told so.
func TestOfOperatorsWhoChangeTheSameVersionAtOnceOneDoes(t *testing.T) {
	t.Parallel()
	const operators = 48
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		for name, e := range edits(t, s, op) {
			read := op.Call(t, http.MethodGet, e.path, "", nil)
			require.Equal(t, http.StatusOK, read.Status, "%s: %s", name, read.Body)
			from := op.From(read)
			write, key := e.path, func(int) string { return "" }
			if e.write != "" {
				write, key = e.write, e.key
			}
			done := 0
			for _, a := range kit.AtOnce(operators, func(i int) site.Answer {
				return insistUntilChanged(from, e.method, write, key(i), e.body(i+1))
			}) {
				if a.Status == http.StatusOK || a.Status == http.StatusServiceUnavailable {
					done++
					continue
				}
				assert.Equal(t, "stale_version", a.Code(), "%s: %d %s", name, a.Status, a.Body)
				assert.Equal(t, http.StatusConflict, a.Status)
			}
			assert.Equal(t, 1, done, name)
			now := op.Call(t, http.MethodGet, e.path, "", nil)
			assert.NotEqual(t, read.Header.Get("ETag"), now.Header.Get("ETag"), name)
			shown := parsed[struct{ Version int64 }](now)
			assert.Equal(t, fmt.Sprintf("%q", fmt.Sprint(shown.Version)), now.Header.Get("ETag"), name)
			again := op.From(now).Call(t, e.method, write, key(operators), e.body(operators))
			must(t, http.StatusOK, again)
			assert.NotEmpty(t, again.Body, name)
		}
	})
}

func TestAStaleChangeSaysWhatOthersChanged(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		for name, e := range edits(t, s, op) {
			old := op.Call(t, http.MethodGet, e.path, "", nil)
			write, key := e.path, ""
			if e.write != "" {
				write, key = e.write, "first"
			}
			must(t, http.StatusOK, op.From(old).Call(t, e.method, write, key, e.body(1)))
			if key != "" {
				must(t, http.StatusOK, op.From(old).Call(t, e.method, write, key, e.body(1)))
				key = "second"
			}
			stale := op.From(old).Call(t, e.method, write, key, e.body(2))
			requireRefusal(t, stale, http.StatusConflict, "stale_version")
			said := site.Read[client.Problem](t, http.StatusConflict, stale)
			now := op.Call(t, http.MethodGet, e.path, "", nil)
			assert.Equal(t, fmt.Sprintf("%q", fmt.Sprint(said.Version)), now.Header.Get("ETag"), name)
			if assert.Len(t, said.Changes, 1, "%s: %s", name, stale.Body) {
				assert.Equal(t, "operator", said.Changes[0].Actor)
				assert.NotEmpty(t, said.Changes[0].Fields, name)
			}
			if e.method == http.MethodPut && name != "block" {
				deletes := op.From(old).Call(t, http.MethodDelete, e.path, "", nil)
				assert.Equal(t, "stale_version", deletes.Code(), "%s: %s", name, deletes.Body)
			}
			if name == "draft" {
				requireRefusal(t, op.From(old).Call(t, http.MethodPost, e.path+"/publish", "", nil),
					http.StatusConflict, "stale_version")
				var fields []string
				for _, f := range said.Changes[0].Fields {
					fields = append(fields, f.Field)
				}
				assert.Contains(t, fields, "skus[sku].stock[0].quantity")
				assert.Contains(t, fields, "title")
			}
		}
	})
}
