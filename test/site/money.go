package site

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/pay/sandbox"
)

// SandboxSecret signs the sandbox's notifications in tests.
const SandboxSecret = "whsec_dGVzdC1zYW5kYm94LXNlY3JldC1vZi0zMi1ieXRlcyE="

// Pay begins a payment of orders on the sandbox and returns the answer.
func (p *Person) Pay(t testing.TB, key string, orders ...string) Answer {
	t.Helper()
	return p.Call(t, http.MethodPost, "/api/v1/payments", key,
		map[string]any{"order_numbers": orders, "channel": "sandbox"})
}

// Payment is what a notification reports. Event and Transaction default to fresh ids, At to now.
type Payment struct {
	Event       string
	Number      string
	Transaction string
	Amount      int64
	Currency    string
	At          time.Time
	Secret      string
}

// Money adds a transaction to the sandbox's ledger, so that it can be refunded and queried.
func (s *Site) Money(t testing.TB, p Payment) {
	t.Helper()
	n, err := order.ParseNumber(p.Number)
	require.NoError(t, err)
	_, err = s.Stores.DB.Write.ExecContext(context.WithoutCancel(t.Context()),
		`INSERT INTO sandbox_transactions (transaction_id, pay_number, amount, currency, at_ms) VALUES (?, ?, ?, ?, ?)`,
		p.Transaction, n, p.Amount, p.Currency, time.Now().UnixMilli())
	require.NoError(t, err)
}

// Notify sends a signed notification to the webhook; a call that gets no answer is an error.
func (s *Site) Notify(ctx context.Context, p Payment) (Answer, error) {
	if p.Event == "" {
		p.Event = rand.Text()
	}
	if p.At.IsZero() {
		p.At = time.Now()
	}
	if p.Secret == "" {
		p.Secret = SandboxSecret
	}
	body, err := json.Marshal(map[string]any{"type": "payment.succeeded", "data": map[string]any{
		"pay_number": p.Number, "transaction_id": p.Transaction, "amount": p.Amount, "currency": p.Currency,
	}})
	if err != nil {
		return Answer{}, err
	}
	signed := Person{site: s, header: sandbox.Sign(p.Secret, p.Event, p.At, body)}
	return signed.Try(ctx, http.MethodPost, "/webhooks/pay/sandbox", "", body)
}
