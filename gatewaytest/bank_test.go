package gatewaytest_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"onrush"
	"onrush/gatewaytest"
	"onrush/onrushtest"
	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

// bank is a gateway in memory, and its other side.
type bank struct {
	mu       sync.Mutex
	payments map[string]*account
	refunds  map[string]int64 // by their number
	moneys   int
	silent   bool
}

// account is what a payment has at the bank.
type account struct {
	amount, returned int64
	currency         string
	transaction      string // "" if it is not paid
	closed           bool
}

func newBank() *bank { return &bank{payments: map[string]*account{}, refunds: map[string]int64{}} }

func (b *bank) Name() string { return "acme" }

// answers waits while the bank is silent.
func (b *bank) answers(ctx context.Context) error {
	b.mu.Lock()
	silent := b.silent
	b.mu.Unlock()
	if silent {
		<-ctx.Done()
		return fmt.Errorf("%w: %w", onrush.ErrUnavailable, ctx.Err())
	}
	return nil
}

func (b *bank) of(p *onrush.Payment) *account {
	if b.payments[p.Number] == nil {
		b.payments[p.Number] = &account{amount: p.Amount, currency: p.Currency}
	}
	return b.payments[p.Number]
}

func (b *bank) Begin(ctx context.Context, p onrush.Payment) (onrush.Next, error) {
	b.mu.Lock()
	b.of(&p)
	b.mu.Unlock()
	return onrush.Next{RedirectURL: "https://bank.example/pay/" + p.Number}, b.answers(ctx)
}

func (b *bank) Query(ctx context.Context, p onrush.Payment) (onrush.Found, error) {
	b.mu.Lock()
	a := *b.of(&p)
	b.mu.Unlock()
	if a.transaction == "" {
		return onrush.Found{Closed: a.closed}, b.answers(ctx)
	}
	return onrush.Found{Paid: true, Transaction: a.transaction, Amount: a.amount, Currency: a.currency}, b.answers(ctx)
}

func (b *bank) Close(ctx context.Context, p onrush.Payment) error {
	b.mu.Lock()
	a := b.of(&p)
	if a.transaction != "" {
		b.mu.Unlock()
		return onrush.ErrPaid
	}
	a.closed = true
	b.mu.Unlock()
	return b.answers(ctx)
}

func (b *bank) Refund(ctx context.Context, r onrush.Refund) error {
	b.mu.Lock()
	if _, had := b.refunds[r.Number]; !had {
		b.refunds[r.Number] = r.Amount
		b.payments[r.Payment].returned += r.Amount
	}
	b.mu.Unlock()
	return b.answers(ctx)
}

const bankKey = "a key of the bank and the shop"

func signature(body []byte) string {
	mac := hmac.New(sha256.New, []byte(bankKey))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func (b *bank) Parse(header http.Header, body []byte) (n onrush.Notification, err error) {
	if !hmac.Equal([]byte(header.Get("Bank-Signature")), []byte(signature(body))) {
		return n, onrush.ErrSignature
	}
	return n, json.Unmarshal(body, &n)
}

func (b *bank) Pay(
	t testing.TB, p onrushtest.Payment, amount int64, _ time.Time,
) (notice gatewaytest.Notice, taken bool) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.payments[p.Number]
	if a.closed {
		return notice, false
	}
	b.moneys++
	transaction := fmt.Sprint("money-", b.moneys)
	if a.transaction == "" {
		a.transaction, a.amount = transaction, amount
	}
	body, err := json.Marshal(onrush.Notification{
		Kind: onrush.Paid, ID: "notice-" + transaction, Transaction: transaction, Payment: p.Number, Amount: amount,
		Currency: a.currency,
	})
	if err != nil {
		t.Fatal(err)
	}
	return gatewaytest.Notice{Header: http.Header{"Bank-Signature": {signature(body)}}, Body: body}, true
}

func (b *bank) Returned(_ testing.TB, payNumber string) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.payments[payNumber].returned
}

func (b *bank) Silence(on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.silent = on
}

func TestAGatewayInGo(t *testing.T) {
	t.Parallel()
	gatewaytest.Run(t, func(*testing.T) gatewaytest.Subject {
		b := newBank()
		return gatewaytest.Subject{
			Config: onrush.Config{Gateways: []onrush.Gateway{b}}, Channel: "acme", Bank: b,
		}
	})
}
