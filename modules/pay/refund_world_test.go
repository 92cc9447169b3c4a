package pay

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/redisdb"
	"onrush/test/kit"
)

// bank is a gateway that pays back once per number, and refuses more than came.
type bank struct {
	Gateway

	mu   sync.Mutex
	came map[string]int64 // by transaction
	back map[string]int64
	done map[string]bool // by refund number
}

func (b *bank) Refund(_ context.Context, r *Refund) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done[r.GatewayNumber()] {
		return nil
	}
	if r.Amount < 1 || b.back[r.Transaction]+r.Amount > b.came[r.Transaction] {
		return errors.New("bank: more than came")
	}
	b.done[r.GatewayNumber()] = true
	b.back[r.Transaction] += r.Amount
	return nil
}

// kept returns what came and did not go back.
func (b *bank) kept() (sum int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for transaction, came := range b.came {
		sum += came - b.back[transaction]
	}
	return sum
}

// moneyWorld has the parts that move money, over orders that tests insert.
type moneyWorld struct {
	stores    *kit.Stores
	bank      *bank
	ops       *Operations
	processor *Processor
	refunder  *Refunder
	canceller *order.Canceller
	next      atomic.Int64
}

// sqlOnly finds orders in SQL.
type sqlOnly struct{ stores *kit.Stores }

func (s sqlOnly) EnsureStored(ctx context.Context, user string, n order.Number) (*order.Order, error) {
	return order.SelectOf(ctx, s.stores.DB.Write, user, n)
}

func newMoneyWorld(t *testing.T, stores *kit.Stores) *moneyWorld {
	t.Helper()
	w := &moneyWorld{
		stores: stores, bank: &bank{came: map[string]int64{}, back: map[string]int64{}, done: map[string]bool{}},
	}
	w.next.Store(1000)
	ids := kit.IDs(7)
	clock := clock.Fixed(testClock)
	deps := Deps{
		DB: stores.DB, Ensure: sqlOnly{stores}, Gateways: Gateways{"bank": w.bank}, Clock: clock,
		Payer: order.NewPayer(ids, nil, nil), Number: w.number, Random: rand.Uint64, Log: slog.New(slog.DiscardHandler),
		Locks: redisdb.NewLocks(stores.Redis), Keys: stores.Keys,
	}
	w.ops, w.processor, w.refunder = NewOperations(deps), NewProcessor(Config{}, deps), NewRefunder(Config{}, deps)
	orders := order.Deps{
		DB: stores.DB, Lua: lua.New(stores.Redis, stores.Keys), Clock: clock, Log: deps.Log,
		Locks: deps.Locks, Decided: closes,
	}
	w.canceller = order.NewCanceller(orders, sqlOnly{stores}, order.NewStockOutbox(order.StockOutboxConfig{}, orders))
	goods := catalogue.NewCatalogue(stores.DB, testClock)
	for _, sku := range []string{"lamp", "card"} {
		_, err := goods.PutSKU(t.Context(), catalogue.SKU{
			ID: sku, Title: sku, Shop: "shop", Kind: kinds[sku], Price: 100, Currency: "CNY", Stock: 1,
		})
		require.NoError(t, err)
	}
	return w
}

var kinds = map[string]catalogue.Kind{"lamp": catalogue.Physical, "card": catalogue.Voucher}

func (w *moneyWorld) number() order.Number { return order.Number(w.next.Add(1)) }

// place stores an unpaid order.
func (w *moneyWorld) place(t *testing.T, freight int64, items ...order.Item) *order.Order {
	t.Helper()
	n := w.number()
	o := &order.Order{
		Number: n, User: "ada", Task: "task-" + n.String(), Status: order.Unpaid,
		Content: order.Content{
			Type: order.Ordinary, Kind: catalogue.Physical, Shop: "shop", Point: catalogue.DefaultPoint,
			Currency: "CNY",
			Delivery: catalogue.None, FreightAmount: freight, PlacedAt: api.Millis(1), Items: items,
			PayBefore: api.Millis(testNow.Add(time.Hour).UnixMilli()),
		},
	}
	for i := range o.Items {
		o.Items[i].Kind = kinds[o.Items[i].SKU]
		o.GoodsAmount += o.Items[i].Price * o.Items[i].Quantity
	}
	o.TotalAmount = o.GoodsAmount + freight
	require.NoError(t, w.stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
		return order.Insert(t.Context(), tx, []*order.Order{o}, nil)
	}))
	return o
}

// begin stores a payment of orders.
func (w *moneyWorld) begin(t *testing.T, orders ...*order.Order) *Payment {
	t.Helper()
	p := &Payment{
		Number: w.number(), User: "ada", Channel: "bank", Status: Pending, Currency: "CNY", NextJSON: "{}",
		CreatedMS: testNow.UnixMilli(), AskMS: Never, ExpiresMS: Never,
	}
	p.Task = "pay-" + p.Number.String()
	for _, o := range orders {
		p.Amount += o.TotalAmount
		p.Orders = append(p.Orders, PaymentOrder{Payment: p.Number, Order: o.Number, Amount: o.TotalAmount})
	}
	require.NoError(t, w.stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
		return InsertPayment(t.Context(), tx, p)
	}))
	return p
}

// pays sends a notification of money.
func (w *moneyWorld) pays(ctx context.Context, p *Payment, transaction string, amount int64) error {
	w.bank.mu.Lock()
	w.bank.came[transaction] = amount
	w.bank.mu.Unlock()
	return w.reports(ctx, Notification{TransactionID: transaction, PayNumber: p.Number, Amount: amount})
}

