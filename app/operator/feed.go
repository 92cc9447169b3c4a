package operator

import (
	"context"
	"encoding/json"
	"net/url"
	"sort"
	"strconv"
	"strings"
)

// EventPage is a page of the feed of events.
type EventPage struct {
	Items      []json.RawMessage `json:"items"`
	NextCursor int64             `json:"next_cursor,string"`
	More       bool              `json:"more"`
	Missed     bool              `json:"missed"` // the program doesn't have the event that the page comes after
}

// Events reads the events after an id, of some types or of all.
func (c *Client) Events(ctx context.Context, after int64, size int, types []string) (p EventPage, err error) {
	query := url.Values{"after": {strconv.FormatInt(after, 10)}, "page_size": {strconv.Itoa(size)}}
	if len(types) > 0 {
		query.Set("types", strings.Join(types, ","))
	}
	return p, c.Get(ctx, "/admin/api/v1/events?"+query.Encode(), &p)
}

// LastEvent returns the id of the last event, or 0 if there is none. The feed can't be asked for its end, so LastEvent
// searches for it by bisection, with two requests for each bit of the id.
func (c *Client) LastEvent(ctx context.Context) (int64, error) {
	for {
		last, err := c.searchEnd(ctx)
		if err != nil {
			return 0, err
		}
		p, err := c.Events(ctx, last, 1, nil)
		if err != nil || !p.Missed {
			return last, err
		}
		// An event came during the search, before an id that was taken for the end.
	}
}

func (c *Client) searchEnd(ctx context.Context) (last int64, err error) {
	isEnd := func(after int) bool {
		if err != nil {
			return true
		}
		var p EventPage
		p, err = c.Events(ctx, int64(after), 1, nil)
		return len(p.Items) == 0
	}
	high := 1
	for !isEnd(high) {
		high *= 2
	}
	last = int64(sort.Search(high, isEnd))
	return last, err
}
