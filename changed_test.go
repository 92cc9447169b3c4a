package onrush_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush"
	"onrush/onrushtest"
	"onrush/test/kit"
)

// ledger is a table of the host's own, which it writes in the platform's transactions.
type ledger struct {
	name string // of the table
	db   *sql.DB
	// fails is what the host does after it has written; nil: nothing.
	fails atomic.Pointer[func(context.Context, *sql.Tx, []onrush.Change) error]
	calls atomic.Int64
}

// entry is what the host keeps of a change.
type entry struct {
	Order  json.RawMessage `json:"order"`
	Refund json.RawMessage `json:"refund,omitempty"`
}

// Changed is Config.Changed.
func (l *ledger) Changed(ctx context.Context, tx *sql.Tx, changes []onrush.Change) error {
	l.calls.Add(1)
	for _, c := range changes {
		body, err := json.Marshal(entry{c.Order, c.Refund})
		if err != nil {
			return err
		}
		insert := `INSERT INTO ` + l.name + ` (number, type, user_id, body) VALUES (?, ?, ?, ?)`
		if _, err := tx.ExecContext(ctx, insert, c.Number, c.Type, c.User, body); err != nil {
			return err
		}
	}
	if fails := l.fails.Load(); fails != nil {
		return (*fails)(ctx, tx, changes)
	}
	return nil
}

// failsWith sets what the host does after it has written.
func (l *ledger) failsWith(f func(context.Context, *sql.Tx, []onrush.Change) error) {
	l.fails.Store(&f)
}

// keeps runs a platform whose host keeps a ledger: in another database of the same server, or in the embedded store.
func keeps(t *testing.T, stores *kit.Stores, gateways ...onrush.Gateway) (*onrushtest.Platform, *ledger) {
	t.Helper()
	l := &ledger{name: "ledger"}
	cfg := on(t, stores, "")
	cfg.BaseURL, cfg.Changed, cfg.Gateways = "", l.Changed, gateways
	delete(cfg.Settings, "ONRUSH_SANDBOX_SECRET") // which runs beside no other channel
	id := "INTEGER PRIMARY KEY AUTOINCREMENT"
	if cfg.MySQL != "" {
		dsn, err := mysql.ParseDSN(anotherDatabase(t, stores))
		require.NoError(t, err)
		l.name, l.db, id = dsn.DBName+".ledger", stores.DB.Write.DB, "BIGINT PRIMARY KEY AUTO_INCREMENT"
	}
	p := onrushtest.New(t, cfg)
	if cfg.MySQL == "" {
		var err error
		l.db, err = sql.Open("sqlite", "file:"+filepath.Join(cfg.Dir, "onrush.db")+"?_pragma=busy_timeout(10000)")
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, l.db.Close()) })
	}
	l.exec(t, `CREATE TABLE `+l.name+` (id `+id+`, number BIGINT NOT NULL, type VARCHAR(32) NOT NULL,
		user_id VARCHAR(64) NOT NULL, body TEXT NOT NULL)`)
	return p, l
}

func (l *ledger) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	_, err := l.db.ExecContext(t.Context(), query, args...)
	require.NoError(t, err)
}

// types are the changes of an order that the host has, in their order.
func (l *ledger) types(t *testing.T, number string) (types []string) {
	t.Helper()
	return l.texts(t, `SELECT type FROM `+l.name+` WHERE number = ? ORDER BY id`, number)
}

func (l *ledger) texts(t *testing.T, query string, args ...any) (texts []string) {
	t.Helper()
	rows, err := l.db.QueryContext(t.Context(), query, args...)
	require.NoError(t, err)
	defer func() { assert.NoError(t, rows.Close()) }()
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		texts = append(texts, text)
	}
	require.NoError(t, rows.Err())
	return texts
}

