package gatewaytest

import (
	"bytes"
	"errors"
	"net/http"
	"testing"
	"time"

	"onrush"
	"onrush/onrushtest"
)

// Bank is the other side of a gateway in a test: where the money is.
type Bank interface {
	// Pay lets the buyer pay an amount for a payment at a time, which is the platform's, and returns the notification
	// of it, which it does not send. taken is false if the gateway takes no money for the payment any more.
	Pay(t testing.TB, p onrushtest.Payment, amount int64, at time.Time) (n Notice, taken bool)
	// Returned is how much was paid back of the money of a payment, in minor units.
	Returned(t testing.TB, payNumber string) int64
}

// StartedBank is a Bank that looks at the platform, such as at its time.
type StartedBank interface {
	Bank
	// Started is called with the platform when it has started.
	Started(p *onrushtest.Platform)
}

// SilentBank is a Bank that can keep its gateway from answering; without it two cases are skipped.
type SilentBank interface {
	Bank
	// Silence lets the gateway carry out what it is asked for and not answer, until it is called with false.
	Silence(on bool)
}

// Notice is a notification.
type Notice struct {
	Header http.Header
	Body   []byte
}

// Subject is a gateway to test.
type Subject struct {
	// Config has the gateway, or the settings of one.
	Config onrush.Config
	// Channel is the name of the gateway.
	Channel string
	Bank    Bank
	// Currencies are those that are tried. Default CNY, JPY without and KWD with three decimals.
	Currencies []string
}

// run is a platform with a gateway that is tested.
type run struct {
	Subject

	t testing.TB
	p *onrushtest.Platform
}

// cases are the cases, in the order in which they run.
var cases = []struct {
	name string
	test func(r *run)
}{
	{"a payment is paid once, however often it is reported", (*run).paid},
	{"a notification that is lost is made up for by a query", (*run).lost},
	{"a notification that somebody changed is refused", (*run).forged},
	{"money for a cancelled order is refused or paid back", (*run).late},
	{"a second payment of an order is refused or paid back", (*run).twice},
	{"another amount is paid back", (*run).amount},
	{"a refund pays all money back, once", (*run).refunded},
	{"refunds of parts pay back the parts", (*run).parts},
	{"a refund whose answer was lost pays back once", (*run).unanswered},
	{"a gateway that does not answer loses nothing", (*run).silent},
}

// Run tests a gateway on a platform with embedded stores. start returns the gateway and its bank.
func Run(t *testing.T, start func(t *testing.T) Subject) {
	t.Helper()
	s := start(t)
	if s.Currencies == nil {
		s.Currencies = []string{"CNY", "JPY", "KWD"}
	}
	p := onrushtest.New(t, s.Config)
	if bank, ok := s.Bank.(StartedBank); ok {
		bank.Started(p)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.test(&run{Subject: s, t: t, p: p.In(t)}) })
	}
}

// order places an order in a currency and returns its buyer and its number.
func (r *run) order(currency string, price int64) (buyer *onrushtest.Buyer, number string) {
	r.t.Helper()
	sale := r.p.Sale(onrushtest.Sale{Currency: currency, Price: price})
	buyer = r.p.Buyer("buyer-" + sale.ID)
	number = buyer.Buy(sale, 1)
	r.p.Drain()
	return buyer, number
}

// price is the price of most orders. Of a currency of three decimals it is 1.510.
const price = 1510

// paying places an order in the first currency, and begins its payment.
func (r *run) paying() (buyer *onrushtest.Buyer, number string, p onrushtest.Payment) {
	r.t.Helper()
	buyer, number = r.order(r.Currencies[0], price)
	return buyer, number, buyer.Pay(r.Channel, number)
}

// pay pays a payment that takes money.
func (r *run) pay(p onrushtest.Payment, amount int64) Notice {
	r.t.Helper()
	n, taken := r.Bank.Pay(r.t, p, amount, r.p.Now())
	if !taken {
		r.t.Fatalf("the gateway takes no money for payment %s, which is open", p.Number)
	}
	return n
}