// paidOrder returns an order of 20 lamps and 10 cards at 100 each, with 77 of freight, that is paid.
func (w *moneyWorld) paidOrder(t *testing.T) *order.Order {
	t.Helper()
	o := w.place(t, 77, order.Item{SKU: "lamp", Quantity: 20, Price: 100},
		order.Item{SKU: "card", Quantity: 10, Price: 100})
	require.NoError(t, w.pays(t.Context(), w.begin(t, o), "txn-"+o.Number.String(), o.TotalAmount))
	return o
}

// paidOf returns an order of one sku at 100 each that a transaction paid.
func (w *moneyWorld) paidOf(t *testing.T, transaction, sku string, quantity int64) *order.Order {
	t.Helper()
	o := w.place(t, 0, order.Item{SKU: sku, Quantity: quantity, Price: 100})
	require.NoError(t, w.pays(t.Context(), w.begin(t, o), transaction, o.TotalAmount))
	return o
}

// reports sends a notification in CNY, under an event of its own.
func (w *moneyWorld) reports(ctx context.Context, n Notification) error {
	n.EventID, n.Currency = "event-"+w.number().String(), "CNY"
	return w.processor.Process(ctx, "bank", n)
}

func (w *moneyWorld) count(t *testing.T, query string, args ...any) (n int64) {
	t.Helper()
	require.NoError(t, w.stores.DB.Write.GetContext(t.Context(), &n, query, args...))
	return n
}

// payment reads the payment that a transaction paid.
func (w *moneyWorld) payment(t *testing.T, transaction string) *Payment {
	t.Helper()
	p, err := onePayment(t.Context(), w.stores.DB.Write, `transaction_id = ?`, transaction)
	require.NoError(t, err)
	require.NotNil(t, p)
	return p
}

// codes counts the vouchers of the world with a status.
func (w *moneyWorld) codes(t *testing.T, status string) int64 {
	t.Helper()
	return w.count(t, `SELECT COUNT(*) FROM vouchers WHERE status = ?`, status)
}

// settle sends all refunds.
func (w *moneyWorld) settle(t *testing.T) {
	t.Helper()
	for {
		done, err := w.refunder.RunOnce(t.Context())
		require.NoError(t, err)
		if done == 0 {
			break
		}
	}
	var open int
	require.NoError(t, w.stores.DB.Read.GetContext(t.Context(), &open,
		`SELECT COUNT(*) FROM refunds WHERE status <> 'done'`))
	require.Zero(t, open, "the bank refused a refund")
}

// addsUp compares the orders with their refunds, units and vouchers, the payments with theirs, and the money
// that was kept with what the orders cost. All refunds must be sent.
func (w *moneyWorld) addsUp(t *testing.T, what string) {
	t.Helper()
	count := func(query string) (n int64) {
		require.NoError(t, w.stores.DB.Read.GetContext(t.Context(), &n, query))
		return n
	}
	for name, query := range map[string]string{
		"orders whose refunds differ": `SELECT COUNT(*) FROM orders o WHERE refunded_amount <> (
			SELECT COALESCE(SUM(r.amount), 0) FROM refunds r
			WHERE r.order_number = o.number AND r.reason IN ('operator', 'refunded_outside'))`,
		"orders with the wrong status": `SELECT COUNT(*) FROM orders WHERE refunded_amount > total_amount
			OR (status = 'refunded') <> (refunded_amount = total_amount)
			OR (refunded_amount > 0 AND status NOT IN ('paid', 'refunded'))`,
		"items whose units differ": `SELECT COUNT(*) FROM order_items i WHERE refunded_quantity > quantity
			OR refunded_quantity <> (SELECT COALESCE(SUM(u.quantity), 0) FROM refund_items u
			JOIN refunds r ON r.refund_number = u.refund_number
			WHERE r.order_number = i.order_number AND u.line = i.line)`,
		"items whose vouchers differ": `SELECT COUNT(*) FROM order_items i JOIN orders o ON o.number = i.order_number
			WHERE i.kind = 'voucher' AND (SELECT COUNT(*) FROM vouchers v WHERE v.order_number = i.order_number
			AND v.line = i.line AND v.status = 'active')
			<> CASE WHEN o.status = 'paid' THEN i.quantity - i.refunded_quantity ELSE 0 END`,
		"payments whose refunds differ": `SELECT COUNT(*) FROM payments p WHERE refunded_amount <> (
			SELECT COALESCE(SUM(r.amount), 0) FROM refunds r WHERE r.pay_number = p.pay_number
			AND r.transaction_id = p.transaction_id AND r.status = 'done' AND p.transaction_id <> '')`,
		"payments with the wrong status": `SELECT COUNT(*) FROM payments WHERE status = 'refunding'
			OR refunded_amount > amount OR (status = 'refunded') <> (refunded_amount = amount)`,
	} {
		assert.Zero(t, count(query), "%s: %s", what, name)
	}
	assert.Equal(t, count(`SELECT COALESCE(SUM(total_amount - refunded_amount), 0) FROM orders
		WHERE status IN ('paid', 'refunded')`), w.bank.kept(), "%s: what was kept is what the orders cost", what)
}

// closes is EnqueueCloses of orders.
func closes(ctx context.Context, tx *sqlx.Tx, orders []*order.Order) error {
	numbers := make([]order.Number, len(orders))
	for i, o := range orders {
		numbers[i] = o.Number
	}
	return EnqueueCloses(ctx, tx, numbers)
}
