// Package api has the types that the JSON bodies of all modules share: times, pages, lists and changes.
package api

import "encoding/json"

// List is one page of a list. Page and Total are set if the page was requested by number; NextCursor is
// set while there are more items, if the list has a cursor. Partial is true if a store was unavailable
// and its items are missing.
type List[T any] struct {
	Items      []T    `json:"items"`
	Page       int    `json:"page,omitzero"`
	PageSize   int    `json:"page_size"`
	Total      *int64 `json:"total,omitempty"`
	NextCursor string `json:"next_cursor,omitempty"`
	Partial    bool   `json:"partial"`
}

// MarshalJSON writes the list; items is [] if there are none, never null.
func (l List[T]) MarshalJSON() ([]byte, error) {
	type plain List[T]
	if l.Items == nil {
		l.Items = []T{}
	}
	return json.Marshal(plain(l))
}
