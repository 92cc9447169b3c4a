//go:build large

package browser_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/seckill"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// openOf opens a sale of a pen for 1.00 with one unit, of a book for 3.00 and of a lamp for 5.00, and returns its id.
func openOf(t *testing.T, s *site.Site) string {
	t.Helper()
	goods := []seckill.ActivitySKU{}
	for i, sku := range []string{"pen", "book", "lamp"} {
		_, err := s.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
			ID: sku, Title: sku, Shop: "shop", Kind: catalogue.Virtual, Price: 900, Currency: "CNY", Stock: 9,
		})
		require.NoError(t, err)
		goods = append(goods, seckill.ActivitySKU{
			SKU: sku, FlashPrice: int64(100 + 200*i), PurchaseLimit: seckill.Unlimited,
			Stock: []seckill.PointStock{{Point: "0", Total: int64(1 + 8*i)}},
		})
	}
	now := time.Now()
	sale, err := s.Server.Activities.Create(t.Context(), &seckill.Activity{
		Title: "Sale", Shop: "shop", StartsMS: now.Add(-time.Minute).UnixMilli(),
		EndsMS: now.Add(time.Hour).UnixMilli(), PermitRatio: seckill.Unlimited, PurchaseLimit: seckill.Unlimited,
		PayWithinS: 900, SKUs: goods,
	})
	require.NoError(t, err)
	_, err = s.Server.Activities.Publish(t.Context(), sale.ID, 0)
	require.NoError(t, err)
	return sale.ID
}

// Who comes back to a sale, from another view or by a reload, has the goods that were chosen: others would be bought by
// mistake.
func TestTheWayBackKeepsTheChosenGoods(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := openOf(t, s)
	chosen := func() {
		t.Helper()
		reads(t, page, ".sku.chosen .name", "^book$")
	}
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see("#buy"))
	reads(t, page, ".sku.chosen .name", "^pen$")
	page.Do(t, click(".sku input[value=book]"))
	chosen()
	assert.Contains(t, page.At(t), "?sku=book")
	at(t, page, "#/orders")
	page.Do(t, see("h1"))
	browser.Run[bool](t, page, `history.back(); return true`)
	chosen()
	page.Do(t, chromedp.Reload())
	chosen()

	page.Do(t, click("#buy"), click("#place"), see(".way .stored.done"), click("#cancel"), see("dialog .amounts"))
	reads(t, page, "dialog .amounts", `^Total\s+¥3\.00$`)
	page.Do(t, click("dialog .danger.large"))
	page.Do(t, click(`a[href^="#/sale/"]`))
	chosen()
}

// The lowest price of a sale is one of goods that are left.
func TestTheLowestPriceCanBeHad(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := openOf(t, s)
	page.Do(t, chromedp.Navigate(s.URL+"/"), see("a.sale"))
	reads(t, page, "a.sale .price", `^from ¥1\.00`)
	s.Buyer(t, "bob").Buy(t, sale, "pen", "k").Placed(t)
	reads(t, page, "a.sale .price", `^from ¥3\.00`)
	at(t, page, "#/sale/"+sale)
	reads(t, page, ".about > .price", `^from ¥3\.00`)
}

// A sale in which nothing can be bought any more has no form, and leads on; before that, and afterwards, nobody sends a
// crowd into it.
func TestASaleThatIsOverHasNoFormAndTakesNoCrowd(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	soon := s.Open(t, site.Sale{SKU: "soon", StartsIn: time.Hour, EndsIn: 2 * time.Hour})
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+soon), see("#buy"), click(".demo summary"), see("#requests"))
	assert.Zero(t, count(t, page, "#send-crowd"))

	sale := s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Physical})
	at(t, page, "#/sale/"+sale)
	page.Do(t, see(".delivery"), click(".demo summary"), see("#send-crowd"))
	s.Operator(t).TakeActivityOffline(t, sale)
	reads(t, page, ".over", `^The sale is over\.[^]*See the flash sales\s+My orders$`)
	assert.Zero(t, count(t, page, ".sale-page :is(form, .delivery, #buy, #send-crowd, .when, .tags, #share)"))
	reads(t, page, ".about > .price", `^¥1\.00`)
	page.Screenshot(t, "sale-over")

	free := s.Open(t, site.Sale{SKU: "free", Free: true, Stock: map[string]int64{"0": 1}})
	order := s.Buyer(t, "bob").Buy(t, free, "free", "k").Placed(t)
	s.Drain(t)
	s.Buyer(t, "bob").BeginPayment(t, "p", order.OrderNumber)
	at(t, page, "#/sale/"+free)
	reads(t, page, ".over", `^This sale is sold out\.`)
}

// Goods that nobody sends have no freight, neither before the order nor in it.
func TestACourseHasNoFreight(t *testing.T) {
	t.Parallel()
	s, page, _ := atSale(t, site.Sale{SKU: "course"})
	page.Do(t, click("#buy"), see("dialog .amounts"))
	reads(t, page, "dialog .amounts", `^Goods\s+¥1\.00\s+Total\s+¥1\.00$`)
	page.Do(t, click("#place"), see(".order .amounts"))
	reads(t, page, ".order .amounts", `^Total\s+¥1\.00$`)
	order := s.Buyer(t, "ada").Call(t, http.MethodGet, "/api/v1/orders/"+number(t, page), "", nil).JSON(t)
	assert.EqualValues(t, 0, order["freight_amount"])
}

// A phone number that can't be one is refused before the address is sent.
func TestAPhoneNumberIsLookedAt(t *testing.T) {
	t.Parallel()
	s, page := openAddresses(t)
	page.Do(t, click("#new-address"), see("[name=region-choice]"))
	for name, text := range map[string]string{
		"receiver": "Ada", "phone": "12-345", "region-choice": "Shanghai", "detail": "Street 1",
	} {
		put(t, page, name, text)
	}
	page.Do(t, click(".save-address"))
	reads(t, page, "#wrong-phone", "^A phone number has at least six digits.")
	assert.Empty(t, s.Buyer(t, "ada").ListAddresses(t))
	put(t, page, "phone", "+86 (21) 6000-1234 ext. 5")
	page.Do(t, click(".save-address"))
	reads(t, page, "li.card", `6000-1234`)
}
