package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/ids"
	"onrush/modules/problem"
)

// ParsePage reads page, page_size and after of a list whose cursor is a number; a value out of range is
// invalid_request.
func ParsePage(c *fiber.Ctx) (api.Page, error) { return parsePage(c, "after") }

// ParsePageBefore is ParsePage of a list that has before instead of after.
func ParsePageBefore(c *fiber.Ctx) (api.Page, error) { return parsePage(c, "before") }

func parsePage(c *fiber.Ctx, cursor string) (api.Page, error) {
	page, err := parseNumber(c, cursor)
	if err != nil || page.Page != 0 {
		return page, err
	}
	text := c.Query(cursor)
	if page.Before, err = strconv.ParseInt(text, 10, 64); err != nil || page.Before <= 0 ||
		strconv.FormatInt(page.Before, 10) != text {
		return api.Page{}, problem.Invalid(cursor, "must be the next_cursor of a page")
	}
	return page, nil
}

// parseNumber reads page and page_size. With a cursor the page is 0.
func parseNumber(c *fiber.Ctx, cursor string) (page api.Page, err error) {
	if page.Size, err = QueryInt(c, "page_size", api.DefaultPageSize, api.MaxPageSize); err != nil {
		return api.Page{}, err
	}
	number, err := QueryInt(c, "page", 1, api.MaxPage)
	switch {
	case err != nil:
		return api.Page{}, err
	case !hasQuery(c, cursor):
		page.Page = number
	case hasQuery(c, "page"):
		return api.Page{}, problem.Invalid(cursor, "cannot be combined with page")
	}
	return page, nil
}

// ParseNumberedPage reads the page of a list without a key to continue behind: its cursor, of api.Page.Next, is the
// number of a page. filters are the other parameters of the list.
func ParseNumberedPage(c *fiber.Ctx, filters ...string) (api.Page, error) {
	if err := OnlyQuery(c, append(filters, "page", "page_size", "after")...); err != nil {
		return api.Page{}, err
	}
	page, err := parseNumber(c, "after")
	if err != nil || page.Page != 0 {
		return page, err
	}
	var ok bool
	if page.Page, ok = api.ParseNext(c.Query("after")); !ok {
		return api.Page{}, problem.Invalid("after", "must be the next_cursor of a page of this list")
	}
	return page, nil
}

// maxAfter is the longest cursor of a list in characters.
const maxAfter = 64

// ParseAfter reads the page of a list that is sorted by a text: after, the text behind which the page begins ("" if
// it is absent), and page_size. The string may be kept.
func ParseAfter(c *fiber.Ctx) (after string, size int, err error) {
	if size, err = QueryInt(c, "page_size", api.DefaultPageSize, api.MaxPageSize); err != nil {
		return "", 0, err
	}
	after, err = Query(c, "after")
	if err == nil && utf8.RuneCountInString(after) > maxAfter {
		err = problem.Invalid("after", "must have at most %d characters", maxAfter)
	}
	return after, size, err
}

// QueryID reads an id that the platform chose, such as the id of a shop; "" if it is absent or empty.
func QueryID(c *fiber.Ctx, name string) (string, error) {
	id, err := Query(c, name)
	if err == nil && id != "" && !ids.Valid(id) {
		err = problem.Invalid(name, ids.Rule)
	}
	return id, err
}

// QueryInt reads a decimal number from 1 to most; it returns absent if the query doesn't have it.
func QueryInt(c *fiber.Ctx, name string, absent, most int) (int, error) {
	if !hasQuery(c, name) {
		return absent, nil
	}
	text := c.Query(name)
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most || strconv.Itoa(n) != text {
		return 0, problem.Invalid(name, "must be a whole number from 1 to %d", most)
	}
	return n, nil
}

func hasQuery(c *fiber.Ctx, name string) bool { return c.Context().QueryArgs().Has(name) }

