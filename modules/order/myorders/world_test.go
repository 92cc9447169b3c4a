package myorders

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/order/archive"
	"onrush/modules/site"
	"onrush/test/kit"
)

// listNow is the time in all tests of lists.
var listNow = time.Date(2026, 5, 31, 12, 30, 45, 500_000_000, time.UTC)

const testLanes = 3

// patientOrders reads lists of the stores without giving up on a slow machine.
func patientOrders(s *kit.Stores) *Service {
	log := slog.New(slog.DiscardHandler)
	cache := NewCache(s.Redis, s.Keys, site.Fixed(testLanes), log)
	cache.within = time.Minute
	orders := NewService(s.DB, cache, func() time.Time { return listNow }, log)
	orders.within = time.Minute
	return orders
}

// world is one user's orders in both stores, and what a plain list of them would be.
type world struct {
	s      *kit.Stores
	user   string
	orders map[order.Number]*order.Order // all there are
	cached []*order.Order                // those still to be moved, in the order of moving

	archiver *archive.Archiver
}

var users atomic.Int64 // so that each world of a test process has another user

// newWorld empties SQL, since order numbers are drawn again in each world, but for an order of
// somebody else.
func newWorld(t *rapid.T, s *kit.Stores) *world {
	for _, table := range []string{"order_items", "order_labels", "orders", "orders_archive"} {
		_, err := s.DB.Write.ExecContext(context.Background(), "DELETE FROM "+table)
		require.NoError(t, err)
	}
	other := &world{s: s, user: "somebody else"}
	n := order.NewNumber(listNow.Add(time.Second), 0, 1)
	require.NoError(t, other.store(context.Background(),
		&order.Order{
			Number: n, User: other.user, Status: order.Unpaid,
			Content: order.Content{Items: []order.Item{{Quantity: 1}}},
		}))
	return &world{
		s: s, user: fmt.Sprintf("user_%d", users.Add(1)), orders: map[order.Number]*order.Order{},
		archiver: archive.New(archive.Config{Page: 3, PagesPerRun: 1}, order.Deps{
			DB: s.DB, Clock: clock.Fixed(func() time.Time { return listNow }),
		}),
	}
}

// place puts an order into Redis, as the script does.
func (w *world) place(ctx context.Context, o *order.Order) error {
	data, err := order.EncodeRecord(o)
	if err != nil {
		return err
	}
	return w.s.Redis.HSet(ctx, w.s.Keys.Orders(o.Number.Lane(), w.user), lua.OrderField(o.Number.String()), data).Err()
}

// store puts orders into SQL.
func (w *world) store(ctx context.Context, orders ...*order.Order) error {
	return w.s.DB.InTx(ctx, func(tx *sqlx.Tx) error { return order.Insert(ctx, tx, orders, nil) })
}

// move does what the mover does, in its order: the commit, then the record.
func (w *world) move(ctx context.Context, o *order.Order) error {
	if err := w.store(ctx, o); err != nil {
		return err
	}
	return w.s.Redis.HDel(ctx, w.s.Keys.Orders(o.Number.Lane(), w.user), lua.OrderField(o.Number.String())).Err()
}

// archive archives some of the orders that are old enough, if there are any.
func (w *world) archive(ctx context.Context) error {
	_, err := w.archiver.RunOnce(ctx)
	return err
}

// recall locks an order, as everybody does who changes one.
func (w *world) recall(ctx context.Context, n order.Number) error {
	return w.s.DB.InTx(ctx, func(tx *sqlx.Tx) error { return order.LockRow(ctx, tx, n) })
}

// plain is the list that the filter leaves of all orders, newest first.
func (w *world) plain(f Filter) []order.Number {
	numbers := []order.Number{}
	for _, o := range w.orders {
		if plainlyMeets(f, o) {
			numbers = append(numbers, o.Number)
		}
	}
	slices.Sort(numbers)
	slices.Reverse(numbers)
	return numbers
}

// plainlyMeets says in other words than the code under test what a filter means.
func plainlyMeets(f Filter, o *order.Order) bool {
	titles := make([]string, len(o.Items))
	for i, it := range o.Items {
		titles[i] = strings.ToLower(it.Title)
	}
	named := slices.ContainsFunc(titles, func(t string) bool { return strings.Contains(t, strings.ToLower(f.Name)) })
	recent := !o.Number.Time().Before(threeMonthsBefore(listNow).Truncate(time.Second))
	for _, wrong := range []bool{
		f.Status != "" && f.Status != o.Status,
		f.Type != "" && f.Type != o.Type,
		f.Kind != "" && f.Kind != o.Kind,
		f.Shop != "" && f.Shop != o.Shop,
		f.Number != 0 && f.Number != o.Number,
		!named,
		f.Period == LastThreeMonths && !recent,
		f.Period == Older && recent,
	} {
		if wrong {
			return false
		}
	}
	return true
}

var (
	testShops  = []string{"shop-a", "shop-b"}
	testTitles = []string{"Red Lamp", "blue lamp", "ÉTAGÈRE", "50% off_", `back\slash`, "数码相机"}
	testKinds  = []catalogue.Kind{catalogue.Physical, catalogue.Virtual, catalogue.Voucher}
	testStates = []order.Status{order.Unpaid, order.Paid, order.Cancelled, order.Refunded, order.Failed}
)

