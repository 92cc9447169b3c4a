package upgrade

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/segments"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/test/stage"
	"onrush/web/client"
)

// freezeVariable names the version whose folder the tests write instead of comparing it.
const freezeVariable = "ONRUSH_TEST_FREEZE"

// frozenAt is when the state of a frozen version was made. Its sales and its unpaid orders last for decades, so that
// its tests need no clock of their own: only jobs that are run by hand see that time has passed.
var frozenAt = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

const (
	decades = 60 * 365 * 24 * time.Hour
	seed    = 40
	admin   = "/admin/api/v1"
)

// shop is the shop whose state is frozen.
type shop struct {
	*site.Site
	t      *testing.T
	op     *site.Person
	buyers map[string]*site.Person
	clock  *kit.Clock
	sales  map[string]string // name → id
	keys   int
}

func TestFreeze(t *testing.T) {
	t.Parallel()
	version := os.Getenv(freezeVariable)
	if version == "" {
		t.Skip(freezeVariable + " names no version to write")
	}
	require.NoError(t, os.MkdirAll(version, 0o750))
	stores := kit.OnEmbedded(t)
	clock := kit.NewClock(frozenAt)
	stores.Mini.SetTime(frozenAt)
	s := &shop{
		Site: site.Start(t, stores, site.Idle(), site.Time(clock.Now), site.Seeded(seed), configured()),
		t:    t, clock: clock, buyers: map[string]*site.Person{}, sales: map[string]string{},
	}
	s.op = s.Operator(t)
	s.fillCatalogue()
	s.openSales()
	s.registerEndpoint()
	s.orderOutsideOfSales()
	s.sellAndMove()
	s.changeOrders()
	s.operate()
	s.sellAndStay()
	s.Number(t)
	_, err := s.Server.Deliverer.RunOnce(t.Context())
	require.NoError(t, err)
	s.leaveLocks()
	writeAnswers(t, version, s)
	dump(t, stores, version)
}

// configured are the settings of the instances over a frozen state.
func configured() site.Option {
	return site.Configured(func(cfg *server.Config) {
		cfg.Keep.Orders = order.MinKeep
		cfg.EventsAllowPrivate = []string{"true"}
	})
}

func (s *shop) buyer(name string, in ...string) *site.Person {
	if s.buyers[name] == nil {
		s.buyers[name] = s.Buyer(s.t, name, in...)
	}
	return s.buyers[name]
}

func (s *shop) key() string {
	s.keys++
	return fmt.Sprint("key-", s.keys)
}

// do calls as the operator, and requires success.
func (s *shop) do(method, path string, body any) site.Answer {
	s.t.Helper()
	a := s.op.Call(s.t, method, admin+path, s.key(), body)
	require.Less(s.t, a.Status, http.StatusBadRequest, "%s %s: %s", method, path, a.Body)
	return a
}

func (s *shop) fillCatalogue() {
	s.op.PutSKU(s.t, "lamp", client.SKURequest{
		Title: `Desk lamp "Noon"`, ShopID: "shop", ImageURL: "https://img.example/lamp.png",
		Description: "Warm light, three levels.", Kind: "physical", Price: 4900, Currency: "CNY", Stock: 50,
		Freight: client.FreightRequest{Fee: 600, FreeOver: 100_000},
	})
	s.op.PutSKU(s.t, "card", client.SKURequest{
		Title: "点卡", ShopID: "games", Kind: "virtual", Price: 100, Currency: "CNY", Stock: 50,
		RequiredFields: []string{"account"},
	})
	for _, sku := range []string{"gift", "spa"} {
		s.op.PutSKU(s.t, sku, client.SKURequest{
			Title: "Gift card", ShopID: "shop", Kind: "voucher", Price: 1000, Currency: "CNY", Stock: 50,
		})
	}
	s.do(http.MethodPost, "/skus/spa/vouchers:import", map[string]any{"codes": []string{"SPA-1"}})
}

