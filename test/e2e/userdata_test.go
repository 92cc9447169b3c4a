package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/journal"
	"onrush/modules/seckill/remind"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/test/stage"
	"onrush/web/client"
)

// erased is the user id of the buyer who is erased: no other text contains it.
const erased = `zoë "z" <z_0>`

// history is a buyer with a bit of everything that is stored of one.
type history struct {
	*paySale

	sale, ordinary, invited string // orders
}

// newHistory makes the history of a buyer in a retired sale.
func newHistory(t *testing.T, stores *kit.Stores, opts ...site.Option) *history {
	t.Helper()
	w := newPaySale(t, stores, site.Sale{PurchaseLimit: 5, Kind: "physical"}, opts...)
	h := &history{paySale: w}
	w.buyer = w.Buyer(t, erased)
	address := w.buyer.Address(t, "shanghai")
	op := w.Operator(t)
	buy := func(p *site.Person, body map[string]any) string {
		return p.Submit(t, p.Path(t, w.activity, "sku"), "k", body).Placed(t).OrderNumber
	}
	h.sale = buy(w.buyer, map[string]any{
		"quantity": 1, "delivery": "express", "address_id": address, "remark": "ring twice",
		"fields": map[string]string{"size": "ring twice"}, "notify_token": "form-zoe", "client_reference": "po-1",
	})
	bob := w.Buyer(t, "bob")
	h.invited = buy(bob, map[string]any{
		"quantity": 1, "delivery": "express", "address_id": bob.Address(t, "shanghai"), "inviter_id": "zoe-invites",
	})
	w.Drain(t)
	// A client may send any text as an inviter, but not this user id in a label of the request.
	quoted, err := json.Marshal(erased)
	require.NoError(t, err)
	require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
		_, labelled := tx.ExecContext(t.Context(),
			`UPDATE order_labels SET value = ? WHERE name = 'inviter_id'`, erased)
		_, recorded := tx.ExecContext(t.Context(),
			`UPDATE orders SET record = REPLACE(record, '"zoe-invites"', ?) WHERE number = ?`,
			string(quoted), h.invited)
		return errors.Join(labelled, recorded)
	}))
	h.ordinary = w.buyer.CreateOrders(t, "o", client.OrderRequest{
		Items: []client.OrderLine{{SKUID: "sku"}}, AddressID: address,
	})[0].OrderNumber
	require.Equal(t, http.StatusOK, w.notify(t, w.payment(t, h.sale, h.ordinary)).Status)
	op.RefundOrder(t, h.ordinary, "r", client.RefundRequest{Reason: "late"})
	w.settle(t)
	must(t, http.StatusCreated, op.Call(t, http.MethodPost, admin+"/orders/"+h.sale+"/notes", "",
		map[string]any{"text": erased + " called"}))
	h.remind(t)
	w.Number(t)
	w.CancelOthers(t, bob)
	exec(t, stores, `UPDATE activities SET ends_ms = 1`)
	return h
}

// remind stores a reminder of the buyer, and an event that told the buyer and bob.
func (h *history) remind(t *testing.T) {
	t.Helper()
	due, err := json.Marshal(remind.DueData{Reminder: remind.Due{
		Kind: remind.Start, Activity: h.activity,
		Users: []remind.User{{User: "bob", Token: "form-bob"}, {User: erased, Token: "form-zoe"}},
	}})
	require.NoError(t, err)
	require.NoError(t, h.Stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(t.Context(), `INSERT INTO reminders (reminder_id, activity_id, kind, sku_id, user_id,
			notify_token, created_ms, told_ms) VALUES ('r-1', ?, 'start', '', ?, 'form-zoe', 1, 0)`, h.activity, erased)
		return errors.Join(err, journal.Write(t.Context(), tx, journal.Event{
			Type: journal.ReminderDue, Subject: "r-1", AtMS: 1, Data: string(due),
		}))
	}))
}

// CancelOthers cancels the other buyer's order, so that the sale can be retired.
func (w *paySale) CancelOthers(t *testing.T, bob *site.Person) {
	t.Helper()
	for _, o := range bob.ListOrders(t, "").Items {
		bob.CancelOrder(t, o.OrderNumber)
	}
	w.settle(t)
}

// archive archives the buyer's order of the sale, and the one that names the buyer as its inviter.
func (h *history) archive(t *testing.T) {
	t.Helper()
	require.NoError(t, stage.Archive(t.Context(), h.Stores.DB, `type = 'seckill'`))
}

func (h *history) erase(t *testing.T) site.Answer {
	t.Helper()
	return h.Operator(t).Call(t, http.MethodPost, admin+"/users/"+escaped+"/erase", "",
		map[string]any{"confirm": erased})
}

const escaped = `zo%C3%AB%20%22z%22%20%3Cz_0%3E`

