package web

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/ids"
	"onrush/modules/problem"
)

type bindSKU struct {
	SKU   string `json:"sku_id" validate:"id"`
	Price int64  `json:"price" validate:"min=0,max=1000"`
}

type bindPoint struct {
	Point string `json:"point" validate:"omitempty,id"`
}

type bindBody struct {
	bindPoint

	Title  string            `json:"title" validate:"required,line,max=10"`
	Shop   string            `json:"shop_id" validate:"id"`
	Kind   string            `json:"kind" validate:"omitempty,oneof=physical virtual"`
	Starts api.Millis        `json:"starts_at"`
	Ratio  float64           `json:"ratio"`
	Pickup bool              `json:"pickup"`
	Remark string            `json:"remark" validate:"text"`
	Fields map[string]string `json:"fields" validate:"max=2,dive,keys,line,max=5,endkeys,line"`
	SKUs   []bindSKU         `json:"skus" validate:"required,max=3,unique=SKU,dive"`
	Money  string            `json:"currency" validate:"omitempty,currency"`
	Link   string            `json:"image_url" validate:"omitempty,link"`
	Limit  *int64            `json:"limit" validate:"omitempty,eq=-1|min=1,max=50"`
	User   string            `json:"user_id" validate:"omitempty,user"`
	Units  *int32            `json:"units" validate:"omitnil,min=1"`
	Orders []bindNumber      `json:"order_numbers" validate:"max=2,dive,min=1"`
	Part   *bindPart         `json:"part" validate:"omitnil"`
}

type bindPart struct {
	Quantity int64 `json:"quantity" validate:"required,min=1,max=9"`
}

// bindNumber is a number that JSON has as a string.
type bindNumber int64

func (n *bindNumber) UnmarshalText(text []byte) error {
	parsed, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || parsed%2 != 0 {
		return fmt.Errorf("read a number: %w", api.Rule("must be even"))
	}
	*n = bindNumber(parsed)
	return nil
}

const goodBody = `{"title":"Lämps","shop_id":"s-1","starts_at":"2026-01-02T03:04:05Z","remark":"a\nb",` +
	`"skus":[{"sku_id":"A1","price":7}]}`

func bindApp(t *testing.T) *fiber.App {
	t.Helper()
	app := newTestApp(t, Config{}, quiet())
	app.Post("/", func(c *fiber.Ctx) error {
		var body bindBody
		if err := Bind(c, &body); err != nil {
			return err
		}
		return c.JSON(body)
	})
	return app
}

func TestBindReadsAGoodBody(t *testing.T) {
	t.Parallel()
	app := bindApp(t)
	for _, contentType := range []string{
		"application/json", "application/json; charset=utf-8", "Application/JSON;charset=\"UTF-8\"",
	} {
		got := askApp(t, app, "POST", "/", goodBody, "Content-Type", contentType)
		require.Equal(t, 200, got.Status, got.Body)
		var body bindBody
		require.NoError(t, json.Unmarshal([]byte(got.Body), &body))
		assert.Equal(t, []bindSKU{{"A1", 7}}, body.SKUs)
		assert.Equal(t, api.Millis(1767323045000), body.Starts)
	}
}

func TestBindKeepsWhatAFieldHasBeforeANull(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	app.Post("/", func(c *fiber.Ctx) error {
		body := struct {
			Quantity int64  `json:"quantity" validate:"min=1"`
			Limit    *int64 `json:"limit"`
		}{Quantity: 1}
		if err := Bind(c, &body); err != nil {
			return err
		}
		return c.JSON(body)
	})
	for body, want := range map[string]string{
		"": `{"quantity":1,"limit":null}`, `{}`: `{"quantity":1,"limit":null}`,
		`{"quantity":null,"limit":null}`: `{"quantity":1,"limit":null}`,
		`{"quantity":2,"limit":3}`:       `{"quantity":2,"limit":3}`,
	} {
		got := askApp(t, app, "POST", "/", body, "Content-Type", "application/json")
		require.Equal(t, 200, got.Status, got.Body)
		assert.JSONEq(t, want, got.Body, body)
	}
	assert.Equal(t, 422, askApp(t, app, "POST", "/", `{"quantity":0}`, "Content-Type", "application/json").Status)
}

func TestBindTakesTheNamesOfUTF8AndOfNoCompression(t *testing.T) {
	t.Parallel()
	app := bindApp(t)
	for _, contentType := range []string{
		"application/json;charset=utf8", "application/json; charset=UTF8", `application/json; charset="utf-8"`,
		"Application/JSON; Charset=utf-8; profile=x", "application/json;", "application/json; odata",
	} {
		for _, coding := range []string{"identity", "Identity", ""} {
			got := askApp(t, app, "POST", "/", goodBody, "Content-Type", contentType, "Content-Encoding", coding)
			assert.Equal(t, 200, got.Status, "%s, %q: %s", contentType, coding, got.Body)
		}
	}
	for _, coding := range []string{"gzip", "identity, gzip", "br"} {
		got := askApp(t, app, "POST", "/", goodBody, "Content-Type", "application/json", "Content-Encoding", coding)
		assert.Equal(t, 415, got.Status, coding)
	}
}

