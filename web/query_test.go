package web

import (
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
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
		"":                           "[1,10,0,0]",
		"page=3&page_size=20":        "[3,20,0,40]",
		"page=1000000&page_size=100": "[1000000,100,0,99999900]",
		"after=9223372036854775807":  "[0,10,9223372036854775807,0]",
		"after=5&page_size=1&name=x": "[0,1,5,0]",
	} {
		assert.Equal(t, want, askApp(t, app, "GET", "/?"+query, "").Body, query)
	}
	for query, field := range map[string]string{
		"page=0": "page", "page=1000001": "page", "page=-1": "page", "page=01": "page", "page=": "page",
		"page=a": "page", "page_size=0": "page_size", "page_size=101": "page_size", "page_size=1e1": "page_size",
		"after=0": "after", "after=-1": "after", "after=9223372036854775808": "after", "after=+5": "after",
		"after=": "after", "after=5&page=1": "after", "page=99999999999999999999": "page",
	} {
		p := askApp(t, app, "GET", "/?"+query, "").problem(t)
		assert.Equal(t, problem.CodeInvalidRequest.Name, p.Code, query)
		require.Len(t, p.Errors, 1, query)
		assert.Equal(t, field, p.Errors[0].Name, query)
	}
}

func TestAListWithoutAKeyIsReadPageByPage(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	app.Get("/", func(c *fiber.Ctx) error {
		p, err := ParseNumberedPage(c, "name")
		if err != nil {
			return err
		}
		return c.JSON([]any{p.Page, p.Size, p.Next(25)})
	})
	first := askApp(t, app, "GET", "/?name=x", "").Body
	assert.Equal(t, `[1,10,"`+api.Page{Page: 1, Size: 10}.Next(11)+`"]`, first)
	second := askApp(t, app, "GET", "/?after="+api.Page{Page: 1, Size: 10}.Next(11), "").Body
	assert.Equal(t, `[2,10,"`+api.Page{Page: 2, Size: 10}.Next(21)+`"]`, second)
	assert.Equal(t, `[3,10,""]`, askApp(t, app, "GET", "/?page=3", "").Body, "the last")
	for query, field := range map[string]string{
		"after=": "after", "after=2": "after", "after=" + api.FormatCursor("page", "1"): "after",
		"after=" + api.FormatCursor("page", "02"):            "after",
		"after=" + api.FormatCursor("page", "1000001"):       "after",
		"after=" + api.FormatCursor("other", "2"):            "after",
		"after=" + api.FormatCursor("page", "2") + "&page=1": "after",
		"page_size=101": "page_size", "page=0": "page",
	} {
		p := askApp(t, app, "GET", "/?"+query, "").problem(t)
		require.Len(t, p.Errors, 1, query)
		assert.Equal(t, field, p.Errors[0].Name, query)
	}
	assert.Equal(t, problem.CodeInvalidRequest.Name, askApp(t, app, "GET", "/?other=1", "").problem(t).Code)
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
	stranger := askApp(t, app, "GET", "/?stauts=paid", "").problem(t)
	assert.Equal(t, []problem.Field{{Name: "stauts", Detail: "is unknown; the fields here are status, name, size"}},
		stranger.Errors)
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
