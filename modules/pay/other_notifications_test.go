package pay

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
)

var errEmpty = &problem.Error{Code: problem.CodeConflict, Detail: "slow", Err: ErrNoBalance}

// reporter settles what the gateway of an owed refund reports.
func (o *owed) reporter(cfg Config) *Processor {
	return NewProcessor(cfg, Deps{
		DB: o.db, Clock: clock.Fixed(o.clock.Now), Number: func() order.Number { return 9000 },
		Random: func() uint64 { return 0 }, Log: slog.New(slog.DiscardHandler),
	})
}

func TestARefundThatFailsAfterItWasDoneIsReopenedAndFlagged(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		o := owe(t, stores, Config{})
		s := o.reporter(Config{})
		done, _ := o.run(t)
		require.Equal(t, 1, done)
		require.Equal(t, Refunded, o.payment(t).Status)

		failed := Notification{
			Kind: KindRefundFailed, EventID: "evt_1", TransactionID: "t1", RefundNumber: "78",
			Reason: "lost_or_stolen_card",
		}
		kit.Crowd(48, func(int) { // the gateway delivers it many times at once
			assert.NoError(t, s.Process(context.WithoutCancel(t.Context()), "slow", failed))
		})
		refund := o.refund(t)
		assert.Equal(t, RefundPending, refund.Status)
		assert.Equal(t, 1, refund.Renewed)
		assert.Equal(t, "78-1", refund.GatewayNumber())
		assert.Contains(t, refund.LastError, "lost_or_stolen_card")
		assert.Zero(t, refund.DoneMS)
		p := o.payment(t)
		assert.Equal(t, Refunding, p.Status)
		assert.Zero(t, p.Refunded, "taken back once")
		assert.Equal(t, ReasonRefundFailed, p.Flag)

		failed.EventID = "evt_2" // of the old number, after the new one is in use
		require.NoError(t, s.Process(t.Context(), "slow", failed))
		assert.Equal(t, 1, o.refund(t).Renewed)

		o.clock.Advance(time.Minute)
		done, _ = o.run(t)
		require.Equal(t, 1, done)
		assert.Equal(t, 1, o.gateway.asked[1].Renewed, "it is sent under a new number")
		assert.Equal(t, Refunded, o.payment(t).Status)
		assert.EqualValues(t, 1299, o.payment(t).Refunded)
	})
}

func TestRefundThatFailsRepeatedlyAfterItWasDoneIsGivenUp(t *testing.T) {
	t.Parallel()
	o := owe(t, kit.OnEmbedded(t), Config{RefundAttempts: 2})
	s := o.reporter(Config{RefundAttempts: 2})
	for _, number := range []string{"78", "78-1"} {
		done, refund := o.run(t)
		require.Equal(t, 1, done)
		require.Equal(t, number, refund.GatewayNumber())
		require.NoError(t, s.Process(t.Context(), "slow",
			Notification{Kind: KindRefundFailed, EventID: "evt" + number, RefundNumber: number}))
		o.clock.Advance(time.Hour)
	}
	assert.Equal(t, RefundFailed, o.refund(t).Status)
	assert.Zero(t, o.payment(t).Refunded)
}

func TestARefundWhoseNumberIsUsedUpIsSentUnderANewOne(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		o := owe(t, stores, Config{}, ErrRefundFailed, ErrRefundFailed)
		for i, number := range []string{"78", "78-1", "78-2"} {
			o.run(t)
			require.Len(t, o.gateway.asked, i+1)
			assert.Equal(t, number, o.gateway.asked[i].GatewayNumber())
			o.clock.Advance(time.Hour)
		}
		assert.Equal(t, RefundDone, o.refund(t).Status)
		for text, want := range map[string]int{"78": 0, "78-2": 2} {
			n, renewed, err := parseGatewayNumber(text)
			require.NoError(t, err)
			assert.Equal(t, order.Number(78), n)
			assert.Equal(t, want, renewed)
		}
		for _, text := range []string{"", "78-", "78-0", "78-01", "78--1", "x", "78-1-1"} {
			_, _, err := parseGatewayNumber(text)
			assert.Error(t, err, text)
		}
	})
}

func TestDisputesAndRefundsMadeOutsideFlagThePayment(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		o := owe(t, stores, Config{})
		s := o.reporter(Config{})
		require.NoError(t, s.Process(t.Context(), "slow",
			Notification{
				Kind: KindRefundedOutside, EventID: "evt_1", TransactionID: "t1", Amount: 5, Currency: "EUR",
				RefundNumber: "re_1",
			}))
		assert.Equal(t, ReasonOutside, o.payment(t).Flag)
		for range 2 {
			require.NoError(t, s.Process(t.Context(), "slow",
				Notification{
					Kind: KindDisputed, EventID: "evt_2", TransactionID: "t1", Reason: "fraudulent",
					Dispute: DisputeStep{ID: "dp_1", State: DisputeOpen},
				}))
		}
		assert.Equal(t, ReasonDisputed, o.payment(t).Flag)

		stranger := Notification{Kind: KindDisputed, EventID: "evt_3", TransactionID: "t-of-another-program"}
		for range 4 {
			assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(s.Process(t.Context(), "slow", stranger)),
				"its payment may be about to be settled")
		}
		assert.NoError(t, s.Process(t.Context(), "slow", stranger), "or be of another program")
	})
}

