package model

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"pgregory.net/rapid"

	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/test/site"
	"onrush/web/client"
)

// Place lets a buyer submit an order with a new key.
func (m *model) Place(t *rapid.T) {
	o := &placed{
		user: pick(t, "user", users, every), sale: pick(t, "sale", m.sales, every),
		point: pick(t, "point", points, every), count: rapid.Int64Range(1, 2).Draw(t, "quantity"), key: m.key(),
	}
	o.goods = pick(t, "goods", o.sale.kind.goods(), every)
	o.member = o.user == member && o.sale.reserved != nil
	losses, overtook := m.losses, m.overtook
	s := m.act(t)
	buyer := m.buyer(s, o.user)
	a := m.post(buyer, "/api/v1/seckill/path", "", map[string]string{"activity_id": o.sale.id, "sku_id": o.goods})
	if a.Status != http.StatusOK {
		if m.overtook == overtook { // otherwise its reason may be over
			m.refusedPath(o, a)
		}
		return
	}
	o.path = a.JSON(m)["path"].(string)
	m.inject(t, m.instances[0])
	a = m.post(buyer, "/api/v1/seckill/"+o.path+"/submit", o.key, o.body())
	if a.Status == http.StatusAccepted {
		m.require(!o.sale.paused && !o.sale.ended, "an order was placed in a sale that is paused or ended")
		m.accept(o, a.Placed(m), losses)
		if m.losses == losses && m.overtook == overtook {
			m.leaves(o)
		}
	} else if m.overtook == overtook {
		m.refused(o, a)
	}
}

// accept adds an accepted order. If Redis was emptied meanwhile, it may have been lost at once.
func (m *model) accept(o *placed, got client.Submitted, losses int) {
	m.require(m.find(got.OrderNumber) == nil, "a new key got the order %s", got.OrderNumber)
	o.number, o.task, o.due = got.OrderNumber, got.TaskID, m.clock.Now().Add(payWithinS*time.Second)
	m.seen.count("placed")
	if m.losses > losses && m.statusOf(o) == "" && !slices.Contains(m.cached(o.sale).waiting, o.number) {
		m.lost = append(m.lost, o)
		return
	}
	m.orders = append(m.orders, o)
}

// refusedPath checks why there was no path.
func (m *model) refusedPath(o *placed, a site.Answer) {
	m.seen.count("path refused: " + a.Code())
	switch a.Code() {
	case seckill.CodeEnded.Name:
		m.require(o.sale.ended, "no path: %s", a.Body)
	case seckill.CodePaused.Name:
		m.require(o.sale.paused, "no path: %s", a.Body)
	case order.CodeSoldOut.Name, seckill.CodeSoldOutUnpaidPending.Name:
		left := m.left(o.sale)
		m.require(!o.sale.makes(o.goods, 1, left), "no path: %s, with %v", a.Body, left)
	case seckill.CodeSoldOutForNow.Name:
		for _, point := range points {
			open := m.openTo(o, point)
			m.require(open <= 0, "no path: %s, with %d open at %s", a.Body, open, point)
		}
	default:
		m.require(a.Status == http.StatusServiceUnavailable && !m.loaded(o.sale), "no path: %s", a.Body)
	}
}

// refused checks why an order was not placed.
func (m *model) refused(o *placed, a site.Answer) {
	m.seen.count("submit refused: " + a.Code())
	switch a.Code() {
	case seckill.CodePaused.Name:
		m.require(o.sale.paused, "not placed: %s", a.Body)
	case order.CodeSoldOut.Name, seckill.CodeSoldOutUnpaidPending.Name:
		left := m.left(o.sale)
		m.require(!o.sale.makesAt(o.goods, o.count, o.point, left), "not placed: %s, with %v", a.Body, left)
	case seckill.CodeSoldOutForNow.Name:
		open := m.openTo(o, o.point)
		m.require(open < o.count, "not placed: %s, with %d open", a.Body, open)
	case seckill.CodePurchaseLimit.Name:
		bought := m.bought(o.sale, o.user)
		m.require(bought+o.quantity() > o.sale.limit, "not placed: %s, with %d bought", a.Body, bought)
	default:
		m.require(a.Status == http.StatusServiceUnavailable && !m.loaded(o.sale), "not placed: %s", a.Body)
	}
}

// PlaceAgain repeats an accepted submit, also with another body.
func (m *model) PlaceAgain(t *rapid.T) {
	o := pick(t, "order", m.orders, every)
	other := rapid.Bool().Draw(t, "other body")
	s := m.act(t)
	body := o.body()
	if other {
		body["quantity"] = o.count + 1
	}
	losses := m.losses
	a := m.post(s.Buyer(m, o.user), "/api/v1/seckill/"+o.path+"/submit", o.key, body)
	if a.Status == http.StatusServiceUnavailable && !m.loaded(o.sale) {
		return // SQL failed, and Redis has no copy of the sale
	}
	if m.isLost(o) { // its key is new again
		if again := *o; a.Status == http.StatusAccepted && a.Placed(m).OrderNumber != o.number {
			again.count = body["quantity"].(int64)
			m.accept(&again, a.Placed(m), losses)
		}
		return
	}
	if other {
		m.require(a.Code() == "idempotency_key_reused", "the key of order %s with another body: %s", o.number, a.Body)
		return
	}
	m.require(a.Status == http.StatusAccepted, "the key of order %s: %d %s", o.number, a.Status, a.Body)
	got := a.Placed(m)
	m.require(got.OrderNumber == o.number && got.TaskID == o.task, "the key of order %s got %+v", o.number, got)
}

