package vouchers

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/web/api"
	"onrush/web/problem"
)

// testNow is the time of the tests.
var testNow = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// crowd is how many calls run at once.
const crowd = 48

// world has paid orders of cards.
type world struct {
	*Service

	stores *kit.Stores
	payer  *order.Payer
	next   order.Number
}

func newWorld(stores *kit.Stores) *world {
	now := func() time.Time { return testNow }
	codes := kit.IDs(11)
	return &world{
		Service: NewService(Deps{DB: stores.DB, Now: now}), stores: stores,
		payer: order.NewPayer(func() string { return strings.ToUpper(codes()) }),
	}
}

// buy stores a paid order of cards at 100 each, and returns its number and codes.
func (w *world) buy(t *testing.T, cards int64) (order.Number, []string) {
	t.Helper()
	w.next++
	o := &order.Order{
		Number: w.next, User: "ada", Task: "task-" + w.next.String(), Status: order.Unpaid,
		Content: order.Content{
			Type: order.Ordinary, Kind: catalogue.Voucher, Shop: "shop", Point: catalogue.DefaultPoint, Currency: "CNY",
			Delivery: catalogue.None, PlacedAt: api.Millis(1), GoodsAmount: 100 * cards, TotalAmount: 100 * cards,
			Items: []order.Item{{SKU: "card", Title: "Card", Kind: catalogue.Voucher, Quantity: cards, Price: 100}},
		},
	}
	require.NoError(t, w.stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
		if err := order.Insert(t.Context(), tx, []*order.Order{o}); err != nil {
			return err
		}
		_, err := w.payer.Pay(t.Context(), tx, o.Number, testNow.UnixMilli(), order.LogLine{Actor: "gateway:test"})
		return err
	}))
	stored, err := order.Select(t.Context(), w.stores.DB.Read, o.Number)
	require.NoError(t, err)
	require.NoError(t, order.FillVouchers(t.Context(), w.stores.DB.Read, []*order.Order{stored}))
	require.Len(t, stored.Items[0].VoucherCodes, int(cards))
	return o.Number, stored.Items[0].VoucherCodes
}

// refund refunds a part of an order.
func (w *world) refund(ctx context.Context, n order.Number, part order.Part) error {
	return w.stores.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		_, err := w.payer.Refund(ctx, tx, n, part, testNow.UnixMilli(), order.LogLine{Actor: "operator:grace"})
		return err
	})
}

// statuses counts the vouchers of an order by status.
func (w *world) statuses(t *testing.T, n order.Number) string {
	t.Helper()
	var found []string
	require.NoError(t, w.stores.DB.Read.SelectContext(t.Context(), &found,
		`SELECT status FROM vouchers WHERE order_number = ? ORDER BY unit`, n))
	return strings.Join(found, " ")
}

func cards(n int64) order.Part { return order.Part{Items: []order.Units{{SKU: "card", Quantity: n}}} }

func TestOfACrowdThatRedeemsAVoucherOneWins(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		ctx := context.WithoutCancel(t.Context())
		n, codes := w.buy(t, 2)
		var won atomic.Int64
		var all sync.WaitGroup
		for i := range crowd {
			all.Go(func() {
				till := "Till " + strconv.Itoa(i)
				v, err := w.Redeem(ctx, "grace", "10.0.0.1", codes[0], till)
				if err == nil {
					won.Add(1)
					assert.Equal(t, till, v.Where)
					return
				}
				assert.Equal(t, order.CodeVoucherRedeemed, problem.CodeOf(err), "%v", err)
			})
		}
		all.Wait()
		assert.EqualValues(t, 1, won.Load())
		assert.Equal(t, "redeemed active", w.statuses(t, n))
		v, err := w.Get(ctx, codes[0])
		require.NoError(t, err)
		assert.Equal(t, Redeemed, v.Status)
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
			n, codes := w.buy(t, 1)
			part := []order.Part{{}, cards(1), {Amount: new(int64(100))}}[round%3]
			var both sync.WaitGroup
			var redeeming, refunding error
			both.Go(func() { _, redeeming = w.Redeem(ctx, "grace", "10.0.0.1", codes[0], "Till 1") })
			both.Go(func() { refunding = w.refund(ctx, n, part) })
			both.Wait()
			if redeeming == nil {
				redeemed++
				require.Equal(t, order.CodeVoucherRedeemed, problem.CodeOf(refunding), "%v", refunding)
				require.Equal(t, "redeemed", w.statuses(t, n))
				continue
			}
			require.Equal(t, CodeVoid, problem.CodeOf(redeeming), "%v", redeeming)
			require.NoError(t, refunding)
			require.Equal(t, "void", w.statuses(t, n))
		}
		t.Logf("%d of %d were redeemed", redeemed, rounds)
	})
}