// Query reads a query value, "" if it is absent. If values are given, any other value is
// invalid_request; "" among them allows an empty value. The string may be kept.
func Query(c *fiber.Ctx, name string, allowed ...string) (string, error) {
	if !hasQuery(c, name) {
		return "", nil
	}
	value := strings.Clone(c.Query(name))
	if len(allowed) > 0 {
		if !slices.Contains(allowed, value) {
			return "", problem.Invalid(name, "must be one of %s", strings.TrimPrefix(strings.Join(allowed, ", "), ", "))
		}
		return value, nil
	}
	if !problem.IsLine(value) {
		return "", problem.Invalid(name, "must not contain control characters and must be valid UTF-8")
	}
	return value, nil
}

// OnlyQuery refuses query parameters other than names, and repeated ones, as invalid_request, so that
// a misspelt filter doesn't return everything.
func OnlyQuery(c *fiber.Ctx, names ...string) error {
	var wrong []problem.Field
	var stranger error // the first
	seen := make(map[string]bool, len(names))
	c.Context().QueryArgs().VisitAll(func(key, _ []byte) {
		name := string(key)
		switch {
		case len(wrong) >= problem.MaxFields:
		case !slices.Contains(names, name):
			if stranger == nil {
				stranger = unknown("", name, names)
			}
		case seen[name]:
			wrong = append(wrong, problem.Field{Name: name, Detail: "must not be given twice"})
		}
		seen[name] = true
	})
	if stranger != nil {
		return stranger
	}
	return problem.InvalidFields(wrong)
}

// Param returns a parameter of the path, URL-decoded; the string may be kept. A value that can't be
// decoded is returned unchanged; it is no valid id.
func Param(c *fiber.Ctx, name string) string {
	raw := c.Params(name)
	if !strings.Contains(raw, "%") {
		return strings.Clone(raw)
	}
	decoded, err := url.PathUnescape(raw)
	if err != nil {
		return strings.Clone(raw)
	}
	return strings.Clone(decoded)
}

// ParamID returns a parameter of the path that is an id, an id of the platform. Anything else is not_found
// before a store is queried: MySQL would treat "demo " as demo. what names the kind of thing.
func ParamID(c *fiber.Ctx, name, what string) (string, error) {
	id := Param(c, name)
	if !ids.Valid(id) {
		return "", problem.NotFound(what)
	}
	return id, nil
}

// QueryUser reads a query value that is a user id, "" if it is absent. An invalid user id is
// invalid_request, so that no store treats it as the id of another user: MySQL ignores trailing spaces
// when it compares. The string may be kept.
func QueryUser(c *fiber.Ctx, name string) (string, error) {
	value, err := Query(c, name)
	if err != nil || value == "" || problem.IsUser(value) {
		return value, err
	}
	return "", problem.Invalid(name, problem.UserRule)
}

// QueryVisible reads a query value of at most most visible ASCII characters, "" if it is absent. The
// string may be kept.
func QueryVisible(c *fiber.Ctx, name string, most int) (string, error) {
	value, err := Query(c, name)
	if err != nil || len(value) <= most && problem.IsVisible(value) {
		return value, err
	}
	return "", problem.Invalid(name, "must have at most %d characters, visible ones of ASCII only", most)
}

// IdempotencyKey reads the header of that name: 1 to 128 visible ASCII characters, given once. The
// string may be kept. Without it the error is idempotency_key_required.
func IdempotencyKey(c *fiber.Ctx) (string, error) {
	const name = "Idempotency-Key"
	keys := c.Request().Header.PeekAll(name)
	if len(keys) > 1 {
		return "", problem.Invalid(name, "must not be given twice")
	}
	key := c.Get(name)
	if key == "" {
		return "", problem.Errorf(CodeIdempotencyKeyMissing, "This route needs the header Idempotency-Key.")
	}
	if len(key) > 128 {
		return "", problem.Invalid(name, "must have at most 128 characters")
	}
	for i := range len(key) {
		if key[i] < 0x21 || key[i] > 0x7e {
			return "", problem.Invalid(name, "must consist of visible ASCII characters")
		}
	}
	return strings.Clone(key), nil
}
