package events

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/web"
)

// HTTPOperator has the operators' route of events.
type HTTPOperator struct{ feed *Feed }

// NewHTTPOperator returns the route.
func NewHTTPOperator(feed *Feed) *HTTPOperator { return &HTTPOperator{feed} }

// page is an answer of the feed.
type page struct {
	Items []Event `json:"items"`
	// NextCursor is the position to continue from, also at the end of the feed.
	NextCursor int64 `json:"next_cursor,string"`
	// More says that there are events behind NextCursor already.
	More bool `json:"more"`
	// Missed says that there were events that a reader of this position did not get, and will not.
	Missed bool `json:"missed,omitempty"`
}

func (h *HTTPOperator) Read(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "after", "types", "page_size"); err != nil {
		return err
	}
	after, err := queryPosition(c, "after")
	if err != nil {
		return err
	}
	types, err := web.Query(c, "types")
	if err != nil {
		return err
	}
	selected, err := ParseTypes("types", types)
	if err != nil {
		return err
	}
	size, err := web.QueryInt(c, "page_size", api.DefaultPageSize, api.MaxPageSize)
	if err != nil {
		return err
	}
	items, next, err := h.feed.Read(c.UserContext(), after, selected, size)
	if err != nil {
		return problem.Unavailable(err, "The events can't be read right now.")
	}
	// Missed is read second, so that no deleted event goes unnoticed: an event that the items lack was deleted before
	// this read.
	missed, head, err := h.feed.Missed(c.UserContext(), after)
	if err != nil {
		return problem.Unavailable(err, "The events can't be read right now.")
	}
	if len(items) == 0 {
		next = min(next, head) // events to come are behind both
	}
	if items == nil {
		items = []Event{}
	}
	return c.JSON(page{Items: items, NextCursor: next, More: next < head, Missed: missed})
}

// queryPosition reads a position from the query, 0 if it is absent.
func queryPosition(c *fiber.Ctx, name string) (int64, error) {
	text, err := web.Query(c, name)
	if err != nil || text == "" {
		return 0, err
	}
	return parsePosition(name, text)
}

// parsePosition parses a position that a client sends back.
func parsePosition(name, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
		return 0, problem.Invalid(name, "must be the id of an event, or 0")
	}
	return n, nil
}