// mentions returns where the stores have a text: columns of SQL, and keys of Redis.
func mentions(t *testing.T, stores *kit.Stores, texts ...string) (found []string) {
	t.Helper()
	for _, table := range tables(t, stores) {
		query := `SELECT * FROM ` + table
		rows, err := stores.DB.Read.QueryxContext(t.Context(), query) //nolint:sqlclosecheck // closed below
		require.NoError(t, err)
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			row := map[string]any{}
			require.NoError(t, rows.MapScan(row))
			for column, value := range row {
				if bytes, ok := value.([]byte); ok {
					value = string(bytes)
				}
				for _, text := range texts {
					if strings.Contains(fmt.Sprint(value), text) {
						found = append(found, table+"."+column)
					}
				}
			}
		}
		require.NoError(t, rows.Err())
	}
	keys, err := stores.Redis.Keys(t.Context(), stores.Keys.Prefix+":*").Result()
	require.NoError(t, err)
	for _, key := range keys {
		for _, text := range texts {
			if strings.Contains(key, text) && !strings.Contains(key, ":limit:") {
				found = append(found, key)
			}
		}
	}
	return found
}

// tables returns the tables of the schema.
func tables(t *testing.T, stores *kit.Stores) (names []string) {
	t.Helper()
	query := `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()`
	if stores.MySQLDSN == "" {
		query = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
	}
	require.NoError(t, stores.DB.Read.SelectContext(t.Context(), &names, query))
	require.Greater(t, len(names), 40)
	return names
}

// traces are the texts that only the erased buyer's data has, as the stores may write them.
var traces = []string{erased, `zoë`, `zo\u00eb`, "ring twice", "form-zoe"}

func TestAnErasedBuyerIsNowhereAndTheAccountsStay(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		h := newHistory(t, stores)
		requireRefusal(t, h.erase(t), http.StatusConflict, "conflict") // the sale is not retired
		require.Equal(t, 1, h.Job(t, "retire_activities"))
		h.archive(t)
		op := h.Operator(t)
		before := op.GetAdminOrder(t, h.sale)
		assert.NotEmpty(t, mentions(t, stores, traces...))
		wrong := op.Call(t, http.MethodPost, admin+"/users/"+escaped+"/erase", "", map[string]any{"confirm": "zoe"})
		requireRefusal(t, wrong, http.StatusUnprocessableEntity, "invalid_request")

		done := site.Read[client.Erased](t, http.StatusOK, h.erase(t))
		assert.Equal(t, []int{2, 1, 1}, []int{done.Orders, done.Payments, done.Addresses})
		assert.Empty(t, mentions(t, stores, traces...))

		after := op.GetAdminOrder(t, h.sale)
		assert.Equal(t, done.Pseudonym, after.UserID)
		assert.Empty(t, after.Notes)
		assert.Empty(t, after.Remark)
		assert.Zero(t, after.Address)
		for _, line := range after.Log {
			assert.Empty(t, line.From, line.What)
		}
		for _, part := range []func(o client.AdminOrder) any{
			func(o client.AdminOrder) any { return o.Items }, func(o client.AdminOrder) any { return o.TotalAmount },
			func(o client.AdminOrder) any { return o.PaidAt },
			func(o client.AdminOrder) any { return o.ClientReference },
			func(o client.AdminOrder) any { return o.Status }, func(o client.AdminOrder) any { return o.PlacedAt },
		} {
			assert.Equal(t, part(before), part(after))
		}
		assert.Equal(t, done.Pseudonym, op.GetAdminOrder(t, h.invited).InviterID)
		change := op.ListChanges(t, "user:"+done.Pseudonym)
		require.Len(t, change, 1)
		assert.Equal(t, []string{"user.erased", "operator"}, []string{change[0].Action, change[0].Actor})
		again := site.Read[client.Erased](t, http.StatusOK, h.erase(t))
		assert.Equal(t, client.Erased{}, again, "nothing is stored of the user any more")
		assert.Len(t, op.ListEvents(t, "types=order.paid"), 2)
		told := op.ListEvents(t, "types=reminder.due")
		require.Len(t, told, 1)
		assert.Equal(t, []client.RemindedUser{{UserID: "bob", NotifyToken: "form-bob"}, {UserID: done.Pseudonym}},
			told[0].Data.Reminder.Users)
	})
}

func TestABuyerWithSomethingInFlightIsNotErased(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		h := &history{paySale: newPaySale(t, stores, site.Sale{})}
		h.buyer = h.Buyer(t, erased)
		refused := func(why string) {
			a := h.erase(t)
			requireRefusal(t, a, http.StatusConflict, "conflict")
			assert.Contains(t, string(a.Body), why)
		}
		number := h.order(t)
		refused("orders that wait to be stored: 1")
		h.Drain(t)
		refused("unpaid orders: 1")
		p := h.payment(t, number)
		refused("pending payments: 1")
		require.Equal(t, http.StatusOK, h.notify(t, p).Status)
		refused("is not retired")
		h.Operator(t).RefundOrder(t, number, "r", client.RefundRequest{Reason: "late"})
		refused("refunds that are not done: 1")
		h.settle(t)
		exec(t, stores, `UPDATE activities SET ends_ms = 1`)
		require.Equal(t, 1, h.Job(t, "retire_activities"))
		must(t, http.StatusOK, h.erase(t))
	})
}

