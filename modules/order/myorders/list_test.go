package myorders

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/test/kit"
)

func TestPagesAtRestAgreeWithAPlainSortedList(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		orders := patientOrders(s)
		rapid.Check(t, func(rt *rapid.T) {
			ctx := t.Context()
			w := newWorld(rt, s)
			w.fill(ctx, rt)
			orders.cache.scanned = rapid.SampledFrom([]int64{1, scanned}).Draw(rt, "scanned")
			for range 3 {
				f, size := w.drawFilter(rt), rapid.IntRange(1, 9).Draw(rt, "page size")
				requirePages(ctx, rt, orders, w, f, size)
				shown, err := walk(ctx, orders, w.user, f, api.Page{Size: size, Before: math.MaxInt64})
				require.NoError(rt, err)
				require.ElementsMatch(rt, w.plain(f), shown)
			}
		})
	})
}

// requirePages reads every page by number, and one past the end.
func requirePages(ctx context.Context, t *rapid.T, orders *Service, w *world, f Filter, size int) {
	want := w.plain(f)
	for page := 1; page <= len(want)/size+2; page++ {
		list, err := orders.List(ctx, w.user, f, api.Page{Page: page, Size: size})
		require.NoError(t, err)
		require.False(t, list.Partial)
		require.EqualValues(t, len(want), *list.Total, "total")
		from := min((page-1)*size, len(want))
		rest := want[from:]
		require.Len(t, list.Items, min(size, len(rest)))
		for i, v := range list.Items {
			require.Equal(t, rest[i], v.Number, "place %d of page %d", i, page)
			requireShown(t, w.orders[v.Number], &v)
		}
		require.Equal(t, len(rest) > size, list.NextCursor != "", "whether there is more after page %d", page)
	}
}

// requireShown compares an order of a list with the view of one order.
func requireShown(t *rapid.T, o *order.Order, r *Row) {
	shown := *o
	shown.Cached = r.cached()
	want := order.NewView(&shown, nil)
	want.Events = nil
	data, err := json.Marshal(r)
	require.NoError(t, err)
	var got order.View
	require.NoError(t, json.Unmarshal(data, &got))
	require.Equal(t, want, got)
}

func TestEveryWalkShowsEachOrderOnceWhileOrdersArePlacedMovedAndArchived(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		orders := patientOrders(s)
		rapid.Check(t, func(rt *rapid.T) {
			ctx := t.Context()
			w := newWorld(rt, s)
			w.fill(ctx, rt)
			orders.cache.scanned = rapid.SampledFrom([]int64{1, scanned}).Draw(rt, "scanned")
			f := w.drawFilter(rt)
			first := api.Page{Page: 1, Size: rapid.IntRange(1, 4).Draw(rt, "page size")}
			if rapid.Bool().Draw(rt, "from a cursor") {
				first = api.Page{Size: first.Size, Before: math.MaxInt64}
			}
			atStart := w.plain(f)
			work := w.drawWork(rt)
			worked := make(chan error, 1)
			go func() { worked <- work(ctx) }()
			shown, err := walk(ctx, orders, w.user, f, first)
			require.NoError(rt, <-worked)
			require.NoError(rt, err)

			seen := make(map[order.Number]bool, len(shown))
			for i, n := range shown {
				require.False(rt, seen[n], "order %s is shown twice", n)
				require.True(rt, i == 0 || n < shown[i-1], "orders are sorted")
				require.True(rt, plainlyMeets(f, w.orders[n]), "order %s meets the filter", n)
				seen[n] = true
			}
			for _, n := range atStart {
				require.True(rt, seen[n], "order %s is missing", n)
			}
			requirePages(ctx, rt, orders, w, f, first.Size)
		})
	})
}

// drawWork draws what placers, movers and the archiver do while a list is walked. The orders they place are
// noted in the world before they begin.
func (w *world) drawWork(t *rapid.T) func(context.Context) error {
	var steps []func(context.Context) error
	waiting, stored := w.cached, w.plain(Filter{Type: order.Ordinary})
	for range rapid.IntRange(0, 16).Draw(t, "steps") {
		switch rapid.SampledFrom([]string{
			"place", "order", "move", "move", "move", "archive", "archive", "recall",
		}).Draw(t, "step") {
		case "archive":
			steps = append(steps, w.archive)
		case "recall":
			if len(stored) > 0 {
				n := rapid.SampledFrom(stored).Draw(t, "recalled")
				steps = append(steps, func(ctx context.Context) error { return w.recall(ctx, n) })
			}
		case "place":
			o := w.drawOrder(t, true)
			w.orders[o.Number] = o
			waiting = append(waiting, o)
			steps = append(steps, func(ctx context.Context) error { return w.place(ctx, o) })
		case "order":
			o := w.drawOrder(t, false)
			w.orders[o.Number] = o
			steps = append(steps, func(ctx context.Context) error { return w.store(ctx, o) })
		case "move":
			if len(waiting) > 0 {
				o := waiting[0]
				waiting = waiting[1:]
				steps = append(steps, func(ctx context.Context) error { return w.move(ctx, o) })
			}
		}
	}
	return func(ctx context.Context) error {
		for _, step := range steps {
			if err := step(ctx); err != nil {
				return err
			}
		}
		return nil
	}
}
