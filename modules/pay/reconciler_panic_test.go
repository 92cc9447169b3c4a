package pay

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/panics"
	"onrush/test/kit"
)

// panickingGateway panics when the last payment is queried.
type panickingGateway struct {
	Gateway

	odd   order.Number
	calls atomic.Int64
}

func (g *panickingGateway) Query(_ context.Context, p *Payment) (Found, error) {
	g.calls.Add(1)
	if p.Number == g.odd {
		panic("out of order")
	}
	return Found{}, nil
}

func TestPanicOfAQueryFailsOnlyThatPayment(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	const payments = 5
	now := time.Now().UnixMilli()
	require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
		for i := range payments {
			n := order.Number(i + 1)
			p := &Payment{
				Number: n, User: "ada", Task: n.String(), Channel: "bank", Status: Pending, Amount: 1, Currency: "EUR",
				CreatedMS: now, AskMS: now - 1, ExpiresMS: now + time.Minute.Milliseconds(),
				Orders: []PaymentOrder{{Payment: n, Order: n, Amount: 1}},
			}
			if err := InsertPayment(t.Context(), tx, p); err != nil {
				return err
			}
		}
		return nil
	}))
	bank := &panickingGateway{odd: payments}
	a := NewReconciler(Config{}, Deps{
		DB: stores.DB, Gateways: Gateways{"bank": bank}, Clock: clock.Fixed(time.Now),
	}, &Processor{})
	_, err := a.RunOnce(t.Context())
	var panicked *panics.Error
	require.ErrorAs(t, err, &panicked)
	assert.EqualValues(t, payments, bank.calls.Load())
}
