package api

// The bounds of a page. MaxPage times MaxPageSize doesn't overflow an int.
const (
	DefaultPageSize = 10
	MaxPageSize     = 100
	MaxPage         = 1_000_000
)

// Page is the part of a list that a caller requests: by number (Page from 1), or, if Before is
// above 0, the Size orders before that order number (Page is then 0).
type Page struct {
	Page, Size int
	Before     int64
}

// Offset returns the number of items on the pages before this one; 0 with Before.
func (p Page) Offset() int { return max(p.Page-1, 0) * p.Size }

// KeyPage is a Page of a list whose cursor is not an order number: by number (Page from 1), or, if Before isn't "",
// the Size items that follow that cursor (Page is then 0). A list that has no page numbers ignores Page.
type KeyPage struct {
	Page, Size int
	Before     string
}

// Offset returns the number of items on the pages before this one; 0 with Before.
func (p KeyPage) Offset() int { return max(p.Page-1, 0) * p.Size }
