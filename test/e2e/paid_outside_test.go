package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// checkout is a shop's own checkout: a holder of a key with the scope payments.
type checkout struct {
	*site.Person
	site     *site.Site
	operator *site.Person
}

func newCheckout(t *testing.T, s *site.Site) *checkout {
	t.Helper()
	op := s.Operator(t)
	return &checkout{s.Holder(makesKey(t, op, "checkout", "payments", time.Time{}).Secret), s, op}
}

// moneyFor is a report of the money for one unit of a default sale.
func moneyFor(user, reference string) client.PaidRequest {
	return client.PaidRequest{UserID: user, Provider: "adyen", Reference: reference, Amount: 100, Currency: "CNY"}
}

func (c *checkout) report(order string, money client.PaidRequest) site.Answer {
	return c.Insist(http.MethodPost, admin+"/orders/"+order+"/paid", "", money)
}

func (c *checkout) paid(t *testing.T, order string, money client.PaidRequest) client.PaidOutside {
	t.Helper()
	return site.Read[client.PaidOutside](t, http.StatusOK, c.report(order, money))
}

func (c *checkout) hold(t *testing.T, order, user, reference string, until time.Time) site.Answer {
	t.Helper()
	return c.Call(t, http.MethodPost, admin+"/orders/"+order+"/hold", "",
		client.HoldRequest{UserID: user, Reference: reference, Until: until})
}

func (c *checkout) ends(t *testing.T, refund string, report client.RefundReport) site.Answer {
	t.Helper()
	return c.Call(t, http.MethodPost, admin+"/refunds/"+refund+"/report", "", report)
}

// TestMoneyPaidOutsideIsProcessedAsOfAnyChannel has the cases of money that a shop reports: it pays the order, or goes
// back, and is never lost. The order is only in Redis at first.
func TestMoneyPaidOutsideIsProcessedAsOfAnyChannel(t *testing.T) {
	t.Parallel()
	type step func(t *testing.T, c *checkout, alice *site.Person, order string)
	cancel := func(t *testing.T, _ *checkout, alice *site.Person, order string) {
		t.Helper()
		alice.CancelOrder(t, order)
	}
	payFirst := func(t *testing.T, c *checkout, _ *site.Person, order string) {
		t.Helper()
		assert.Equal(t, "paid", c.paid(t, order, moneyFor("alice", "first")).Outcome)
	}
	for name, tt := range map[string]struct {
		before       step
		money        func(m *client.PaidRequest)
		outcome, why string
		status       string // of the order
	}{
		"in Redis only":  {outcome: "paid", status: "paid"},
		"in SQL":         {before: stored, outcome: "paid", status: "paid"},
		"cancelled":      {before: cancel, outcome: "refunded", why: "order_not_unpaid", status: "cancelled"},
		"twice":          {before: payFirst, outcome: "refunded", why: "paid_already", status: "paid"},
		"by a gateway":   {before: paidByGateway, outcome: "refunded", why: "order_not_unpaid", status: "paid"},
		"too little":     {money: amount(99), outcome: "refunded", why: "wrong_amount", status: "unpaid"},
		"too much":       {money: amount(9007199254740991), outcome: "refunded", why: "wrong_amount", status: "unpaid"},
		"other currency": {money: currency("EUR"), outcome: "refunded", why: "wrong_currency", status: "unpaid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				s := site.Start(t, stores, site.Idle())
				activity, alice, c := s.Open(t, site.Sale{}), s.Buyer(t, "alice"), newCheckout(t, s)
				order := alice.Buy(t, activity, "sku", "k").Placed(t).OrderNumber
				if tt.before != nil {
					tt.before(t, c, alice, order)
				}
				money := moneyFor("alice", "4711")
				if tt.money != nil {
					tt.money(&money)
				}
				got := c.paid(t, order, money)
				assert.Equal(t, tt.outcome, got.Outcome)
				assert.Equal(t, "adyen:4711", got.TransactionID)
				assert.Equal(t, strings.HasPrefix(tt.why, "wrong_"), got.Payment.Flag != "", "is flagged")
				assert.Equal(t, tt.status, string(alice.GetOrder(t, order).Status))
				again := c.paid(t, order, money)
				assert.True(t, bool(again.Replayed))
				again.Replayed = false
				assert.Equal(t, got, again)
				if tt.why == "" {
					assert.Empty(t, c.operator.ListRefunds(t, "channel=outside"))
					return
				}
				c.goesBack(t, tt.why, money)
				if tt.status == "unpaid" {
					assert.Equal(t, "paid", c.paid(t, order, moneyFor("alice", "right")).Outcome)
				}
				s.Drain(t)
				s.Job(t, "settle_stock")
				assert.Empty(t, s.Audit(t, activity))
			})
		})
	}
}

