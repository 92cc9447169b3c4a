package seckill

import (
	"encoding/json"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
	"pgregory.net/rapid"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/web"
	"onrush/web/api"
)

// drawText draws texts that are often plain and as long as a bound, or one longer.
func drawText(t *rapid.T, name string, most int) string {
	switch rapid.IntRange(0, 5).Draw(t, name+" kind") {
	case 0, 1:
		return ""
	case 2:
		return rapid.StringOfN(rapid.RuneFrom([]rune("ab Z9-_.:'/")), 1, 20, -1).Draw(t, name)
	case 3:
		return rapid.StringOfN(rapid.RuneFrom([]rune("x")), most, most+1, -1).Draw(t, name)
	case 4:
		return rapid.StringOfN(rapid.RuneFrom([]rune("a<>&\"\\\u2028é\x7f\n\t\x01")), 1, 4, -1).Draw(t, name)
	default:
		return rapid.String().Draw(t, name)
	}
}

func drawSubmit(t *rapid.T) *Submit {
	s := &Submit{
		Choice: Choice{
			Quantity:    rapid.Int64Range(-1, 3).Draw(t, "quantity"),
			Delivery:    catalogue.Delivery(rapid.SampledFrom([]string{"", "express", "pickup", "none", "x"}).Draw(t, "delivery")),
			AddressID:   drawText(t, "address", 32),
			PickupPoint: drawText(t, "pickup", 32),
		},
		Confirmation: drawText(t, "confirmation", 8192),
		Notes:        order.Notes{Remark: drawText(t, "remark", 500), ClientReference: drawText(t, "reference", 64)},
		Room:         drawText(t, "room", 64), ShareCode: drawText(t, "code", 64),
		ShareSource: drawText(t, "source", 64), Inviter: drawText(t, "inviter", 64),
	}
	if rapid.Bool().Draw(t, "has fields") {
		s.Fields = rapid.MapOfN(rapid.String(), rapid.String(), 0, 2).Draw(t, "fields")
	}
	return s
}

// bind reads a body as a request does.
func bind(t require.TestingT, app *fiber.App, body []byte, into any) error {
	c := app.AcquireCtx(&fasthttp.RequestCtx{})
	defer app.ReleaseCtx(c)
	c.Request().Header.SetContentType(fiber.MIMEApplicationJSON)
	c.Request().SetBody(body)
	return web.Bind(c, into)
}

func TestPlainBodiesAreValid(t *testing.T) {
	t.Parallel()
	type submitByTags Submit // without IsPlain
	type pathByTags pathRequest
	app := fiber.New()
	plain := 0
	rapid.Check(t, func(t *rapid.T) {
		s := drawSubmit(t)
		body, err := json.Marshal(s)
		require.NoError(t, err)
		var read submitByTags
		valid := bind(t, app, body, &read)
		if s.IsPlain() {
			plain++
			require.NoError(t, valid, "%s", body)
		}
		var again Submit
		if both := bind(t, app, body, &again); valid == nil {
			require.NoError(t, both)
			require.Equal(t, Submit(read), again)
		} else {
			require.Equal(t, valid.Error(), both.Error())
		}

		r := &pathRequest{
			Activity: drawText(t, "activity", 32), SKU: drawText(t, "sku", 32), Place: drawText(t, "place", 100),
			HumanCheck: drawText(t, "check", 4096),
		}
		body, err = json.Marshal(r)
		require.NoError(t, err)
		if r.IsPlain() {
			plain++
			require.NoError(t, bind(t, app, body, &pathByTags{}), "%s", body)
		}
	})
	require.Positive(t, plain)
}

func TestWhatIsWrittenByHandIsTheJSONOfItsType(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSubmit(t)
		want, err := json.Marshal(s)
		require.NoError(t, err)
		got, err := s.canonical()
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got)) //nolint:testifylint // byte for byte: its digest is kept

		answer := &Submitted{
			TaskID: "1.sale.hash.mac", OrderNumber: order.Number(rapid.Int64Min(1).Draw(t, "number")),
			Status: TaskSubmitted, RefreshAfterMS: rapid.Int64().Draw(t, "refresh"),
		}
		want, err = json.Marshal(answer)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(answer.encode())) //nolint:testifylint // byte for byte

		path := Path{Path: "cGF0aA-_", ExpiresAt: api.Millis(rapid.Int64Range(1, 253402300799999).Draw(t, "expires"))}
		want, err = json.Marshal(path)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(path.encode())) //nolint:testifylint // byte for byte
	})
}
