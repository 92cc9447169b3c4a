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
