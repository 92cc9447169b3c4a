package web

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParsePageReadsNumbersAndCursors(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	app.Get("/", func(c *fiber.Ctx) error {
		p, err := ParsePage(c)
		if err != nil {
			return err
		}
		return c.JSON([]int64{int64(p.Page), int64(p.Size), p.Before, int64(p.Offset())})
	})
	for query, want := range map[string]string{
		"":                            "[1,10,0,0]",
		"page=3&page_size=20":         "[3,20,0,40]",
		"page=1000000&page_size=100":  "[1000000,100,0,99999900]",
		"before=9223372036854775807":  "[0,10,9223372036854775807,0]",
		"before=5&page_size=1&name=x": "[0,1,5,0]",
	} {
		assert.Equal(t, want, askApp(t, app, "GET", "/?"+query, "").Body, query)
	}
	for query, field := range map[string]string{
		"page=0": "page", "page=1000001": "page", "page=-1": "page", "page=01": "page", "page=": "page", "page=a": "page",
		"page_size=0": "page_size", "page_size=101": "page_size", "page_size=1e1": "page_size", "before=0": "before",
		"before=-1": "before", "before=9223372036854775808": "before", "before=+5": "before", "before=": "before",
		"before=5&page=1": "before", "page=99999999999999999999": "page",
	} {
		p := askApp(t, app, "GET", "/?"+query, "").problem(t)
		assert.Equal(t, CodeInvalidRequest, p.Code, query)
		require.Len(t, p.Errors, 1, query)
		assert.Equal(t, field, p.Errors[0].Name, query)
	}
}

func TestQueryParametersAreChecked(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	app.Get("/", func(c *fiber.Ctx) error {
		if err := OnlyQuery(c, "status", "name", "size"); err != nil {
			return err
		}
		status, err := Query(c, "status", "paid", "unpaid")
		if err != nil {
			return err
		}
		if _, err := Query(c, "size", "", "large", "small"); err != nil {
			return err
		}
		name, err := Query(c, "name")
		if err != nil {
			return err
		}
		return c.SendString(status + "|" + name)
	})
	assert.Equal(t, "|", askApp(t, app, "GET", "/", "").Body)
	assert.Equal(t, "paid|a b ü", askApp(t, app, "GET", "/?status=paid&name=a+b%20%C3%BC", "").Body)
	for _, query := range []string{
		"status=lost", "status=", "name=%00", "name=%ff", "stauts=paid", "status=paid&status=unpaid", "%ff=1", strings.Repeat("a", 500) + "=1",
	} {
		assert.Equal(t, CodeInvalidRequest, askApp(t, app, "GET", "/?"+query, "").problem(t).Code, query)
	}
	assert.Equal(t, "must be one of paid, unpaid", askApp(t, app, "GET", "/?status=lost", "").problem(t).Errors[0].Detail)
	assert.Equal(t, "must be one of large, small", askApp(t, app, "GET", "/?size=huge", "").problem(t).Errors[0].Detail)
	assert.Equal(t, "|", askApp(t, app, "GET", "/?size=", "").Body)
	many := strings.Repeat("x=1&", 300)
	assert.LessOrEqual(t, len(askApp(t, app, "GET", "/?"+many, "").problem(t).Errors), maxFields)
}

func TestParamIsDecodedAndMayBeKept(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	var kept []string
	app.Get("/:id/x", func(c *fiber.Ctx) error {
		kept = append(kept, Param(c, "id"))
		return nil
	})
	for _, path := range []string{"/plain/x", "/a%20b/x", "/a%2Fb/x", "/%C3%BC/x"} {
		assert.Equal(t, 200, askApp(t, app, "GET", path, "").Status)
	}
	assert.Equal(t, []string{"plain", "a b", "a/b", "ü"}, kept)
}

func TestIdempotencyKeyIsChecked(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	app.Post("/", func(c *fiber.Ctx) error {
		key, err := IdempotencyKey(c)
		if err != nil {
			return err
		}
		return c.SendString(key)
	})
	for _, key := range []string{"k", "!~", strings.Repeat("k", 128)} {
		assert.Equal(t, key, askApp(t, app, "POST", "/", "", "Idempotency-Key", key).Body)
	}
	assert.Equal(t, CodeIdempotencyKeyMissing, askApp(t, app, "POST", "/", "").problem(t).Code)
	for _, key := range []string{strings.Repeat("k", 129), "a b", "ä", "a\tb"} {
		p := askApp(t, app, "POST", "/", "", "Idempotency-Key", key).problem(t)
		assert.Equal(t, CodeInvalidRequest, p.Code)
		assert.Equal(t, "Idempotency-Key", p.Errors[0].Name)
	}
}

func TestMillisAreRFC3339InUTC(t *testing.T) {
	t.Parallel()
	type times struct {
		At   Millis `json:"at"`
		Paid Millis `json:"paid,omitzero"`
	}
	text, err := json.Marshal(times{At: 1767323045678})
	require.NoError(t, err)
	assert.JSONEq(t, `{"at":"2026-01-02T03:04:05.678Z"}`, string(text))
	text, err = json.Marshal(times{Paid: 1000})
	require.NoError(t, err)
	assert.JSONEq(t, `{"at":null,"paid":"1970-01-01T00:00:01.000Z"}`, string(text))
	assert.Equal(t, "2026-01-02T03:04:05.678Z", FormatMS(1767323045678))
	for in, want := range map[string]Millis{
		`"2026-01-02T03:04:05.678Z"`:          1767323045678,
		`"2026-01-02T05:04:05.678999+02:00"`:  1767323045678,
		`"2026-01-02T03:04:05Z"`:              1767323045000,
		`null`:                                0,
		`"9999-12-31T23:59:59.999Z"`:          maxMillis,
		`"1970-01-01T00:00:00.000Z"`:          0,
		`"2026-01-02T03:04:05.000000000001Z"`: 1767323045000,
	} {
		var got Millis
		require.NoError(t, json.Unmarshal([]byte(in), &got), in)
		assert.Equal(t, want, got, in)
	}
	for _, in := range []string{`1767323045678`, `"2026-01-02"`, `"2026-01-02T03:04:05"`, `"1969-12-31T23:59:59Z"`, `""`, `true`, `"2026-13-02T03:04:05Z"`} {
		var got Millis
		require.Error(t, json.Unmarshal([]byte(in), &got), in)
	}
	_, err = json.Marshal(Millis(maxMillis + 1))
	require.Error(t, err)
}

func TestListItemsAreNeverNull(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(List[string]{PageSize: 10, Partial: true})
	require.NoError(t, err)
	assert.JSONEq(t, `{"items":[],"page_size":10,"partial":true}`, string(text))
	total := int64(0)
	text, err = json.Marshal(List[string]{Items: []string{"a"}, Page: 1, PageSize: 10, Total: &total, NextCursor: "7"})
	require.NoError(t, err)
	assert.JSONEq(t, `{"items":["a"],"page":1,"page_size":10,"total":0,"next_cursor":"7","partial":false}`, string(text))
}
