package rounds

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/web/client"
)

func TestADraftThatIsPublishedInAnotherCurrencyIsSeen(t *testing.T) {
	t.Parallel()
	sale := client.AdminActivity{Skus: []client.AdminActivity_Skus{{SKUID: "a", Currency: "JPY"}}}
	assert.Empty(t, brokenDraft(sale, "JPY"))
	sale.Skus = append(sale.Skus, client.AdminActivity_Skus{SKUID: "b", Currency: "KRW"})
	assert.Len(t, brokenDraft(sale, "JPY"), 1)
}

func TestAnOrderThatNamesItsErasedBuyerIsSeen(t *testing.T) {
	t.Parallel()
	assert.Empty(t, brokenErasure(client.AdminOrder{OrderNumber: "1", UserID: "erased-9"}, "erased-7"))
	assert.Len(t, brokenErasure(client.AdminOrder{OrderNumber: "1", UserID: "erased-7"}, "erased-7"), 1)
	assert.Len(t, brokenErasure(client.AdminOrder{OrderNumber: "1", InviterID: "erased-7"}, "erased-7"), 1)
}

func TestAKeyThatIsAcceptedAfterItWasRevokedIsSeen(t *testing.T) {
	t.Parallel()
	answers := func(status int) string {
		handler := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
		s := httptest.NewServer(http.HandlerFunc(handler))
		t.Cleanup(s.Close)
		return s.URL
	}
	refuses, accepts := answers(http.StatusUnauthorized), answers(http.StatusOK)
	o := &operators{client: http.DefaultClient, urls: [2]string{refuses, refuses}}
	assert.Empty(t, o.brokenKey(t.Context(), "secret"))
	o.urls[1] = accepts
	assert.Equal(t, []string{"a revoked key is accepted by " + accepts}, o.brokenKey(t.Context(), "secret"))
}

func TestASaleThatIsShownWithAnotherPriceOrLimitIsSeen(t *testing.T) {
	t.Parallel()
	said := client.AdminActivity{PurchaseLimit: 2, Skus: []client.AdminActivity_Skus{{FlashPrice: 9}}}
	shown := client.Activity{PurchaseLimit: 2, Skus: []client.ActivitySKU{{FlashPrice: 9}}}
	assert.Empty(t, brokenPrice(shown, said))
	shown.PurchaseLimit = 1
	assert.Len(t, brokenPrice(shown, said), 1)
	shown.PurchaseLimit, shown.Skus[0].FlashPrice = 2, 8
	assert.Len(t, brokenPrice(shown, said), 1)
}