// goesBack checks that money is being refunded, and for what reason.
func (c *checkout) goesBack(t *testing.T, why string, money client.PaidRequest) {
	t.Helper()
	c.site.Job(t, "send_refunds")
	under := c.operator.ListRefunds(t, "channel=outside&status=pending")
	assert.Len(t, under, 1, "nobody has paid it back")
	assert.Equal(t, why, string(under[0].Reason))
	assert.Equal(t, money.Amount, int64(under[0].Amount))
	assert.Equal(t, money.Currency, string(under[0].Currency))
	assert.False(t, time.Time(under[0].UnderWaySince).IsZero())
}

func stored(t *testing.T, c *checkout, _ *site.Person, _ string) {
	t.Helper()
	c.site.Drain(t)
}

func paidByGateway(t *testing.T, c *checkout, alice *site.Person, order string) {
	t.Helper()
	payByNotice(t, c.site, alice, order)
}

func amount(n int64) func(*client.PaidRequest) { return func(m *client.PaidRequest) { m.Amount = n } }

func currency(c string) func(*client.PaidRequest) {
	return func(m *client.PaidRequest) { m.Currency = c }
}

// TestAReportOfMoneyThatIsWrongIsRefused has reports that record nothing.
func TestAReportOfMoneyThatIsWrongIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity, alice, c := s.Open(t, site.Sale{}), s.Buyer(t, "alice"), newCheckout(t, s)
		order := alice.Buy(t, activity, "sku", "k").Placed(t).OrderNumber
		other := alice.Buy(t, activity, "sku", "k2").Placed(t).OrderNumber
		c.paid(t, order, moneyFor("alice", "used"))
		const bad = "invalid_request"
		for name, tt := range map[string]struct {
			order, code string
			status      int
			change      func(m *client.PaidRequest)
		}{
			"another user":     {other, "not_found", 404, func(m *client.PaidRequest) { m.UserID = "bob" }},
			"an unknown order": {"123", "not_found", 404, nil},
			"no number":        {"x", "not_found", 404, nil},
			"another order":    {other, "reference_used", 409, func(m *client.PaidRequest) { m.Reference = "used" }},
			"another amount": {order, "reference_used", 409, func(m *client.PaidRequest) {
				m.Reference, m.Amount = "used", 99
			}},
			"another currency": {order, "reference_used", 409, func(m *client.PaidRequest) {
				m.Reference, m.Currency = "used", "EUR"
			}},
			"the operators' provider": {other, bad, 422, func(m *client.PaidRequest) { m.Provider = "operator" }},
			"two providers in one":    {other, bad, 422, func(m *client.PaidRequest) { m.Provider = "operator:x" }},
			"a negative amount":       {other, bad, 422, func(m *client.PaidRequest) { m.Amount = -1 }},
			"no currency":             {other, bad, 422, func(m *client.PaidRequest) { m.Currency = "cny" }},
			"a reference with spaces": {other, bad, 422, func(m *client.PaidRequest) { m.Reference = "a b" }},
			"paid in the future": {other, bad, 422, func(m *client.PaidRequest) {
				m.PaidAt = client.Time(time.Now().Add(time.Hour))
			}},
		} {
			money := moneyFor("alice", "new")
			if tt.change != nil {
				tt.change(&money)
			}
			t.Run(name, func(t *testing.T) {
				requireRefusal(t, c.report(tt.order, money), tt.status, tt.code)
			})
		}
		assert.Equal(t, "unpaid", string(alice.GetOrder(t, other).Status))
		assert.Empty(t, c.operator.ListRefunds(t, ""))
		assert.Len(t, c.operator.ListAdminPayments(t, ""), 1)
		money := moneyFor("alice", "used")
		money.Provider = "klarna"
		assert.Equal(t, "paid", c.paid(t, other, money).Outcome, "the reference is of another provider")
		for _, route := range []string{"/orders/" + order, "/payments", "/search?q=alice"} {
			requireRefusal(t, c.Call(t, http.MethodGet, admin+route, "", nil), http.StatusForbidden, "forbidden")
		}
		requireRefusal(t, s.Holder(makesKey(t, c.operator, "desk", "support", time.Time{}).Secret).
			Ask(http.MethodPost, admin+"/orders/"+other+"/paid", "", money), http.StatusForbidden, "forbidden")
	})
}

