//go:build large

package browser_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// What is sent to an endpoint can be read, and a test event says how the endpoint answers. Nothing answers at this one.
func TestAnOperatorReadsADeliveryAndSendsATestEvent(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	op := s.Operator(t)
	put := op.Call(t, http.MethodPut, operators+"/endpoints/erp", "",
		map[string]any{"url": "https://shop.example/onrush"})
	require.Less(t, put.Status, 300, "%s", put.Body)
	// It has not begun, so that its start is no event before the page is read.
	sale := s.Open(t, site.Sale{SKU: "bell", Draft: true, StartsIn: time.Hour, EndsIn: 2 * time.Hour})
	op.PublishActivity(t, sale)
	site.Poll(t, op, operators+"/endpoints/erp/deliveries", func(list client.EventDeliveryList) bool {
		return len(list.Items) > 0
	})
	at(t, page, "#/deliveries/erp")
	page.Do(t, see("tbody [id^=show-]"))
	reads(t, page, "tbody", `Sale published\s+activity\.published`)
	reads(t, page, "td .outcome", "^Its host name was not found.$")
	assert.NotContains(t, text(t, page, "tbody"), "lookup", "it is behind the words")
	page.Do(t, click("td .raw summary"))
	reads(t, page, "td .raw", "shop.example")
	speak(t, page, "zh", s.URL+"/admin#/deliveries/erp", "td .outcome")
	reads(t, page, "td .outcome", "^找不到端点的域名。$")
	speak(t, page, "en", s.URL+"/admin#/deliveries/erp", "td .outcome")
	page.Do(t, click("tbody [id^=show-]"))
	reads(t, page, "dialog", `^Event\s+Answer\s+Its host name was not found\.[^]*What is sent\s+Close`)
	page.Do(t, click("dialog details:has(pre) summary"))
	reads(t, page, "dialog pre", `"type": "activity\.published"[^]*"activity_id": "`+sale)
	page.Screenshot(t, "console-delivery")
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))

	page.Do(t, click("#test"), see("#tested"))
	page.Do(t, click("dialog details:has(pre) summary"))
	reads(t, page, "dialog", `did not take the test event[^]*endpoint\.test`)
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	answers(t, page, map[string]string{`\/erp\/test`: "body.accepted = true"})
	page.Do(t, click("#test"), see("#tested"))
	reads(t, page, "#tested", "The endpoint took the test event.")
	assert.Empty(t, page.Errors())
}

// The live page counts what all instances refused, and says of a sold-out sale when its held units may return.
func TestTheLivePageCountsRefusalsOfAllInstances(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell", Stock: map[string]int64{"0": 1}})
	s.Buyer(t, "ada").Buy(t, sale, "bell", "k")
	refused := s.Buyer(t, "bob").Call(t, http.MethodPost, "/api/v1/seckill/path", "",
		map[string]string{"activity_id": "none", "sku_id": "bell"})
	require.Equal(t, "not_found", refused.Code())
	answers(t, page, map[string]string{`\/orders`: `body.items = [4, 3].map((minutes) => ({
		pay_before: new Date(Date.now() + minutes * 60_000).toISOString(), items: [{ quantity: 1 }] }))`})
	at(t, page, "#/live/"+sale)
	reads(t, page, "#figure-held", `\s1\s+1 order; the first return about \d\d:\d\d unless paid$`)
	reads(t, page, "main", `Refused in all sales, last 5 min[^]*Not found\s+not_found`)
	reads(t, page, "#figure-orders_per_second", `mean of 10 s; peak 1 at `)
	answers(t, page, map[string]string{`\/refusals`: "body.items = []"})
	reads(t, page, "main", `Nothing was refused\.`)
	for _, text := range page.Errors() {
		assert.Contains(t, text, "404")
	}
}
