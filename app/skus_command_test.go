package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

const goodsFile = `- sku_id: pen
  title: Pen
  shop_id: shop
  kind: physical
  price: 250
  currency: CNY
  stock: 7
- {sku_id: 42, title: Card, shop_id: other, kind: voucher, price: 5000, currency: CNY}
`

func TestGoodsAreStoredListedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	put := []string{"skus", "put", "-f", "-"}
	assert.Equal(t, "pen is stored.\n42 is stored.\n", c.must(t, goodsFile, put...))
	assert.Regexp(t, `(?m)^pen +physical +shop +2\.50 +CNY +7 +Pen$`, c.must(t, "", "skus"))
	listed := c.must(t, "", "skus", "list", "--shop=other", "--limit=1")
	assert.Regexp(t, `(?m)^42 +voucher`, listed)
	assert.NotContains(t, listed, "pen")
	assert.Equal(t, "[]\n", c.must(t, "", "skus", "-o", "json", "--from=2100-01-01T00:00:00Z"))

	shown := c.must(t, "", "skus", "show", "pen")
	assert.True(t, strings.HasPrefix(shown, "sku_id: pen\n"), shown)
	path := filepath.Join(t.TempDir(), "pen.yaml")
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(shown, "title: Pen", "title: Pencil", 1)), 0o600))
	c.must(t, "", "skus", "put", "-f", path)
	assert.JSONEq(t, `"Pencil"`, jsonField(t, c.must(t, "", "skus", "show", "pen", "-o", "json"), "title"))
	assert.Contains(t, c.refused(t, "", "skus", "put", "-f", path), "stale_version", "it is of the version before")

	assert.Equal(t, "Stock of pen: 12.\n", c.must(t, "", "skus", "stock", "pen", "--add=5", "--key=k"))
	assert.Equal(t, "Stock of pen: 12.\n", c.must(t, "", "skus", "stock", "pen", "--add=5", "--key=k"))
	assert.JSONEq(t, `10`, jsonField(t, c.must(t, "", "skus", "stock", "pen", "--take=2", "-o", "json"), "stock"))
	assert.Contains(t, c.refused(t, "", "skus", "stock", "pen", "--take=11"), "409 Conflict conflict")
	assert.Contains(t, c.refused(t, "", "skus", "stock", "pen", "--take=-1"), "must not be negative")
	assert.Contains(t, c.refused(t, "", "skus", "stock", "pen"), "missing flags")
	assert.Contains(t, c.refused(t, "", "skus", "stock", "pen", "--take=1", "--add=1"), "can't be used together")

	count := []string{"skus", "set-stock", "-f", "-"}
	assert.Equal(t, "pen is stored.\n42 is stored.\n",
		c.must(t, "- {sku_id: pen, stock: 30, version: 3}\n- {sku_id: 42, stock: 4}\n", count...))
	assert.Contains(t, c.refused(t, "- {sku_id: 42, stock: 5}\n- {sku_id: pen, stock: 31, version: 3}\n", count...),
		"line 2, pen: ", "its stock was changed since")
	assert.JSONEq(t, `4`, jsonField(t, c.must(t, "", "skus", "show", "42", "-o", "json"), "stock"))

	assert.Contains(t, c.refused(t, "n\n", "skus", "delete", "pen"), "nothing was changed")
	assert.Contains(t, c.must(t, "y\n", "skus", "delete", "pen"), "pen is deleted.\n")
	assert.Contains(t, c.refused(t, "", "skus", "delete", "pen", "-y"), "404 Not Found not_found")
	assert.Contains(t, c.refused(t, "", "skus", "show", "pen"), "404 Not Found not_found")
}

func TestAFileOfGoodsIsRefusedByItsLine(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	put := []string{"skus", "put", "-f", "-"}
	for change, want := range map[string]string{
		"kind: voucher->kind: magic": "line 8, 42: kind must be one of physical, virtual, voucher",
		"price: 250->prize: 250":     "line 1, pen: prize is unknown; the fields here are sku_id, ",
		"sku_id: pen->id: pen":       "line 1: the item has no sku_id",
		"stock: 7->stock:":           "line 7: stock has no value",
	} {
		from, to, _ := strings.Cut(change, "->")
		require.Contains(t, goodsFile, from)
		assert.Contains(t, c.refused(t, strings.Replace(goodsFile, from, to, 1), put...), want)
	}
	assert.Contains(t, c.refused(t, "", put...), "the file is empty")
	assert.Contains(t, c.refused(t, "[]", put...), "the file has no items")
	assert.Contains(t, c.refused(t, "", "skus", "put", "-f", "/nowhere"), "no such file")
	var all []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(c.must(t, "", "skus", "-o", "json", "--shop=other")), &all))
	assert.Empty(t, all, "nothing of a file that was refused is stored")
}

func TestPointsAreStoredListedAndDeleted(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	const file = `{"point_id": "west", "name": "West", "regions": ["NRW", "SL"], "freight_extra": 100, "pickup": true}`
	assert.Equal(t, "west is stored.\n", c.must(t, file, "points", "put", "-f", "-"))
	assert.Regexp(t, `(?m)^west +West +true +100 +\["NRW","SL"\]$`, c.must(t, "", "points"))
	shown := c.must(t, "", "points", "show", "west")
	assert.True(t, strings.HasPrefix(shown, "point_id: west\n"), shown)
	c.must(t, strings.Replace(shown, "NRW", "HE", 1), "points", "put", "-f", "-", "-o", "json")
	assert.JSONEq(t, `["HE","SL"]`, jsonField(t, c.must(t, "", "points", "show", "west", "-o", "json"), "regions"))
	assert.Contains(t, c.refused(t, `{point_id: west, name: ""}`, "points", "put", "-f", "-"), "line 1, west: name")
	assert.Contains(t, c.refused(t, "", "points", "list", "--activity=?"), "422 Unprocessable Entity invalid_request")
	assert.Contains(t, c.must(t, "", "points", "delete", "west", "-y"), "west is deleted.\n")
	assert.Contains(t, c.refused(t, "", "points", "delete", "west", "-y"), "404 Not Found not_found")
}

func TestAFileOfMoreGoodsThanARequestTakesIsStored(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	var file strings.Builder
	for i := range 2001 {
		fmt.Fprintf(&file, "- {sku_id: s%d, title: Pen, shop_id: many, kind: physical, price: 250, currency: CNY}\n", i)
	}
	put := []string{"skus", "put", "-f", "-"}
	wrong := file.String() + "- {sku_id: last, title: Pen, shop_id: many, kind: magic, price: 250, currency: CNY}\n"
	said := c.refused(t, wrong, put...)
	assert.Contains(t, said, "stored before: 2000: ")
	assert.Contains(t, said, "line 2002, last: kind must be one of")
	assert.Equal(t, 2001, strings.Count(c.must(t, file.String(), put...), " is stored.\n"))
	assert.Equal(t, 2002, strings.Count(c.must(t, "", "skus", "--shop=many", "--limit=3000"), "\n"))
}
