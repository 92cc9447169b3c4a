package admin

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
)

// testNow is the time of the tests.
var testNow = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// ledger has payments and refunds, one a minute.
type ledger struct {
	*Service

	stores *kit.Stores
	next   atomic.Int64
}

func newLedger(stores *kit.Stores) *ledger {
	l := &ledger{stores: stores}
	l.next.Store(1 << 40)
	l.Service = NewService(Deps{
		DB: stores.DB, Now: func() time.Time { return testNow },
		Number: func() order.Number { return order.Number(l.next.Add(1)) },
	})
	return l
}

// numberAt returns the number of the payment or refund of a minute.
func numberAt(minute int) order.Number {
	return order.NewNumber(testNow.Add(time.Duration(minute)*time.Minute), 0, 7)
}

// add stores the payment and the refund of a minute; both have an order with the minute's number.
func (l *ledger) add(ctx context.Context, minute int, status, channel, flag string) error {
	n, at := numberAt(minute), testNow.Add(time.Duration(minute)*time.Minute).UnixMilli()
	const payment = `INSERT INTO payments (pay_number, user_id, task_id, digest, channel, status, amount,
		refunded_amount, currency, transaction_id, next_step, flag, deliveries, created_ms, ask_ms, paid_ms)
		VALUES (?, 'ada', ?, '', ?, ?, 100, 0, 'CNY', '', '', ?, 0, ?, 0, 0)`
	const part = `INSERT INTO payment_orders (pay_number, order_number, amount) VALUES (?, ?, 100)`
	const refund = `INSERT INTO refunds (refund_number, pay_number, channel, transaction_id, order_number, amount,
		currency, reason, status, attempts, next_try_ms, last_error, created_ms, done_ms)
		VALUES (?, ?, ?, ?, ?, 1, 'CNY', 'operator', ?, 0, 0, '', ?, 0)`
	for _, row := range []struct {
		insert string
		args   []any
	}{
		{payment, []any{n, n.String(), channel, status, flag, at}},
		{part, []any{n, n}},
		{refund, []any{n, n, channel, n.String(), n, "done", at}},
	} {
		if _, err := l.stores.DB.Write.ExecContext(ctx, row.insert, row.args...); err != nil {
			return fmt.Errorf("minute %d: %w", minute, err)
		}
	}
	return nil
}

func TestAWalkByCursorShowsEachPaymentAndRefundOnceUnderInserts(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		l := newLedger(stores)
		ctx := context.WithoutCancel(t.Context())
		var want []order.Number
		for minute := range 57 {
			require.NoError(t, l.add(ctx, minute, "paid", "bank", ""))
			want = append(want, numberAt(minute))
		}
		slices.Reverse(want)
		var inserting sync.WaitGroup
		inserting.Go(func() {
			for minute := 57; minute < 120; minute++ {
				assert.NoError(t, l.add(ctx, minute, "paid", "bank", ""))
			}
		})
		defer inserting.Wait()
		var payments, refunds []order.Number
		for before := int64(numberAt(57)); before != 0; {
			list, err := l.Payments(ctx, PaymentFilter{Status: "paid"}, api.Page{Size: 10, Before: before})
			require.NoError(t, err)
			assert.Nil(t, list.Total)
			for _, p := range list.Items {
				payments = append(payments, p.Number)
			}
			before = cursor(t, list.NextCursor)
		}
		for before := int64(numberAt(57)); before != 0; {
			list, err := l.Refunds(ctx, RefundFilter{Channel: "bank"}, api.Page{Size: 10, Before: before})
			require.NoError(t, err)
			for _, r := range list.Items {
				refunds = append(refunds, r.Number)
			}
			before = cursor(t, list.NextCursor)
		}
		assert.Equal(t, want, payments)
		assert.Equal(t, want, refunds)
	})
}

// cursor reads a next_cursor; 0 if there is none.
func cursor(t *testing.T, text string) int64 {
	t.Helper()
	if text == "" {
		return 0
	}
	n, err := order.ParseNumber(text)
	require.NoError(t, err)
	return int64(n)
}

