//go:build large

package browser_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill/gates/eligible"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// An operator says in the form of a draft who may buy, and from when on.
func TestTheConsoleSaysWhoMayBuy(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{Draft: true, StartsIn: time.Hour, EndsIn: 2 * time.Hour})
	page.Do(t, chromedp.Navigate(s.URL+"/admin#/edit/"+id), chromedp.Reload(), see("form.edit"))
	page.Do(t, click("#eligible summary"))
	put(t, page, "eligible_list", "yes")
	put(t, page, "eligible_claim", "gold")
	page.Do(t, click("#save"), see("#wrong"))
	reads(t, page, "#eligible", "Name and values, such as: tier=gold platinum")
	put(t, page, "eligible_claim", "tier=gold platinum")
	put(t, page, "eligible_code", "yes")
	put(t, page, "early_minutes", "30")
	put(t, page, "limit_key", "household")
	page.Do(t, click("#save"), see("#saved"))
	assert.Equal(t, map[string]any{
		"list": true, "code": true, "early_s": 1800.0,
		"claim": map[string]any{"name": "tier", "values": []any{"gold", "platinum"}},
	}, activity(t, s, id)["eligibility"])
	assert.Equal(t, "household", activity(t, s, id)["limit_key"])
}

// A buyer who comes before the start waits for it like everybody, and buys at once when they are put on the list.
func TestABuyerOnTheListBuysBeforeTheStart(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{
		StartsIn: 20 * time.Minute, Eligible: eligible.Settings{List: true, EarlyS: 1800},
	})
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+id), see("#buy"), see("#eligible"))
	reads(t, page, "#eligible", "Certain buyers may buy from .+ on, all others from the start")
	page.Do(t, click("#buy"))
	reads(t, page, "#buy", `start.*19:[0-9]{2}`)
	answer := s.Operator(t).Call(t, http.MethodPost, operators+"/activities/"+id+"/buyers", "",
		map[string]any{"user_ids": []string{"ada"}})
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	s.Job(t, "fill_buyers")
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+id), chromedp.Reload(), see("#buy"))
	page.Do(t, click("#buy"), see("#place"), click("#place"), see(".way .stored.done"))
}

// A buyer types a code of a sale that is for buyers with one, first a wrong one.
func TestABuyerNeedsACode(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{Eligible: eligible.Settings{Code: true}})
	codes := site.Read[client.MadeCodes](t, http.StatusCreated, s.Operator(t).Call(t, http.MethodPost,
		operators+"/activities/"+id+"/codes", "", map[string]any{"count": 1})).Codes
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+id), see("#buy"), see("#eligible"))
	reads(t, page, "#eligible", "for certain buyers only")
	put(t, page, "code", "AAAA-BBBB-CCCC")
	page.Do(t, click("#buy"))
	reads(t, page, "main", "This code is not valid for this sale")
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+id), chromedp.Reload(), see("#buy"))
	put(t, page, "code", codes[0])
	page.Do(t, click("#buy"), see("#place"), click("#place"), see(".way .stored.done"))
}