// requireAgreement requires that the host has each event of an order once, with the order as the event has it.
func (l *ledger) requireAgreement(t *testing.T, p *onrushtest.Platform) {
	t.Helper()
	p.Drain()
	var want []string
	after := int64(0)
	for {
		found, next, err := p.Events(t.Context(), after, 1000)
		require.NoError(t, err)
		for _, e := range found {
			if strings.HasPrefix(e.Type, "order.") && e.Type != "order.vouchers_given" {
				want = append(want, e.Type+" "+string(e.Data))
			}
		}
		if next == after {
			break
		}
		after = next
	}
	concat := `type || ' ' || body`
	if l.name != "ledger" {
		concat = `CONCAT(type, ' ', body)`
	}
	got := l.texts(t, `SELECT `+concat+` FROM `+l.name)
	slices.Sort(got)
	slices.Sort(want)
	require.Equal(t, want, got)
}

// acme is a gateway whose notifications anybody may send.
type acme struct{ onrush.Gateway }

func (acme) Name() string { return "acme" }
func (acme) Test() bool   { return true }
func (acme) Begin(context.Context, onrush.Payment) (onrush.Next, error) {
	return onrush.Next{RedirectURL: "https://acme.example/"}, nil
}

func (acme) Query(context.Context, onrush.Payment) (onrush.Found, error) {
	return onrush.Found{Closed: true}, nil
}
func (acme) Close(context.Context, onrush.Payment) error { return nil }
func (acme) Refund(context.Context, onrush.Refund) error { return nil }
func (acme) Parse(_ http.Header, body []byte) (n onrush.Notification, err error) {
	return n, json.Unmarshal(body, &n)
}

// notify sends a notification of acme.
func notify(t *testing.T, p *onrushtest.Platform, n onrush.Notification) {
	t.Helper()
	require.NoError(t, p.Buyer("gateway").Try(http.MethodPost, "/webhooks/pay/acme", n, nil))
}

// pays has a payment of an order begun at acme, and paid.
func pays(t *testing.T, p *onrushtest.Platform, user, number string) onrush.Notification {
	t.Helper()
	payment := p.Buyer(user).Pay("acme", number)
	n := onrush.Notification{
		Kind: onrush.Paid, ID: "paid-" + number, Transaction: "t-" + number, Payment: payment.Number,
		Amount: payment.Amount, Currency: payment.Currency,
	}
	notify(t, p, n)
	return n
}

// paidOutside reports the money of an order of one unit of a sale at the default price.
func paidOutside(p *onrushtest.Platform, user, number string) error {
	ctx := onrush.WithKey(context.Background(), "paid-"+number)
	return p.Call(ctx, http.MethodPost, "/admin/api/v1/orders/"+number+"/paid", map[string]any{
		"user_id": user, "provider": "till", "reference": number, "amount": 100, "currency": "CNY",
	}, nil)
}

const movers = "/admin/api/v1/jobs/move_orders/"

// way is a way by which orders change.
type way struct {
	waits bool // while movers are paused, so that only Redis has the order
	do    func(t *testing.T, p *onrushtest.Platform, number string)
	types []string
}

