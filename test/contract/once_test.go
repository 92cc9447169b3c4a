package contract

import (
	"context"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web"
	"onrush/web/client"
)

// unkeyed are the POST operations that take no Idempotency-Key, each with the reason.
var unkeyed = map[string]string{
	"takePath":         "a permit belongs to its buyer, who gets it again",
	"joinLine":         "a place belongs to its buyer, who gets it again",
	"enterDraw":        "an entry belongs to its buyer, who gets it again",
	"joinWaitlist":     "an entry belongs to its buyer, who gets it again",
	"remind":           "a reminder belongs to its buyer, who gets it again",
	"confirm":          "it shows what an order would cost",
	"confirmOrders":    "it shows what orders would cost",
	"logout":           "a session ends once",
	"takeEventsTicket": "a ticket makes nothing; one that is lost expires",
	"notifyPayment":    "gateways send no such header; their events have ids",
	"actOnSandbox":     "the page of a sandbox, which pays a payment once",
	"devToken":         "for development; a token makes nothing",
	"startCrowd":       "for development; while a crowd is under way another one is refused",
}

// ownKeys are the operations whose orders, payments, refunds and changes of stock keep the Idempotency-Key. Their
// repetitions show these as they are then; the tests of each require that it is made once.
var ownKeys = []string{"submit", "createOrders", "beginPayment", "refundOrder", "refundOrders", "changeStock"}

func TestEveryPostTakesAnIdempotencyKeyOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	f := read(t)
	for _, op := range append(slices.Clone(f.operations), f.elsewhere...) {
		switch listed := unkeyed[op.id] != ""; {
		case op.method != http.MethodPost:
			assert.False(t, listed || op.takesKey(), "%s is no POST", op.id)
		case listed:
			assert.False(t, op.takesKey(), "%s takes a key: remove it from unkeyed", op.id)
		default:
			assert.True(t, op.takesKey(), "%s takes no Idempotency-Key", op.id)
		}
	}
}

// Many send the same request with the same key at once, and once more later.
func TestEveryPostIsSafeToRepeat(t *testing.T) {
	t.Parallel()
	inTurn(t)
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := standing(t, stores)
		w.covered = newCoverage() // counts the recorded changes
		for _, op := range w.operations {
			if op.method != http.MethodPost || !op.takesKey() {
				continue
			}
			good, p := w.repeatable(t, op).with(key("once-"+op.id)), w.caller(op)
			repeats := 0
			before := w.changes(t)
			answers := kit.AtOnce(48, func(int) site.Answer { return p.sendsOnce(t, good) })
			require.Less(t, answers[0].Status, 300, "%s: %s", op.id, answers[0].Body)
			later := p.sendsOnce(t, good)
			for _, a := range append(answers, later) {
				if a.Status >= 300 || a.JSON(t)["replayed"] == true {
					repeats++
				}
				if slices.Contains(ownKeys, op.id) {
					continue
				}
				assert.Equal(t, answers[0].Status, a.Status, "%s: %s", op.id, a.Body)
				assert.Equal(t, answers[0].Kept(t), a.Kept(t), op.id)
				assert.Equal(t, answers[0].Header.Get("ETag"), a.Header.Get("ETag"), op.id)
				assert.Equal(t, answers[0].Header.Get("Content-Type"), a.Header.Get("Content-Type"), op.id)
			}
			if op.id != "replayAllDead" { // whose replayed is a count
				assert.Equal(t, len(answers), repeats, "%s: all but the first say that they are repeats", op.id)
				require.NoError(t, w.fitsJSON(op, later), op.id)
			}
			recorded := w.changes(t) - before
			assert.LessOrEqual(t, recorded, 1, op.id)
			if op.role() == web.RoleAdmin && unrecorded[op.id] == "" {
				assert.Equal(t, 1, recorded, op.id)
			}
			if op.body() != nil && !slices.Contains(ownKeys, op.id) {
				other := p.sendsOnce(t, good.with(sent(object{"another": "body"})))
				assert.Equal(t, "idempotency_key_reused", other.Code(), "%s: %s", op.id, other.Body)
			}
		}
	})
}

// sendsOnce sends a request; many may do so at once.
func (p *person) sendsOnce(t testing.TB, r *request) site.Answer {
	t.Helper()
	req, err := p.http(context.WithoutCancel(t.Context()), r)
	if err != nil {
		return site.Answer{Body: []byte(err.Error())}
	}
	res, err := p.client.Do(req)
	if err != nil {
		return site.Answer{Body: []byte(err.Error())}
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		body = []byte(err.Error())
	}
	return site.Answer{Status: res.StatusCode, Header: res.Header, Body: body}
}

// repeatable returns a request of a POST operation that is accepted, and that would be refused, or have a second
// effect, if it were carried out again.
func (w *world) repeatable(t *testing.T, op *operation) *request {
	t.Helper()
	r := w.good(t, op)
	set := func(name, value string) { r.params[name] = value }
	switch op.id {
	case "cancelOrder":
		set("order_number", w.places(t, op.id).OrderNumber)
	case "cancelAdminOrder", "markOrderPaid":
		set("order_number", w.places(t, op.id).OrderNumber)
	case "restockOrder":
		set("order_number", w.wentBack(t, w.ada, op.id))
	case "refundOrder":
		set("order_number", w.pays(t, op.id).order)
		sent(object{"amount": 1})(r)
	case "refundOrders":
		sent(object{"order_numbers": []string{w.pays(t, op.id).order}})(r)
	case "retryRefund":
		m := w.pays(t, op.id)
		w.goesBack(t, &m)
		set("refund_number", m.refund)
	case "clearFlag":
		set("pay_number", w.paysFor(t, w.ada, op.id, object{"sku_id": "lamp", "quantity": 1}, 1).payment)
	case "beginPayment":
		sent(object{"order_numbers": []string{w.places(t, op.id).OrderNumber}, "channel": "sandbox"})(r)
	case "publishActivity", "takeActivityOffline", "pauseActivity", "resumeActivity", "reloadActivity":
		set("activity_id", w.saleFor(t, op.id))
	case "abandonChange":
		change := do[client.StockChange](t, w.op, 200, "changeStock", param("activity_id", w.activity), key(op.id),
			sent(object{"sku_id": "lamp", "point_id": "0", "delta": 1}))
		set("change_id", change.ChangeID)
	case "resumeJob":
		w.op.do(t, 200, "pauseJob", param("name", "audit"))
	case "resendEvents":
		sent(object{"after": "0"})(r)
	case "replayDead", "discardDead", "replayAllDead":
		w.site.Drain(t)
		dead := ""
		if list := do[client.DeadList](t, w.op, 200, "listDead").Items; len(list) > 0 {
			dead = list[0].DeadID
		} else {
			dead = w.addDeadEntry(t)
		}
		if op.id == "replayAllDead" {
			sent(object{"reason": "no_record"})(r)
		} else {
			set("dead_id", dead)
		}
	}
	return r
}

// saleFor returns a sale in the state in which an operation changes it.
func (w *world) saleFor(t *testing.T, operation string) string {
	t.Helper()
	id := do[client.AdminActivity](t, w.op, 201, "createActivity", sent(saleBody())).ActivityID
	sale := param("activity_id", id)
	if operation != "publishActivity" {
		w.op.do(t, 200, "publishActivity", sale)
	}
	switch operation {
	case "resumeActivity":
		w.op.do(t, 200, "pauseActivity", sale)
	case "reloadActivity":
		require.NoError(t, w.stores.Redis.FlushDB(t.Context()).Err())
		w.op.do(t, 200, "reloadActivity", param("activity_id", w.activity))
	}
	return id
}
