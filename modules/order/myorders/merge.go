package myorders

import (
	"math"
	"slices"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// window is the part of the merged list of cached and stored orders that a page shows.
type window struct {
	size   int
	offset int          // by page number: the number of orders before it
	before order.Number // by cursor: it shows numbers below this one; 0 = by page number

	dialect sqldb.Dialect // of the store that is read
	version int64         // that the user's must have reached; 0: nobody changed their orders

	found  []entry // in Redis, newest first; they meet the filter
	cached []entry // the entries in found that SQL doesn't have
	stored int64   // by page number: how many SQL has

	rows []Row        // of the page, newest first
	more bool         // there are orders after it
	last order.Number // of the page, also if it can't be shown
}

func newWindow(page api.Page) *window {
	return &window{size: max(page.Size, 1), offset: page.Offset(), before: order.Number(page.Before)}
}

// below returns the number that all numbers of the window are below.
func (w *window) below() order.Number {
	if w.before == 0 {
		return math.MaxInt64
	}
	return w.before
}

// reach returns which stored orders can be on the page. With r cached orders, a stored order is at most r places later
// in the merged list than in the list of stored orders, so the stored orders before offset − r can't be on the page.
// Here r is an upper bound: some of the orders in Redis may be stored.
func (w *window) reach() (offset, limit int) {
	if w.before != 0 {
		return 0, w.size + 1
	}
	offset = max(0, w.offset-len(w.found))
	return offset, w.offset + w.size - offset
}

// keepCached selects the orders in Redis that SQL doesn't have and that are below the cursor.
// stored has the tasks of the user's orders in SQL, by number: another one may have the number of a cached order.
func (w *window) keepCached(stored map[order.Number]string) {
	w.cached = make([]entry, 0, len(w.found))
	for _, e := range w.found {
		task, has := stored[e.number]
		if has && e.order != nil {
			has = task == e.order.Task
		}
		if !has && e.number < w.below() {
			w.cached = append(w.cached, e)
		}
	}
}

// merge sorts the cached orders and the stored ones within reach, and selects the page.
func (w *window) merge(stored []Row) {
	all := make([]Row, 0, len(stored)+len(w.cached))
	all = append(all, stored...)
	for _, e := range w.cached {
		all = append(all, Row{
			State: order.State{Number: e.number, Status: order.Unpaid, Source: order.FromCache}, order: e.order,
		})
	}
	slices.SortFunc(all, newestFirst)
	if w.before == 0 {
		first, _ := w.reach()
		all = all[min(w.offset-first, len(all)):]
	}
	w.rows = all[:min(w.size, len(all))]
	w.more = len(all) > w.size
	if w.before == 0 {
		w.more = int64(w.offset+len(w.rows)) < w.total()
	}
	if len(w.rows) > 0 {
		w.last = w.rows[len(w.rows)-1].Number
	}
}

func (w *window) total() int64 { return w.stored + int64(len(w.cached)) }

// onlyCached makes the page from the orders in Redis, while SQL is unavailable.
func (w *window) onlyCached() {
	w.stored = 0
	w.keepCached(nil)
	w.merge(nil)
}

// list returns the page.
func (w *window) list() api.List[Row] {
	list := api.List[Row]{PageSize: w.size, Items: w.rows}
	if w.before == 0 {
		total := w.total()
		list.Page, list.Total = w.offset/w.size+1, &total
	}
	if w.more && w.last != 0 {
		list.NextCursor = w.last.String()
	}
	return list
}
