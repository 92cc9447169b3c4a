package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/site"
)

func TestOneOfTwoVouchersIsRefundedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	_, err := c.site.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
		ID: "card", Title: "Card", Shop: "shop", Kind: catalogue.Voucher, Price: 500, Currency: "CNY", Stock: 10,
	})
	require.NoError(t, err)
	ada := c.site.Buyer(t, "ada")
	placed := ada.Call(t, http.MethodPost, "/api/v1/orders", "k", map[string]any{
		"items": []map[string]any{{"sku_id": "card", "quantity": 2}},
	})
	require.Equal(t, http.StatusCreated, placed.Status, "%s", placed.Body)
	orders := placed.JSON(t)["orders"].([]any)
	order := orders[0].(map[string]any)["order_number"].(string)
	right := site.Payment{
		Number: ada.Pay(t, "k", order).JSON(t)["pay_number"].(string), Transaction: "txn-1", Amount: 1000,
		Currency: "CNY",
	}
	c.site.Money(t, right)
	told, err := c.site.Notify(t.Context(), right)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, told.Status)
	codes := func() []any {
		seen := ada.Call(t, http.MethodGet, "/api/v1/orders/"+order, "", nil).JSON(t)
		found, _ := seen["items"].([]any)[0].(map[string]any)["voucher_codes"].([]any)
		return found
	}
	both := codes()
	require.Len(t, both, 2)

	assert.Contains(t, c.refused(t, "", "refund", "'"+order, "--voucher=NONE", "-y"), "no such voucher")
	assert.Contains(t, c.refused(t, "", "refund", order, "--item=card=0", "-y"), "1 or more")
	assert.Contains(t, c.refused(t, "n\n", "refund", order, "--item=card"), "nothing was changed")
	out := c.must(t, "y\n", "refund", order, "--voucher="+both[0].(string), "--reason=returned")
	assert.Contains(t, out, "1 of card ("+both[0].(string)+")")
	assert.Equal(t, both[1:], codes(), "the one that was named is void, and the other is not")
	assert.Regexp(t, ` operator: returned +-\n$`, c.must(t, "", "refunds", "--order='"+order))

	out = c.must(t, "", "refund", order, "-y", "--key=once")
	again := c.must(t, "", "refund", order, "-y", "--key=once")
	assert.Equal(t, out, again, "the same key refunds once")
	assert.Empty(t, codes())
	assert.Equal(t, 1, strings.Count(c.must(t, "", "refunds"), "operator: "), "the other has no words of an operator")
}