func ways(l *ledger, sale onrushtest.Sale) map[string]way {
	const placed, paid, cancelled, refunded = onrush.OrderPlaced, onrush.OrderPaid, onrush.OrderCancelled,
		onrush.OrderRefunded
	operator := func(act string, body any) func(*testing.T, *onrushtest.Platform, string) {
		return func(t *testing.T, p *onrushtest.Platform, number string) {
			t.Helper()
			p.In(t).Must(http.MethodPost, "/admin/api/v1/orders/"+number+"/"+act, body, nil)
		}
	}
	reason := map[string]any{"reason": "as told"}
	return map[string]way{
		"moved": {false, func(*testing.T, *onrushtest.Platform, string) {}, []string{placed}},
		"ensured before a payment": {true, func(t *testing.T, p *onrushtest.Platform, number string) {
			t.Helper()
			p.In(t).Buyer("ada").Pay("acme", number)
		}, []string{placed}},
		"paid by a notification": {true, func(t *testing.T, p *onrushtest.Platform, number string) {
			t.Helper()
			pays(t, p.In(t), "ada", number)
		}, []string{placed, paid}},
		"paid outside": {true, func(t *testing.T, p *onrushtest.Platform, number string) {
			t.Helper()
			require.NoError(t, paidOutside(p, "ada", number))
		}, []string{placed, paid}},
		"marked as paid": {false, operator("mark_paid", reason), []string{placed, paid}},
		"cancelled by the buyer": {true, func(t *testing.T, p *onrushtest.Platform, number string) {
			t.Helper()
			p.In(t).Buyer("ada").Must(http.MethodPost, "/api/v1/orders/"+number+"/cancel", nil, nil)
		}, []string{placed, cancelled}},
		"cancelled by an operator": {false, operator("cancel", reason), []string{placed, cancelled}},
		"refunded in parts": {false, func(t *testing.T, p *onrushtest.Platform, number string) {
			t.Helper()
			pays(t, p.In(t), "ada", number)
			operator("refund", map[string]any{"amount": 40})(t, p, number)
			operator("refund", map[string]any{})(t, p, number)
		}, []string{placed, paid, refunded, refunded}},
		"refunded at the gateway": {false, func(t *testing.T, p *onrushtest.Platform, number string) {
			t.Helper()
			n := pays(t, p.In(t), "ada", number)
			n.Kind, n.ID, n.RefundNumber = onrush.Refunded, "refunded-"+number, "r-"+number
			notify(t, p.In(t), n)
		}, []string{placed, paid, refunded}},
		"marked as refunded": {false, func(t *testing.T, p *onrushtest.Platform, number string) {
			t.Helper()
			operator("mark_paid", reason)(t, p, number)
			operator("mark_refunded", map[string]any{"reference": "transfer", "reason": "as told"})(t, p, number)
		}, []string{placed, paid, refunded}},
		"without units in SQL": {true, func(t *testing.T, p *onrushtest.Platform, _ string) {
			t.Helper()
			l.exec(t, `UPDATE activity_stock SET sold = total WHERE activity_id = ?`, sale.ID)
			p.In(t).Drain()
		}, []string{onrush.OrderFailed}},
	}
}

func TestChangedSeesEachChangeOnceAndAsItIsCommitted(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		p, l := keeps(t, stores, acme{})
		for name := range ways(l, onrushtest.Sale{}) {
			sale := p.Sale(onrushtest.Sale{Units: 5})
			w := ways(l, sale)[name]
			if w.waits {
				p.Must(http.MethodPost, movers+"pause", nil, nil)
			}
			number := p.Buyer("ada").Buy(sale, 1)
			if w.waits {
				assert.Empty(t, l.types(t, number), name)
			} else {
				p.Drain()
			}
			w.do(t, p, number)
			assert.Equal(t, w.types, l.types(t, number), name)
			p.Must(http.MethodPost, movers+"resume", nil, nil)
		}
		p.Must(http.MethodPut, "/admin/api/v1/skus/lamp", lamp, nil)
		p.Must(http.MethodPut, "/admin/api/v1/skus/ebook", map[string]any{
			"title": "Book", "shop_id": "shop", "kind": "virtual", "price": 900, "currency": "CNY", "stock": 5,
		}, nil)
		var ordinary struct {
			Orders []struct {
				Number string `json:"order_number"`
			} `json:"orders"`
		}
		p.Buyer("bob").Must(http.MethodPost, "/api/v1/orders",
			map[string]any{"items": []any{map[string]any{"sku_id": "ebook", "quantity": 2}}}, &ordinary)
		due := ordinary.Orders[0].Number
		assert.Equal(t, []string{onrush.OrderPlaced}, l.types(t, due))
		p.Advance(40 * time.Minute)
		require.Eventually(t, func() bool {
			p.Job("query_payments")
			p.Job("cancel_unpaid")
			return len(l.types(t, due)) == 2
		}, 20*time.Second, 20*time.Millisecond)
		assert.Equal(t, []string{onrush.OrderPlaced, onrush.OrderCancelled}, l.types(t, due), "not paid in time")
		l.requireAgreement(t, p)
	})
}

