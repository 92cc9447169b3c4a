package pay

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/test/kit"
)

// mutedGateway answers when the call's time is over, if at all: at each call it first does what it is
// configured to.
type mutedGateway struct {
	Gateway

	before func()

	mu    sync.Mutex
	asked []order.Number
}

func (g *mutedGateway) Refund(ctx context.Context, r *Refund) error {
	g.mu.Lock()
	g.asked = append(g.asked, r.Number)
	g.mu.Unlock()
	if g.before != nil {
		g.before()
	}
	<-ctx.Done()
	return ctx.Err()
}

// due leaves refunds that are due, in this order, of payments that all their money goes back of.
func due(t *testing.T, stores *kit.Stores, channels ...string) {
	t.Helper()
	require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
		for i, channel := range channels {
			n := order.Number(100 + i)
			p := &Payment{
				Number: n, User: "ada", Task: n.String(), Channel: channel, Status: Refunding, Amount: 5,
				Currency: "EUR", Transaction: n.String(), Orders: []PaymentOrder{{Payment: n, Order: n, Amount: 5}},
			}
			if err := InsertPayment(t.Context(), tx, p); err != nil {
				return err
			}
			paid := Notification{PayNumber: n, TransactionID: n.String(), Amount: 5, Currency: "EUR"}
			if err := insertTransaction(t.Context(), tx, money{channel: channel, Notification: paid}, 1); err != nil {
				return err
			}
			at := testNow.UnixMilli() - 1000 + int64(i)
			err := InsertRefund(t.Context(), tx, "", &Refund{
				Number: n, Payment: n, Channel: channel, Transaction: n.String(), Order: n, Amount: 5, Currency: "EUR",
				Reason: ReasonOperator, Status: RefundPending, NextTryMS: at, CreatedMS: at,
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

func refunder(stores *kit.Stores, cfg Config, fake *kit.Clock, gateways Gateways) *Refunder {
	return NewRefunder(cfg, Deps{
		DB: stores.DB, Gateways: gateways, Clock: clock.Fixed(fake.Now), Random: func() uint64 { return 0 },
		Log: slog.New(slog.DiscardHandler),
	})
}

func TestGatewayThatHangsDoesNotDelayRefundsOfOtherChannels(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		due(t, stores, "muted", "muted", "muted", "muted", "slow")
		muted, good := &mutedGateway{}, &slowGateway{}
		r := refunder(stores, Config{RefundPage: 3, CallWithin: time.Second}, kit.NewClock(testNow),
			Gateways{"muted": muted, "slow": good})
		sent, err := r.RunOnce(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, sent)
		require.Len(t, good.asked, 1)
		require.Equal(t, []order.Number{100}, muted.asked, "it is left alone for the rest of the run")

		sent, err = r.RunOnce(t.Context())
		require.NoError(t, err)
		require.Zero(t, sent)
		require.Equal(t, []order.Number{100, 101}, muted.asked, "the first one is put off")
	})
}

func TestRefundThatEndsWithTheRunIsPostponed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		due(t, stores, "muted", "muted")
		run, end := context.WithCancel(t.Context())
		muted := &mutedGateway{before: end}
		r := refunder(stores, Config{}, kit.NewClock(testNow), Gateways{"muted": muted})
		_, err := r.RunOnce(run)
		require.NoError(t, err)
		require.Equal(t, []order.Number{100}, muted.asked)
		var put Refund
		require.NoError(t, stores.DB.Write.GetContext(t.Context(), &put,
			`SELECT `+RefundColumns+` FROM refunds WHERE refund_number = 100`))
		require.Greater(t, put.NextTryMS, testNow.UnixMilli())
		require.Zero(t, put.Attempts)
		require.Contains(t, put.LastError, context.Canceled.Error())

		again, endAgain := context.WithCancel(t.Context())
		muted.before = endAgain
		_, err = r.RunOnce(again)
		require.NoError(t, err)
		require.Equal(t, []order.Number{100, 101}, muted.asked)
	})
}

func TestDoneRefundIsStoredAfterItsRunHasEnded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		due(t, stores, "quick")
		run, end := context.WithCancel(t.Context())
		r := refunder(stores, Config{}, kit.NewClock(testNow), Gateways{"quick": endingGateway{end: end}})
		sent, err := r.RunOnce(run)
		require.NoError(t, err)
		require.Equal(t, 1, sent)
		p, err := SelectPayment(t.Context(), stores.DB.Write, 100)
		require.NoError(t, err)
		require.Equal(t, Refunded, p.Status)
	})
}

// endingGateway pays back, and the run ends.
type endingGateway struct {
	Gateway

	end func()
}

func (g endingGateway) Refund(context.Context, *Refund) error { g.end(); return nil }

var errOut = fmt.Errorf("slow: %w: status 503", ErrUnavailable)

func TestRefundSurvivesAnOutageOfItsGateway(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		o := owe(t, stores, Config{RefundAttempts: 2}, errBounce, errOut, errOut, errOut, errOut, errOut,
			errOut, errOut)
		_, refund := o.run(t)
		require.Equal(t, 1, refund.Attempts)
		o.clock.Advance(2 * time.Second)
		for call := range 7 {
			done, refund := o.run(t)
			require.Zero(t, done)
			require.Equal(t, RefundPending, refund.Status)
			require.Equal(t, 1, refund.Attempts, "an outage is no refusal")
			require.Contains(t, refund.LastError, "status 503")
			age := o.clock.Now().Sub(testNow)
			require.Equal(t, o.clock.Now().Add(age).UnixMilli(), refund.NextTryMS, "it waits as long as it is old")
			o.clock.Advance(age - time.Millisecond)
			o.run(t)
			require.Len(t, o.gateway.asked, call+2, "sent too early")
			o.clock.Advance(time.Millisecond)
		}
		o.gateway.says = []error{errOut}
		o.clock.Advance(9 * time.Hour)
		_, refund = o.run(t)
		require.Equal(t, o.clock.Now().Add(time.Hour).UnixMilli(), refund.NextTryMS, "but no longer than an hour")
		o.clock.Advance(time.Hour)
		done, refund := o.run(t)
		require.Equal(t, 1, done)
		require.Equal(t, RefundDone, refund.Status)
		require.Empty(t, refund.LastError)
	})
}

func TestRefundStaysUnderWayDuringAnOutage(t *testing.T) {
	t.Parallel()
	o := owe(t, kit.OnEmbedded(t), Config{}, errWorks, errOut)
	o.run(t)
	o.clock.Advance(time.Hour)
	_, refund := o.run(t)
	require.Equal(t, testNow.UnixMilli(), refund.UnderWayMS)
	o.clock.Advance(time.Hour)
	done, _ := o.run(t)
	require.Equal(t, 1, done)
	require.Equal(t, testNow.UnixMilli(), o.gateway.asked[2].UnderWayMS, "it is asked about, not made anew")
}

func TestARefundWaitsForAChannelThatIsOff(t *testing.T) {
	t.Parallel()
	o := owe(t, kit.OnEmbedded(t), Config{RefundAttempts: 1})
	o.gateways = Gateways{}
	_, refund := o.run(t)
	require.Equal(t, RefundPending, refund.Status)
	require.Zero(t, refund.Attempts)
	require.Contains(t, refund.LastError, "channel slow is off")
	o.gateways = Gateways{"slow": o.gateway}
	o.clock.Advance(time.Hour)
	done, _ := o.run(t)
	require.Equal(t, 1, done)
}
