package drill

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"onrush/app/buyer"
	"onrush/modules/loop"
	"onrush/web/client"
)

// act does with a stored order what its visitor intends.
func (s *shopper) act(ctx context.Context, a *attempt) {
	if a.then.needsTime() && !s.sale.pays(s.run.cfg.Settle) {
		return
	}
	s.run.record.count("then:"+string(a.then), 1)
	switch a.then {
	case Abandon:
	case Cancel:
		if s.cancel(ctx, a) {
			s.run.record.note(&a.cancelled)
		}
	case PayCancel:
		p, other := s.begin(ctx, a), *s
		var both sync.WaitGroup
		if p != nil {
			both.Go(func() { s.sandbox(ctx, p, string(Pay), nil) })
		}
		other.cancel(ctx, a)
		both.Wait()
	case PayRefund:
		if p := s.begin(ctx, a); p != nil && s.sandbox(ctx, p, string(Pay), nil) {
			s.run.record.note(&a.paid)
			s.refund(ctx, a)
		}
	case PayFails:
		if p := s.begin(ctx, a); p != nil {
			s.sandbox(ctx, p, string(PayFails), nil)
			s.sandbox(ctx, p, string(Pay), nil) // a payment that failed may be closed
		}
	case PayLate:
		if p := s.begin(ctx, a); p != nil {
			s.sandbox(ctx, p, string(PayLate), client.SandboxActionRequest{AfterS: int(s.sale.PayWithinS) + 3})
		}
	case PayWrong, PayQuiet:
		if p := s.begin(ctx, a); p != nil {
			s.sandbox(ctx, p, string(a.then), nil)
		}
	case Pay, PayTwice:
		if p := s.begin(ctx, a); p != nil && s.sandbox(ctx, p, string(a.then), nil) {
			s.run.record.note(&a.paid)
		}
	}
}

func (s *shopper) cancel(ctx context.Context, a *attempt) bool {
	return s.Insist(ctx, "cancel", "POST", "/api/v1/orders/"+a.order+"/cancel", "", nil).Code == buyer.OK
}

// begin begins a payment of an order, and returns nil if the program refuses.
func (s *shopper) begin(ctx context.Context, a *attempt) *payment {
	body := client.PaymentRequest{OrderNumbers: []string{a.order}, Channel: "sandbox"}
	got := s.Insist(ctx, "payment", "POST", "/api/v1/payments", "pay-"+a.key, body)
	var begun client.Payment
	if !got.Read(&begun) {
		return nil
	}
	p := &payment{shopper: s, number: begun.PayNumber, orders: []string{a.order}}
	if next := begun.Next; next != nil && next.RedirectURL != "" { // else the order can't be paid any more
		if at, err := url.Parse(next.RedirectURL); err == nil {
			p.page = at.RequestURI()
		}
	}
	s.run.record.addPayment(p)
	return p
}

// sandbox chooses what becomes of a payment on its page of the sandbox, and reports whether it was taken.
func (s *shopper) sandbox(ctx context.Context, p *payment, action string, body any) bool {
	if p.page == "" {
		return false
	}
	page, query, _ := strings.Cut(p.page, "?")
	got := s.Insist(ctx, "sandbox", "POST", page+"/"+action+"?"+query, "", body)
	s.run.record.mu.Lock()
	p.acts = append(p.acts, action+":"+got.Code)
	s.run.record.mu.Unlock()
	s.run.record.write(line{User: s.Name, Call: action, Code: got.Code, Order: p.orders[0], Payment: p.number})
	return got.Code == buyer.OK
}

// refund lets an operator refund a part of an order and then the rest, each with a double click.
func (s *shopper) refund(ctx context.Context, a *attempt) {
	var order client.Order
	for order.Status != "paid" {
		got := s.Insist(ctx, "order", "GET", "/api/v1/orders/"+a.order, "", nil)
		if !got.Read(&order) || order.Status != "unpaid" && order.Status != "paid" {
			return
		}
		if order.Status == "unpaid" && loop.Wait(ctx, 200*time.Millisecond) != nil {
			return
		}
	}
	path := "/admin/api/v1/orders/" + a.order + "/refund"
	for i, amount := range []int64{order.TotalAmount / 3, 0} { // the rest is refunded without an amount
		body := client.RefundRequest{Reason: "drill", Amount: amount}
		key := fmt.Sprintf("refund-%s-%d", a.key, i)
		var made [2]client.Refund
		var click sync.WaitGroup
		for n := range made {
			click.Go(func() { _ = s.run.operator.Call(ctx, http.MethodPost, path, key, body, &made[n]) })
		}
		click.Wait()
		first, second := made[0].RefundNumber, made[1].RefundNumber
		if first != second && first != "" && second != "" {
			s.run.record.problem(checkMoney, "the key %s refunded order %s twice", key, a.order)
		}
		if got := cmp.Or(first, second); got != "" {
			s.run.record.addRefund(client.Refund{RefundNumber: got, OrderNumber: a.order, Amount: amount})
		}
	}
}
