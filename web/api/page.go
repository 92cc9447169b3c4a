package api

// The bounds of a page. MaxPage times MaxPageSize is far from any integer's end.
const (
	DefaultPageSize = 10
	MaxPageSize     = 100
	MaxPage         = 1_000_000
)

// Page is the part of a list a caller asked for: by number (Page from 1), or, where Before is
// above 0, the Size orders before that order number (Page is then 0).
type Page struct {
	Page, Size int
	Before     int64
}

// Offset is how many items the pages before this one hold; 0 by cursor.
func (p Page) Offset() int { return max(p.Page-1, 0) * p.Size }