func TestBindRequiresJSON(t *testing.T) {
	t.Parallel()
	app := bindApp(t)
	for _, contentType := range []string{
		"", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application/json; charset=latin1",
		"application/json; charset=utf-16",
	} {
		got := askApp(t, app, "POST", "/", goodBody, "Content-Type", contentType)
		assert.Equal(t, CodeUnsupportedMedia.Name, got.problem(t).Code, contentType)
		assert.Equal(t, 415, got.Status)
	}
}

func goodBodyWith(field string) string { return strings.TrimSuffix(goodBody, "}") + "," + field + "}" }

const requiredPart = "is required and must be from 1 to 9"

// unknownTop is the answer to an unknown field of bindBody.
const unknownTop = "is unknown; the fields here are point, title, shop_id, kind, starts_at, ratio, pickup, remark, " +
	"fields, skus, currency, image_url, limit, user_id, units, order_numbers, part"

// wrongFields are bodies with one wrong field, and what the answer says of it.
var wrongFields = map[string]struct{ body, field, detail string }{
	"unknown field":         {goodBodyWith(`"colour":"red"`), "colour", unknownTop},
	"field in another case": {goodBodyWith(`"Pickup":true`), "Pickup", unknownTop},
	"field given twice":     {goodBodyWith(`"title":"x"`), "title", "must not be given twice"},
	"string for a number":   {goodBodyWith(`"ratio":"1"`), "ratio", "must be a number"},
	"number for a bool":     {goodBodyWith(`"pickup":1`), "pickup", "must be true or false"},
	"number for a string":   {goodBodyWith(`"kind":5`), "kind", "must be a string"},
	"no time":               {goodBodyWith(`"starts_at2":1`), "starts_at2", unknownTop},
	"bad time":              {`{"starts_at":"noon"}`, "starts_at", api.ErrTime.Error()},
	"list for an object":    {goodBodyWith(`"fields":[]`), "fields", "must be an object"},
	"value of a map":        {goodBodyWith(`"fields":{"a":1}`), "fields.a", "must be a string"},
	"unknown field inside": {
		`{"skus":[{"sku_id":"a"},{"sku":"b"}]}`, "skus[1].sku",
		"is unknown; the fields here are sku_id, price",
	},
	"fraction for integer":       {`{"skus":[{"price":1.5}]}`, "skus[0].price", "must be a whole number"},
	"number for a list of texts": {goodBodyWith(`"order_numbers":[123]`), "order_numbers[0]", "must be a string"},
	"text that breaks its rule":  {goodBodyWith(`"order_numbers":["x"]`), "order_numbers[0]", "must be even"},
	"number above its type": {
		`{"skus":[{"price":99999999999999999999}]}`, "skus[0].price", "must be from 0 to 1000",
	},
	"number below its type": {
		`{"skus":[{"price":-99999999999999999999}]}`, "skus[0].price", "must be from 0 to 1000",
	},
	"limit of a number": {
		`{"title":"a","shop_id":"a","skus":[{"sku_id":"a","price":1001}]}`, "skus[0].price", "must be from 0 to 1000",
	},
	"number below its bounds": {
		`{"title":"a","shop_id":"a","skus":[{"sku_id":"a","price":-1}]}`, "skus[0].price", "must be from 0 to 1000",
	},
	"0 of a required field":        {goodBodyWith(`"part":{"quantity":0}`), "part.quantity", requiredPart},
	"a required field is missing":  {goodBodyWith(`"part":{}`), "part.quantity", requiredPart},
	"too many of a required field": {goodBodyWith(`"part":{"quantity":10}`), "part.quantity", "must be from 1 to 9"},
	"0 where it is none":           {goodBodyWith(`"units":0`), "units", "must be at least 1"},
	"above a small type":           {goodBodyWith(`"units":4294967296`), "units", "must be from 1 to 2147483647"},
	"a float without any":          {goodBodyWith(`"ratio":1e999`), "ratio", "is a number out of range"},
	"id with a tilde":              {`{"title":"a","shop_id":"a~b","skus":[{"sku_id":"a"}]}`, "shop_id", ids.Rule},
	"id that is missing":           {`{"title":"a","skus":[{"sku_id":"a"}]}`, "shop_id", ids.Rule},
	"too many characters": {
		`{"title":"ääääääääääx","shop_id":"a","skus":[{"sku_id":"a"}]}`, "title",
		"must have at most 10 characters",
	},
	"line break in a line": {
		`{"title":"a\nb","shop_id":"a","skus":[{"sku_id":"a"}]}`, "title",
		"must not contain control characters or line breaks",
	},
	"control in a text": {goodBodyWith(`"remark2":""`), "remark2", unknownTop},
	"NUL in a text": {
		`{"title":"a","shop_id":"a","remark":"\u0000","skus":[{"sku_id":"a"}]}`, "remark",
		"must not contain control characters besides line breaks and tabs",
	},
	"no such choice": {goodBodyWith(`"kind":"food"`), "kind", "must be one of physical, virtual"},
	"the same sku twice": {
		`{"title":"a","shop_id":"a","skus":[{"sku_id":"a"},{"sku_id":"a"}]}`, "skus",
		"must not hold anything twice",
	},
	"too many items": {
		`{"title":"a","shop_id":"a","skus":[{"sku_id":"a"},{"sku_id":"b"},{"sku_id":"c"},{"sku_id":"d"}]}`, "skus",
		"must have at most 3 items",
	},
	"a name in a map": {goodBodyWith(`"fields":{"abcdefg":"x"}`), "fields.abcdefg", "must have at most 5 characters"},
	"no currency": {
		goodBodyWith(`"currency":"eur"`), "currency", "must be a currency code of three capital letters, such as EUR",
	},
	"a script for a link": {
		goodBodyWith(`"image_url":"javascript:alert(1)"`), "image_url",
		"must be a URL that starts with http:// or https://",
	},
	"neither none nor one": {goodBodyWith(`"limit":0`), "limit", "must be -1 or from 1 to 50"},
	"a limit too high":     {goodBodyWith(`"limit":51`), "limit", "must be -1 or from 1 to 50"},
	"a limit of 20 digits": {goodBodyWith(`"limit":10000000000000000000`), "limit", "must be -1 or from 1 to 50"},
	"an empty name":        {goodBodyWith(`"":1`), `""`, unknownTop},
	"an embedded field":    {goodBodyWith(`"point":"a b"`), "point", ids.Rule},
	"an index as a name": {
		goodBodyWith(`"fields":{"0123456":"x"}`), "fields.0123456", "must have at most 5 characters",
	},
	"a name with brackets": {
		goodBodyWith(`"fields":{"a[0].b]":"x"}`), "fields.a[0].b]", "must have at most 5 characters",
	},
	"twice, in a number":  {goodBodyWith(`"ratio":{"a":1,"a":2}`), "ratio", `has the field "a" twice`},
	"no JSON in a number": {goodBodyWith(`"ratio":{"":x}`), "ratio", "is not well-formed JSON (at byte 132)"},
	"a long user": {
		goodBodyWith(`"user_id":"` + strings.Repeat("u", 65) + `"`), "user_id",
		problem.UserRule,
	},
}