// TestReportsOfMoneyAtOncePayOnce: 48 reports at once of one transaction for an order that only Redis has, of 48
// transactions for one order, and of one transaction for 48 orders, on two instances.
func TestReportsOfMoneyAtOncePayOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const crowd = 48
		s, there := site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())
		activity, alice, c := s.Open(t, site.Sale{}), s.Buyer(t, "alice"), newCheckout(t, s)
		instances := []*site.Person{c.Person, c.At(there)}
		orders := make([]string, crowd)
		for i := range orders {
			orders[i] = alice.Buy(t, activity, "sku", fmt.Sprint("k", i)).Placed(t).OrderNumber
		}
		report := func(order func(i int) string, reference func(i int) string) (outcomes map[string]int) {
			outcomes = map[string]int{}
			for _, a := range kit.AtOnce(crowd, func(i int) site.Answer {
				return instances[i%2].Insist(http.MethodPost, admin+"/orders/"+order(i)+"/paid", "",
					moneyFor("alice", reference(i)))
			}) {
				if a.Status != http.StatusOK {
					outcomes[a.Code()]++
					continue
				}
				outcomes[site.Read[client.PaidOutside](t, http.StatusOK, a).Outcome]++
			}
			return outcomes
		}
		is := func(text string) func(int) string { return func(int) string { return text } }
		assert.Equal(t, map[string]int{"paid": crowd}, report(is(orders[0]), is("one")))
		assert.Len(t, c.operator.ListAdminPayments(t, "order_number="+orders[0]), 1)
		assert.Empty(t, c.operator.ListRefunds(t, ""))

		each := func(i int) string { return fmt.Sprint("each", i) }
		assert.Equal(t, map[string]int{"paid": 1, "refunded": crowd - 1}, report(is(orders[1]), each))
		assert.Len(t, c.operator.ListAdminPayments(t, "order_number="+orders[1]), 1)
		assert.Len(t, c.operator.ListRefunds(t, "channel=outside&page_size=100"), crowd-1)

		rest := func(i int) string { return orders[2+i%(crowd-2)] }
		outcomes := report(rest, is("shared"))
		assert.LessOrEqual(t, outcomes["paid"], 2, "two reports were of one order")
		assert.Equal(t, crowd-outcomes["paid"], outcomes["reference_used"])
		paid := 0
		for _, order := range orders[2:] {
			if alice.GetOrder(t, order).Status == "paid" {
				paid++
			}
		}
		assert.Equal(t, 1, paid)
		s.Drain(t)
		s.Job(t, "settle_stock")
		assert.Empty(t, s.Audit(t, activity))
	})
}

// TestARefundOfMoneyPaidOutsideIsReported: a part of a paid order, once by 48 reports at once.
func TestARefundOfMoneyPaidOutsideIsReported(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity, alice, c := s.Open(t, site.Sale{}), s.Buyer(t, "alice"), newCheckout(t, s)
		order := alice.Buy(t, activity, "sku", "k").Placed(t).OrderNumber
		c.paid(t, order, moneyFor("alice", "4711"))
		scratch := client.RefundRequest{Amount: 30, Reason: "A scratch"}
		part := c.operator.RefundOrder(t, order, "part", scratch).RefundNumber
		done := client.RefundReport{Status: "done", Amount: 30, Currency: "CNY", Reference: "re_1"}
		for name, wrong := range map[string]struct {
			report client.RefundReport
			status int
			code   string
		}{
			"another amount":   {client.RefundReport{Status: "done", Amount: 31, Currency: "CNY"}, 409, "conflict"},
			"another currency": {client.RefundReport{Status: "done", Amount: 30, Currency: "EUR"}, 409, "conflict"},
			"no currency":      {client.RefundReport{Status: "done", Amount: 30}, 422, "invalid_request"},
			"another status":   {client.RefundReport{Status: "x", Amount: 30, Currency: "CNY"}, 422, "invalid_request"},
		} {
			t.Run(name, func(t *testing.T) {
				requireRefusal(t, c.ends(t, part, wrong.report), wrong.status, wrong.code)
			})
		}
		requireRefusal(t, c.ends(t, "123", done), http.StatusNotFound, "not_found")
		replayed := 0
		for _, a := range kit.AtOnce(48, func(int) site.Answer {
			return c.Insist(http.MethodPost, admin+"/refunds/"+part+"/report", "", done)
		}) {
			got := site.Read[client.Refund](t, http.StatusOK, a)
			assert.Equal(t, "done", string(got.Status))
			if got.Replayed {
				replayed++
			}
		}
		assert.GreaterOrEqual(t, replayed, 47) // one more, if the first answer was lost
		paid := c.operator.ListAdminPayments(t, "")[0]
		assert.EqualValues(t, 30, paid.RefundedAmount, "it counts once")

		other := alice.Buy(t, activity, "sku", "k2").Placed(t).OrderNumber
		payByNotice(t, s, alice, other)
		gateways := c.operator.RefundOrder(t, other, "gateway", client.RefundRequest{}).RefundNumber
		requireRefusal(t, c.ends(t, gateways, client.RefundReport{Status: "done", Amount: 100, Currency: "CNY"}),
			http.StatusConflict, "conflict")
	})
}

