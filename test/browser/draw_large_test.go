//go:build large

package browser_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// A buyer enters a draw, is told what was drawn, and buys once the others have given up what they were offered. The
// operator sees the draw.
func TestABuyerEntersADrawAndBuys(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{
		Stock: map[string]int64{"0": 1}, StartsIn: time.Hour, EndsIn: 2 * time.Hour, OfferWithinS: 600,
		Mode: seckill.Draw,
	})
	draws := "/api/v1/seckill/draws/" + id
	entry := func(p *site.Person) client.DrawEntry { return drawEntry(t, p, draws) }
	others := []*site.Person{s.Buyer(t, "bob"), s.Buyer(t, "cid"), s.Buyer(t, "dan"), s.Buyer(t, "eve")}
	for _, p := range others {
		p.Call(t, http.MethodPost, draws+"/entries", "", map[string]any{"sku_id": "sku"})
	}
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+id))
	entersTheDraw(t, page, s.URL+"/#/sale/"+id)

	pause(t, s, "serve_waitlists") // the test draws, once the page has said so
	s.Operator(t).ChangeActivity(t, id, client.ActivityChange{StartsAt: time.Now()})
	ada := s.Buyer(t, "ada")
	winner := func() (drawn *site.Person) {
		t.Helper()
		require.Eventually(t, func() bool {
			s.Job(t, "serve_waitlists")
			for _, p := range append(others, ada) {
				if entry(p).State == "offered" {
					drawn = p
				}
			}
			return drawn != nil
		}, time.Minute, 10*time.Millisecond)
		return drawn
	}
	// While it is drawn the page asks for the draw, which all buyers share, and then once for what has become of the
	// entry.
	page.Do(t, chromedp.Reload(), see("#drawn"))
	reads(t, page, "#drawn", "being drawn")
	asked := func(of string) int {
		return browser.Run[int](t, page,
			`return performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/`+of+`'))
				.length`)
	}
	require.Eventually(t, func() bool { return asked("result") > 1 }, time.Minute, 100*time.Millisecond)
	was := asked("entries")
	p := winner()
	reads(t, page, ".about", "Not this time|You won!")
	assert.LessOrEqual(t, asked("entries"), was+3, "once, and by the events of the draw and of an offer")
	for ; p != ada; p = winner() {
		page.Do(t, chromedp.Reload(), see("#drawn"))
		comesFirst(t, page, "#drawn")
		reads(t, page, "#drawn", `^Not this time\s+Sku × 1\s+You are number \d .* may still get one until \d`)
		reads(t, page, ".states", `^Draw\s+Reserve no\. \d$`)
		page.Screenshot(t, "draw-waiting")
		p.Call(t, http.MethodDelete, draws+"/entries/"+entry(p).EntryID, "", nil)
	}
	page.Do(t, chromedp.Reload(), see("#offer"))
	leadsTheDrawn(t, page)
	page.Do(t, click("#buy"), see("#place"), click("#place"), see(".way"))
	checksTheDraw(t, page, s.URL+"/#/draw/"+id)
	page.Do(t, chromedp.Navigate(s.URL+"/admin#/live/"+id), click("#draw summary"))
	reads(t, page, "#draw", `Entries\s+5[^]*Seed\s+[0-9a-f]{64}`)
	page.Screenshot(t, "console-draw")
	assert.Empty(t, page.Errors())
}

// entersTheDraw enters on the page of a draw, which then shows nothing to choose any more.
func entersTheDraw(t *testing.T, page *browser.Page, sale string) {
	t.Helper()
	reads(t, page, ".states", `^Draw\s+Entries close in (59:\d\d|1:00:00)\s+Drawn at random at .* Winners buy until `)
	reads(t, page, ".sku", `1 unit$`)
	assert.Zero(t, count(t, page, "#buy"), "nobody buys without being drawn")
	reads(t, page, "#cost", `^Goods\s+¥1\.00\s+If you win, you pay\s+¥1\.00$`)
	reads(t, page, ".buy-bar", `^Enter the draw\s+Free to enter\. You pay only if you win\.$`)
	assert.Zero(t, count(t, page, ".extras"), "there is no order yet to write a note for")
	page.Screenshot(t, "draw-open")
	page.Do(t, click("#draw .go"))
	reads(t, page, "#drawn", `^\s*You're in the draw\s+Sku × 1\s+The buyers are drawn at .*\s+Leave the draw$`)
	reads(t, page, ".states", `^Draw\s+Drawn in (59:\d\d|1:00:00)$`)
	assert.Zero(t, count(t, page, ".quantity, .extras, #cost, .buy-bar"), "there is nothing to choose any more")
	page.Screenshot(t, "draw-entered")
	page.Do(t, click("#draw a"))
	reads(t, page, ".proof", `It is not drawn yet[^]*The promise[^]*[0-9a-f]{4}[^]*Buyers enter until`)
	page.Do(t, chromedp.Navigate(sale), see("#drawn"))
}