// openSales makes a sale that runs, one for some stock points, one for members, one with a waiting room and permits,
// one that is planned, a draft, one that is paused, and one that has ended and is retired.
func (s *shop) openSales() {
	open := func(name string, sale site.Sale) {
		sale.StartsIn += time.Until(s.clock.Now()) // Open adds the time of this machine
		if sale.EndsIn == 0 {
			sale.EndsIn = decades
		}
		sale.EndsIn += time.Until(s.clock.Now())
		if sale.PayWithinS == 0 {
			sale.PayWithinS = int64(decades / time.Second)
		}
		s.sales[name] = s.Open(s.t, sale)
	}
	before := -time.Minute
	open("running", site.Sale{
		SKU: "sku", Stock: map[string]int64{"0": 40}, PurchaseLimit: 4, SKULimit: 3, StartsIn: before,
		Limits: limits.Settings{Item: limits.Limit{Requests: 1000, Seconds: 3600}},
	})
	open("regions", site.Sale{
		SKU: "chair", Kind: catalogue.Physical, Price: 1900, Stock: map[string]int64{"east": 10, "south": 10},
		Regions: map[string][]string{"east": {"shanghai", "jiangsu"}, "south": {"guangdong"}}, StartsIn: before,
	})
	open("members", site.Sale{
		SKU: "badge", Stock: map[string]int64{"0": 10}, Segments: segments.Set("members vip"), StartsIn: before,
	})
	open("gated", site.Sale{
		SKU: "ticket", Stock: map[string]int64{"0": 10}, PermitRatio: 0.5, PathsPerSecond: 0.02, StartsIn: before,
	})
	open("free", site.Sale{SKU: "sample", Free: true, Stock: map[string]int64{"0": 5}, StartsIn: before})
	open("planned", site.Sale{SKU: "later", StartsIn: decades / 2})
	open("draft", site.Sale{SKU: "idea", StartsIn: decades / 2, Draft: true})
	open("paused", site.Sale{SKU: "held", StartsIn: before})
	open("short", site.Sale{SKU: "quick", Stock: map[string]int64{"0": 5}, StartsIn: before, PayWithinS: 60})
	open("ended", site.Sale{SKU: "gone", StartsIn: before, EndsIn: time.Minute, PayWithinS: 60})
	s.do(http.MethodPost, "/activities/"+s.sales["running"]+"/stock",
		map[string]any{"sku_id": "sku", "point_id": "0", "delta": 2})
	s.op.PauseActivity(s.t, s.sales["paused"])
}

func (s *shop) registerEndpoint() {
	s.do(http.MethodPut, "/endpoints/erp", client.EndpointRequest{URL: "http://127.0.0.1:1/hooks"})
}

// buy submits an order of a sale. Each has a key that is the name of the order.
func (s *shop) buy(buyer *site.Person, sale, sku, name string, body client.SubmitRequest) string {
	s.t.Helper()
	return buyer.Submit(s.t, buyer.Path(s.t, s.sales[sale], sku), name, body).Placed(s.t).OrderNumber
}

// settle pays orders of a buyer with one payment.
func (s *shop) settle(buyer *site.Person, orders ...string) (payment string) {
	s.t.Helper()
	m := buyer.BeginPayment(s.t, s.key(), orders...)
	p := site.Payment{
		Event: "event-" + m.PayNumber, Number: m.PayNumber, Transaction: "txn-" + m.PayNumber, Amount: m.Amount,
		Currency: m.Currency, At: s.clock.Now(),
	}
	s.Money(s.t, p)
	a, err := s.Notify(context.WithoutCancel(s.t.Context()), p)
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, a.Status, string(a.Body))
	return m.PayNumber
}

// orderOutsideOfSales makes ordinary orders: paid with vouchers, one that waits for a partner's codes, unpaid, with a
// pending payment, and one that is so old that it is archived.
func (s *shop) orderOutsideOfSales() {
	ada := s.buyer("ada")
	home := ada.Address(s.t, "shanghai")
	body := client.OrderRequest{
		Items: []client.OrderLine{
			{SKUID: "lamp", Quantity: 2}, {SKUID: "gift", Quantity: 2}, {SKUID: "card", Quantity: 1},
		},
		AddressID: home, RoomID: "room-7", ShareCode: "s1", ShareSource: "moments", InviterID: "bob",
		ClientReference: "till-7", Remark: `Ring "twice", it's loud`, Fields: map[string]string{"account": "ada#1"},
	}
	var numbers []string
	for _, o := range ada.CreateOrders(s.t, "basket", body) {
		numbers = append(numbers, o.OrderNumber)
	}
	s.settle(ada, numbers...)
	wait := client.OrderRequest{Items: []client.OrderLine{{SKUID: "spa", Quantity: 2}}}
	s.settle(s.buyer("eve"), s.buyer("eve").CreateOrders(s.t, "spa", wait)[0].OrderNumber)
	old := order.Order{
		Number: order.NewNumber(s.clock.Now().Add(-order.MinKeep-time.Hour), 0, 7), User: "ada", Task: "1~old~7",
		Status: order.Cancelled, Digest: "digest-of-16-byte",
		Content: order.Content{Type: order.Ordinary, Items: []order.Item{{SKU: "lamp", Quantity: 1}}},
	}
	require.NoError(s.t, stage.Insert(s.t.Context(), s.Stores.DB, old))
	require.Equal(s.t, 1, s.Job(s.t, "archive_orders"))
}

