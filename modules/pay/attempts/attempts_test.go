package attempts_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/pay/attempts"
	"onrush/modules/problem"
	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

func TestABuyerBeginsABoundedNumberOfPaymentsThatAreNotPaid(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		at, seq := time.Now(), uint32(0)
		begin := func(user string, when time.Time, status string) {
			seq++
			_, err := stores.DB.Write.ExecContext(t.Context(), `INSERT INTO payments (pay_number, user_id, task_id,
				digest, channel, status, amount, refunded_amount, currency, transaction_id, next_step, flag,
				deliveries, created_ms, ask_ms, paid_ms)
				VALUES (?, ?, ?, '', 'c', ?, 1, 0, 'CNY', '', '', '', 0, 0, 0, 0)`,
				order.NewNumber(when, 0, seq), user, seq, status)
			require.NoError(t, err)
		}
		check := func(user string) error { return attempts.Check(t.Context(), stores.DB.Read, user, at) }
		begin("ann", at.Add(-2*attempts.Span), "closed")
		for i := range attempts.Most - 1 {
			begin("ann", at.Add(-time.Duration(i)*time.Second), "closed")
			begin("bob", at, []string{"refunding", "refunded"}[i%2])
			begin("cid", at, "paid")
		}
		begin("bob", at, "refunded")
		begin("cid", at, "paid")
		require.NoError(t, check("ann"))
		require.NoError(t, check("bob"))
		require.NoError(t, check("cid"))
		begin("ann", at, "pending")
		err := check("ann")
		assert.Equal(t, problem.CodeRateLimited, problem.CodeOf(err))
		require.NoError(t, check("bob"))
	})
}
