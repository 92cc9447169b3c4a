package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
)

// documented returns the file in the documentation that begins with a text.
func documented(t *testing.T, begin string) string {
	t.Helper()
	text, err := os.ReadFile("../docs/operating/a-sale.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "```yaml\n"+begin)
	require.True(t, found, begin)
	file, _, found := strings.Cut(rest, "```")
	require.True(t, found, begin)
	return begin + file
}

func documentedSale(t *testing.T) string {
	t.Helper()
	return documented(t, "activity_id:")
}

func TestTheDocumentedGoodsAndPointsAreStored(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	c.must(t, documented(t, "# points.yaml"), "points", "put", "-f", "-")
	c.must(t, documented(t, "# skus.yaml"), "skus", "put", "-f", "-")
	assert.Contains(t, c.must(t, "", "points"), "Warehouse east")
	assert.Contains(t, c.must(t, "", "skus"), "bell")
}

func TestTheDocumentedSaleIsPublished(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	_, err := c.site.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
		ID: "lamp", Title: "Desk lamp", Shop: "demo-shop", Kind: catalogue.Physical, Price: 4900, Currency: "CNY",
		Stock: 500,
	})
	require.NoError(t, err)
	assert.Contains(t, c.must(t, documentedSale(t), "activities", "apply", "-f", "-", "--yes"),
		"Applied to lamps-at-noon.")
	assert.Contains(t, c.must(t, "", "activities", "show", "lamps-at-noon"), "state: published")
}

func TestASaleThatHasEndedIsRefusedAndLeavesNoDraft(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	apply := []string{"activities", "apply", "-f", "-", "--yes"}
	ended := strings.NewReplacer("starts_at: ", "starts_at: 2020-06-01T12:00:00Z #", "ends_at: ",
		"ends_at: 2020-06-01T13:00:00Z #").Replace(saleFile("published", 1900, 100))
	assert.Contains(t, c.refused(t, ended, append(apply, "--dry-run")...), "ends_at is in the past")
	assert.Contains(t, c.refused(t, ended, apply...), "ends_at is in the past")
	assert.Equal(t, http.StatusNotFound, c.op.Call(t, http.MethodGet, "/admin/api/v1/activities/noon", "", nil).Status)
}

func TestAFileWithAFieldThatASaleDoesNotHaveIsRefusedByItsLine(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	file := saleFile("draft", 1900, 100)
	dry := []string{"activities", "apply", "-f", "-", "--dry-run"}
	for change, field := range map[string]string{
		"pay_within_s: 900->pay_within: 900":   "line 8: pay_within is not a field of a sale",
		"flash_price: ->price: ":               "line 11: skus[0].price is not a field of a sale",
		"quantity: 100->units: 100":            "line 13: skus[0].stock[0].units is not a field of a sale",
		"pay_within_s: 900->limits: {all: {}}": "line 8: limits.all is not a field of a sale",
	} {
		from, to, _ := strings.Cut(change, "->")
		require.Contains(t, file, from)
		wrong := strings.ReplaceAll(file, from, to)
		said := c.refused(t, wrong, dry...)
		assert.Contains(t, said, field)
		assert.NotContains(t, said, "Sale noon", "no plan is shown")
		assert.Contains(t, c.refused(t, wrong, "activities", "apply", "-f", "-", "--yes"), field)
	}
	assert.Regexp(t, `(?s)line 3: stait .*line 11: skus\[0\].prise `,
		c.refused(t, strings.NewReplacer("state:", "stait:", "flash_price:", "prise:").Replace(file), dry...))
	path := filepath.Join(t.TempDir(), "sale.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"activity_id": "noon", "titel": "x"}`), 0o600))
	assert.Contains(t, c.refused(t, "", "activities", "apply", "-f", path, "--dry-run"),
		"line 1: titel is not a field of a sale")
	assert.Equal(t, http.StatusNotFound, c.op.Call(t, http.MethodGet, "/admin/api/v1/activities/noon", "", nil).Status)
}
