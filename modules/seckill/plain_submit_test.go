package seckill

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/mailru/easyjson"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
	"pgregory.net/rapid"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/ids"
	"onrush/modules/order"
	"onrush/web"
)

// fullSubmit returns a plain submit with all fields but the free ones, which are never plain.
func fullSubmit() *Submit {
	return &Submit{
		Choice:       Choice{Quantity: 2, Delivery: catalogue.Express, AddressID: "a1", PickupPoint: "p"},
		Confirmation: "c.d", ClientTexts: order.ClientTexts{Remark: "soon, please", ClientReference: "po-1"},
		Extras: order.Extras{Room: "r", ShareCode: "s", ShareSource: "f", Inviter: "i"},
	}
}

func fullPathRequest() *pathRequest {
	return &pathRequest{Activity: "sale", SKU: "lamp", Place: "1.2", HumanCheck: "e30="}
}

func fullConfirmRequest() *confirmRequest { return &confirmRequest{fullSubmit().Choice} }

// leaves returns the fields of a struct that have a JSON name, including the fields of embedded structs.
func leaves(of any) (fields []reflect.StructField) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(of).Elem()) {
		if f.Tag.Get("json") != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

var maxTag = regexp.MustCompile(`max=(\d+)`)

// longest is how many characters the tags of a text allow.
func longest(t require.TestingT, f reflect.StructField) int {
	tag := f.Tag.Get("validate")
	if match := maxTag.FindStringSubmatch(tag); match != nil {
		n, err := strconv.Atoi(match[1])
		require.NoError(t, err)
		return n
	}
	require.Regexp(t, `\bid\b`, tag, "%s has no bound that this test knows", f.Name)
	return ids.Max
}

// A field that IsPlain doesn't look at is not validated.
func TestIsPlainLooksAtEveryField(t *testing.T) {
	t.Parallel()
	for _, newBody := range []func() web.Plain{
		func() web.Plain { return fullSubmit() }, func() web.Plain { return fullPathRequest() },
		func() web.Plain { return fullConfirmRequest() },
	} {
		require.True(t, newBody().IsPlain())
		for _, f := range leaves(newBody()) {
			isPlain := func(value any) bool {
				body := newBody()
				field := reflect.ValueOf(body).Elem().FieldByIndex(f.Index)
				field.Set(reflect.ValueOf(value).Convert(field.Type()))
				return body.IsPlain()
			}
			switch {
			case f.Type.Kind() == reflect.Int64:
				assert.False(t, isPlain(0), f.Name)
				assert.False(t, isPlain(-1), f.Name)
			case f.Type.Kind() == reflect.Map:
				assert.False(t, isPlain(map[string]string{"k": "v"}), f.Name)
			case f.Type == reflect.TypeFor[catalogue.Delivery]():
				assert.False(t, isPlain("x"), f.Name)
			case f.Type.Kind() == reflect.String:
				most := longest(t, f)
				assert.True(t, isPlain(strings.Repeat("x", most)), f.Name)
				assert.False(t, isPlain(strings.Repeat("x", most+1)), f.Name)
				for _, c := range "\x00\n\x7f\"\\<>&é\u2028\xff" {
					assert.False(t, isPlain("x"+string(c)), "%s %q", f.Name, c)
				}
			default:
				t.Errorf("%s has the type %s, which this test doesn't know", f.Name, f.Type)
			}
		}
	}
	noSpaces := fullSubmit()
	noSpaces.ClientReference = "a b"
	assert.False(t, noSpaces.IsPlain())
	for _, inviter := range []string{"zoe ", "..", "a/./b"} {
		noUser := fullSubmit()
		noUser.Inviter = inviter
		assert.False(t, noUser.IsPlain(), inviter)
	}
}

// changed returns a plain body of which up to two texts are replaced, so that many bodies are plain and many
// have one mistake.
func changed[T any](t *rapid.T, body *T) *T {
	fields := leaves(body)
	for range rapid.IntRange(0, 2).Draw(t, "changes") {
		f := rapid.SampledFrom(fields).Draw(t, "field")
		field := reflect.ValueOf(body).Elem().FieldByIndex(f.Index)
		switch {
		case f.Type.Kind() == reflect.Int64:
			field.SetInt(rapid.Int64Range(-1, 3).Draw(t, "number"))
		case f.Type.Kind() == reflect.Map:
			fields := rapid.MapOfN(rapid.String(), rapid.String(), 0, 2).Draw(t, "map")
			field.Set(reflect.ValueOf(fields).Convert(f.Type))
		case f.Type == reflect.TypeFor[catalogue.Delivery]():
			field.SetString(rapid.SampledFrom([]string{"", "express", "pickup", "none", "x"}).Draw(t, "delivery"))
		default:
			most := longest(t, f)
			field.SetString(rapid.OneOf(
				rapid.Just(""), rapid.String(), rapid.StringOfN(rapid.Just('x'), most, most+1, -1),
				rapid.StringOfN(rapid.RuneFrom([]rune("aé<>&\"\\\u2028\x7f\n\t\x01 ")), 1, 4, -1),
			).Draw(t, "text"))
		}
	}
	return body
}

// bind reads a body as a request does.
func bind(app *fiber.App, body []byte, into any) error {
	c := app.AcquireCtx(&fasthttp.RequestCtx{})
	defer app.ReleaseCtx(c)
	c.Request().Header.SetContentType(fiber.MIMEApplicationJSON)
	c.Request().SetBody(body)
	return web.Bind(c, into)
}

func TestBindAnswersPlainBodiesAsTheirTagsSay(t *testing.T) {
	t.Parallel()
	type submitByTags Submit // without IsPlain
	type pathByTags pathRequest
	type confirmByTags confirmRequest
	app := fiber.New()
	same := func(t *rapid.T, sent any, byTags, bound any) {
		body, err := json.Marshal(sent)
		require.NoError(t, err)
		want, got := bind(app, body, byTags), bind(app, body, bound)
		if want != nil {
			require.EqualError(t, got, want.Error(), "%s", body)
			return
		}
		require.NoError(t, got, "%s", body)
		require.Equal(t, reflect.ValueOf(byTags).Elem().Convert(reflect.TypeOf(bound).Elem()).Interface(),
			reflect.ValueOf(bound).Elem().Interface())
	}
	rapid.Check(t, func(t *rapid.T) {
		same(t, changed(t, fullSubmit()), &submitByTags{}, &Submit{})
		same(t, changed(t, fullPathRequest()), &pathByTags{}, &pathRequest{})
		same(t, changed(t, fullConfirmRequest()), &confirmByTags{}, &confirmRequest{})
	})
}

func TestGeneratedCodeWritesTheJSONOfEncodingJSON(t *testing.T) {
	t.Parallel()
	same := func(t require.TestingT, of easyjson.Marshaler) {
		want, err := json.Marshal(of)
		require.NoError(t, err)
		got, err := easyjson.Marshal(of)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
	rapid.Check(t, func(t *rapid.T) {
		number := order.Number(rapid.Int64Min(1).Draw(t, "number"))
		refresh := rapid.Int64().Draw(t, "refresh")
		same(t, &Submitted{
			TaskID: "1~sale~hash~mac", OrderNumber: number, Status: TaskSubmitted, RefreshAfterMS: refresh,
		})
		same(t, &Task{
			TaskID: "1~sale~hash~mac", Status: TaskFailed, OrderNumber: number, RefreshAfterMS: refresh,
			Reason: rapid.SampledFrom([]string{"", "no_stock"}).Draw(t, "reason"),
		})
		same(t, &Path{
			Path:      "cGF0aA-_" + rapid.SampledFrom([]string{"", "<é\u2028\xff\"\n"}).Draw(t, "escaped"),
			ExpiresAt: api.Millis(rapid.Int64Range(0, 253402300799999).Draw(t, "expires")),
		})
	})
}
