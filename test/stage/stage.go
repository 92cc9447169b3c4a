// Package stage sets up one flash sale on the stores of a test, with the parts of its modules, which the
// test runs step by step.
package stage

import (
	"cmp"
	"context"
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
	"onrush/modules/order"
	"onrush/modules/order/numbers"
	"onrush/modules/order/queue"
	"onrush/modules/redisdb"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/modules/seckill/inventory"
	"onrush/modules/site"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// Lanes is how many lanes a stage has.
const Lanes = 4

// SKU is what the sale of a stage sells.
const SKU = "sku"

// Sale is a sale; zero fields have their defaults.
type Sale struct {
	Stock    map[string]int64 // by point; default 10 at "0"
	Limit    int64            // of the activity; default none
	SKULimit int64            // default none
	Batch    int              // of the mover; default 500
	Within   time.Duration    // for which the mover gathers the orders of a crowd; default 100 ms
	Every    time.Duration    // how often the mover looks at the queues; default 50 ms
	Kind     catalogue.Kind   // of the sku in the catalogue; default physical
}

// Stage is one published sale and an instance of the modules without faults.
type Stage struct {
	*Instance

	Stores   *kit.Stores
	Activity string
	Lane     int

	sale Sale
	next *atomic.Uint32
}

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
	sale.Within, sale.Kind = cmp.Or(sale.Within, 100*time.Millisecond), cmp.Or(sale.Kind, catalogue.Physical)
	s := &Stage{Stores: stores, sale: sale, next: &atomic.Uint32{}}
	s.next.Store(rand.Uint32()) // two stages on one lane must not use the same numbers
	s.Instance = s.Start(t, nil)
	goods := catalogue.NewCatalogue(stores.DB, time.Now)
	_, err := goods.PutSKU(t.Context(),
		catalogue.SKU{ID: SKU, Title: "Thing", Shop: "shop", Kind: sale.Kind, Price: 200, Currency: "CNY"})
	require.NoError(t, err)
	for point := range sale.Stock {
		_, err := goods.PutPoint(t.Context(), catalogue.Point{ID: point, Name: point})
		require.NoError(t, err)
	}
	s.Activity, s.Lane = s.Publish(t)
	return s
}

// Publish makes and publishes one more activity like the stage's own.
func (s *Stage) Publish(t testing.TB) (activity string, lane int) {
	t.Helper()
	goods := seckill.ActivitySKU{SKU: SKU, FlashPrice: 100, PurchaseLimit: s.sale.SKULimit}
	for point, units := range s.sale.Stock {
		goods.Stock = append(goods.Stock, seckill.PointStock{Point: point, Total: units})
	}
	now := time.Now()
	a, err := s.Activities.Create(t.Context(), &seckill.Activity{
		Title: "Sale", Shop: "shop", StartsMS: now.Add(-time.Hour).UnixMilli(), EndsMS: now.Add(time.Hour).UnixMilli(),
		PayWithinS: 900, PurchaseLimit: s.sale.Limit, PermitRatio: seckill.Unlimited,
		SKUs: []seckill.ActivitySKU{goods},
	})
	require.NoError(t, err)
	a, err = s.Activities.Publish(t.Context(), a.ID, 0)
	require.NoError(t, err)
	return a.ID, a.Lane
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
			Site: lanes, NewID: kit.IDs(uint64(time.Now().UnixNano())), Log: log, Faults: faults,
		}),
	}
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
		Status: order.Unpaid,
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

// TryPlace places orders with one call of the script and returns its codes.
func (s *Stage) TryPlace(ctx context.Context, orders ...*order.Order) ([]lua.PlaceResult, error) {
	call := &lua.PlaceCall{Lane: s.Lane, Activity: s.Activity}
	for _, o := range orders {
		record, err := order.EncodeRecord(o)
		if err != nil {
			return nil, err
		}
		call.Orders = append(call.Orders, lua.PlaceOrder{
			Task: order.TaskHash(o.Task), Digest: o.Digest, Number: o.Number.String(), User: o.User,
			SKU: o.Items[0].SKU, Point: o.Point, Quantity: o.Items[0].Quantity, Record: record,
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
		Lane: s.Lane, Activity: s.Activity, Orders: []lua.PlaceOrder{{
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
	require.NoError(t, s.Stores.Redis.FlushDB(context.WithoutCancel(t.Context())).Err())
}

// LoseActivity makes Redis lose the activity's keys; its lane stays.
func (s *Stage) LoseActivity(t testing.TB) {
	t.Helper()
	k := s.Stores.Keys
	require.NoError(t, s.Stores.Redis.Del(context.WithoutCancel(t.Context()), k.Meta(s.Lane, s.Activity),
		k.Stock(s.Lane, s.Activity), k.Paid(s.Lane, s.Activity), k.Bought(s.Lane, s.Activity),
		k.Held(s.Lane, s.Activity), k.Tasks(s.Lane, s.Activity), k.Changes(s.Lane, s.Activity)).Err())
}
