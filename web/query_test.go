package web

import (
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
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
		"page=0": "page", "page=1000001": "page", "page=-1": "page", "page=01": "page", "page=": "page",
		"page=a": "page", "page_size=0": "page_size", "page_size=101": "page_size", "page_size=1e1": "page_size",
		"before=0": "before", "before=-1": "before", "before=9223372036854775808": "before", "before=+5": "before",
		"before=": "before", "before=5&page=1": "before", "page=99999999999999999999": "page",
	} {
		p := askApp(t, app, "GET", "/?"+query, "").problem(t)
		assert.Equal(t, problem.CodeInvalidRequest.Name, p.Code, query)
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
		"status=lost", "status=", "name=%00", "name=%ff", "stauts=paid", "status=paid&status=unpaid", "%ff=1",
		strings.Repeat("a", 500) + "=1",
	} {
		assert.Equal(t, problem.CodeInvalidRequest.Name, askApp(t, app, "GET", "/?"+query, "").problem(t).Code, query)
	}
	assert.Equal(t, "must be one of paid, unpaid",
		askApp(t, app, "GET", "/?status=lost", "").problem(t).Errors[0].Detail)
	assert.Equal(t, "must be one of large, small", askApp(t, app, "GET", "/?size=huge", "").problem(t).Errors[0].Detail)
	assert.Equal(t, "|", askApp(t, app, "GET", "/?size=", "").Body)
	many := strings.Repeat("x=1&", 300)
	assert.LessOrEqual(t, len(askApp(t, app, "GET", "/?"+many, "").problem(t).Errors), problem.MaxFields)
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
	assert.Equal(t, CodeIdempotencyKeyMissing.Name, askApp(t, app, "POST", "/", "").problem(t).Code)
	for _, key := range []string{strings.Repeat("k", 129), "a b", "ä", "a\tb"} {
		p := askApp(t, app, "POST", "/", "", "Idempotency-Key", key).problem(t)
		assert.Equal(t, problem.CodeInvalidRequest.Name, p.Code)
		assert.Equal(t, "Idempotency-Key", p.Errors[0].Name)
	}
}