// TestARefundOfMoneyPaidOutsideMayFail at first, and after it was done.
func TestARefundOfMoneyPaidOutsideMayFail(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity, alice, c := s.Open(t, site.Sale{}), s.Buyer(t, "alice"), newCheckout(t, s)
		order := alice.Buy(t, activity, "sku", "k").Placed(t).OrderNumber
		c.paid(t, order, moneyFor("alice", "4711"))
		part := c.operator.RefundOrder(t, order, "part", client.RefundRequest{Amount: 30, Reason: "A scratch"})
		must(t, http.StatusOK, c.ends(t, part.RefundNumber,
			client.RefundReport{Status: "done", Amount: 30, Currency: "CNY"}))
		rest := c.operator.RefundOrder(t, order, "rest", client.RefundRequest{}).RefundNumber
		s.Job(t, "send_refunds")
		assert.Equal(t, "refunding", string(c.operator.ListAdminPayments(t, "")[0].Status))
		failed := client.RefundReport{
			Status: "failed", Amount: 70, Currency: "CNY", Reason: "The card was closed",
		}
		must(t, http.StatusOK, c.ends(t, rest, failed))
		must(t, http.StatusOK, c.ends(t, rest, failed))
		assert.Len(t, c.operator.ListRefunds(t, "needs_person=true"), 1)
		must(t, http.StatusOK, c.operator.Call(t, http.MethodPost, admin+"/refunds/"+rest+"/retry", "", nil))
		s.Job(t, "send_refunds")
		assert.Len(t, c.operator.ListRefunds(t, "status=pending"), 1)
		end := client.RefundReport{Status: "done", Amount: 70, Currency: "CNY"}
		must(t, http.StatusOK, c.ends(t, rest, end))
		refunded := c.operator.ListAdminPayments(t, "")[0]
		assert.Equal(t, "refunded", string(refunded.Status))
		assert.EqualValues(t, 100, refunded.RefundedAmount)
		assert.Empty(t, refunded.Flag)

		must(t, http.StatusOK, c.ends(t, rest, failed)) // it failed after all
		again := c.operator.ListAdminPayments(t, "")[0]
		assert.EqualValues(t, 30, again.RefundedAmount)
		assert.Equal(t, "refund_failed", string(again.Flag))
		must(t, http.StatusOK, c.ends(t, rest, end))
		assert.EqualValues(t, 100, c.operator.ListAdminPayments(t, "")[0].RefundedAmount)
	})
}

// TestAnOrderMarkedAsPaidIsRefunded: the refund is under way until an operator reports it.
func TestAnOrderMarkedAsPaidIsRefunded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{Kind: "voucher"})
		alice, operator := s.Buyer(t, "alice"), s.Operator(t)
		order := alice.Buy(t, activity, "sku", "k").Placed(t).OrderNumber
		must(t, http.StatusOK, operator.Call(t, http.MethodPost, admin+"/orders/"+order+"/mark_paid", "",
			client.ReasonRequest{Reason: "Cash"}))
		paid := operator.ListAdminPayments(t, "")
		assert.Len(t, paid, 1)
		assert.Equal(t, "operator:"+order, paid[0].TransactionID)
		refund := operator.RefundOrder(t, order, "all", client.RefundRequest{Reason: "Broken"})
		assert.Equal(t, "outside", refund.Channel)
		s.Job(t, "send_refunds")
		assert.Equal(t, "refunding", string(operator.ListAdminPayments(t, "")[0].Status))
		must(t, http.StatusOK, operator.Call(t, http.MethodPost, admin+"/refunds/"+refund.RefundNumber+"/report", "",
			client.RefundReport{Status: "done", Amount: int64(refund.Amount), Currency: refund.Currency}))
		seen := alice.GetOrder(t, order)
		assert.Equal(t, "refunded", string(seen.Status))
		assert.Empty(t, seen.Items[0].VoucherCodes)
		assert.Equal(t, "refunded", string(operator.ListAdminPayments(t, "")[0].Status))
	})
}