// An erasure stops after each of its steps, and the next call goes on with the same pseudonym.
func TestAnErasureGoesOnAfterACrashAtEachStep(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		var mu sync.Mutex
		passed := map[string]bool{}
		crash := errors.New("crash")
		h := newHistory(t, stores, site.Faults(func(step string) error {
			mu.Lock()
			defer mu.Unlock()
			if !strings.HasPrefix(step, "erase_") || passed[step] {
				return nil
			}
			passed[step] = true
			return crash
		}))
		require.Equal(t, 1, h.Job(t, "retire_activities"))
		h.archive(t)
		var a site.Answer
		for range 50 {
			if a = h.erase(t); a.Status == http.StatusOK {
				break
			}
			require.Equal(t, http.StatusServiceUnavailable, a.Status, string(a.Body))
		}
		require.Equal(t, http.StatusOK, a.Status)
		assert.Len(t, passed, 25, "steps: %v", passed)
		assert.Empty(t, mentions(t, stores, traces...))
		owners := map[string]bool{}
		for _, number := range []string{h.sale, h.ordinary} {
			owners[h.Operator(t).GetAdminOrder(t, number).UserID] = true
		}
		assert.Len(t, owners, 1, "of all orders")
	})
}

func TestManyErasuresOfOneBuyerAtOnceAreOne(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		h := &history{paySale: newPaySale(t, stores, site.Sale{})}
		h.buyer = h.Buyer(t, erased)
		const orders = 250 // several parts
		body := client.OrderRequest{Items: []client.OrderLine{{SKUID: "sku"}}}
		for i := range orders {
			h.buyer.CreateOrders(t, fmt.Sprint("o", i), body)
		}
		exec(t, stores, `UPDATE orders SET status = 'cancelled'`)
		op := h.Operator(t)
		var calls sync.WaitGroup
		answers := make([]site.Answer, 48)
		for i := range answers {
			calls.Go(func() {
				answers[i], _ = op.Try(context.WithoutCancel(t.Context()), http.MethodPost,
					admin+"/users/"+escaped+"/erase", "", map[string]any{"confirm": erased})
			})
		}
		calls.Wait()
		for _, a := range answers {
			require.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable}, a.Status, string(a.Body))
		}
		must(t, http.StatusOK, h.erase(t))
		assert.Empty(t, mentions(t, stores, traces...))
		var owners, pseudonyms int
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &owners,
			`SELECT COUNT(DISTINCT user_id) FROM orders`))
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &pseudonyms,
			`SELECT COUNT(*) FROM operator_log WHERE action = 'user.erased'`))
		assert.Equal(t, []int{1, 1}, []int{owners, pseudonyms})
	})
}

func TestTheExportOfABuyerHasWhatIsStored(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		h := newHistory(t, stores)
		h.archive(t)
		op := h.Operator(t)
		must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/blocked/user:"+escaped, "",
			map[string]any{"reason": "bot"}))
		x := site.Read[client.UserExport](t, http.StatusOK,
			op.Call(t, http.MethodGet, admin+"/users/"+escaped+"/export", "", nil))
		assert.Equal(t, erased, x.UserID)
		require.Len(t, x.Orders, 2)
		sale := x.Orders[slices.IndexFunc(x.Orders, func(o client.AdminOrder) bool { return o.OrderNumber == h.sale })]
		assert.Equal(t, "ring twice", sale.Remark)
		require.Len(t, sale.Notes, 1)
		assert.Equal(t, erased+" called", sale.Notes[0].Text)
		assert.NotEmpty(t, sale.Log[0].From)
		require.Len(t, x.Payments, 1)
		assert.Len(t, x.Payments[0].Refunds, 1)
		assert.Len(t, x.Addresses, 1)
		assert.Equal(t, []string{h.invited}, x.InvitedOrders)
		assert.Equal(t, "bot", x.Blocks[0].Reason)
		kinds := map[string]int{}
		for _, e := range x.Events {
			kinds[e.Type]++
		}
		assert.Equal(t, 2, kinds["order.placed"])
		assert.Equal(t, 1, kinds["refund.done"])
		assert.Empty(t, x.WaitingOrders)
		require.Len(t, x.Reminders, 1)
		assert.Equal(t, "form-zoe", x.Reminders[0].NotifyToken)
		assert.Equal(t, 1, kinds["reminder.due"])
		whole, err := json.Marshal(x)
		require.NoError(t, err)
		assert.NotContains(t, string(whole), "form-bob", "it is another buyer's")
	})
}