func TestListsAreFilteredByTimeStatusChannelAndOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		l := newLedger(stores)
		for minute := range 12 {
			status := []string{"paid", "closed", "refunding"}[minute%3]
			require.NoError(t, l.add(t.Context(), minute, status, []string{"bank", "card"}[minute%2],
				[]string{"", "disputed"}[minute/11]))
		}
		at := func(minute int) api.Millis {
			return api.Millis(testNow.Add(time.Duration(minute) * time.Minute).UnixMilli())
		}
		for name, row := range map[string]struct {
			filter PaymentFilter
			want   []int
		}{
			"from":           {PaymentFilter{Created: Period{From: at(10)}}, []int{11, 10}},
			"before":         {PaymentFilter{Created: Period{Before: at(2)}}, []int{1, 0}},
			"a millisecond":  {PaymentFilter{Created: Period{From: at(3) + 1, Before: at(4) + 1}}, []int{4}},
			"status":         {PaymentFilter{Status: "refunding"}, []int{11, 8, 5, 2}},
			"status, bank":   {PaymentFilter{Status: "refunding", Channel: "bank"}, []int{8, 2}},
			"order":          {PaymentFilter{Order: numberAt(7)}, []int{7}},
			"order, too old": {PaymentFilter{Order: numberAt(7), Created: Period{Before: at(7)}}, nil},
			"user, flagged":  {PaymentFilter{User: "ada", Flagged: new(true)}, []int{11}},
		} {
			list, err := l.Payments(t.Context(), row.filter, api.Page{Page: 1, Size: 10})
			require.NoError(t, err)
			var found []int
			for _, p := range list.Items {
				found = append(found, int((int64(p.Created)-testNow.UnixMilli())/60_000))
			}
			assert.Equal(t, row.want, found, name)
			assert.EqualValues(t, len(row.want), *list.Total, name)
		}
		refunds, err := l.Refunds(t.Context(), RefundFilter{
			Reason: "operator", Order: numberAt(9), Payment: numberAt(9), Status: "done",
			Created: Period{From: at(9), Before: at(10)},
		}, api.Page{Page: 1, Size: 10})
		require.NoError(t, err)
		require.Len(t, refunds.Items, 1)
		assert.Equal(t, numberAt(9), refunds.Items[0].Number)
	})
}

func TestAFlagIsClearedOnceByACrowd(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		l := newLedger(stores)
		ctx := context.WithoutCancel(t.Context())
		require.NoError(t, l.add(ctx, 0, "paid", "bank", "disputed"))
		var won atomic.Int64
		kit.Crowd(48, func(int) {
			cleared, err := l.ClearFlag(ctx, "grace", numberAt(0), "the bank decided for us")
			if err != nil {
				assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "%v", err)
				return
			}
			won.Add(1)
			assert.Empty(t, cleared.Flag)
		})
		assert.EqualValues(t, 1, won.Load())
		d, err := l.Payment(ctx, numberAt(0))
		require.NoError(t, err)
		require.Len(t, d.Events, 1)
		d.Events[0].Event = ""
		assert.Equal(t, Notification{
			At: api.Millis(testNow.UnixMilli()), Outcome: "flag_cleared", Currency: "CNY", Flag: "disputed",
			Who: "operator:grace", Reason: "the bank decided for us",
		}, d.Events[0])
		_, err = l.ClearFlag(ctx, "grace", 4711, "none")
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
	})
}

func TestRefundsThatNeedAPersonAreListed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		l := newLedger(stores)
		for minute, set := range []string{
			`status = 'failed'`,
			`status = 'pending', waits_for = 'balance'`,
			`status = 'pending', waits_for = 'gateway'`,                 // a minute
			`status = 'pending', waits_for = 'gateway', created_ms = 1`, // for long
			`status = 'pending'`,                                        // it is under way
			`status = 'failed', outside_id = 're_1'`,                    // nothing here can be done
			`status = 'done'`,
		} {
			require.NoError(t, l.add(t.Context(), minute, "paid", "bank", ""))
			_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE refunds SET `+set+` WHERE refund_number = ?`,
				numberAt(minute))
			require.NoError(t, err)
		}
		list, err := l.Refunds(t.Context(), RefundFilter{NeedsPerson: testNow.Add(-longWait)},
			api.Page{Page: 1, Size: 10})
		require.NoError(t, err)
		var found []order.Number
		for _, r := range list.Items {
			found = append(found, r.Number)
		}
		assert.Equal(t, []order.Number{numberAt(3), numberAt(1), numberAt(0)}, found)
	})
}
