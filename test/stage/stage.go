// Package stage sets up one flash sale on the stores of a test, with the parts of its modules, which the
// test runs step by step.
package stage

import (
	"cmp"
	"context"
	crypto "crypto/rand"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/needs"
	"onrush/modules/order"
	"onrush/modules/order/numbers"
	"onrush/modules/order/queue"
	"onrush/modules/redisdb"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/modules/seckill/draw"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/inventory"
	"onrush/modules/seckill/waitlist"
	"onrush/modules/seckill/waves"
	"onrush/modules/site"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// Lanes is how many lanes a stage has.
const Lanes = 4

// SKU is what the sale of a stage sells.
const SKU = "sku"

// Set is the bundle of the sale of a stage.
const Set = "set"

// Sale is a sale; zero fields have their defaults.
type Sale struct {
	Stock    map[string]int64 // by point; default 10 at "0"
	Limit    int64            // of the activity; default none
	SKULimit int64            // default none
	Batch    int              // of the mover; default 500
	Within   time.Duration    // for which the mover gathers the orders of a crowd; default 100 ms
	Every    time.Duration    // how often the mover looks at the queues; default 50 ms
	Kind     catalogue.Kind   // of the sku in the catalogue; default physical
	Waves    []lua.Wave
	// Reserved are units that are reserved for some buyers, of each sku; AtMS is the same for all.
	Reserved []lua.Wave
	Others   []string // more skus, like the first; then an order may take several

	Parts       seckill.Parts // of the bundle Set; default there is none
	BundleLimit int64         // of the bundle; default none

	OfferWithinS int64        // of the waiting list; default none
	Mode         seckill.Mode // a draw starts in an hour, other sales an hour ago
	// LimitKey returns the limit key of a user. Default none: limits count by user.
	LimitKey func(user string) string
	// Member reports whether units are reserved for a user.
	Member func(user string) bool
}

// Stage is one published sale and an instance of the modules without faults.
type Stage struct {
	*Instance

	Stores   *kit.Stores
	Activity string
	Lane     int
	Version  int64   // of the activity in Redis, by which orders are placed
	Keeps    bool    // whether units may be kept for buyers
	Reserves bool    // whether units may be reserved for some buyers
	Fleet    *Builds // the builds of all instances

	sale Sale
	next *atomic.Uint32
}

// Builds are what instances tell of their builds.
type Builds []needs.Build

// Builds returns them.
func (b *Builds) Builds(context.Context) ([]needs.Build, error) { return *b, nil }

// Instance is the modules' parts as one instance of the program has them.
type Instance struct {
	Scripts    *lua.Scripts
	Mover      *queue.Mover
	Ensurer    order.Ensurer
	Outbox     *order.StockOutbox
	Canceller  *order.Canceller
	Queue      *queue.Inspector
	Loader     *inventory.Loader
	Changer    *inventory.Changer
	Offerer    *waitlist.Offerer
	Drawer     *draw.Drawer
	Auditor    *inventory.Auditor
	Activities *admin.Activities
	Numbers    *numbers.Numbers
}

// Open makes and publishes a sale.
func Open(t testing.TB, stores *kit.Stores, sale Sale) *Stage {
	t.Helper()
	if sale.Stock == nil {
		sale.Stock = map[string]int64{catalogue.DefaultPoint: 10}
	}
	if sale.Limit == 0 {
		sale.Limit = seckill.Unlimited
	}
	if sale.SKULimit == 0 {
		sale.SKULimit = seckill.Unlimited
	}
	if sale.BundleLimit == 0 {
		sale.BundleLimit = seckill.Unlimited
	}
	sale.Within, sale.Kind = cmp.Or(sale.Within, 100*time.Millisecond), cmp.Or(sale.Kind, catalogue.Physical)
	s := &Stage{Stores: stores, Fleet: &Builds{}, sale: sale, next: &atomic.Uint32{}}
	s.next.Store(rand.Uint32()) // two stages on one lane must not use the same numbers
	s.Instance = s.Start(t, nil)
	goods := catalogue.NewCatalogue(stores.DB, time.Now)
	skus := append([]string{SKU}, sale.Others...)
	if sale.Parts != nil {
		skus = append(skus, Set)
	}
	for _, sku := range skus {
		_, err := goods.PutSKU(t.Context(),
			catalogue.SKU{ID: sku, Title: "Thing", Shop: "shop", Kind: sale.Kind, Price: 200, Currency: "CNY"})
		require.NoError(t, err)
	}
	for point := range sale.Stock {
		_, err := goods.PutPoint(t.Context(), catalogue.Point{ID: point, Name: point})
		require.NoError(t, err)
	}
	s.Activity, s.Lane = s.Publish(t)
	s.Know(t)
	return s
}

// Know sets Version to the version that SQL has of the activity.
func (s *Stage) Know(t testing.TB) *seckill.Activity {
	t.Helper()
	a, err := s.Activities.Get(context.WithoutCancel(t.Context()), s.Activity)
	require.NoError(t, err)
	s.Version, s.Keeps, s.Reserves = a.RedisVersion(), a.KeepsUnits(), a.Needs.Has(needs.Reserved)
	return a
}

// Publish makes and publishes one more activity like the stage's own.
func (s *Stage) Publish(t testing.TB) (activity string, lane int) {
	t.Helper()
	goods := seckill.ActivitySKU{SKU: SKU, FlashPrice: 100, PurchaseLimit: s.sale.SKULimit}
	for point, units := range s.sale.Stock {
		goods.Stock = append(goods.Stock, seckill.PointStock{Point: point, Total: units})
	}
	goods.Waves = waves.Of(s.sale.Waves)
	var reserved eligible.ReservedFor
	if len(s.sale.Reserved) > 0 {
		goods.Reserved = waves.Of(s.sale.Reserved)
		reserved = eligible.ReservedFor{List: true, Until: api.Millis(s.sale.Reserved[0].AtMS)}
	}
	skus, most := []seckill.ActivitySKU{goods}, 0
	for _, sku := range s.sale.Others {
		other := goods
		other.SKU, most = sku, lua.MaxTakes
		skus = append(skus, other)
	}
	if s.sale.Parts != nil {
		skus = append(skus, seckill.ActivitySKU{
			SKU: Set, FlashPrice: 90, PurchaseLimit: s.sale.BundleLimit, Parts: s.sale.Parts.Sorted(),
		})
	}
	now := time.Now()
	starts := now.Add(-time.Hour)
	if s.sale.Mode == seckill.Draw {
		starts = now.Add(time.Hour)
	}
	a, err := s.Activities.Create(t.Context(), &seckill.Activity{
		Title: "Sale", Shop: "shop", StartsMS: starts.UnixMilli(), EndsMS: starts.Add(2 * time.Hour).UnixMilli(),
		PayWithinS: 900, PurchaseLimit: s.sale.Limit, PermitRatio: seckill.Unlimited, OfferWithinS: s.sale.OfferWithinS,
		SKUs: skus, LimitKey: s.sale.claim(), Mode: s.sale.Mode, BasketMax: most, Reserved: reserved,
	})
	require.NoError(t, err)
	a, err = s.Activities.Publish(t.Context(), a.ID, 0)
	require.NoError(t, err)
	return a.ID, a.Lane
}

// claim returns the claim by which the limits count.
func (s Sale) claim() string {
	if s.LimitKey == nil {
		return ""
	}
	return "household"
}

// limitKey returns the limit key of a user, or "".
func (s Sale) limitKey(user string) string {
	if s.LimitKey == nil {
		return ""
	}
	return s.LimitKey(user)
}

// Start makes one more instance. Faults may be nil.
func (s *Stage) Start(t testing.TB, faults order.Faults) *Instance {
	t.Helper()
	return s.StartOn(t, faults, s.Stores.DB, s.Stores.Redis)
}

// StartOn makes one more instance with connections of its own.
func (s *Stage) StartOn(t testing.TB, faults order.Faults, db *sqldb.DB, rdb redis.UniversalClient) *Instance {
	t.Helper()
	scripts, lanes := lua.New(rdb, s.Stores.Keys), site.Fixed(Lanes)
	clock, locks, log := clock.Fixed(time.Now), redisdb.NewLocks(rdb), slog.New(slog.DiscardHandler)
	made := numbers.New(numbers.Deps{Lua: scripts, Clock: clock, Key: lanes.NumberKey, Random: rand.Uint64})
	orders := order.Deps{DB: db, Lua: scripts, Locks: locks, Clock: clock, Log: log, Faults: faults}
	queues := queue.Deps{
		DB: db, Lua: scripts, Locks: locks, Clock: clock, Log: log, Faults: faults, Site: lanes, Numbers: made,
	}
	stock := inventory.Deps{DB: db, Lua: scripts, Clock: clock, Log: log, Faults: faults}
	mover, err := queue.NewMover(queue.MoverConfig{
		Batch: s.sale.Batch, Within: s.sale.Within, Every: s.sale.Every,
	}, queues)
	require.NoError(t, err)
	i := &Instance{
		Numbers: made, Scripts: scripts, Mover: mover, Ensurer: queue.NewEnsurer(queues),
		Outbox: order.NewStockOutbox(order.StockOutboxConfig{}, orders), Queue: queue.NewInspector(queues),
		Loader: inventory.NewLoader(stock), Changer: inventory.NewChanger(stock),
		Auditor: inventory.NewAuditor(inventory.AuditConfig{AgreeAfter: time.Millisecond}, stock),
		Activities: admin.NewActivities(admin.Deps{
			DB: db, Lua: scripts, Clock: clock, Catalogue: catalogue.NewCatalogue(db, time.Now),
			Cache: seckill.NewActivityCache(db, scripts, clock, time.Now), Loader: inventory.NewLoader(stock),
			Site: lanes, Fleet: s.Fleet, NewID: kit.IDs(uint64(time.Now().UnixNano())), Log: log, Faults: faults,
			Secret: crypto.Text,
		}),
	}
	i.Offerer = waitlist.NewOfferer(waitlist.Deps{DB: db, Lua: scripts, Clock: clock, Log: log, Faults: faults})
	i.Drawer = draw.NewDrawer(draw.Deps{DB: db, Clock: clock, Faults: faults})
	i.Canceller = order.NewCanceller(orders, i.Ensurer, i.Outbox)
	return i
}

// Order makes an order that is not placed yet.
func (s *Stage) Order(user, point string, quantity int64) *order.Order {
	seq := s.next.Add(1)
	now := time.Now()
	n := order.NewNumber(now, s.Lane, seq)
	return &order.Order{
		Number: n, User: user, Task: fmt.Sprintf("%d~%s~h%d", s.Lane, s.Activity, n), Digest: "digest",
		Status: order.Unpaid, LimitKey: s.sale.limitKey(user), Reserved: s.sale.Member != nil && s.sale.Member(user),
		Content: order.Content{
			Type: order.Seckill, Kind: catalogue.Physical, Shop: "shop", Activity: s.Activity, Point: point,
			GoodsAmount: 100 * quantity, TotalAmount: 100 * quantity, Currency: "CNY", Delivery: catalogue.None,
			PlacedAt: api.Millis(now.UnixMilli()), PayBefore: api.Millis(now.Add(15 * time.Minute).UnixMilli()),
			Items: []order.Item{{
				SKU: SKU, Kind: catalogue.Physical, Title: "Thing", Quantity: quantity, Price: 100, Point: point,
			}},
		},
	}
}

// Basket makes an order of several skus that is not placed yet.
func (s *Stage) Basket(user, point string, takes ...lua.Take) *order.Order {
	o := s.Order(user, point, 1)
	o.Items, o.GoodsAmount = nil, 0
	for i, take := range takes {
		o.Items = append(o.Items, order.Item{
			Line: i + 1, SKU: take.SKU, Kind: catalogue.Physical, Title: "Thing", Quantity: take.Quantity, Price: 100,
			Point: point,
		})
		o.GoodsAmount += 100 * take.Quantity
	}
	o.TotalAmount = o.GoodsAmount
	return o
}

// Bundle makes an order of n of the bundle Set that is not placed yet.
func (s *Stage) Bundle(user, point string, n int64) *order.Order {
	takes := make([]lua.Take, len(s.sale.Parts))
	for i, p := range s.sale.Parts.Sorted() {
		takes[i] = lua.Take{SKU: p.SKU, Quantity: n * p.Quantity}
	}
	o := s.Basket(user, point, takes...)
	o.Bundle = &order.Bundle{SKU: Set, Title: "Thing", Quantity: n, Price: o.GoodsAmount / n}
	return o
}

// TryPlace places orders with one call of the script and returns its codes.
func (s *Stage) TryPlace(ctx context.Context, orders ...*order.Order) ([]lua.PlaceResult, error) {
	call := &lua.PlaceCall{
		Lane: s.Lane, Activity: s.Activity, Version: s.Version, Waitlist: s.Keeps, Reserves: s.Reserves,
	}
	for _, o := range orders {
		record, err := order.EncodeRecord(o)
		if err != nil {
			return nil, err
		}
		sku, units := o.Takes()
		call.Orders = append(call.Orders, lua.PlaceOrder{
			Task: order.TaskHash(o.Task), Digest: o.Digest, Number: o.Number.String(), User: o.User,
			SKU: sku, Point: o.Point, Quantity: units, Record: record,
			LimitKey: o.LimitKey, Reserved: o.Reserved,
			Entry: order.FormatEntry(o.Number, int64(o.PlacedAt), o.Activity, o.User),
		})
	}
	_, results, err := s.Scripts.Place(ctx, call)
	return results, err
}

// PlaceAsked places an order whose task SQL was asked for.
func (s *Stage) PlaceAsked(t testing.TB, user string) {
	t.Helper()
	o := s.Order(user, catalogue.DefaultPoint, 1)
	record, err := order.EncodeRecord(o)
	require.NoError(t, err)
	_, results, err := s.Scripts.Place(t.Context(), &lua.PlaceCall{
		Lane: s.Lane, Activity: s.Activity, Version: s.Version, Orders: []lua.PlaceOrder{{
			Task: order.TaskHash(o.Task), Digest: o.Digest, Number: o.Number.String(), User: o.User, SKU: SKU,
			Point: o.Point, Quantity: 1, Record: record,
			Entry: order.FormatEntry(o.Number, int64(o.PlacedAt), o.Activity, o.User), Asked: true,
		}},
	})
	require.NoError(t, err)
	require.Equal(t, lua.Placed, results[0].Code)
}

// Place places one order of units at point "0".
func (s *Stage) Place(t testing.TB, user string, quantity int64) *order.Order {
	t.Helper()
	return s.PlaceAt(t, user, catalogue.DefaultPoint, quantity)
}

// PlaceAt places one order.
func (s *Stage) PlaceAt(t testing.TB, user, point string, quantity int64) *order.Order {
	t.Helper()
	o := s.Order(user, point, quantity)
	results, err := s.TryPlace(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, lua.Placed, results[0].Code)
	return o
}

// PlaceMany places n orders of one unit each at point "0", each of another user.
func (s *Stage) PlaceMany(t testing.TB, n int) []*order.Order {
	t.Helper()
	orders := make([]*order.Order, n)
	for i := range orders {
		orders[i] = s.Order(fmt.Sprintf("user%d", i), catalogue.DefaultPoint, 1)
	}
	for from := 0; from < n; from += 256 {
		results, err := s.TryPlace(t.Context(), orders[from:min(from+256, n)]...)
		require.NoError(t, err)
		for _, r := range results {
			require.Equal(t, lua.Placed, r.Code)
		}
	}
	return orders
}

// Move empties the lane's queue into SQL.
func (s *Stage) Move(t testing.TB) {
	t.Helper()
	for more := true; more; {
		var err error
		_, more, err = s.Mover.MoveLane(t.Context(), s.Lane)
		require.NoError(t, err)
	}
	require.Empty(t, s.QueueLine(t))
}

// Load loads the sale again.
func (s *Stage) Load(t testing.TB) {
	t.Helper()
	require.NoError(t, s.Loader.Load(context.WithoutCancel(t.Context()), s.Activity))
}

// Flush makes Redis lose everything.
func (s *Stage) Flush(t testing.TB) {
	t.Helper()
	s.Stores.LoseRedis(t)
}

// LoseActivity makes Redis lose the activity's keys; its lane stays.
func (s *Stage) LoseActivity(t testing.TB) {
	t.Helper()
	k := s.Stores.Keys
	require.NoError(t, s.Stores.Redis.Del(context.WithoutCancel(t.Context()), k.Meta(s.Lane, s.Activity),
		k.Stock(s.Lane, s.Activity), k.Paid(s.Lane, s.Activity), k.Bought(s.Lane, s.Activity),
		k.Held(s.Lane, s.Activity), k.Tasks(s.Lane, s.Activity), k.Changes(s.Lane, s.Activity),
		k.Waitlist(s.Lane, s.Activity)).Err())
}