func TestBindNamesTheFieldThatIsWrong(t *testing.T) {
	t.Parallel()
	app := bindApp(t)
	for name, row := range wrongFields {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := askApp(t, app, "POST", "/", row.body, "Content-Type", "application/json")
			p := got.problem(t)
			assert.Equal(t, 422, got.Status)
			assert.Equal(t, problem.CodeInvalidRequest.Name, p.Code)
			if row.field == "" {
				assert.Empty(t, p.Errors)
				assert.Equal(t, row.detail, p.Detail)
				return
			}
			require.Len(t, p.Errors, 1, got.Body)
			assert.Equal(t, problem.Field{Name: row.field, Detail: row.detail}, p.Errors[0])
		})
	}
}

func TestBindNamesAllFieldsThatAreMissing(t *testing.T) {
	t.Parallel()
	app := bindApp(t)
	for _, body := range []string{"", "{}", " { } ", `{"title":null,"skus":null}`} {
		p := askApp(t, app, "POST", "/", body, "Content-Type", "application/json").problem(t)
		var names []string
		for _, f := range p.Errors {
			names = append(names, f.Name)
		}
		assert.Equal(t, []string{"title", "shop_id", "skus"}, names, body)
	}
}

func TestBindRefusesBodiesThatAreNoObject(t *testing.T) {
	t.Parallel()
	app := bindApp(t)
	for _, body := range []string{
		"null", "[]", "5", `"a"`, "{", "}", `{"title":`, goodBody + "x", goodBody + goodBody, " ", "{'a':1}",
		"\ufeff{}", `{"title":"` + "\xff" + `"}`, strings.Repeat(`{"a":`, 12000), "//", `{"title":"a",}`,
	} {
		got := askApp(t, app, "POST", "/", body, "Content-Type", "application/json")
		assert.Equal(t, 422, got.Status, "%.40q: %s", body, got.Body)
		assert.Equal(t, problem.CodeInvalidRequest.Name, got.problem(t).Code)
	}
}

func FuzzBindNeverFailsInside(f *testing.F) {
	for _, seed := range []string{
		goodBody, "", "{", `{"skus":[{"sku_id":5}]}`, `{"fields":{"a":{}}}`, `{"starts_at":"x"}`, "null", `{"":1}`,
		`{"~0/":[]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var into bindBody
		err := decode(body, &into)
		if err == nil {
			_, err := json.Marshal(into)
			require.NoError(t, err)
			return
		}
		require.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), "%v", err)
		_, err = json.Marshal(problemOf(asError(err)))
		require.NoError(t, err)
	})
}

func BenchmarkBind(b *testing.B) {
	body := []byte(goodBody)
	b.ReportAllocs()
	for b.Loop() {
		var into bindBody
		if err := decode(body, &into); err != nil {
			b.Fatal(err)
		}
	}
}
