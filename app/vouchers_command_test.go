package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
)

// buysCards lets a buyer order free cards and pay, and returns the number of the order and its item.
func (c *console) buysCards(t *testing.T, key string, cards int) (number string, item map[string]any) {
	t.Helper()
	ada := c.site.Buyer(t, "ada")
	placed := ada.Call(t, http.MethodPost, "/api/v1/orders", key, map[string]any{
		"items": []map[string]any{{"sku_id": "card", "quantity": cards}},
	})
	require.Equal(t, http.StatusCreated, placed.Status, "%s", placed.Body)
	number = placed.JSON(t)["orders"].([]any)[0].(map[string]any)["order_number"].(string)
	paid := ada.Pay(t, key, number)
	require.Less(t, paid.Status, 300, "%s", paid.Body)
	order := ada.Call(t, http.MethodGet, "/api/v1/orders/"+number, "", nil).JSON(t)
	return number, order["items"].([]any)[0].(map[string]any)
}

func TestVouchersAreImportedCountedGivenRedeemedAndWithdrawn(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	file := filepath.Join(t.TempDir(), "codes.txt")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	write("\ufeffGIFT-1\r\n\n  GIFT-2 \r\nGIFT-1\n")
	load := []string{"vouchers", "import", "card", "-f", file}
	assert.Contains(t, c.refused(t, "", load...), "404 Not Found not_found")
	_, err := c.site.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
		ID: "card", Title: "Card", Shop: "shop", Kind: catalogue.Voucher, Currency: "CNY", Stock: 10,
	})
	require.NoError(t, err)
	assert.Equal(t, "line 4 is skipped: repeated\nCodes imported for card: 2. Skipped: 1.\n", c.must(t, "", load...))
	assert.JSONEq(t, `{"sku_id":"card","accepted":0,"skipped":[{"line":1,"reason":"known"},{"line":3,"reason":"known"},
		{"line":4,"reason":"repeated"}]}`, c.must(t, "", append(load, "-o", "json")...))
	assert.Contains(t, c.refused(t, "GIFT-3\nGIFT 4\n", "vouchers", "import", "card", "-f", "-"),
		"-:2: must have 1 to 64 visible ASCII characters")
	assert.Contains(t, c.refused(t, "A\n", "vouchers", "import", "lamp", "-f", "-"), "Only goods of the kind voucher")

	for file, said := range map[string]string{
		"\"GIFT-9\"\nGIFT-10;19.00\n": "-: line 2 has more than one column",
		"GIFT-9\n1.23E+15\n":          "-: line 2 is what a spreadsheet makes of a code",
		"code\nGIFT-9\n":              "-: line 1 looks like the name of a column",
	} {
		assert.Contains(t, c.refused(t, file, "vouchers", "import", "card", "-f", "-"), said)
	}

	number, item := c.buysCards(t, "k", 3)
	assert.Equal(t, []any{"GIFT-1", "GIFT-2"}, item["voucher_codes"])
	assert.EqualValues(t, 1, item["vouchers_waiting"])
	assert.Regexp(t, `(?m)^card +0 +2 +0 +2 +1 +\S+Z +`+number+`$`, c.must(t, "", "vouchers", "list", "--waiting"))
	assert.Contains(t, c.must(t, "", "orders", number), "vouchers_waiting")
	c.must(t, "\"GIFT-3\"\nGIFT-4\n=\"GIFT-5\"\n", "vouchers", "import", "card", "-f", "-")
	assert.Contains(t, c.must(t, "", "orders", number), "GIFT-3")
	assert.Regexp(t, `(?m)^card +2 +3 +0 +5 +0 +- +-$`, c.must(t, "", "vouchers", "list"))
	assert.Equal(t, "[]\n", c.must(t, "", "vouchers", "--waiting", "-o", "json"))

	assert.JSONEq(t, `"active"`, jsonField(t, c.must(t, "", "vouchers", "show", "GIFT-3"), "status"))
	assert.Equal(t, "GIFT-3 is redeemed.\n", c.must(t, "", "vouchers", "redeem", "GIFT-3", "--where=Till 3"))
	assert.Contains(t, c.refused(t, "", "vouchers", "redeem", "GIFT-3", "--where=Till 4"), "voucher_redeemed")
	assert.Contains(t, c.refused(t, "", "vouchers", "show", "GIFT-4"), "404 Not Found not_found", "nobody has it")

	write("GIFT-4\nGIFT-3\n")
	withdraw := []string{"vouchers", "withdraw", "card"}
	assert.Contains(t, c.refused(t, "n\n", append(withdraw, "-f", file)...), "nothing was changed")
	assert.Contains(t, c.must(t, "y\n", append(withdraw, "-f", file)...), "Codes of card withdrawn: 1.\n")
	assert.Contains(t, c.must(t, "", "vouchers", "withdraw", "card", "--all", "-y", "-o", "json"), `"withdrawn": 1`)
	assert.Contains(t, c.refused(t, "", append(withdraw, "--all", "-f", file)...), "can't be used together")
	assert.Contains(t, c.refused(t, "", "vouchers", "withdraw", "card", "-y", "-f", os.DevNull), "no codes")
	assert.Contains(t, c.refused(t, "", "vouchers", "withdraw", "lamp", "-y", "--all"), "404 Not Found not_found")
}