// soon requires that something happens.
func soon(t *testing.T, happened func() bool, what string) {
	t.Helper()
	require.Eventually(t, happened, 20*time.Second, 10*time.Millisecond, what)
}

// refusals are what a host may do wrong, by name. What hangs ends with end.
func refusals(end <-chan struct{}) map[string]func(context.Context, *sql.Tx, []onrush.Change) error {
	code := func(number uint16) func(context.Context, *sql.Tx, []onrush.Change) error {
		return func(context.Context, *sql.Tx, []onrush.Change) error { return &mysql.MySQLError{Number: number} }
	}
	return map[string]func(context.Context, *sql.Tx, []onrush.Change) error{
		"an error":               func(context.Context, *sql.Tx, []onrush.Change) error { return errors.New("no") },
		"a duplicate key (1062)": code(1062),
		"a deadlock (1213)":      code(1213),
		"a locked row (1205)":    code(1205),
		"a text too long (1406)": code(1406),
		"a panic": func(context.Context, *sql.Tx, []onrush.Change) error {
			panic("the ledger is broken")
		},
		"an end of its goroutine": func(context.Context, *sql.Tx, []onrush.Change) error {
			runtime.Goexit()
			return nil
		},
		"a commit":   func(_ context.Context, tx *sql.Tx, _ []onrush.Change) error { return tx.Commit() },
		"a rollback": func(_ context.Context, tx *sql.Tx, _ []onrush.Change) error { return tx.Rollback() },
		"a commit whose error it ignores": func(_ context.Context, tx *sql.Tx, _ []onrush.Change) error {
			_ = tx.Commit()
			return nil
		},
		"a statement that commits": func(ctx context.Context, tx *sql.Tx, _ []onrush.Change) error {
			_, _ = tx.ExecContext(ctx, `COMMIT`)
			return nil
		},
		"the end of its time": func(ctx context.Context, _ *sql.Tx, _ []onrush.Change) error {
			<-ctx.Done()
			return ctx.Err()
		},
		"silence": func(context.Context, *sql.Tx, []onrush.Change) error {
			<-end
			return nil
		},
	}
}

// queues returns how many entries of queues can't be stored, and how many wait.
func queues(p *onrushtest.Platform) (dead, length int64) {
	var answer struct {
		Items []struct {
			Length int64 `json:"length"`
			Dead   int64 `json:"dead"`
		} `json:"items"`
	}
	p.Must(http.MethodGet, "/admin/api/v1/queue", nil, &answer)
	for _, lane := range answer.Items {
		dead, length = dead+lane.Dead, length+lane.Length
	}
	return dead, length
}

func TestAChangeThatTheHostRefusesIsKeptNowhereAndTriedAgain(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		p, l := keeps(t, stores)
		sale := p.Sale(onrushtest.Sale{})
		for name := range refusals(nil) {
			end := make(chan struct{})
			p.Must(http.MethodPost, movers+"pause", nil, nil)
			number := p.Buyer("ada").Buy(sale, 1)
			l.failsWith(refusals(end)[name])
			var failed *onrush.Problem
			require.ErrorAs(t, paidOutside(p, "ada", number), &failed, name)
			assert.Equal(t, http.StatusServiceUnavailable, failed.Status, name)
			calls := l.calls.Load()
			resume := func() bool {
				return p.Call(t.Context(), http.MethodPost, movers+"resume", nil, nil) == nil
			}
			hangs := name == "silence" || name == "the end of its time" // an embedded store writes nothing else then
			if !hangs {
				soon(t, resume, name)
				soon(t, func() bool { return l.calls.Load() > calls+1 }, name)
			}
			dead, length := queues(p)
			assert.Equal(t, [2]int64{0, 1}, [2]int64{dead, length}, name)
			assert.Empty(t, l.types(t, number), name)
			l.fails.Store(nil)
			close(end)
			soon(t, resume, name)
			soon(t, func() bool { return len(l.types(t, number)) == 1 }, name)
			require.NoError(t, paidOutside(p, "ada", number), name)
			assert.Equal(t, []string{onrush.OrderPlaced, onrush.OrderPaid}, l.types(t, number), name)
			assert.Equal(t, "paid", p.Order(number).Status, name)
		}
		l.requireAgreement(t, p)
	})
}

