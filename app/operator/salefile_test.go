package operator

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/modules/ids"
)

func TestASaleFileIsReadAsTheInterfaceTakesIt(t *testing.T) {
	t.Parallel()
	file, err := ReadSale(strings.NewReader(`
activity_id: 0017
state: published
title: 2026-06-01
starts_at: 2026-06-01T14:00:00+02:00
ends_at: soon
permit_ratio: 2.5
segments: [2026, gold]
lane: 3
skus:
  - sku_id: 007
    flash_price: 0100
    stock: &points
      - {point_id: 0, quantity: 100}
  - sku_id: lamp
    stock: *points
`))
	require.NoError(t, err)
	assert.Equal(t, "0017", file.ID)
	assert.True(t, file.Publish)
	stock := []any{object{"point_id": "0", "quantity": 100}}
	assert.Equal(t, object{
		"title": "2026-06-01", "starts_at": "2026-06-01T12:00:00.000Z", "ends_at": "soon", "permit_ratio": 2.5,
		"segments": []any{"2026", "gold"},
		"skus": []any{
			object{"sku_id": "007", "flash_price": 100, "stock": stock}, object{"sku_id": "lamp", "stock": stock},
		},
	}, file.Fields)
}

func TestABadSaleFileIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                      "the file is empty",
		"- a":                                   "the file must have the fields of a sale",
		"title: a":                              "activity_id must be 1 to 64",
		"activity_id: a b":                      "activity_id must be 1 to 64",
		"activity_id: [a]":                      "activity_id must be 1 to 64",
		"activity_id: a\nactivity_id: b":        "line 2: activity_id is given twice",
		"activity_id: a\nstate: offline":        "state must be draft or published, not offline",
		"activity_id: a\n---\nactivity_id: b":   "one document",
		"activity_id: 'a":                       "found unexpected end of stream",
		"activity_id: a\nx: &x [*x]":            "line 2: values are nested too deep",
		"activity_id: a\npurchase_limit:":       "line 2: purchase_limit has no value",
		"activity_id: a\nimages: [~]":           "line 2: images has no value",
		"activity_id: a\nx: [{quantity: null}]": "line 2: quantity has no value",
		"activity_id: a\nskus: [{sku_id: b}, {sku_id: b}]":                                "skus has a sku_id twice",
		"activity_id: a\nstock: [{point_id: 0, quantity: 1}, {point_id: 0, quantity: 2}]": "stock has a point_id twice",
		"# nothing":                                   "the file is empty",
		"activity_id: a\npurchase_limit: 0x10":        "line 2: purchase_limit is 0x10, but must be",
		"activity_id: a\nskus: [{flash_price: 0o17}]": "line 2: flash_price is 0o17, but must be",
		"activity_id: a\npurchase_limit: 1_000":       "line 2: purchase_limit is 1_000, but must be",

		"x: " + strings.Repeat("[", 20) + strings.Repeat("]", 20): "nested too deep",
		"activity_id: a\ntitle: " + strings.Repeat("a", maxFile):  "the file has more than",
	} {
		_, err := ReadSale(strings.NewReader(text))
		if assert.Error(t, err, "%.60s", text) {
			assert.Contains(t, err.Error(), want, "%.60s", text)
		}
	}
}

// What the program shows and WriteSale writes is read as the same sale.
func TestAWrittenSaleIsRead(t *testing.T) {
	t.Parallel()
	const shown = `{"activity_id":"1","title":"Lamps: \"today\"\nonly","state":"published","lane":2,"permit_ratio":2.5,
		"starts_at":"2026-06-01T12:00:00.000Z","limits":{},"created_at":"2026-05-01T12:00:00.000Z",
		"paused_at":"2026-06-01T12:30:00.000Z",
		"skus":[{"sku_id":"1e3","flash_price":1000000000000,"currency":"CNY","stock":[{"point_id":"0","quantity":5}]}]}`
	var text bytes.Buffer
	require.NoError(t, WriteSale(&text, json.RawMessage(shown)))
	written := text.String()
	file, err := ReadSale(&text)
	require.NoError(t, err)
	assert.Equal(t, "1", file.ID)
	assert.True(t, file.Publish)
	var sale object
	require.NoError(t, json.Unmarshal([]byte(shown), &sale))
	for _, name := range readOnly {
		delete(sale, name)
	}
	want, err := json.Marshal(sale)
	require.NoError(t, err)
	got, err := json.Marshal(file.Fields)
	require.NoError(t, err)
	assert.JSONEq(t, string(want), string(got))
	assert.Contains(t, written, "currency: CNY", "the price is of this currency wherever the file is applied")
	assert.NotContains(t, written, "paused_at")
}

// Ids may look like numbers, or like what has a meaning in YAML.
func TestWrittenIDsAreReadUnchanged(t *testing.T) {
	t.Parallel()
	id := rapid.OneOf(
		rapid.StringMatching(`[A-Za-z0-9._:-]{1,64}`).Filter(ids.Valid),
		rapid.SampledFrom([]string{
			"null", "true", "no", "-", "--", "---", "...", ":", "a:", ":a", "-a", "1.0", "1e3", "0x1F", "1_000",
			"12:30:45",
			"2026-01-01", ".inf", ".nan",
		}),
	)
	rapid.Check(t, func(t *rapid.T) {
		sale := object{
			"activity_id": id.Draw(t, "activity"), "shop_id": id.Draw(t, "shop"),
			"skus": []any{object{"sku_id": id.Draw(t, "sku"), "stock": []any{object{"point_id": id.Draw(t, "point")}}}},
		}
		shown, err := json.Marshal(sale)
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, WriteSale(&text, shown))
		written := text.String()
		file, err := ReadSale(&text)
		require.NoError(t, err, written)
		assert.Equal(t, sale["activity_id"], file.ID)
		delete(sale, "activity_id")
		assert.Equal(t, sale, file.Fields, written)
	})
}

func FuzzReadSale(f *testing.F) {
	f.Add("activity_id: a\ntitle: b")
	f.Add(`{"activity_id":"a","skus":[{"sku_id":"b","stock":[{"point_id":"0","quantity":1}]}]}`)
	f.Add("a: &a {b: *a}")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := ReadSale(strings.NewReader(text))
		if err != nil {
			return
		}
		assert.True(t, ids.Valid(file.ID))
	})
}
