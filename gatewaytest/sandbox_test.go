package gatewaytest_test

import (
	"crypto/rand"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush"
	"onrush/gatewaytest"
	"onrush/modules/order"
	"onrush/modules/pay/sandbox"
	"onrush/onrushtest"
	"onrush/test/kit"
)

const sandboxSecret = "whsec_c2FuZGJveC1zZWNyZXQtb2YtdGVzdHMtMzItYnl0ZXM="

// sandboxBank is the other side of the sandbox, which is in the platform's SQL store.
type sandboxBank struct{ stores *kit.Stores }

func (b sandboxBank) Pay(
	t testing.TB, p onrushtest.Payment, amount int64, at time.Time,
) (n gatewaytest.Notice, taken bool) {
	t.Helper()
	number, err := order.ParseNumber(p.Number)
	require.NoError(t, err)
	var closed int64
	require.NoError(t, b.stores.DB.Read.GetContext(t.Context(), &closed,
		`SELECT closed_ms FROM sandbox_payments WHERE pay_number = ?`, number))
	if closed != 0 {
		return n, false
	}
	transaction := rand.Text()
	_, err = b.stores.DB.Write.ExecContext(t.Context(), `INSERT INTO sandbox_transactions
		(transaction_id, pay_number, amount, currency, at_ms) VALUES (?, ?, ?, ?, ?)`,
		transaction, number, amount, p.Currency, at.UnixMilli())
	require.NoError(t, err)
	n.Body, err = json.Marshal(map[string]any{"type": "payment.succeeded", "data": map[string]any{
		"pay_number": p.Number, "transaction_id": transaction, "amount": amount, "currency": p.Currency,
	}})
	require.NoError(t, err)
	n.Header = sandbox.Sign(sandboxSecret, rand.Text(), at, n.Body)
	return n, true
}

func (b sandboxBank) Returned(t testing.TB, payNumber string) (sum int64) {
	t.Helper()
	number, err := order.ParseNumber(payNumber)
	require.NoError(t, err)
	require.NoError(t, b.stores.DB.Read.GetContext(t.Context(), &sum, `SELECT COALESCE(SUM(r.amount), 0)
		FROM sandbox_refunds r JOIN sandbox_transactions t ON t.transaction_id = r.transaction_id
		WHERE t.pay_number = ?`, number))
	return sum
}

func TestTheSandboxOnRealStores(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		if stores.MySQLDSN == "" {
			t.Skip("the sandbox's money is in a SQL store that only real stores share with a test")
		}
		gatewaytest.Run(t, func(*testing.T) gatewaytest.Subject {
			return gatewaytest.Subject{
				Config: onrush.Config{Redis: stores.RedisURL, MySQL: stores.MySQLDSN, Settings: map[string]string{
					"ONRUSH_JWT_SECRET":     "a secret of tokens of more than 32 bytes",
					"ONRUSH_PATH_SECRET":    "a secret of paths of more than 32 bytes!",
					"ONRUSH_SANDBOX_SECRET": sandboxSecret, "ONRUSH_LANES": "2",
				}},
				Channel: "sandbox", Bank: sandboxBank{stores},
			}
		})
	})
}