func TestARefundWaitsForTheMerchantsBalance(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		o := owe(t, stores, Config{RefundAttempts: 1}, errEmpty, errEmpty, errEmpty, errEmpty, errEmpty)
		for range 4 {
			_, refund := o.run(t)
			require.Equal(t, RefundPending, refund.Status)
			require.Zero(t, refund.Attempts)
			require.Equal(t, WaitsForBalance, refund.WaitsFor)
			require.Contains(t, refund.LastError, "balance")
			require.LessOrEqual(t, refund.NextTryMS, o.clock.Now().Add(time.Hour).UnixMilli())
			o.clock.Advance(2 * time.Hour)
		}
		o.run(t)
		assert.Equal(t, WaitsForBalance, ShowRefund(o.refund(t)).WaitsFor, "operators see it")

		answer, err := o.ops.RetryAll(t.Context(), RetryRequest{WaitsFor: WaitsForBalance})
		require.NoError(t, err)
		assert.Equal(t, Retried{Retried: 1}, answer)
		done, _ := o.run(t)
		assert.Equal(t, 1, done, "the balance was raised: it goes at once")
	})
}

func TestManyRefundsAreRetriedByOneCall(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		due(t, stores, "a", "a", "a", "b", "b", "b")
		exec := func(query string) {
			t.Helper()
			_, err := stores.DB.Write.ExecContext(t.Context(), query)
			require.NoError(t, err)
		}
		exec(`UPDATE refunds SET next_try_ms = 9999999999999`)
		exec(`UPDATE refunds SET status = 'failed', attempts = 12 WHERE refund_number IN (100, 103)`)
		exec(`UPDATE refunds SET waits_for = 'balance' WHERE refund_number IN (101, 104)`)
		exec(`UPDATE refunds SET status = 'done' WHERE refund_number = 105`)
		fake := kit.NewClock(testNow)
		ops := NewOperations(Deps{DB: stores.DB, Clock: clock.Fixed(fake.Now)})
		answer, err := ops.RetryAll(t.Context(), RetryRequest{Channel: "a"})
		require.NoError(t, err)
		assert.Equal(t, Retried{Retried: 2}, answer)
		var mu sync.Mutex
		sum := 0
		kit.Crowd(48, func(int) {
			answer, err := ops.RetryAll(t.Context(), RetryRequest{})
			if !assert.NoError(t, err) { //nolint:testifylint // require must not end a goroutine
				return
			}
			mu.Lock()
			defer mu.Unlock()
			sum += answer.Retried
		})
		assert.GreaterOrEqual(t, sum, 2)
		var ready int
		require.NoError(t, stores.DB.Write.GetContext(t.Context(), &ready,
			`SELECT COUNT(*) FROM refunds WHERE status = 'pending' AND attempts = 0 AND waits_for = ''
				AND next_try_ms = ?`, testNow.UnixMilli()))
		assert.Equal(t, 4, ready)
	})
}

func TestMoneyForAnUnknownPaymentBecomesAFlaggedRow(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		o := owe(t, stores, Config{})
		s := o.reporter(Config{})
		ctx := context.WithoutCancel(t.Context())
		money := Notification{EventID: "evt_1", TransactionID: "lost", PayNumber: 555, Amount: 70, Currency: "EUR"}
		for range 4 {
			require.Equal(t, problem.CodeUnavailable, problem.CodeOf(s.Process(ctx, "slow", money)),
				"the database may be about to be brought back")
		}
		kit.Crowd(48, func(int) { assert.NoError(t, s.Process(ctx, "slow", money)) })
		other := Notification{EventID: "evt_2", TransactionID: "lost-too", PayNumber: 77, Amount: 71, Currency: "EUR"}
		for range 4 {
			require.Error(t, s.Process(ctx, "wrong", other), "the number is of a payment of another channel")
		}
		require.NoError(t, s.Process(ctx, "wrong", other))
		require.NoError(t, s.Process(ctx, "wrong", other))

		var flagged []Payment
		require.NoError(t, o.db.Read.SelectContext(t.Context(), &flagged,
			`SELECT `+PaymentColumns+` FROM payments WHERE flag <> ''`))
		require.Len(t, flagged, 2, "one row each")
		byTransaction := map[string]Payment{}
		for _, p := range flagged {
			assert.Equal(t, ReasonUnknown, p.Flag)
			assert.Empty(t, p.Orders)
			byTransaction[p.Transaction] = p
		}
		assert.Equal(t, order.Number(555), byTransaction["lost"].Number)
		assert.EqualValues(t, 70, byTransaction["lost"].Amount)
		assert.Equal(t, "wrong", byTransaction["lost-too"].Channel)
		var refunds int
		require.NoError(t, stores.DB.Write.GetContext(ctx, &refunds,
			`SELECT COUNT(*) FROM refunds WHERE transaction_id <> 't1'`))
		assert.Zero(t, refunds, "a person decides")
	})
}

func TestConcurrentUnknownPaymentsAreCounted(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := owe(t, stores, Config{}).reporter(Config{})
		ctx := context.WithoutCancel(t.Context())
		kit.Crowd(48, func(i int) {
			money := Notification{
				TransactionID: order.Number(i + 1).String(), PayNumber: order.Number(600 + i), Amount: 7,
				Currency: "EUR",
			}
			money.EventID = "evt-" + money.TransactionID
			for range 4 {
				assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(s.Process(ctx, "slow", money)))
			}
			assert.NoError(t, s.Process(ctx, "slow", money))
		})
		var rows int
		require.NoError(t, stores.DB.Write.GetContext(ctx, &rows,
			`SELECT COUNT(*) FROM payments WHERE flag = 'unknown_payment'`))
		assert.Equal(t, 48, rows)
	})
}
