package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/modules/seckill/gates/human"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

func TestMain(m *testing.M) {
	kit.Waiting()
	code := kit.Main(m)
	browser.Close()
	os.Exit(code)
}

// shop starts a server with a page of another origin.
func shop(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<!doctype html><title>Shop</title><link rel="icon" href="data:,"><p id="shop">A shop</p>`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// buy is the script of a page that buys a thing; $BASE, $TOKEN and $ACTIVITY are replaced.
const buy = `
	const { Onrush } = await import('$BASE/assets/onrush.js');
	const shop = new Onrush({ baseURL: '$BASE', token: '$TOKEN' });
	const steps = [];
	try {
		const onStep = ({ step }) => steps.push(step);
		const order = await shop.buy({ activity: '$ACTIVITY', sku: 'sku', key: 'one', onStep });
		const again = await shop.buy({ activity: '$ACTIVITY', sku: 'sku', key: 'one' });
		return { steps, number: order.order_number, again: again.order_number };
	} catch (error) {
		return { steps, code: error.code ?? String(error) };
	}`

func script(text string, s *site.Site, token, activity string) string {
	return strings.NewReplacer("$BASE", s.URL, "$TOKEN", token, "$ACTIVITY", activity).Replace(text)
}

type bought struct {
	Steps  []string `json:"steps"`
	Number string   `json:"number"`
	Again  string   `json:"again"`
	Code   string   `json:"code"`
}

func buyThroughEveryGate(t *testing.T, stores *kit.Stores) {
	t.Helper()
	b, origin := browser.Open(t), shop(t)
	s := site.Start(t, stores, site.Reachable(),
		site.Configured(func(cfg *server.Config) { cfg.CORSOrigins = []string{origin} }))
	page := b.Page(t, origin+"/sale") // before the sale: a busy machine opens it slowly
	activity := s.Open(t, site.Sale{
		StartsIn: 4 * time.Second, PermitRatio: 1, PathsPerSecond: 5, HumanCheck: human.ProofOfWork,
	})
	token, err := s.Server.Auth.Sign("ada", "user", time.Hour)
	require.NoError(t, err)
	got := browser.Run[bought](t, page, script(buy, s, token, activity))
	require.Empty(t, got.Code, "%v", got.Steps)
	assert.NotEmpty(t, got.Number)
	assert.Equal(t, got.Number, got.Again, "the same key orders once")
	assert.Subset(t, got.Steps, []string{"path", "wait", "human_check", "submit", "stored"})

	redirect := browser.Run[string](t, page, script(`
		const { Onrush } = await import('$BASE/assets/onrush.js');
		const shop = new Onrush({ baseURL: '$BASE', token: '$TOKEN' });
		const payment = await shop.pay({
			orders: ['$ACTIVITY'], channel: 'sandbox', return_url: location.origin + '/paid?order=$ACTIVITY',
		});
		return payment.next.redirect_url;`, s, token, got.Number))
	page.Do(t, chromedp.Navigate(redirect), chromedp.WaitEnabled(chromedp.CSS("#pay")),
		chromedp.Click(chromedp.CSS("#pay")), chromedp.WaitVisible(chromedp.CSS("#shop")))
	assert.Equal(t, origin+"/paid?order="+got.Number, page.At(t))
	ada := s.Buyer(t, "ada")
	require.Eventually(t, func() bool {
		return ada.Call(t, http.MethodGet, "/api/v1/orders/"+got.Number, "", nil).JSON(t)["status"] == "paid"
	}, time.Minute, 50*time.Millisecond)
	for _, text := range page.Errors() { // the gates' refusals, as the browser's console shows them
		assert.Regexp(t, `the server responded with a status of (409|403)`, text)
	}
}

func TestAPageOfTheProgramBuys(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	s := site.Start(t, kit.OnEmbedded(t))
	activity := s.Open(t, site.Sale{HumanCheck: human.ProofOfWork})
	token, err := s.Server.Auth.Sign("ada", "user", time.Hour)
	require.NoError(t, err)
	page := b.Page(t, s.URL+"/docs")
	got := browser.Run[bought](t, page, script(buy, s, token, activity))
	require.Empty(t, got.Code)
	assert.NotEmpty(t, got.Number)
}
