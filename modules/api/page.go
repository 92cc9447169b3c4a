package api

import "strconv"

// The bounds of a page. MaxPage times MaxPageSize doesn't overflow an int.
const (
	DefaultPageSize = 10
	MaxPageSize     = 100
	MaxPage         = 1_000_000
)

// Page is the part of a list that a caller requests: by number (Page from 1), or, if Before is
// above 0, the Size items before that number, such as an order's (Page is then 0).
type Page struct {
	Page, Size int
	Before     int64
}

// Offset returns the number of items on the pages before this one; 0 with Before.
func (p Page) Offset() int { return max(p.Page-1, 0) * p.Size }

// numberedPage marks the cursors of Next.
const numberedPage = "page"

// Next returns the cursor of the page after p, in a list of total items that has no key to continue behind; "" at its
// end. Items that are added or removed meanwhile shift the others.
func (p Page) Next(total int64) string {
	if p.Page >= MaxPage || int64(p.Page)*int64(p.Size) >= total {
		return ""
	}
	return FormatCursor(numberedPage, strconv.Itoa(p.Page+1))
}

// ParseNext returns the number of the page of a cursor that Next returned.
func ParseNext(cursor string) (number int, ok bool) {
	keys, ok := ParseCursor(cursor, 2)
	if !ok || keys[0] != numberedPage {
		return 0, false
	}
	number, err := strconv.Atoi(keys[1])
	return number, err == nil && number > 1 && number <= MaxPage && strconv.Itoa(number) == keys[1]
}

// KeyPage is a Page of a list whose cursor is not an order number: by number (Page from 1), or, if After isn't "",
// the Size items that follow that cursor (Page is then 0). A list that has no page numbers ignores Page.
type KeyPage struct {
	Page, Size int
	After      string
}

// Offset returns the number of items on the pages before this one; 0 with After.
func (p KeyPage) Offset() int { return max(p.Page-1, 0) * p.Size }
