package vouchers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
	"onrush/test/stage"
)

// partner returns n codes of a partner.
func partner(prefix string, n int) []string {
	codes := make([]string, n)
	for i := range codes {
		codes[i] = fmt.Sprintf("%s-%04d", prefix, i)
	}
	return codes
}

// adds imports codes for cards that are all new.
func (w world) adds(t *testing.T, codes []string) {
	t.Helper()
	done, err := w.Import(t.Context(), "card", codes)
	require.NoError(t, err)
	require.Equal(t, Imported{SKU: "card", Accepted: len(codes), Skipped: []Skipped{}}, done)
}

// pool returns the counts of the cards.
func (w world) pool(t *testing.T) Pool {
	t.Helper()
	list, err := w.Pools(t.Context(), "", false, "", 10)
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	return list.Items[0]
}

// paid places an order and pays it.
func (w world) paid(t *testing.T, cards int64) order.Number {
	t.Helper()
	n := w.Place(t, cards)
	won, err := w.Pay(t.Context(), n)
	require.NoError(t, err)
	require.True(t, won)
	return n
}

// has requires the codes of an order, and how many of its units wait.
func (w world) has(t *testing.T, n order.Number, waiting int64, codes ...string) {
	t.Helper()
	found, waits := w.Codes(t, n)
	require.Equal(t, codes, found)
	require.Equal(t, waiting, waits)
}

func TestImportedCodesAreGivenInTheirOrderAndSkippedIfKnown(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		_, generated := w.Buy(t, 1)
		done, err := w.Import(t.Context(), "card", []string{"B", "A", "B", generated[0], "C"})
		require.NoError(t, err)
		assert.Equal(t, Imported{SKU: "card", Accepted: 3, Skipped: []Skipped{{2, Repeated}, {3, Known}}}, done)
		w.has(t, w.paid(t, 2), 0, "B", "A")
		done, err = w.Import(t.Context(), "other", []string{"D", "A", "C"})
		require.NoError(t, err)
		assert.Equal(t, []Skipped{{1, Known}, {2, Known}}, done.Skipped, "codes of another sku and given codes, too")
		w.adds(t, []string{"a"})
		w.has(t, w.paid(t, 2), 0, "C", "a")

		v, err := w.Redeem(t.Context(), "grace", "", "a", "Till 1")
		require.NoError(t, err)
		assert.Equal(t, order.VoucherRedeemed, v.Status)
		list, err := w.Pools(t.Context(), "", false, "", 1)
		require.NoError(t, err)
		assert.Equal(t, []Pool{{SKU: "card", Imported: 4, Given: 4}}, list.Items)
		list, err = w.Pools(t.Context(), "", false, list.NextCursor, 1)
		require.NoError(t, err)
		assert.Equal(t, []Pool{{SKU: "other", Imported: 1, Left: 1}}, list.Items)
		assert.Empty(t, list.NextCursor)
	})
}

// The codes of a refunded order are void, so its units are no more.
func TestAnOrderWithImportedCodesIsNotRestocked(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		generated := w.paid(t, 1)
		w.adds(t, []string{"A", "B"})
		for _, n := range []order.Number{generated, w.paid(t, 2)} {
			require.NoError(t, w.Refund(t.Context(), n, order.Part{}))
			err := stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
				_, _, err := order.Restock(t.Context(), tx, n, 1, order.LogLine{})
				return err
			})
			assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		}
	})
}

func TestAnImportIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		for code, err := range map[problem.Code]error{
			problem.CodeNotFound:       second(w.Import(t.Context(), "unknown", []string{"A"})),
			problem.CodeConflict:       second(w.Import(t.Context(), "lamp", []string{"A"})),
			problem.CodeInvalidRequest: second(w.Import(t.Context(), "card", []string{"A", "B C"})),
		} {
			assert.Equal(t, code, problem.CodeOf(err), "%v", err)
		}
		for _, code := range []string{"", " A", "Ä", "..", strings.Repeat("A", 65), "A\n"} {
			_, err := w.Import(t.Context(), "card", []string{code})
			assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), code)
		}
		w.adds(t, []string{strings.Repeat("A", 64)})
		ended, end := context.WithCancel(t.Context())
		end()
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(second(w.Import(ended, "card", []string{"A"}))))
	})
}

