package pay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/test/kit"
)

// slowGateway answers refunds as configured, and records them.
type slowGateway struct {
	Gateway

	says  []error // one answer each; after the last nil
	asked []Refund
}

func (g *slowGateway) Refund(_ context.Context, r *Refund) error {
	g.asked = append(g.asked, *r)
	if len(g.says) == 0 {
		return nil
	}
	said := g.says[0]
	g.says = g.says[1:]
	return said
}

var (
	errWorks  = fmt.Errorf("%w: slow: it is pending", ErrUnderWay)
	errBounce = errors.New("slow: refund: it is failed")
)

// owed is a paid payment, 77, whose refund, 78, is due.
type owed struct {
	*Refunder
	gateway *slowGateway
	clock   *kit.Clock
	ops     *Operations
}

func owe(t *testing.T, stores *kit.Stores, cfg Config, says ...error) *owed {
	t.Helper()
	o := &owed{gateway: &slowGateway{says: says}, clock: kit.NewClock(testNow)}
	deps := Deps{
		DB: stores.DB, Gateways: Gateways{"slow": o.gateway}, Clock: clock.Fixed(o.clock.Now),
		Random: func() uint64 { return 0 }, Log: slog.New(slog.DiscardHandler),
	}
	o.Refunder = NewRefunder(cfg, deps)
	o.ops = NewOperations(deps)
	require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
		p := &Payment{
			Number: 77, User: "ada", Task: "task", Channel: "slow", Status: Refunding, Amount: 1299, Currency: "EUR",
			Transaction: "t1", Orders: []PaymentOrder{{Payment: 77, Order: 5, Amount: 1299}},
		}
		if err := InsertPayment(t.Context(), tx, p); err != nil {
			return err
		}
		return InsertRefund(t.Context(), tx, "", &Refund{
			Number: 78, Payment: 77, Order: 5, Channel: "slow", Transaction: "t1", Amount: 1299, Currency: "EUR",
			Reason: ReasonOperator, Status: RefundPending, NextTryMS: testNow.UnixMilli(),
			CreatedMS: testNow.UnixMilli(),
		})
	}))
	_, err := stores.DB.Write.ExecContext(t.Context(),
		`INSERT INTO payment_transactions (channel, transaction_id, pay_number, amount, currency, at_ms)
			VALUES ('slow', 't1', 77, 1299, 'EUR', 1)`)
	require.NoError(t, err)
	return o
}

// run sends the due refunds, and returns how many are done, and the refund as it is then.
func (o *owed) run(t *testing.T) (done int, refund *Refund) {
	t.Helper()
	done, err := o.RunOnce(t.Context())
	require.NoError(t, err)
	return done, o.refund(t)
}

func (o *owed) refund(t *testing.T) *Refund {
	t.Helper()
	var refund Refund
	require.NoError(t, o.db.Write.GetContext(t.Context(), &refund,
		`SELECT `+RefundColumns+` FROM refunds WHERE refund_number = 78`))
	return &refund
}

func (o *owed) payment(t *testing.T) *Payment {
	t.Helper()
	p, err := SelectPayment(t.Context(), o.db.Write, 77)
	require.NoError(t, err)
	return p
}

func TestRefundUnderWayIsQueriedUntilItIsDone(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		asks := []error{errWorks, errWorks, errWorks, errWorks, errWorks, errWorks, errWorks, errWorks, errWorks}
		o := owe(t, stores, Config{RefundAttempts: 2}, asks...)
		for i, minutes := range []int{1, 1, 2, 4, 8, 16, 32, 60, 60} {
			done, refund := o.run(t)
			require.Zero(t, done)
			require.Len(t, o.gateway.asked, i+1)
			require.Equal(t, RefundPending, refund.Status)
			require.Zero(t, refund.Attempts)
			require.Contains(t, refund.LastError, "under way")
			require.Equal(t, testNow.UnixMilli(), refund.UnderWayMS)
			require.Zero(t, refund.DoneMS)
			wait := time.Duration(minutes) * time.Minute
			require.Equal(t, o.clock.Now().Add(wait).UnixMilli(), refund.NextTryMS)
			o.clock.Advance(wait - time.Millisecond)
			o.run(t)
			require.Len(t, o.gateway.asked, i+1, "asked too early")
			o.clock.Advance(time.Millisecond)
		}
		require.Equal(t, Refunding, o.payment(t).Status)
		require.Zero(t, o.payment(t).Refunded)

		done, refund := o.run(t)
		require.Equal(t, 1, done)
		require.Equal(t, RefundDone, refund.Status)
		require.Empty(t, refund.LastError)
		require.Zero(t, refund.UnderWayMS)
		require.Equal(t, o.clock.Now().UnixMilli(), refund.DoneMS)
		require.Equal(t, Refunded, o.payment(t).Status)
		require.Equal(t, int64(1299), o.payment(t).Refunded)
	})
}

func TestRefundThatFailsWhileUnderWayIsGivenUpAndRetried(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		o := owe(t, stores, Config{RefundAttempts: 2}, errWorks, errWorks, errBounce, errWorks, errBounce)
		statuses := []RefundStatus{RefundPending, RefundPending, RefundPending, RefundPending, RefundFailed}
		for i, attempts := range []int{0, 0, 1, 1, 2} {
			_, refund := o.run(t)
			require.Len(t, o.gateway.asked, i+1)
			require.Equal(t, attempts, refund.Attempts)
			require.Equal(t, statuses[i], refund.Status)
			o.clock.Advance(time.Hour)
		}
		for i, underWay := range []bool{false, true, true, false, true} {
			require.Equal(t, underWay, o.gateway.asked[i].UnderWayMS != 0, "whether call %d was under way", i)
		}
		given := o.refund(t)
		require.Contains(t, given.LastError, "it is failed")
		require.Zero(t, given.UnderWayMS)
		o.run(t)
		require.Len(t, o.gateway.asked, 5, "it is not sent any more")
		require.Zero(t, o.payment(t).Refunded)

		shown, err := o.ops.Retry(t.Context(), 78)
		require.NoError(t, err)
		require.Zero(t, shown.UnderWay)
		o.gateway.says = []error{errWorks}
		done, refund := o.run(t)
		require.Zero(t, done)
		require.Zero(t, refund.Attempts)
		require.Zero(t, o.gateway.asked[5].UnderWayMS, "it is made anew")
		shown, err = o.ops.Retry(t.Context(), 78)
		require.NoError(t, err)
		require.Equal(t, o.clock.Now().UnixMilli(), int64(shown.UnderWay), "who retries sees that it is under way")
		done, refund = o.run(t)
		require.Equal(t, 1, done)
		require.Equal(t, RefundDone, refund.Status)
		require.Equal(t, Refunded, o.payment(t).Status)
	})
}