// drawOrder draws an order with a number that the world doesn't have yet.
func (w *world) drawOrder(t *rapid.T, cached bool) *order.Order {
	lane, days := 0, 170
	if cached {
		lane, days = rapid.IntRange(1, testLanes).Draw(t, "lane"), 3
	}
	var n order.Number
	for ok := true; ok; _, ok = w.orders[n] {
		at := listNow.AddDate(0, 0, -rapid.IntRange(0, days).Draw(t,
			"days ago")).Add(-time.Duration(rapid.IntRange(0, 3).Draw(t, "seconds ago")) * time.Second)
		n = order.NewNumber(at, lane, rapid.Uint32Range(0, 1<<12).Draw(t, "seq"))
	}
	title := rapid.SampledFrom(testTitles).Draw(t, "title")
	o := &order.Order{
		Number: n, User: w.user, Task: "task-" + w.user + "-" + n.String(), Digest: "d", Status: order.Unpaid,
		Content: order.Content{
			Type: order.Ordinary, Kind: rapid.SampledFrom(testKinds).Draw(t, "kind"),
			Shop: rapid.SampledFrom(testShops).Draw(t, "shop"), Point: catalogue.DefaultPoint, GoodsAmount: 500,
			TotalAmount: 500, Currency: "CNY", Delivery: catalogue.None, PlacedAt: api.Millis(n.Time().UnixMilli()),
			PayBefore: api.Millis(n.Time().UnixMilli() + 1),
			Items:     []order.Item{{SKU: "sku-1", Title: title, Quantity: 1, Price: 500}},
		},
	}
	if cached {
		o.Type, o.Activity = order.Seckill, "act-1"
		return o
	}
	o.Status = rapid.SampledFrom(testStates).Draw(t, "status")
	if rapid.Bool().Draw(t, "two items") {
		o.Items = append(o.Items, order.Item{SKU: "sku-2", Title: "Second", Quantity: 2, Price: 1})
	}
	return o
}

// fill draws the first orders: stored ones, cached ones, and moved ones whose record still waits
// for its ack.
func (w *world) fill(ctx context.Context, t *rapid.T) {
	var stored []*order.Order
	for range rapid.IntRange(0, 20).Draw(t, "stored") {
		o := w.drawOrder(t, false)
		w.orders[o.Number] = o
		stored = append(stored, o)
	}
	for range rapid.IntRange(0, 20).Draw(t, "cached") {
		o := w.drawOrder(t, true)
		w.orders[o.Number] = o
		require.NoError(t, w.place(ctx, o))
		if rapid.IntRange(0, 3).Draw(t, "moved already") == 0 {
			o.Status = rapid.SampledFrom(testStates).Draw(t, "status") // changed since, in SQL
			stored = append(stored, o)
			continue
		}
		w.cached = append(w.cached, o)
	}
	require.NoError(t, w.store(ctx, stored...))
	for range rapid.IntRange(0, 3).Draw(t, "archived") {
		require.NoError(t, w.archive(ctx))
	}
}

func (w *world) drawFilter(t *rapid.T) Filter {
	var f Filter
	sometimes := func(label string) bool { return rapid.IntRange(0, 3).Draw(t, label) == 0 }
	if sometimes("by status") {
		f.Status = rapid.SampledFrom(testStates).Draw(t, "of status")
	}
	if sometimes("by type") {
		f.Type = rapid.SampledFrom([]order.Type{order.Seckill, order.Ordinary}).Draw(t, "of type")
	}
	if sometimes("by kind") {
		f.Kind = rapid.SampledFrom(testKinds).Draw(t, "of kind")
	}
	if sometimes("by shop") {
		f.Shop = rapid.SampledFrom(testShops).Draw(t, "of shop")
	}
	if sometimes("by name") {
		f.Name = rapid.SampledFrom([]string{
			"lamp", "LAMP", "étag", "%", "_", `\`, "相机", "second", "nothing",
		}).Draw(t, "named")
	}
	if sometimes("by period") {
		f.Period = rapid.SampledFrom([]Period{LastThreeMonths, Older}).Draw(t, "of period")
	}
	if numbers := w.plain(Filter{}); len(numbers) > 0 && rapid.IntRange(0, 9).Draw(t, "by number") == 0 {
		f.Number = rapid.SampledFrom(numbers).Draw(t, "number")
	}
	return f
}

// walk reads all pages by cursor and returns what they show.
func walk(ctx context.Context, orders *Service, user string, f Filter, first api.Page) ([]order.Number, error) {
	var shown []order.Number
	page := first
	for range 1000 {
		list, err := orders.List(ctx, user, f, page)
		if err != nil {
			return nil, err
		}
		if list.Partial || len(list.Items) > page.Size {
			return nil, fmt.Errorf("page of %d is partial (%v) or has %d orders",
				page.Size, list.Partial, len(list.Items))
		}
		for _, v := range list.Items {
			shown = append(shown, v.Number)
		}
		if list.NextCursor == "" {
			return shown, nil
		}
		n, err := order.ParseNumber(list.NextCursor)
		if err != nil {
			return nil, err
		}
		page = api.Page{Size: page.Size, Before: int64(n)}
	}
	return nil, fmt.Errorf("the walk does not end")
}
