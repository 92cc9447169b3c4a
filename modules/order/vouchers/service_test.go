package vouchers

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
	"onrush/test/stage"
)

// testNow is the time of the tests.
var testNow = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// crowd is how many calls run at once.
const crowd = 48

// world is a Service with orders of cards.
type world struct {
	*Service
	*stage.Cards
}

// lockVoucher is a catalogue of two cards and a lamp.
func lockVoucher(_ context.Context, _ *sqlx.Tx, sku string) error {
	switch sku {
	case "card", "other":
		return nil
	case "lamp":
		return problem.Errorf(problem.CodeConflict, "It is no voucher.")
	}
	return problem.NotFound("sku")
}

func newWorld(stores *kit.Stores) world {
	return world{
		Service: NewService(Deps{
			DB: stores.DB, Now: func() time.Time { return testNow }, Log: slog.New(slog.DiscardHandler),
			LockVoucher: lockVoucher,
		}),
		Cards: stage.NewCards(stores, testNow),
	}
}

func TestOfACrowdThatRedeemsAVoucherOneWins(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		ctx := context.WithoutCancel(t.Context())
		n, codes := w.Buy(t, 2)
		var won atomic.Int64
		kit.Crowd(crowd, func(i int) {
			till := "Till " + strconv.Itoa(i)
			v, err := w.Redeem(ctx, "grace", "10.0.0.1", codes[0], till)
			if err == nil {
				won.Add(1)
				assert.Equal(t, till, v.Where)
				return
			}
			assert.Equal(t, order.CodeVoucherRedeemed, problem.CodeOf(err), "%v", err)
		})
		assert.EqualValues(t, 1, won.Load())
		assert.Equal(t, "redeemed active", w.Statuses(t, n))
		v, err := w.Get(ctx, codes[0])
		require.NoError(t, err)
		assert.Equal(t, order.VoucherRedeemed, v.Status)
		assert.EqualValues(t, testNow.UnixMilli(), v.Redeemed)
		assert.Equal(t, "operator:grace", v.By)
		_, err = w.Redeem(ctx, "linus", "10.0.0.1", codes[0], "Till 99")
		var refused *problem.Error
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, fmt.Sprintf("It was redeemed at 2026-03-04T05:06:07.000Z, at %s, by operator:grace.", v.Where),
			refused.Detail)
		events, err := order.SelectLog(ctx, stores.DB.Read, []order.Number{n})
		require.NoError(t, err)
		assert.Len(t, events[n], 2, "paid, and redeemed once")
	})
}

func TestAVoucherIsRedeemedOrItsUnitRefundedNeverBoth(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		ctx := context.WithoutCancel(t.Context())
		redeemed := 0
		const rounds = 60
		for round := range rounds {
			n, codes := w.Buy(t, 1)
			part := []order.Part{{}, stage.Units(1), {Amount: new(int64(100))}}[round%3]
			var both sync.WaitGroup
			var redeeming, refunding error
			both.Go(func() { _, redeeming = w.Redeem(ctx, "grace", "10.0.0.1", codes[0], "Till 1") })
			both.Go(func() { refunding = w.Refund(ctx, n, part) })
			both.Wait()
			if redeeming == nil {
				redeemed++
				require.Equal(t, order.CodeVoucherRedeemed, problem.CodeOf(refunding), "%v", refunding)
				require.Equal(t, "redeemed", w.Statuses(t, n))
				continue
			}
			require.Equal(t, CodeVoid, problem.CodeOf(redeeming), "%v", redeeming)
			require.NoError(t, refunding)
			require.Equal(t, "void", w.Statuses(t, n))
		}
		t.Logf("%d of %d were redeemed", redeemed, rounds)
	})
}

func TestAVoucherOfADisputedPaymentIsNotRedeemed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		n, codes := w.Buy(t, 2)
		for _, hold := range []order.Hold{order.Held, order.Released, order.Held, order.Lost} {
			require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
				return w.Payer.HoldVouchers(t.Context(), tx, []order.Number{n}, hold, 1,
					order.LogLine{Actor: "gateway:x"})
			}))
			_, err := w.Redeem(t.Context(), "grace", "10.0.0.1", codes[0], "Till 1")
			if hold == order.Released {
				require.NoError(t, err)
				codes = codes[1:]
				continue
			}
			assert.Equal(t, CodeVoid, problem.CodeOf(err), hold)
		}
		assert.Equal(t, "redeemed lost", w.Statuses(t, n))
		v, err := w.Get(t.Context(), codes[0])
		require.NoError(t, err)
		assert.Equal(t, order.VoucherVoid, v.Status, "an operator sees no difference")
	})
}

func TestOnlyTheExactCodeIsFound(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		_, codes := w.Buy(t, 1)
		for _, code := range []string{
			"", " ", codes[0] + " ", " " + codes[0], strings.ToLower(codes[0]), codes[0][:len(codes[0])-1],
			codes[0] + "\x00", strings.Repeat("A", 65), "%", "_",
		} {
			_, err := w.Get(t.Context(), code)
			require.Equal(t, problem.CodeNotFound, problem.CodeOf(err), "%q", code)
			_, err = w.Redeem(t.Context(), "grace", "", code, "Till 1")
			require.Equal(t, problem.CodeNotFound, problem.CodeOf(err), "%q", code)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		_, err := w.Get(ended, codes[0])
		require.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
	})
}