// notify delivers a notification and returns the status of the answer.
func (r *run) notify(n Notice) int {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.p.URL+"/webhooks/pay/"+r.Channel,
		bytes.NewReader(n.Body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header = n.Header.Clone()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode
}

// deliver delivers a notification that must be acknowledged.
func (r *run) deliver(n Notice) {
	r.t.Helper()
	if status := r.notify(n); status != http.StatusOK {
		r.t.Fatalf("the notification was answered %d: %s", status, n.Body)
	}
}

// is checks the state of an order.
func (r *run) is(number, status string) {
	r.t.Helper()
	if got := r.p.Order(number).Status; got != status {
		r.t.Errorf("order %s is %s, and should be %s", number, got, status)
	}
}

// returned checks what was paid back, after the refunds that are due were sent.
func (r *run) returned(p onrushtest.Payment, want int64) {
	r.t.Helper()
	got := int64(0)
	if !r.until(func() bool {
		r.p.Job("send_refunds")
		got = r.Bank.Returned(r.t, p.Number)
		return got == want
	}) {
		r.t.Errorf("of payment %s %d was paid back, and should be %d", p.Number, got, want)
	}
	r.p.Advance(time.Hour)
	r.p.Job("send_refunds")
	if got = r.Bank.Returned(r.t, p.Number); got != want {
		r.t.Errorf("an hour later, of payment %s %d was paid back, and should be %d", p.Number, got, want)
	}
}

const (
	// patience bounds how long a test waits for what the platform does by itself.
	patience = 30 * time.Second
	// pause is the pause between two looks.
	pause = 50 * time.Millisecond
)

// until reports whether what becomes true in time.
func (r *run) until(what func() bool) bool {
	r.t.Helper()
	for end := time.Now().Add(patience); !what(); time.Sleep(pause) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

func (r *run) paid() {
	for _, currency := range r.Currencies {
		buyer, number := r.order(currency, price)
		p := buyer.Pay(r.Channel, number)
		n := r.pay(p, price)
		r.deliver(n)
		r.is(number, "paid")
		r.deliver(n)
		r.returned(p, 0)
		r.is(number, "paid")
	}
}

func (r *run) lost() {
	_, number, p := r.paying()
	r.pay(p, price)
	r.p.Advance(15 * time.Minute) // its time to pay is over
	r.p.Job("cancel_unpaid")
	if !r.until(func() bool {
		r.p.Job("query_payments")
		return r.p.Order(number).Status == "paid"
	}) {
		r.is(number, "paid")
	}
	r.returned(p, 0)
}

func (r *run) forged() {
	_, number, p := r.paying()
	n := r.pay(p, price)
	all := map[string]Notice{
		"with another body": {Header: n.Header, Body: append(bytes.Clone(n.Body), ' ')},
		"that is empty":     {Header: n.Header},
	}
	bare := http.Header{"Content-Type": n.Header["Content-Type"]}
	if len(n.Header) > 1 { // the signature may be in the body
		all["without its headers"] = Notice{Header: bare, Body: n.Body}
	}
	for what, forged := range all {
		if status := r.notify(forged); status != http.StatusUnauthorized {
			r.t.Errorf("a notification %s was answered %d, and should be 401", what, status)
		}
	}
	r.is(number, "unpaid")
	r.deliver(n)
	r.is(number, "paid")
}

func (r *run) late() {
	buyer, number, p := r.paying()
	buyer.Must(http.MethodPost, "/api/v1/orders/"+number+"/cancel", nil, nil)
	if !r.until(func() bool { // it is closed at the gateway
		r.p.Job("query_payments")
		var after onrushtest.Payment
		buyer.Must(http.MethodGet, "/api/v1/payments/"+p.Number, nil, &after)
		return after.Status == "closed"
	}) {
		r.t.Error("the payment of a cancelled order was not closed")
	}
	if n, taken := r.Bank.Pay(r.t, p, price, r.p.Now()); taken {
		r.deliver(n)
		r.returned(p, price)
	}
	r.is(number, "cancelled")
}

func (r *run) twice() {
	_, number, p := r.paying()
	r.deliver(r.pay(p, price))
	if n, taken := r.Bank.Pay(r.t, p, price, r.p.Now()); taken {
		r.deliver(n)
		r.returned(p, price)
	}
	r.is(number, "paid")
}

func (r *run) amount() {
	_, number, p := r.paying()
	if n, taken := r.Bank.Pay(r.t, p, price-10, r.p.Now()); taken {
		r.deliver(n)
		r.returned(p, price-10)
	}
	r.is(number, "unpaid")
}

// refund asks for a refund of an amount; 0 for all.
func (r *run) refund(number string, amount int64) {
	r.t.Helper()
	body := map[string]any{"reason": "test"}
	if amount > 0 {
		body["amount"] = amount
	}
	r.p.Must(http.MethodPost, "/admin/api/v1/orders/"+number+"/refund", body, nil)
}

func (r *run) refunded() {
	for _, currency := range r.Currencies {
		buyer, number := r.order(currency, price)
		p := buyer.Pay(r.Channel, number)
		r.deliver(r.pay(p, price))
		r.refund(number, 0)
		r.returned(p, price)
		r.is(number, "refunded")
	}
}

func (r *run) parts() {
	_, number, p := r.paying()
	r.deliver(r.pay(p, price))
	r.refund(number, 510)
	r.returned(p, 510)
	r.is(number, "paid")
	r.refund(number, 0)
	r.returned(p, price)
	r.is(number, "refunded")
}

// silentBank returns the bank of a gateway that can be kept from answering.
func (r *run) silentBank() SilentBank {
	r.t.Helper()
	bank, ok := r.Bank.(SilentBank)
	if !ok {
		r.t.Skip("the gateway can't be kept from answering")
	}
	return bank
}

func (r *run) unanswered() {
	bank := r.silentBank()
	_, number, p := r.paying()
	r.deliver(r.pay(p, price))
	bank.Silence(true)
	defer bank.Silence(false)
	r.refund(number, 0)
	r.p.Job("send_refunds")
	bank.Silence(false)
	r.p.Advance(time.Minute) // the gateway is no longer left alone
	r.returned(p, price)
	r.is(number, "refunded")
}

func (r *run) silent() {
	bank := r.silentBank()
	buyer, number := r.order(r.Currencies[0], price)
	bank.Silence(true)
	defer bank.Silence(false)
	err := buyer.Try(http.MethodPost, "/api/v1/payments", map[string]any{
		"order_numbers": []string{number}, "channel": r.Channel,
	}, nil)
	// A gateway that is not called when a payment begins has nothing to be silent about.
	if failed, ok := errors.AsType[*onrush.Problem](err); err != nil &&
		(!ok || failed.Status != http.StatusServiceUnavailable) {
		r.t.Errorf("a payment at a gateway that is silent is answered %v, and should be unavailable", err)
	}
	bank.Silence(false)
	r.p.Advance(time.Minute)
	p := buyer.Pay(r.Channel, number)
	r.deliver(r.pay(p, price))
	r.is(number, "paid")
}
