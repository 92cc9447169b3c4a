package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// A price is a number of minor units: 99000 JPY must never become 99000 KRW.
func TestADraftKeepsTheCurrencyOfItsPricesAndIsNotPublishedInAnother(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		op := site.Start(t, stores, site.Idle()).Operator(t)
		other := site.Start(t, stores, site.Idle()).Operator(t)
		sku := lamp()
		sku.Currency = "JPY"
		op.PutSKU(t, "lamp", sku)
		sale := lampSale("0")
		sale.Skus = sale.Skus[:1]
		sale.Skus[0].FlashPrice = 99000
		draft := op.CreateActivity(t, sale).ActivityID
		published := op.CreateActivity(t, sale).ActivityID
		op.PublishActivity(t, published)

		sku.Currency = "KRW"
		other.PutSKU(t, "lamp", sku)
		refused := func(by *site.Person, status int, method, path string, body any) {
			t.Helper()
			a := by.Call(t, method, admin+"/activities"+path, "", body)
			assert.Equal(t, status, a.Status, "%s %s: %s", method, path, a.Body)
			for _, text := range []string{"lamp", "JPY", "KRW"} {
				assert.Contains(t, string(a.Body), text, "%s %s", method, path)
			}
		}
		for _, by := range []*site.Person{op, other} {
			assert.Equal(t, "JPY", by.GetAdminActivity(t, draft).Skus[0].Currency)
			refused(by, http.StatusConflict, http.MethodPost, "/"+draft+"/publish", nil)
			refused(by, http.StatusConflict, http.MethodPost, "/"+draft+"/clone", map[string]any{})
			refused(by, http.StatusConflict, http.MethodPost, "/"+published+"/clone", map[string]any{})
			refused(by, http.StatusConflict, http.MethodPut, "/"+draft, sale)
			named := sale
			named.Skus = []client.ActivityRequestSKU{sale.Skus[0]}
			named.Skus[0].Currency = "JPY" // as it was read
			refused(by, http.StatusUnprocessableEntity, http.MethodPut, "/"+draft, named)
			refused(by, http.StatusUnprocessableEntity, http.MethodPost, "", named)
		}
		assert.Equal(t, "draft", op.GetAdminActivity(t, draft).State)
		assert.Equal(t, "JPY", op.GetAdminActivity(t, published).Skus[0].Currency)

		sale.Skus[0].FlashPrice, sale.Skus[0].Currency = 890000, "KRW"
		require.Equal(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/activities/"+draft, "", sale).Status)
		other.PublishActivity(t, draft)
		shown := op.GetAdminActivity(t, draft).Skus[0]
		assert.Equal(t, []any{"KRW", int64(890000)}, []any{shown.Currency, shown.FlashPrice})
	})
}

func TestADraftIsNotPublishedWithGoodsOfAnotherKind(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		op := site.Start(t, stores, site.Idle()).Operator(t)
		sku := lamp()
		op.PutSKU(t, "lamp", sku)
		sale := lampSale("0")
		sale.Skus = sale.Skus[:1]
		draft := op.CreateActivity(t, sale).ActivityID
		sku.Kind = "voucher"
		op.PutSKU(t, "lamp", sku)
		refused := op.Call(t, http.MethodPost, admin+"/activities/"+draft+"/publish", "", nil)
		assert.Equal(t, http.StatusConflict, refused.Status, "%s", refused.Body)
		assert.Contains(t, string(refused.Body), "sku lamp is now of the kind voucher, but was physical")
		require.Equal(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/activities/"+draft, "", sale).Status)
		op.PublishActivity(t, draft)
	})
}
