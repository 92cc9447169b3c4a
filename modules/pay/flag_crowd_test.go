package pay

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/test/kit"
)

// 48 reports on payments of their own and 48 on one payment, each in turn the first.
func TestEachPaymentThatIsFlaggedInACrowdHasOneEvent(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const hot, own = order.Number(77), order.Number(500)
		o := owe(t, stores, Config{})
		s := o.reporter(Config{})
		ctx := context.WithoutCancel(t.Context())
		want := map[string]string{hot.String(): "ada"}
		require.NoError(t, stores.DB.InTx(ctx, func(tx *sqlx.Tx) error {
			for i := range crowd {
				p := &Payment{
					Number: own + order.Number(i), User: fmt.Sprint("user-", i), Task: fmt.Sprint("task-", i),
					Channel: "slow", Status: Paid, Amount: 5, Currency: "EUR", Transaction: fmt.Sprint("own-", i),
				}
				want[p.Number.String()] = p.User
				if err := InsertPayment(ctx, tx, p); err != nil {
					return err
				}
			}
			return nil
		}))
		kit.Crowd(crowd, func(i int) {
			numbers := []order.Number{hot, own + order.Number(i)}
			for j := range numbers {
				n := numbers[(i+j)%2]
				assert.NoError(t, s.Process(ctx, "slow", Notification{
					Kind: KindDisputed, EventID: fmt.Sprint("event-", n, "-", i), PayNumber: n, Reason: "fraudulent",
					Dispute: DisputeStep{ID: "dp-" + n.String(), State: DisputeOpen},
				}))
			}
		})

		var events []journal.Event
		require.NoError(t, stores.DB.Read.SelectContext(ctx, &events,
			`SELECT type, subject, user_id, at_ms, data FROM events WHERE type <> ?`, journal.DisputeOpened))
		got := map[string]string{}
		for _, e := range events {
			assert.Equal(t, journal.PaymentFlagged, e.Type)
			assert.NotContains(t, got, e.Subject, "a second event")
			got[e.Subject] = e.User
			var data struct {
				Payment struct {
					Number order.Number `json:"pay_number"`
					Flag   string       `json:"flag"`
				} `json:"payment"`
			}
			require.NoError(t, json.Unmarshal([]byte(e.Data), &data))
			assert.Equal(t, e.Subject, data.Payment.Number.String())
			assert.Equal(t, ReasonDisputed, data.Payment.Flag)
		}
		assert.Equal(t, want, got)
		var processed int
		require.NoError(t, stores.DB.Read.GetContext(ctx, &processed, `SELECT COUNT(*) FROM payment_notifications`))
		assert.Equal(t, 2*crowd, processed, "each report was processed")
		require.NoError(t, stores.DB.Read.GetContext(ctx, &processed, `SELECT COUNT(*) FROM events WHERE type = ?`,
			journal.DisputeOpened))
		assert.Equal(t, 1+crowd, processed, "each dispute was opened once")
	})
}