// sellAndMove sells in all sales, and moves the orders to SQL.
func (s *shop) sellAndMove() {
	ada, bob, mem := s.buyer("ada"), s.buyer("bob"), s.buyer("mem", "members")
	s.buy(ada, "running", "sku", "stored-unpaid", client.SubmitRequest{Quantity: 1})
	paid := s.buy(ada, "running", "sku", "stored-paid", client.SubmitRequest{Quantity: 2, RoomID: "room-8"})
	cancelled := s.buy(bob, "running", "sku", "stored-cancelled", client.SubmitRequest{Quantity: 1})
	pending := s.buy(bob, "running", "sku", "stored-pending", client.SubmitRequest{Quantity: 1})
	home := bob.Address(s.t, "guangdong")
	refunded := s.buy(bob, "regions", "chair", "stored-refunded", client.SubmitRequest{AddressID: home, Quantity: 1})
	partly := s.buy(bob, "regions", "chair", "stored-partly", client.SubmitRequest{AddressID: home, Quantity: 2})
	s.buy(ada, "regions", "chair", "stored-pickup", client.SubmitRequest{Delivery: "pickup", PickupPointID: "east"})
	s.buy(mem, "members", "badge", "stored-member", client.SubmitRequest{Quantity: 1})
	s.buy(mem, "free", "sample", "stored-free", client.SubmitRequest{Quantity: 1})
	s.buy(mem, "short", "quick", "stored-due", client.SubmitRequest{Quantity: 1})
	gone := s.buy(mem, "ended", "gone", "stored-gone", client.SubmitRequest{Quantity: 1})
	s.Drain(s.t)
	s.settle(ada, paid)
	s.settle(mem, gone)
	bob.CancelOrder(s.t, cancelled)
	bob.BeginPayment(s.t, "pending", pending)
	s.settle(bob, refunded)
	s.settle(bob, partly)
	s.op.RefundOrder(s.t, refunded, s.key(), client.RefundRequest{Reason: "broken"})
	s.op.RefundOrder(s.t, partly, s.key(), client.RefundRequest{
		Items: []client.RefundItem{{SKUID: "chair", Quantity: 1}}, Reason: "a scratch",
	})
	s.Job(s.t, "settle_stock")
	s.Job(s.t, "send_refunds")
	s.clock.Advance(5 * time.Minute) // the sale "ended" has ended; the order "stored-due" could be cancelled
	s.Stores.Mini.SetTime(s.clock.Now())
	s.Job(s.t, "announce_sales")
	s.Job(s.t, "retire_activities")
}

// changeOrders makes an order that failed, and a refund and a return that are still to be carried out.
func (s *shop) changeOrders() {
	cat, mem := s.buyer("cat"), s.buyer("mem")
	s.buy(cat, "free", "sample", "failed", client.SubmitRequest{Quantity: 1})
	s.exec(`UPDATE activity_stock SET total = sold WHERE activity_id = ?`, s.sales["free"])
	s.Drain(s.t)
	s.exec(`UPDATE activity_stock SET total = 4 WHERE activity_id = ?`, s.sales["free"])
	back := s.buy(mem, "members", "badge", "refund-waits", client.SubmitRequest{Quantity: 1})
	s.Drain(s.t)
	s.settle(mem, back)
	s.op.RefundOrder(s.t, back, s.key(), client.RefundRequest{Reason: "later"})
}

func (s *shop) exec(query string, args ...any) {
	s.t.Helper()
	_, err := s.Stores.DB.Write.ExecContext(s.t.Context(), query, args...)
	require.NoError(s.t, err)
}

// operate does what operators do beside orders.
func (s *shop) operate() {
	s.do(http.MethodPatch, "/settings", client.SettingsChange{
		LimitUser:  "900/1m",
		ImageHosts: []string{"https://img.example"},
	})
	s.do(http.MethodPut, "/blocked/user:mallory", client.BlockRequest{Reason: "resells"})
	s.do(http.MethodPost, "/jobs/delete_finished/pause", nil)
	for name, scope := range map[string]string{"reader": "read", "till": "till"} {
		s.do(http.MethodPost, "/keys", map[string]any{"name": name, "scope": scope})
	}
	gone := s.buyer("gone")
	number := gone.CreateOrders(s.t, "gone", client.OrderRequest{
		Items: []client.OrderLine{{SKUID: "lamp", Quantity: 1}}, Delivery: "express",
		AddressID: gone.Address(s.t, "shanghai"),
	})[0].OrderNumber
	s.do(http.MethodPost, "/orders/"+number+"/notes", map[string]any{"text": "asked to be forgotten"})
	gone.CancelOrder(s.t, number)
	s.do(http.MethodPost, "/users/gone/erase", map[string]any{"confirm": "gone"})
	delete(s.buyers, "gone")
}