func TestRefundedUnitsVoidAsManyUnredeemedCodes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		ctx := t.Context()
		n, codes := w.buy(t, 5)
		_, err := w.Redeem(ctx, "grace", "10.0.0.1", codes[4], "Till 1")
		require.NoError(t, err)
		refused := func(part order.Part) {
			t.Helper()
			err := w.refund(ctx, n, part)
			assert.Equal(t, order.CodeVoucherRedeemed, problem.CodeOf(err), "%v", err)
		}
		refused(order.Part{})
		refused(order.Part{Amount: new(int64(1))})
		refused(cards(5))
		require.NoError(t, w.refund(ctx, n, cards(2)))
		assert.Equal(t, "active active void void redeemed", w.statuses(t, n))
		require.NoError(t, w.refund(ctx, n, cards(2)))
		refused(cards(1))
		forced := cards(1)
		forced.Force = true
		require.NoError(t, w.refund(ctx, n, forced))
		assert.Equal(t, "void void void void redeemed", w.statuses(t, n), "what was redeemed stays so")
		o, err := order.Select(ctx, stores.DB.Read, n)
		require.NoError(t, err)
		assert.Equal(t, order.Refunded, o.Status)
	})
}

func TestAnAmountThatVouchersWereBoughtForNeedsTheirNames(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		n, _ := w.buy(t, 2)
		for _, amount := range []int64{1, 100, 199} {
			err := w.refund(t.Context(), n, order.Part{Amount: &amount})
			assert.Equal(t, order.CodeVoucherNotNamed, problem.CodeOf(err), "both could be redeemed")
		}
		require.NoError(t, w.refund(t.Context(), n, order.Part{Amount: new(int64(199)), Force: true}))
		assert.Equal(t, "active active", w.statuses(t, n))
		require.NoError(t, w.refund(t.Context(), n, order.Part{}))
		assert.Equal(t, "void void", w.statuses(t, n))
	})
}

func TestARefundVoidsTheVouchersThatItNames(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		ctx := t.Context()
		n, codes := w.buy(t, 4)
		_, others := w.buy(t, 1)
		named := func(names ...string) order.Part {
			return order.Part{Items: []order.Units{{SKU: "card", Quantity: int64(len(names)), Vouchers: names}}}
		}
		_, err := w.Redeem(ctx, "grace", "10.0.0.1", codes[3], "Till 1")
		require.NoError(t, err)
		for name, part := range map[string]order.Part{
			"another order's": named(others[0]), "unknown": named("NONE"), "twice": named(codes[0], codes[0]),
			"lower case": named(strings.ToLower(codes[0])), "spaces": named(codes[0] + " "),
			"fewer": {Items: []order.Units{{SKU: "card", Quantity: 2, Vouchers: codes[:1]}}},
		} {
			assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(w.refund(ctx, n, part)), name)
		}
		assert.Equal(t, order.CodeVoucherRedeemed, problem.CodeOf(w.refund(ctx, n, named(codes[0], codes[3]))))
		assert.Equal(t, "active active active redeemed", w.statuses(t, n))
		require.NoError(t, w.refund(ctx, n, named(codes[0])))
		assert.Equal(t, "void active active redeemed", w.statuses(t, n), "the first, not the last")
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(w.refund(ctx, n, named(codes[0]))), "it is void")
		_, err = w.Redeem(ctx, "grace", "10.0.0.1", codes[0], "Till 1")
		assert.Equal(t, CodeVoid, problem.CodeOf(err))
		_, err = w.Redeem(ctx, "grace", "10.0.0.1", codes[1], "Till 1")
		require.NoError(t, err, "the others stay redeemable")
	})
}

func TestAVoucherOfADisputedPaymentIsNotRedeemed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		n, codes := w.buy(t, 2)
		for _, hold := range []order.Hold{order.Held, order.Released, order.Held, order.Lost} {
			require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
				return w.payer.HoldVouchers(t.Context(), tx, []order.Number{n}, hold, 1,
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
		assert.Equal(t, "redeemed lost", w.statuses(t, n))
		v, err := w.Get(t.Context(), codes[0])
		require.NoError(t, err)
		assert.Equal(t, Void, v.Status, "an operator sees no difference")
	})
}

func TestFreeVouchersAreRefundedByUnits(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		n, _ := w.buy(t, 2)
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE orders SET total_amount = 0, record =
			REPLACE(REPLACE(record, '"price":100', '"price":0'), '"total_amount":200', '"total_amount":0')`)
		require.NoError(t, err)
		for _, want := range []order.Status{order.Paid, order.Refunded} {
			require.NoError(t, w.refund(t.Context(), n, cards(1)))
			o, err := order.Select(t.Context(), stores.DB.Read, n)
			require.NoError(t, err)
			assert.Equal(t, want, o.Status)
		}
	})
}

func TestOnlyTheExactCodeIsFound(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		_, codes := w.buy(t, 1)
		for _, code := range []string{
			"", " ", codes[0] + " ", " " + codes[0], strings.ToLower(codes[0]), codes[0][:len(codes[0])-1],
			codes[0] + "\x00", strings.Repeat("A", 33), "%", "_",
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
