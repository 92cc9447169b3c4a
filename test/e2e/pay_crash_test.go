package e2e

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

var errCrash = errors.New("the program was killed here")

// crashAfter makes the work fail after the first execution of a step, as a kill would.
func crashAfter(step string) (faults order.Faults, crashed *atomic.Bool) {
	crashed = &atomic.Bool{}
	return func(s string) error {
		if s == step && crashed.CompareAndSwap(false, true) {
			return errCrash
		}
		return nil
	}, crashed
}

func TestPayingSurvivesACrashAfterEachStep(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"insert", "commit", "pay_before_commit", "pay_commit", "confirm_stock"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				faults, crashed := crashAfter(step)
				w := newPaySale(t, stores, site.Sale{})
				number := w.order(t)
				broken := site.Start(t, stores, site.Idle(), site.Faults(faults))

				// The orders are stored when the payment begins; that may be cut off, too.
				a := w.buyer.At(broken).Pay(t, "k", number)
				if a.Status != http.StatusCreated {
					a = w.buyer.Pay(t, "k", number)
				}
				m := site.Read[client.Payment](t, http.StatusCreated, a)
				p := site.Payment{
					Event: "e", Number: m.PayNumber, Transaction: "txn",
					Amount: m.Amount, Currency: "CNY",
				}
				w.Money(t, p)
				if first, err := broken.Notify(t.Context(), p); err != nil || first.Status != http.StatusOK {
					w.notifyAgain(t, p)
				}
				broken.TryJob(t, "settle_stock")
				require.True(t, crashed.Load(), "the step was never done")

				w.settle(t)
				assert.Equal(t, "paid", w.status(t, number))
				n, _ := w.refunds(t, p)
				assert.Zero(t, n)
				status, _ := w.paid(t, p)
				assert.Equal(t, "paid", status)
				left, err := stores.Redis.HLen(t.Context(), stores.Keys.Held(1, w.activity)).Result()
				require.NoError(t, err)
				assert.Zero(t, left, "its hold is confirmed")
			})
		})
	}
}

func TestCancelAndRefundSurviveACrashAfterEachStep(t *testing.T) {
	t.Parallel()
	for _, step := range []string{
		"insert", "commit", "cancel_commit", "return_stock", "pay_before_commit", "pay_commit", "refund_sent",
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				faults, crashed := crashAfter(step)
				w := newPaySale(t, stores, site.Sale{})
				broken := site.Start(t, stores, site.Idle(), site.Faults(faults))
				number := w.order(t)
				cancel := "/api/v1/orders/" + number + "/cancel"
				if a := w.buyer.At(broken).Pay(t, "k", number); a.Status != http.StatusCreated {
					require.Equal(t, http.StatusCreated, w.buyer.Pay(t, "k", number).Status)
				}
				var payNumber string
				require.NoError(t, stores.DB.Read.GetContext(t.Context(), &payNumber,
					`SELECT pay_number FROM payments`))
				p := site.Payment{Event: "e", Number: payNumber, Transaction: "txn", Amount: 100, Currency: "CNY"}
				w.Money(t, p)

				w.buyer.At(broken).Call(t, http.MethodPost, cancel, "", nil)
				w.buyer.Call(t, http.MethodPost, cancel, "", nil) // the buyer tries again; it may be done
				if first, err := broken.Notify(t.Context(), p); err != nil || first.Status != http.StatusOK {
					w.notifyAgain(t, p)
				}
				broken.TryJob(t, "settle_stock")
				broken.TryJob(t, "send_refunds")
				require.True(t, crashed.Load(), "the step was never done")

				w.settle(t)
				assert.Equal(t, "cancelled", w.status(t, number))
				n, amount := w.refunds(t, p)
				assert.Equal(t, 1, n, "the refund reached the gateway once")
				assert.Equal(t, p.Amount, amount)
				status, refunded := w.paid(t, p)
				assert.Equal(t, "refunded", status)
				assert.EqualValues(t, 100, refunded)
				left, err := stores.Redis.HGet(t.Context(), stores.Keys.Stock(1, w.activity), "sku").Int()
				require.NoError(t, err)
				assert.Equal(t, 100, left, "its unit is back once")
			})
		})
	}
}