// leadsTheDrawn reads on the page of a draw that a buyer who was drawn is led to buying, before all else.
func leadsTheDrawn(t *testing.T, page *browser.Page) {
	t.Helper()
	reads(t, page, "#offer", `^You won!\s+Kept for you: 1 × Sku\s+(10:00|9:\d\d) left to buy$`)
	assert.Zero(t, count(t, page, ".states"), "the end of the sale is not the deadline")
	assert.NotContains(t, browser.Run[string](t, page, `return document.querySelector('.about').innerText`), "Sold out")
	assert.Zero(t, count(t, page, ".sale-page.gone, .stepper"), "nothing is gone, and nothing is to be chosen")
	reads(t, page, ".quantity", "^Quantity 1$")
	comesFirst(t, page, "#offer")
	reads(t, page, "#draw", `^How to check the draw\s+Give up my unit\s+The next in the list gets what you give up\.$`)
	reads(t, page, "#buy", `^Buy now · ¥1\.00$`)
	assert.True(t, browser.Run[bool](t, page, `
		const [buy, leave] = ['#buy', '.give-up button'].map((name) => document.querySelector(name));
		return Boolean(buy.compareDocumentPosition(leave) & Node.DOCUMENT_POSITION_FOLLOWING)`), "giving up comes last")
	reads(t, page, "#reason", "^You confirm next, then have 15 minutes to pay.$")
	loadAxe(t, page)("drawn")
	page.Screenshot(t, "draw-offered")
}

// comesFirst asserts that what a selector names stands above the goods.
func comesFirst(t *testing.T, page *browser.Page, selector string) {
	t.Helper()
	assert.True(t, browser.Run[bool](t, page, `
		const [said, goods] = ['`+selector+`', '.sku']
			.map((name) => document.querySelector(name).getBoundingClientRect());
		return said.bottom <= goods.top`), "%s comes first", selector)
}

// checksTheDraw reads that the browser of a buyer checks a draw, and finds an order that does not follow from the seed.
func checksTheDraw(t *testing.T, page *browser.Page, address string) {
	t.Helper()
	page.Do(t, chromedp.Navigate(address))
	reads(t, page, ".proof [role=status]", "^Your browser has checked this draw: everything is right.$")
	reads(t, page, ".proof", `promised fingerprint\.[^]*all entries follows from the seed: 5\.`+
		`[^]*Nobody was passed\.[^]*Your entry is number \d\.`)
	loadAxe(t, page)("check of a draw")
	page.Screenshot(t, "draw-checked")
	browser.Run[bool](t, page, `
		window.fetch = ((fetch) => async (url, options) => {
			const answer = await fetch(url, options);
			if (!String(url).includes('/lots')) return answer;
			const list = await answer.json();
			return new Response(JSON.stringify({ ...list, items: list.items.reverse() }), answer);
		})(window.fetch);
		return true`)
	at(t, page, "#/")
	page.Do(t, see("main .cards, main .empty"))
	at(t, page, "#"+strings.SplitN(address, "#", 2)[1])
	reads(t, page, ".proof [role=status]", "^Your browser has found something wrong")
	reads(t, page, ".proof .check.bad", "does not follow from the seed")
}

// drawEntry returns the entry of a buyer in a draw, or the zero value once it is left.
func drawEntry(t *testing.T, p *site.Person, draw string) client.DrawEntry {
	t.Helper()
	list := site.Read[struct{ Items []client.DrawEntry }](t, http.StatusOK,
		p.Call(t, http.MethodGet, draw+"/entries", "", nil)).Items
	return append(list, client.DrawEntry{})[0]
}

// pause pauses a job.
func pause(t *testing.T, s *site.Site, job string) {
	t.Helper()
	answer := s.Operator(t).Call(t, http.MethodPost, operators+"/jobs/"+job+"/pause", "k", nil)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
}
