package pay

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/test/kit"
)

// askedGateway answers queries, and knows of nothing to close.
type askedGateway struct {
	Gateway

	asked  atomic.Int64
	answer func(ctx context.Context) (Found, error)
}

func (g *askedGateway) Query(ctx context.Context, _ *Payment) (Found, error) {
	g.asked.Add(1)
	return g.answer(ctx)
}

func (*askedGateway) Close(context.Context, *Payment) error { return nil }

// pending stores payments of channels, due now; their numbers count from 1.
func pending(t *testing.T, stores *kit.Stores, channels ...string) {
	t.Helper()
	require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
		for i, channel := range channels {
			n := order.Number(i + 1)
			p := &Payment{
				Number: n, User: "ada", Task: fmt.Sprint("task", n), Channel: channel, Status: Pending, Amount: 1,
				Currency: "EUR", AskMS: 1, ExpiresMS: 1, Orders: []PaymentOrder{{Payment: n, Order: n, Amount: 1}},
			}
			if err := InsertPayment(t.Context(), tx, p); err != nil {
				return err
			}
		}
		return nil
	}))
}

func statusOf(t *testing.T, stores *kit.Stores, n order.Number) (status Status, flag string) {
	t.Helper()
	p, err := SelectPayment(t.Context(), stores.DB.Write, n)
	require.NoError(t, err)
	return p.Status, p.Flag
}

func newTestAsker(stores *kit.Stores, cfg Config, gateways Gateways) *Reconciler {
	return NewReconciler(cfg, Deps{
		DB: stores.DB, Gateways: gateways, Clock: clock.Fixed(testClock), Log: slog.New(slog.DiscardHandler),
	}, &Processor{})
}

func TestGatewayThatHangsDoesNotDelayOtherPayments(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		hung := &askedGateway{
			answer: func(ctx context.Context) (Found, error) { <-ctx.Done(); return Found{}, ctx.Err() },
		}
		quick := &askedGateway{answer: func(context.Context) (Found, error) { return Found{}, nil }}
		pending(t, stores, "hung", "hung", "hung", "hung", "hung", "quick")
		a := newTestAsker(stores, Config{AskPage: 5, CallWithin: time.Second}, Gateways{"hung": hung, "quick": quick})
		for run := range 3 {
			done, err := a.RunOnce(t.Context())
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, map[bool]int{true: 1}[run == 0], done)
			assert.EqualValues(t, run+1, hung.asked.Load(),
				"it is left alone after the first, and then asked about another")
		}
		status, _ := statusOf(t, stores, 6)
		assert.Equal(t, Closed, status)
	})
}

func TestCallOfASlowGatewayIsBounded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		slow := &askedGateway{answer: func(ctx context.Context) (Found, error) {
			answered, cancel := context.WithTimeout(ctx, 150*time.Millisecond)
			defer cancel()
			<-answered.Done()
			return Found{}, nil
		}}
		pending(t, stores, slices.Repeat([]string{"slow"}, 20)...)
		a := newTestAsker(stores, Config{CallWithin: 200 * time.Millisecond, Queries: 1}, Gateways{"slow": slow})
		done, err := a.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Less(t, done, 5, "the other channels wait for it")
		assert.EqualValues(t, done, slow.asked.Load())
	})
}

func TestCallThatEndsWithTheRunIsPostponed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx, cancel := context.WithCancel(t.Context())
		cut := &askedGateway{answer: func(ctx context.Context) (Found, error) { cancel(); return Found{}, ctx.Err() }}
		pending(t, stores, "cut")
		_, err := newTestAsker(stores, Config{}, Gateways{"cut": cut}).RunOnce(ctx)
		require.ErrorIs(t, err, context.Canceled)
		p, err := SelectPayment(t.Context(), stores.DB.Write, 1)
		require.NoError(t, err)
		assert.Equal(t, testNow.Add(time.Minute).UnixMilli(), p.AskMS)
	})
}

func TestOneRunQueriesAllDuePaymentsAndClosedOnesLast(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const crowd, open = 30, 7
		quick := &askedGateway{answer: func(context.Context) (Found, error) { return Found{}, nil }}
		pending(t, stores, slices.Repeat([]string{"quick"}, crowd)...)
		for query, args := range map[string][]any{
			`UPDATE payments SET status = 'closed' WHERE pay_number <= ?`: {crowd - open},
			`UPDATE payments SET ask_ms = 2 WHERE pay_number > ?`:         {crowd - open},
		} {
			_, err := stores.DB.Write.ExecContext(t.Context(), query, args...)
			require.NoError(t, err)
		}
		quick.answer = func(ctx context.Context) (Found, error) {
			if quick.asked.Load() == open+1 {
				var left int
				//nolint:testifylint // not the goroutine of the test
				assert.NoError(t, stores.DB.Read.GetContext(ctx, &left,
					`SELECT COUNT(*) FROM payments WHERE ask_ms = 2`))
				assert.Zero(t, left, "orders may wait for them")
			}
			return Found{}, nil
		}
		done, err := newTestAsker(stores, Config{AskPage: 4, Queries: 1}, Gateways{"quick": quick}).RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, crowd, done)
		assert.EqualValues(t, crowd, quick.asked.Load())
	})
}

func TestFlagKeepsItsReasonWhenTheGatewayReportsTheRefund(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ours := &askedGateway{answer: func(context.Context) (Found, error) { return Found{}, ErrRefundedOutside }}
		pending(t, stores, "ours")
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE payments SET flag = ?`, ReasonWrongAmount)
		require.NoError(t, err)
		_, err = newTestAsker(stores, Config{}, Gateways{"ours": ours}).RunOnce(t.Context())
		require.NoError(t, err)
		status, flag := statusOf(t, stores, 1)
		assert.Equal(t, Closed, status)
		assert.Equal(t, ReasonWrongAmount, flag)
	})
}

func TestPaymentRefundedOutsideIsFlaggedAndNotQueriedForEver(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		outside := &askedGateway{
			answer: func(context.Context) (Found, error) {
				return Found{}, fmt.Errorf("gateway: %w", ErrRefundedOutside)
			},
		}
		pending(t, stores, "outside")
		a := newTestAsker(stores, Config{}, Gateways{"outside": outside})
		for range 2 {
			_, err := a.RunOnce(t.Context())
			require.NoError(t, err)
		}
		assert.EqualValues(t, 1, outside.asked.Load())
		status, flag := statusOf(t, stores, 1)
		assert.Equal(t, Closed, status)
		assert.Equal(t, ReasonOutside, flag)
	})
}