// sellAndStay leaves orders in the queues: unpaid, paid or cancelled while they were there, and one whose record can't
// be read, which is dead. Others hold permits and wait.
func (s *shop) sellAndStay() {
	t := s.t
	dan, fay := s.buyer("dan"), s.buyer("fay")
	dead := s.buy(dan, "running", "sku", "dead", client.SubmitRequest{Quantity: 1})
	records := s.Stores.Keys.Orders(site.Lane(t, s.Stores, s.sales["running"]), "dan")
	require.NoError(t, s.Stores.Redis.HSet(t.Context(), records, lua.OrderField(dead), "{").Err())
	s.Drain(t)
	s.buy(dan, "running", "sku", "cached-unpaid", client.SubmitRequest{
		Quantity: 2, Fields: map[string]string{"size": "L"}, InviterID: "ada", Remark: "it's \"for\" 我",
	})
	gil := s.buyer("gil")
	s.settle(gil, s.buy(gil, "running", "sku", "cached-paid", client.SubmitRequest{Quantity: 1}))
	fay.CancelOrder(t, s.buy(fay, "running", "sku", "cached-cancelled", client.SubmitRequest{Quantity: 1}))
	s.buy(fay, "regions", "chair", "cached-chair", client.SubmitRequest{
		AddressID: fay.Address(t, "shanghai"), Quantity: 1, ClientReference: "till-9",
	})
	s.buy(s.buyer("vip", "vip"), "members", "badge", "cached-vip", client.SubmitRequest{Quantity: 1})
	s.buy(s.buyer("ada"), "free", "sample", "cached-free", client.SubmitRequest{Quantity: 1})
	for _, name := range []string{"first", "second"} {
		place := site.Read[client.Place](t, http.StatusOK, s.buyer(name).Call(t, http.MethodPost,
			"/api/v1/seckill/line", "", client.LineRequest{ActivityID: s.sales["gated"]}))
		if place.Status == "admitted" {
			a := s.buyer(name).Call(t, http.MethodPost, "/api/v1/seckill/path", "",
				client.PathRequest{ActivityID: s.sales["gated"], SKUID: "ticket", Place: place.Place})
			require.Equal(t, http.StatusOK, a.Status, string(a.Body))
		}
	}
}

// leaveLocks leaves what an instance that was killed leaves: the locks of a lane and of an order.
func (s *shop) leaveLocks() {
	ctx, lane := s.t.Context(), site.Lane(s.t, s.Stores, s.sales["running"])
	for _, key := range []string{s.Stores.Keys.MoveLock(lane), s.Stores.Keys.OrderLock(lane, "1")} {
		require.NoError(s.t, s.Stores.Redis.Set(ctx, key, "of an instance that was killed", time.Second).Err())
	}
}

// answer is a line of answersFile: what a route answered.
type answer struct {
	User     string          `json:"user"` // "" is an operator
	Segments []string        `json:"segments,omitempty"`
	Path     string          `json:"path"`
	Body     json.RawMessage `json:"body"`
}

// writeAnswers asks what buyers and operators ask.
func writeAnswers(t *testing.T, dir string, s *shop) {
	t.Helper()
	var lines []string
	ask := func(p *site.Person, user, path string) site.Answer {
		a := p.Call(t, http.MethodGet, path, "", nil)
		require.Equal(t, http.StatusOK, a.Status, "%s: %s", path, a.Body)
		lines = append(lines, marshal(t, answer{User: user, Path: path, Body: a.Body}))
		return a
	}
	for _, user := range []string{"ada", "bob", "cat", "dan", "eve", "fay", "gil", "mem", "vip"} {
		p := s.buyers[user]
		var list client.OrderList
		ask(p, user, "/api/v1/orders?page_size=100").Into(t, &list)
		ask(p, user, "/api/v1/addresses")
		for _, o := range list.Items {
			ask(p, user, "/api/v1/payments?order_number="+o.OrderNumber)
			ask(s.op, "", admin+"/orders/"+o.OrderNumber)
		}
	}
	for _, id := range s.sales {
		ask(s.op, "", admin+"/activities/"+id)
	}
	for _, path := range []string{
		"/events?page_size=100&after=0", "/endpoints", "/keys", "/settings", "/queue/dead", "/blocked", "/skus",
		"/points", "/payments?page_size=100", "/refunds?page_size=100", "/vouchers",
	} {
		ask(s.op, "", admin+path)
	}
	write(t, dir, answersFile, lines)
}