// TestAHeldOrderWaitsForTheCheckout: until the end of the hold, and no longer.
func TestAHeldOrderWaitsForTheCheckout(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(time.Now().Truncate(time.Millisecond))
		s := site.Start(t, stores, site.Idle(), site.Time(clock.Now))
		activity, alice, c := s.Open(t, site.Sale{PayWithinS: 60}), s.Buyer(t, "alice"), newCheckout(t, s)
		order := alice.Buy(t, activity, "sku", "k").Placed(t).OrderNumber
		ended := alice.Buy(t, activity, "sku", "k2").Placed(t).OrderNumber
		unheld := alice.Buy(t, activity, "sku", "k3").Placed(t).OrderNumber
		due := func() {
			t.Helper()
			for range 3 {
				s.Job(t, "cancel_unpaid")
				s.Job(t, "query_payments")
			}
			s.Job(t, "settle_stock")
		}
		status := func(order string) string { return string(alice.GetOrder(t, order).Status) }
		now := clock.Now()
		begun := alice.BeginPayment(t, "pay", order)
		requireRefusal(t, c.hold(t, order, "bob", "cart", now.Add(time.Hour)), http.StatusNotFound, "not_found")
		requireRefusal(t, c.hold(t, order, "alice", "cart", now), http.StatusUnprocessableEntity, "invalid_request")
		requireRefusal(t, c.hold(t, order, "alice", "cart", now.Add(24*time.Hour+2*time.Minute)),
			http.StatusUnprocessableEntity, "invalid_request")
		hold := site.Read[client.Hold](t, http.StatusOK, c.hold(t, order, "alice", "cart", now.Add(10*time.Minute)))
		assert.Equal(t, "pending", string(hold.Status))
		assert.Equal(t, "closed", string(alice.GetPayment(t, begun.PayNumber).Status), "the buyer's payment")
		for _, a := range kit.AtOnce(48, func(int) site.Answer {
			return c.Insist(http.MethodPost, admin+"/orders/"+ended+"/hold", "",
				client.HoldRequest{UserID: "alice", Reference: "cart", Until: client.Time(now.Add(10 * time.Minute))})
		}) {
			must(t, http.StatusOK, a)
		}
		assert.Len(t, c.operator.ListAdminPayments(t, "order_number="+ended), 1)

		clock.Advance(5 * time.Minute)
		due()
		assert.Equal(t, "unpaid", status(order))
		assert.Equal(t, "unpaid", status(ended))
		assert.Equal(t, "cancelled", status(unheld))
		requireRefusal(t, c.hold(t, unheld, "alice", "cart", now.Add(time.Hour)), http.StatusConflict, "not_payable")
		moved := site.Read[client.Hold](t, http.StatusOK, c.hold(t, order, "alice", "cart", now.Add(time.Hour)))
		assert.Equal(t, hold.PayNumber, moved.PayNumber)
		second := site.Read[client.Hold](t, http.StatusOK, c.hold(t, order, "alice", "again", now.Add(time.Hour)))
		assert.NotEqual(t, hold.PayNumber, second.PayNumber)
		requireRefusal(t, c.hold(t, order, "alice", "cart", now.Add(2*time.Hour)), http.StatusConflict, "not_payable")

		clock.Advance(6 * time.Minute)
		due()
		assert.Equal(t, "unpaid", status(order))
		assert.Equal(t, "cancelled", status(ended))
		assert.Equal(t, "refunded", c.paid(t, ended, moneyFor("alice", "late")).Outcome)
		got := c.paid(t, order, moneyFor("alice", "in-time"))
		assert.Equal(t, "paid", got.Outcome)
		assert.Equal(t, second.PayNumber, got.Payment.PayNumber)
		requireRefusal(t, c.hold(t, order, "alice", "again", now.Add(2*time.Hour)), http.StatusConflict, "not_payable")
		clock.Advance(time.Hour)
		due()
		assert.Equal(t, "paid", status(order))
		assert.Empty(t, s.Audit(t, activity))
	})
}