func second[T any](_ T, err error) error { return err }

// Of 48 payments at once 40 get codes, each another one; the others wait for the next import, and later payments too.
func TestACrowdOfPaymentsGetsEachImportedCodeOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		codes := partner("first", crowd-8)
		w.adds(t, codes)
		orders := make([]order.Number, crowd)
		for i := range orders {
			orders[i] = w.Place(t, 1)
		}
		ctx := context.WithoutCancel(t.Context())
		kit.Crowd(crowd, func(i int) {
			won, err := w.Pay(ctx, orders[i])
			assert.True(t, won, "%v", err)
		})
		var given []string
		collect := func() (waiting int64) {
			given = nil
			for _, n := range orders {
				has, waits := w.Codes(t, n)
				given, waiting = append(given, has...), waiting+waits
			}
			slices.Sort(given)
			return waiting
		}
		assert.EqualValues(t, 8, collect())
		assert.Equal(t, codes, given)
		p := w.pool(t)
		assert.EqualValues(t, testNow.UnixMilli(), p.WaitingSince)
		assert.NotZero(t, p.OldestOrder)
		p.WaitingSince, p.OldestOrder = 0, 0
		assert.Equal(t, Pool{SKU: "card", Imported: 40, Given: 40, Waiting: 8}, p)

		late := w.paid(t, 1)
		more := partner("second", 10)
		var both sync.WaitGroup
		both.Go(func() { assert.NoError(t, second(w.Import(ctx, "card", more[:8]))) })
		both.Go(func() { assert.NoError(t, second(w.Import(ctx, "card", more[8:]))) })
		both.Go(func() { assert.NoError(t, second(w.GiveWaiting(ctx))) })
		both.Wait()
		_, err := w.GiveWaiting(ctx)
		require.NoError(t, err)
		orders = append(orders, late)
		assert.Zero(t, collect())
		assert.Len(t, slices.Compact(given), crowd+1)
		assert.Equal(t, Pool{SKU: "card", Imported: 50, Given: 49, Left: 1}, w.pool(t))
		lines, err := order.SelectLog(ctx, stores.DB.Read, []order.Number{late})
		require.NoError(t, err)
		actions := []string{}
		for _, line := range lines[late] {
			actions = append(actions, line.Action)
		}
		assert.Equal(t, []string{"paid", order.LoggedVouchersWaiting, order.LoggedVouchersGiven}, actions)
	})
}

