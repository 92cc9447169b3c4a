package web

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/problem"
)

// ParseCursor reads page_size and after of a list that has a cursor and no page numbers. The caller checks the
// cursor; "" is the first page. The string may be kept.
func ParseCursor(c *fiber.Ctx) (api.KeyPage, error) {
	size, err := QueryInt(c, "page_size", api.DefaultPageSize, api.MaxPageSize)
	if err != nil {
		return api.KeyPage{}, err
	}
	after, err := QueryVisible(c, "after", maxCursor)
	if err == nil && after == "" && hasQuery(c, "after") {
		err = problem.Invalid("after", "must be the next_cursor of a page")
	}
	return api.KeyPage{Size: size, After: after}, err
}

// maxCursor is the longest cursor in bytes.
const maxCursor = 200

// ParseKeyPage reads page, page_size and after of a list whose cursor is not a number. The caller checks the
// cursor. The string may be kept.
func ParseKeyPage(c *fiber.Ctx) (api.KeyPage, error) {
	page, err := ParseCursor(c)
	if err != nil {
		return page, err
	}
	if page.After != "" && hasQuery(c, "page") {
		return page, problem.Invalid("after", "cannot be combined with page")
	}
	if page.After == "" {
		page.Page, err = QueryInt(c, "page", 1, api.MaxPage)
	}
	return page, err
}

// QuerySpan reads the times from, which is included, and to, which is not; 0 is absent. A span that is empty is
// invalid_request.
func QuerySpan(c *fiber.Ctx) (from, to api.Millis, err error) {
	if from, err = queryTime(c, "from"); err != nil {
		return 0, 0, err
	}
	if to, err = queryTime(c, "to"); err != nil {
		return 0, 0, err
	}
	if from != 0 && to != 0 && to <= from {
		return 0, 0, problem.Invalid("to", "must be after from")
	}
	return from, to, nil
}

func queryTime(c *fiber.Ctx, name string) (at api.Millis, err error) {
	text, err := Query(c, name)
	if err != nil || text == "" {
		return 0, err
	}
	quoted, err := json.Marshal(text)
	if err == nil {
		err = at.UnmarshalJSON(quoted)
	}
	if err != nil {
		return 0, problem.Invalid(name, "%s", api.ErrTime.Error())
	}
	return at, nil
}

// QueryLine reads a query value of at most most characters on one line, "" if it is absent. The string may be kept.
func QueryLine(c *fiber.Ctx, name string, most int) (string, error) {
	value, err := Query(c, name)
	if err == nil && utf8.RuneCountInString(value) > most {
		return "", problem.Invalid(name, "must have at most %d characters", most)
	}
	return value, err
}