// TestAHostileKeyHoldsAnOrderNoLongerThanADay: however many holds it sends.
func TestAHostileKeyHoldsAnOrderNoLongerThanADay(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(time.Now().Truncate(time.Millisecond))
		s := site.Start(t, stores, site.Idle(), site.Time(clock.Now))
		activity, alice, c := s.Open(t, site.Sale{PayWithinS: 60}), s.Buyer(t, "alice"), newCheckout(t, s)
		order := alice.Buy(t, activity, "sku", "k").Placed(t).OrderNumber
		began, refused := clock.Now(), false
		for i := range 30 {
			a := c.hold(t, order, "alice", fmt.Sprint(i), clock.Now().Add(6*time.Hour))
			if a.Status != http.StatusOK {
				refused = true
				break
			}
			clock.Advance(3 * time.Hour)
			s.Job(t, "query_payments")
		}
		assert.True(t, refused)
		assert.Less(t, clock.Now().Sub(began), 25*time.Hour)
		clock.Advance(7 * time.Hour)
		s.Job(t, "query_payments")
		s.Job(t, "query_payments")
		s.Job(t, "cancel_unpaid")
		assert.Equal(t, "cancelled", string(s.Buyer(t, "alice").GetOrder(t, order).Status)) // her token has ended
	})
}

// TestAnOrdinaryOrderIsPaidOutside in a currency with three decimals, however few of them a refund has.
func TestAnOrdinaryOrderIsPaidOutside(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		alice, c := s.Buyer(t, "alice"), newCheckout(t, s)
		c.operator.PutSKU(t, "course", client.SKURequest{
			Title: "Course", ShopID: "shop", Kind: "virtual", Price: 1505, Currency: "KWD", Stock: 5,
		})
		order := alice.CreateOrders(t, "k", client.OrderRequest{
			Items: []client.OrderLine{{SKUID: "course", Quantity: 1}},
		})[0].OrderNumber
		money := moneyFor("alice", "4711")
		money.Amount, money.Currency = 1505, "KWD"
		assert.Equal(t, "paid", c.paid(t, order, money).Outcome)
		late := client.RefundRequest{Amount: 505, Reason: "Late"}
		refund := c.operator.RefundOrder(t, order, "part", late).RefundNumber
		wrong := c.ends(t, refund, client.RefundReport{Status: "done", Amount: 500, Currency: "KWD"})
		requireRefusal(t, wrong, http.StatusConflict, "conflict")
		assert.Contains(t, string(wrong.Body), "0.505 KWD")
		must(t, http.StatusOK, c.ends(t, refund, client.RefundReport{Status: "done", Amount: 505, Currency: "KWD"}))
		assert.EqualValues(t, 505, c.operator.ListAdminPayments(t, "")[0].RefundedAmount)
	})
}

// TestMarkingAsPaidTakesTheOrderHeldForTheCheckout: money that the checkout took at the same time goes back.
func TestMarkingAsPaidTakesTheOrderHeldForTheCheckout(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity, alice, c := s.Open(t, site.Sale{}), s.Buyer(t, "alice"), newCheckout(t, s)
		order := alice.Buy(t, activity, "sku", "k").Placed(t).OrderNumber
		must(t, http.StatusOK, c.hold(t, order, "alice", "cart", time.Now().Add(time.Hour)))
		answers := kit.AtOnce(48, func(i int) site.Answer {
			if i%2 == 0 {
				return c.report(order, moneyFor("alice", fmt.Sprint(i)))
			}
			return c.operator.Insist(http.MethodPost, admin+"/orders/"+order+"/mark_paid", "",
				client.ReasonRequest{Reason: "Cash"})
		})
		paid, marked := 0, 0
		for i, a := range answers {
			switch {
			case i%2 == 1 && a.Status == http.StatusOK:
				marked++
			case i%2 == 1:
				requireRefusal(t, a, http.StatusConflict, "conflict")
			case site.Read[client.PaidOutside](t, http.StatusOK, a).Outcome == "paid":
				paid++
			}
		}
		payments := c.operator.ListAdminPayments(t, "order_number="+order)
		assert.Len(t, payments, 1)
		back := c.operator.ListRefunds(t, "channel=outside&page_size=100")
		if strings.HasPrefix(payments[0].TransactionID, "operator:") {
			assert.Zero(t, paid)
			assert.LessOrEqual(t, marked, 1) // none, if the answer was lost and the repeated request was refused
			assert.Len(t, back, 24)
			return
		}
		assert.Equal(t, 1, paid)
		assert.Zero(t, marked)
		assert.Len(t, back, 23)
	})
}
