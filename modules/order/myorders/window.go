package myorders

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/web/api"
)

// window is the part of the merged list of cached and stored orders that a page shows.
type window struct {
	size   int
	offset int          // by page number: the number of orders before it
	before order.Number // by cursor: it shows numbers below this one; 0 = by page number

	inRedis []*order.Order // as Redis has them, newest first
	cached  []*order.Order // those that SQL doesn't have and that meet the filter
	stored  int64          // by page number: how many SQL has

	numbers []order.Number // of the page, newest first
	more    bool           // there are orders after it
	orders  map[order.Number]*order.Order
	events  map[order.Number][]order.Event
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

// keepCached selects the cached orders that SQL doesn't have, that meet the filter and that are below
// the cursor.
func (w *window) keepCached(m match, stored map[order.Number]bool) {
	w.cached = nil
	for _, o := range w.inRedis {
		if !stored[o.Number] && m.meets(o) && o.Number < w.below() {
			w.cached = append(w.cached, o)
		}
	}
}

// reach returns which stored numbers can be on the page. With r cached orders, a stored order is at
// most r places later in the merged list than in its own, so those before offset − r can't be on the
// page, and size + r from there on suffice.
func (w *window) reach() (offset, limit int) {
	if w.before != 0 {
		return 0, w.size + 1
	}
	return max(0, w.offset-len(w.cached)), w.size + len(w.cached)
}

// merge sorts the cached numbers and the stored ones within reach, and selects those of the page.
func (w *window) merge(stored []order.Number) {
	w.orders = make(map[order.Number]*order.Order, w.size+len(w.cached))
	all := make([]order.Number, 0, len(stored)+len(w.cached))
	all = append(all, stored...)
	for _, o := range w.cached {
		all = append(all, o.Number)
		w.orders[o.Number] = o
	}
	slices.Sort(all)
	slices.Reverse(all)
	if w.before == 0 {
		first, _ := w.reach()
		all = all[min(w.offset-first, len(all)):]
	}
	w.numbers = all[:min(w.size, len(all))]
	w.more = len(all) > w.size
	if w.before == 0 {
		w.more = int64(w.offset+len(w.numbers)) < w.total()
	}
}

func (w *window) total() int64 { return w.stored + int64(len(w.cached)) }

// fill reads the stored orders of the page with their items and logs.
func (w *window) fill(ctx context.Context, q sqlx.QueryerContext) error {
	var missing []order.Number
	for _, n := range w.numbers {
		if w.orders[n] == nil {
			missing = append(missing, n)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	var orders []*order.Order
	query := `SELECT ` + order.Columns.Names + ` FROM orders WHERE number IN (` + sqldb.In(len(missing)) + `)`
	if err := sqlx.SelectContext(ctx, q, &orders, query, sqldb.Args(missing)...); err != nil {
		return fmt.Errorf("select %d orders: %w", len(missing), err)
	}
	if err := order.FillItems(ctx, q, orders); err != nil {
		return err
	}
	if err := order.FillVouchers(ctx, q, orders); err != nil {
		return err
	}
	for _, o := range orders {
		w.orders[o.Number] = o
	}
	var err error
	w.events, err = order.SelectEvents(ctx, q, missing)
	return err
}

// onlyCached makes the page from the orders in Redis, while SQL is unavailable.
func (w *window) onlyCached(m match) {
	w.stored, w.events = 0, nil
	w.keepCached(m, nil)
	w.merge(nil)
}

// list returns the views of the page.
func (w *window) list() (api.List[order.View], error) {
	list := api.List[order.View]{PageSize: w.size, Items: make([]order.View, 0, len(w.numbers))}
	for _, n := range w.numbers {
		v, err := order.NewView(w.orders[n], w.events[n])
		if err != nil {
			return api.List[order.View]{}, err
		}
		list.Items = append(list.Items, v)
	}
	if w.before == 0 {
		total := w.total()
		list.Page, list.Total = w.offset/w.size+1, &total
	}
	if w.more && len(w.numbers) > 0 {
		list.NextCursor = w.numbers[len(w.numbers)-1].String()
	}
	return list, nil
}