func TestThoseWhoPaidFirstAreServedFirst(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		w.adds(t, nil) // no code is generated from now on
		first := w.paid(t, 3)
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE voucher_waits SET since_ms = 1`)
		require.NoError(t, err)
		second := w.paid(t, 1)
		w.adds(t, []string{"A", "B"})
		w.has(t, first, 1, "A", "B")
		w.has(t, second, 1)
		waiting, err := w.Pools(t.Context(), "", true, "", 10)
		require.NoError(t, err)
		assert.Equal(t, []Pool{{
			SKU: "card", Imported: 2, Given: 2, Waiting: 2, WaitingSince: api.Millis(1), OldestOrder: first,
		}}, waiting.Items)
		w.adds(t, []string{"C", "D", "E"})
		w.has(t, first, 0, "A", "B", "C")
		w.has(t, second, 0, "D")
		waiting, err = w.Pools(t.Context(), "", true, "", 10)
		require.NoError(t, err)
		assert.Empty(t, waiting.Items)
	})
}

// An instance stops between an import and the giving: who pays before the job runs does not overtake those who wait.
func TestImportedCodesThatAreNotGivenYetAreOfThoseWhoWait(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		w.adds(t, nil)
		first := w.paid(t, 1)
		require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			_, err := importCodes(t.Context(), tx, "card", []string{"A", "B"})
			return err
		}))
		second := w.paid(t, 1)
		w.has(t, second, 1)
		given, err := w.GiveWaiting(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 2, given)
		w.has(t, first, 0, "A")
		w.has(t, second, 0, "B")
	})
}

func TestCodesThatAreLeftAreWithdrawn(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		w.adds(t, partner("x", 5))
		w.has(t, w.paid(t, 1), 0, "x-0000")
		done, err := w.Withdraw(t.Context(), "card", false, []string{"x-0000", "x-0001", "x-0003", "unknown"})
		require.NoError(t, err)
		assert.Equal(t, Withdrawn{"card", 2}, done, "not the one that a buyer has")
		w.has(t, w.paid(t, 1), 0, "x-0002")
		done, err = w.Withdraw(t.Context(), "card", true, nil)
		require.NoError(t, err)
		assert.EqualValues(t, 1, done.Withdrawn)
		w.has(t, w.paid(t, 1), 1)
		w.adds(t, []string{"x-0001"}) // it may come again
		assert.Equal(t, Pool{SKU: "card", Imported: 6, Given: 3, Withdrawn: 3}, w.pool(t))
		for _, err := range []error{
			second(w.Withdraw(t.Context(), "card", true, []string{"A"})),
			second(w.Withdraw(t.Context(), "card", false, nil)),
		} {
			assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err))
		}
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(second(w.Withdraw(t.Context(), "lamp", true, nil))))
	})
}

func TestARefundEndsTheWaitOfItsUnits(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		w.adds(t, []string{"A"})
		n := w.paid(t, 3)
		w.has(t, n, 2, "A")
		require.NoError(t, w.Refund(t.Context(), n, stage.Units(1)))
		w.has(t, n, 1, "A")
		err := w.Refund(t.Context(), n, order.Part{Amount: new(int64(100))})
		assert.Equal(t, order.CodeVoucherNotNamed, problem.CodeOf(err), "the unit that waits is paid for: %v", err)
		require.NoError(t, w.Refund(t.Context(), n, order.Part{Items: []order.Units{
			{SKU: "card", Quantity: 1, Vouchers: []string{"A"}},
		}}))
		w.has(t, n, 1)
		w.adds(t, []string{"B"})
		w.has(t, n, 0, "B")

		whole := w.paid(t, 2)
		require.NoError(t, w.Refund(t.Context(), whole, order.Part{}))
		w.adds(t, []string{"C"})
		assert.EqualValues(t, 1, w.pool(t).Left, "nobody waits any more")
	})
}

// While a payment is disputed its units get no codes, and units of other payments do.
func TestUnitsOfADisputedPaymentWaitOn(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		w.adds(t, nil)
		disputed, other := w.paid(t, 1), w.paid(t, 1)
		hold := func(h order.Hold) {
			require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
				return w.Payer.HoldVouchers(t.Context(), tx, []order.Number{disputed}, h, 1,
					order.LogLine{Actor: "gateway:x"})
			}))
		}
		hold(order.Held)
		w.adds(t, []string{"A", "B"})
		w.has(t, disputed, 1)
		w.has(t, other, 0, "A")
		given, err := w.GiveWaiting(t.Context())
		require.NoError(t, err)
		assert.Zero(t, given)
		hold(order.Released)
		given, err = w.GiveWaiting(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, given)
		w.has(t, disputed, 0, "B")
	})
}

func TestALargeImportIsStoredAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		codes := partner(strings.Repeat("x", 40), MaxCodes)
		w.adds(t, codes)
		done, err := w.Import(t.Context(), "card", codes)
		require.NoError(t, err)
		assert.Zero(t, done.Accepted)
		assert.Len(t, done.Skipped, MaxCodes)
		assert.EqualValues(t, MaxCodes, w.pool(t).Left)
	})
}