// TestAnOrderThatTheHostRefusesDelaysNoOther has one of five orders of a lane refused, and one of five that are due.
func TestAnOrderThatTheHostRefusesDelaysNoOther(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		p, l := keeps(t, stores)
		sale := p.Sale(onrushtest.Sale{})
		numbers := map[string]string{}
		l.failsWith(func(_ context.Context, _ *sql.Tx, changes []onrush.Change) error {
			for _, c := range changes {
				if c.User == "user2" {
					return &mysql.MySQLError{Number: 1062, Message: "Duplicate entry of the host"}
				}
			}
			return nil
		})
		p.Must(http.MethodPost, movers+"pause", nil, nil)
		for i := range 5 {
			user := fmt.Sprintf("user%d", i)
			numbers[user] = p.Buyer(user).Buy(sale, 1)
		}
		p.Must(http.MethodPost, movers+"resume", nil, nil)
		requireOthers := func(want ...string) {
			t.Helper()
			require.Eventually(t, func() bool {
				stored := 0
				for user, number := range numbers {
					if user != "user2" && slices.Equal(want, l.types(t, number)) {
						stored++
					}
				}
				return stored == 4
			}, 20*time.Second, 10*time.Millisecond)
		}
		requireOthers(onrush.OrderPlaced)
		assert.Empty(t, l.types(t, numbers["user2"]))
		behind := p.Buyer("user9").Buy(sale, 1)
		soon(t, func() bool { return len(l.types(t, behind)) == 1 }, "an order behind it is stored")
		dead, length := queues(p)
		assert.Zero(t, dead)
		assert.Positive(t, length)

		p.Advance(31 * time.Second) // by which a lane stands still
		var ready struct {
			Unavailable []string `json:"unavailable"`
		}
		require.Eventually(t, func() bool {
			p.Buyer("probe").Must(http.MethodGet, "/readyz", nil, &ready)
			return strings.Contains(strings.Join(ready.Unavailable, " "), "queue: lane")
		}, 20*time.Second, 50*time.Millisecond, "a lane stands still, and the program says so")

		l.fails.Store(nil)
		soon(t, func() bool { return len(l.types(t, numbers["user2"])) == 1 }, "it is accepted")
		l.failsWith(func(_ context.Context, _ *sql.Tx, changes []onrush.Change) error {
			for _, c := range changes {
				if c.User == "user2" {
					panic("not this one")
				}
			}
			return nil
		})
		p.Advance(16 * time.Minute)
		requireOthers(onrush.OrderPlaced, onrush.OrderCancelled)
		assert.Equal(t, []string{onrush.OrderPlaced}, l.types(t, numbers["user2"]), "it stays unpaid")
		l.fails.Store(nil)
		soon(t, func() bool { return len(l.types(t, numbers["user2"])) == 2 }, "it is accepted")
		l.requireAgreement(t, p)
	})
}

// TestWhatTheHostWroteGoesWithOurTransaction has the host accept a change that fails after its call.
func TestWhatTheHostWroteGoesWithOurTransaction(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		p, l := keeps(t, stores)
		sale := p.Sale(onrushtest.Sale{})
		number := p.Buyer("ada").Buy(sale, 1)
		p.Drain()
		l.failsWith(func(ctx context.Context, tx *sql.Tx, _ []onrush.Change) error {
			// What is written after it fails: the sale has no stock to give back to.
			_, err := tx.ExecContext(ctx, `DELETE FROM activity_stock WHERE activity_id = ?`, sale.ID)
			return err
		})
		before := l.calls.Load()
		err := p.Buyer("ada").Try(http.MethodPost, "/api/v1/orders/"+number+"/cancel", nil, nil)
		require.Error(t, err)
		assert.Greater(t, l.calls.Load(), before)
		assert.Equal(t, []string{onrush.OrderPlaced}, l.types(t, number))
		assert.Equal(t, "unpaid", p.Order(number).Status)
		l.fails.Store(nil)
		p.Buyer("ada").Must(http.MethodPost, "/api/v1/orders/"+number+"/cancel", nil, nil)
		l.requireAgreement(t, p)
	})
}