// AskTask lets a buyer read the task of a submit, which follows the order after a while.
func (m *model) AskTask(t *rapid.T) {
	o := pick(t, "order", m.orders, every)
	s := m.act(t)
	m.faults.disarm()
	task := get[client.Task](m, s.Buyer(m, o.user), "/api/v1/seckill/tasks/"+o.task)
	allowed := []string{"SUBMITTED"}
	switch status := m.statusOf(o); {
	case status == order.Failed:
		allowed = append(allowed, "FAILED")
	case status != "":
		allowed = append(allowed, "SUCCESS")
	}
	m.require(task.OrderNumber == o.number && slices.Contains(allowed, task.Status), "the task of order %s is %+v",
		o.number, task)
}

// List lets a buyer read all orders, page by page, while they may move.
func (m *model) List(t *rapid.T) {
	user, size := pick(t, "user", users, every), 1+uniform(maxPageSize).Draw(t, "size")
	before := m.stored()
	visible := m.visible(user, before)
	s := m.act(t)
	var numbers []string
	status := map[string]string{}
	for page, more := 1, true; more; page++ {
		path := fmt.Sprintf("/api/v1/orders?page=%d&page_size=%d", page, size)
		a := m.call(s.Buyer(m, user), http.MethodGet, path, "", nil)
		list := site.Read[client.OrderList](m, http.StatusOK, a)
		for _, o := range list.Items {
			numbers = append(numbers, o.OrderNumber)
			status[o.OrderNumber] = o.Status
		}
		more = len(list.Items) == size
		if list.Partial {
			return // a store was unavailable
		}
	}
	m.faults.disarm()
	now := m.stored()
	var want []string
	for _, o := range visible {
		if m.isLost(o) {
			numbers = slices.DeleteFunc(numbers, func(number string) bool { return number == o.number })
			continue
		}
		want = append(want, o.number)
		got := order.Status(status[o.number])
		m.require(got == o.shown(before) || got == o.shown(now), "order %s is %q in the list", o.number, got)
	}
	m.same("list of "+user, want, numbers)
}

// Cancel lets a buyer cancel an order.
func (m *model) Cancel(t *rapid.T) {
	o := pick(t, "order", m.orders, func(o *placed) bool { return o.record == "" })
	s := m.act(t)
	o.cancelled = true
	a := m.post(s.Buyer(m, o.user), "/api/v1/orders/"+o.number+"/cancel", "", nil)
	status := m.statusOf(o)
	if m.isLost(o) {
		return
	}
	switch a.Status {
	case http.StatusOK:
		m.require(status == order.Cancelled, "order %s was cancelled, and is %q", o.number, status)
	default:
		m.require(a.Code() == order.CodeNotCancellable.Name, "cancel order %s: %d %s", o.number, a.Status, a.Body)
		m.require(status == order.Paid || status == order.Refunded || status == order.Failed,
			"order %s can't be cancelled, and is %q", o.number, status)
	}
	o.cancelled = status == order.Cancelled
}

// payment is a payment that a buyer began.
type payment struct {
	number, user, key string
	orders            []*placed
	amount            int64
	body              map[string]any
}

// Pay lets a buyer begin a payment of one or two orders, or repeat that.
func (m *model) Pay(t *rapid.T) {
	first := pick(t, "order", m.orders, func(o *placed) bool { return o.record == "" })
	p := &payment{user: first.user, key: m.key(), orders: []*placed{first}}
	numbers := []string{first.number}
	if rapid.Bool().Draw(t, "two orders") {
		second := pick(t, "second", m.orders, func(o *placed) bool {
			return o.user == first.user && o != first && o.record == ""
		})
		p.orders, numbers = append(p.orders, second), append(numbers, second.number)
	}
	s := m.act(t)
	p.body = map[string]any{"order_numbers": numbers, "channel": "sandbox"}
	a := m.post(s.Buyer(m, p.user), "/api/v1/payments", p.key, p.body)
	if slices.ContainsFunc(p.orders, m.isLost) && a.Status == http.StatusNotFound {
		return
	}
	if a.Status != http.StatusCreated {
		m.require(a.Code() == "not_payable", "begin a payment: %d %s", a.Status, a.Body)
		payable := true
		for _, o := range p.orders {
			payable = payable && m.statusOf(o) == order.Unpaid && m.clock.Now().Before(o.due)
		}
		m.require(!payable, "begin a payment of unpaid orders: %s", a.Body)
		return
	}
	got := site.Read[client.Payment](m, http.StatusCreated, a)
	for _, o := range p.orders {
		p.amount += o.total()
	}
	m.require(got.Amount == p.amount, "the payment %s of %d has the amount %d", got.PayNumber, p.amount, got.Amount)
	p.number = got.PayNumber
	m.payments = append(m.payments, p)
}

// PayAgain repeats the beginning of a payment.
func (m *model) PayAgain(t *rapid.T) {
	p := pick(t, "payment", m.payments, every)
	s := m.act(t)
	a := m.post(s.Buyer(m, p.user), "/api/v1/payments", p.key, p.body)
	got := site.Read[client.Payment](m, http.StatusCreated, a)
	m.require(got.PayNumber == p.number, "the key of payment %s got %s", p.number, got.PayNumber)
}