// TestStopEndsAlthoughTheHostHangs has the host hang for an order that movers store.
func TestStopEndsAlthoughTheHostHangs(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		cfg, end, called := on(t, stores, ""), make(chan struct{}), make(chan struct{}, 100)
		t.Cleanup(func() { close(end) })
		cfg.Changed = func(context.Context, *sql.Tx, []onrush.Change) error {
			called <- struct{}{}
			<-end
			return nil
		}
		p, err := onrush.New(t.Context(), cfg)
		require.NoError(t, err)
		require.NoError(t, p.Start(t.Context()))
		web := httptest.NewServer(p)
		t.Cleanup(web.Close)
		(&shopper{t: t, base: web.URL, token: token(t, "ada")}).buys(sale(t, p, 3))
		<-called
		stopped := make(chan struct{})
		go func() { _ = p.Stop(context.Background()); close(stopped) }()
		select {
		case <-stopped:
		case <-t.Context().Done():
		case <-time.NewTimer(45 * time.Second).C:
			require.Fail(t, "Stop hangs")
		}
	})
}

// TestACrowdOfChangesOnOneRowOfTheHost has 48 callers at once for one order that SQL doesn't have yet, and for 48 such
// orders; each change adds to one row of the host.
func TestACrowdOfChangesOnOneRowOfTheHost(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	const crowd = 48
	p, l := keeps(t, stores)
	total := strings.TrimSuffix(l.name, "ledger") + "totals"
	l.exec(t, `CREATE TABLE `+total+` (id INT PRIMARY KEY, n BIGINT NOT NULL)`)
	l.exec(t, `INSERT INTO `+total+` VALUES (1, 0)`)
	l.failsWith(func(ctx context.Context, tx *sql.Tx, changes []onrush.Change) error {
		_, err := tx.ExecContext(ctx, `UPDATE `+total+` SET n = n + ? WHERE id = 1`, len(changes))
		return err
	})
	sale := p.Sale(onrushtest.Sale{Units: 2 * crowd})
	p.Must(http.MethodPost, movers+"pause", nil, nil)
	again := func(call func() error) { // as a client does after 503
		var failed *onrush.Problem
		err := call()
		for range 20 {
			if !errors.As(err, &failed) || failed.Status != http.StatusServiceUnavailable {
				break
			}
			err = call()
		}
		assert.NoError(t, err)
	}
	number := p.Buyer("ada").Buy(sale, 1)
	kit.Crowd(crowd, func(int) {
		again(func() error { return p.Buyer("ada").Try(http.MethodPost, "/api/v1/orders/"+number+"/cancel", nil, nil) })
	})
	assert.Equal(t, []string{onrush.OrderPlaced, onrush.OrderCancelled}, l.types(t, number))
	numbers := make([]string, crowd)
	for i := range numbers {
		numbers[i] = p.Buyer(fmt.Sprintf("user%d", i)).Buy(sale, 1)
	}
	kit.Crowd(crowd, func(i int) {
		again(func() error { return paidOutside(p, fmt.Sprintf("user%d", i), numbers[i]) })
	})
	p.Must(http.MethodPost, movers+"resume", nil, nil)
	for _, n := range numbers {
		assert.Equal(t, []string{onrush.OrderPlaced, onrush.OrderPaid}, l.types(t, n))
	}
	l.requireAgreement(t, p)
	assert.Equal(t, []string{fmt.Sprint(2 + 2*crowd)}, l.texts(t, `SELECT n FROM `+total))
}
