package order_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/test/goods"
	"onrush/test/kit"
	"onrush/test/stage"
)

func dueCanceller(s *stage.Stage, cfg order.DueConfig, faults order.Faults) *order.DueCanceller {
	return order.NewDueCanceller(cfg, order.Deps{
		DB: s.Stores.DB, Lua: s.Scripts, Clock: clock.Fixed(time.Now), Log: slog.New(slog.DiscardHandler),
		Faults: faults,
	}, s.Outbox)
}

// jobCanceller returns a DueCanceller that has the pool of jobs, which remembers locked rows, and counts its tries.
func jobCanceller(t *testing.T, s *stage.Stage, cfg order.DueConfig, tries *atomic.Int32) *order.DueCanceller {
	t.Helper()
	db, err := s.Stores.DB.Pool(sqldb.Work(2))
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return order.NewDueCanceller(cfg, order.Deps{
		DB: db, Lua: s.Scripts, Clock: clock.Fixed(time.Now), Log: slog.New(slog.DiscardHandler),
		Faults: func(step string) error {
			if step == "cancel_try" {
				tries.Add(1)
			}
			return nil
		},
	}, s.Outbox)
}

// fallDue stores n orders whose time to pay is over.
func fallDue(t *testing.T, s *stage.Stage, n int) []*order.Order {
	t.Helper()
	orders := s.PlaceMany(t, n)
	s.Move(t)
	_, err := s.Stores.DB.Write.ExecContext(t.Context(), `UPDATE orders SET pay_before_ms = 1`)
	require.NoError(t, err)
	return orders
}

func inStatus(t *testing.T, s *stage.Stage, status order.Status) (n int) {
	t.Helper()
	for _, has := range s.Stored(t) {
		if has == status {
			n++
		}
	}
	return n
}

func TestOrdersThatAreDueAreCancelledAPageATransaction(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const page, due = 4, 10 // two pages and a half
		s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{catalogue.DefaultPoint: 20}, Limit: 5})
		fallDue(t, s, due)
		paid, notDue := s.Place(t, "paid", 2), s.Place(t, "not due", 1)
		s.Move(t)
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE orders SET pay_before_ms = 1 WHERE number = ?`,
			paid.Number)
		require.NoError(t, err)
		s.SetStatus(t, paid.Number, order.Paid)

		var after []int // how many are cancelled after each transaction
		d := dueCanceller(s, order.DueConfig{Page: page}, func(step string) error {
			if step == "cancel_commit" {
				after = append(after, inStatus(t, s, order.Cancelled))
			}
			return nil
		})
		cancelled, err := d.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, due, cancelled)
		assert.Equal(t, []int{page, 2 * page, due}, after)
		stored := s.Stored(t)
		assert.Equal(t, order.Paid, stored[paid.Number])
		assert.Equal(t, order.Unpaid, stored[notDue.Number])
		assert.Equal(t, "17", s.Left(t, ""))
		assert.EqualValues(t, 3, s.Sold(t))
		var times int
		require.NoError(t, stores.DB.Write.GetContext(t.Context(), &times,
			`SELECT COUNT(*) FROM order_log WHERE what = 'cancelled'`))
		assert.Equal(t, due, times, "once each")
		s.Balanced(t)

		cancelled, err = d.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Zero(t, cancelled)
	})
}

func TestRunOfCancelUnpaidIsBoundedAndTheNextOneContinues(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		fallDue(t, s, 9)
		d := dueCanceller(s, order.DueConfig{Page: 2, PagesPerRun: 3}, nil)
		for _, want := range []int{6, 3, 0} {
			cancelled, err := d.RunOnce(t.Context())
			require.NoError(t, err)
			assert.Equal(t, want, cancelled)
			s.Balanced(t)
		}
		assert.Equal(t, "10", s.Left(t, ""))
	})
}

func TestAnOrderPaidAfterItsPageWasReadStaysPaidAndTheOthersGo(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		orders := fallDue(t, s, 6)
		paid, broken := orders[4], orders[5]
		_, err := stores.DB.Write.ExecContext(t.Context(),
			`UPDATE orders SET record = REPLACE(record, '{"v"', '["v"') WHERE number = ?`, broken.Number)
		require.NoError(t, err)
		// The broken one lets the page go one by one; when its first is cancelled, the fifth is paid.
		d := dueCanceller(s, order.DueConfig{}, stage.At("cancel_commit", func() error {
			s.SetStatus(t, paid.Number, order.Paid)
			return nil
		}))
		cancelled, err := d.RunOnce(t.Context())
		require.ErrorContains(t, err, "order "+broken.Number.String()+": ")
		assert.NotContains(t, err.Error(), paid.Number.String(), "being paid is no failure")
		assert.Equal(t, 4, cancelled)
		_, err = stores.DB.Write.ExecContext(t.Context(),
			`UPDATE orders SET record = REPLACE(record, '["v"', '{"v"') WHERE number = ?`, broken.Number)
		require.NoError(t, err)
		assert.Equal(t, order.Paid, s.Stored(t)[paid.Number])
		assert.Equal(t, 4, inStatus(t, s, order.Cancelled))
		s.Balanced(t)
		cancelled, err = d.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, cancelled)
		s.Balanced(t)
	})
}

func TestCancellingDueOrdersContinuesAfterAnInterruption(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		fallDue(t, s, 5)
		_, err := dueCanceller(s, order.DueConfig{Page: 2}, stage.CrashAt("cancel_commit")).RunOnce(t.Context())
		require.ErrorIs(t, err, stage.ErrCrash)
		assert.Equal(t, "5", s.Left(t, ""), "the first page is cancelled, its units are not back yet")
		assert.Equal(t, 2, inStatus(t, s, order.Cancelled))
		s.Balanced(t)
		cancelled, err := dueCanceller(s, order.DueConfig{Page: 2}, nil).RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 3, cancelled)
		for range 2 {
			_, err = s.Outbox.RunOnce(context.WithoutCancel(t.Context()))
			require.NoError(t, err)
			assert.Equal(t, "10", s.Left(t, ""))
		}
		s.Balanced(t)
	})
}

func TestLockedOrderDoesNotKeepOthersFromBeingCancelled(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	s := stage.Open(t, stores, stage.Sale{})
	orders := fallDue(t, s, 3)
	tx, err := stores.DB.Write.BeginTxx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(t.Context(), `UPDATE orders SET status = status WHERE number = ?`, orders[1].Number)
	require.NoError(t, err)

	var tries atomic.Int32
	d := jobCanceller(t, s, order.DueConfig{}, &tries)
	cancelled, err := d.RunOnce(t.Context())
	require.ErrorContains(t, err, orders[1].Number.String())
	assert.Equal(t, 2, cancelled)
	assert.EqualValues(t, 1+len(orders), tries.Load(), "the page once, and each by itself once")
	assert.Equal(t, order.Unpaid, s.Stored(t)[orders[1].Number])

	cancelled, err = d.RunOnce(t.Context())
	require.NoError(t, err)
	assert.Zero(t, cancelled)
	assert.EqualValues(t, 1+len(orders), tries.Load(), "a locked one is not tried again at once")

	require.NoError(t, tx.Rollback())
	require.Eventually(t, func() bool {
		cancelled, err := d.RunOnce(t.Context())
		return assert.NoError(t, err) && cancelled == 1
	}, 10*time.Second, 20*time.Millisecond)
	s.Balanced(t)
}

// An instance that was frozen for longer than its lock lasts continues while another has taken over.
func TestConcurrentRunsOfCancelUnpaidCancelEachOrderOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const due = 60
		s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{catalogue.DefaultPoint: due + 5}})
		fallDue(t, s, due)
		ctx := context.WithoutCancel(t.Context())
		var total atomic.Int64
		var both sync.WaitGroup
		for range 2 {
			other := s.StartOn(t, nil, stores.ConnectSQL(t), stores.ConnectRedis(t))
			d := dueCanceller(&stage.Stage{Instance: other, Stores: stores}, order.DueConfig{Page: 7}, nil)
			both.Go(func() {
				cancelled, err := d.RunOnce(ctx)
				total.Add(int64(cancelled))
				assert.NoError(t, err)
			})
		}
		both.Wait()
		assert.EqualValues(t, due, total.Load())
		assert.Equal(t, due, inStatus(t, s, order.Cancelled))
		var times int
		require.NoError(t, stores.DB.Write.GetContext(t.Context(), &times,
			`SELECT COUNT(*) FROM order_log WHERE what = 'cancelled'`))
		assert.Equal(t, due, times, "once each")
		_, err := s.Outbox.RunOnce(ctx)
		require.NoError(t, err)
		assert.Equal(t, "65", s.Left(t, ""))
		assert.Zero(t, s.Sold(t))
		s.Balanced(t)
	})
}

func TestOrdersAreCancelledWhenTransactionsWaitToBegin(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		fallDue(t, s, 3)
		now := time.Now()
		late := order.NewDueCanceller(order.DueConfig{}, order.Deps{
			DB: stores.DB, Lua: s.Scripts, Log: slog.New(slog.DiscardHandler),
			// Every step waits that long for a connection.
			Clock: clock.Fixed(func() time.Time { now = now.Add(3 * time.Second); return now }),
		}, s.Outbox)
		n, err := late.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 3, n)
	})
}

// awaiting is what the test lets a canceller wait for.
type awaiting struct {
	mu      sync.Mutex
	numbers map[order.Number]bool
}

func (a *awaiting) of(
	_ context.Context, _ sqlx.QueryerContext, numbers []order.Number,
) (found []order.Number, _ error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, n := range numbers {
		if a.numbers[n] {
			found = append(found, n)
		}
	}
	return found, nil
}

func awaitingCanceller(s *stage.Stage, cfg order.DueConfig, a *awaiting, faults order.Faults) *order.DueCanceller {
	return order.NewDueCanceller(cfg, order.Deps{
		DB: s.Stores.DB, Lua: s.Scripts, Clock: clock.Fixed(time.Now), Log: slog.New(slog.DiscardHandler),
		Awaited: a.of, Faults: faults,
	}, s.Outbox)
}

func TestAwaitedOrdersAreLeftAloneAndDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		orders := fallDue(t, s, 10)
		slices.SortFunc(orders, func(a, b *order.Order) int { return cmp.Compare(a.Number, b.Number) })
		a := &awaiting{numbers: map[order.Number]bool{}}
		for _, o := range orders[:7] { // more than a run reads
			a.numbers[o.Number] = true
		}
		d := awaitingCanceller(s, order.DueConfig{Page: 2, PagesPerRun: 2}, a, nil)
		total := 0
		for range 3 { // the end of the list, and its begin again
			n, err := d.RunOnce(t.Context())
			require.NoError(t, err)
			total += n
		}
		assert.Equal(t, 3, total)
		assert.Equal(t, 7, inStatus(t, s, order.Unpaid))
		s.Balanced(t)
		a.numbers = nil
		for range 4 {
			n, err := d.RunOnce(t.Context())
			require.NoError(t, err)
			total += n
		}
		assert.Equal(t, 10, total)
		s.Balanced(t)
	})
}

func TestAPaymentThatBeginsDuringTheCancelKeepsItsOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		begun := fallDue(t, s, 4)[1].Number
		a := &awaiting{}
		d := awaitingCanceller(s, order.DueConfig{}, a, stage.At("cancel_try", func() error {
			a.mu.Lock() // after the awaited ones were left out
			defer a.mu.Unlock()
			a.numbers = map[order.Number]bool{begun: true}
			return nil
		}))
		n, err := d.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 3, n)
		assert.Equal(t, order.Unpaid, s.Stored(t)[begun])
		s.Balanced(t)
	})
}

// A neighbour's sale is locked for longer than a run of the job takes, and has more due orders than a run handles.
func TestALockedSaleDoesNotKeepTheOrdersOfAnotherFromBeingCancelled(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	locked := stage.Open(t, stores, stage.Sale{})
	theirs := fallDue(t, locked, 6) // due first
	other := *locked
	other.Activity, other.Lane = locked.Publish(t)
	ours := fallDue(t, &other, 2)
	tx, err := stores.DB.Write.BeginTxx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(t.Context(), `UPDATE activity_stock SET epoch = epoch WHERE activity_id = ?`,
		locked.Activity)
	require.NoError(t, err)

	var tries atomic.Int32
	page := order.DueConfig{Page: 3, PagesPerRun: 1}
	first, second := jobCanceller(t, locked, page, &tries), jobCanceller(t, locked, page, &tries)
	cancelled := 0
	for range 3 { // a page of theirs, another one, and then ours
		n, _ := first.RunOnce(t.Context())
		cancelled += n
	}
	assert.Equal(t, len(ours), cancelled)
	assert.LessOrEqual(t, tries.Load(), int32(4), "one wait for the rows of a sale, not one for each order")
	_, err = second.RunOnce(t.Context())
	require.Error(t, err, "the job says that orders are left")
	for _, o := range theirs {
		assert.Equal(t, order.Unpaid, locked.Stored(t)[o.Number])
	}

	require.NoError(t, tx.Rollback())
	require.Eventually(t, func() bool {
		for _, d := range []*order.DueCanceller{first, second} {
			n, _ := d.RunOnce(t.Context())
			cancelled += n
		}
		return cancelled == len(theirs)+len(ours)
	}, 20*time.Second, 20*time.Millisecond)
	locked.Balanced(t)
	other.Balanced(t)
}

// The row of a sku that many due orders have as their second item is locked.
func TestALockedSecondSKUDoesNotKeepTheOrdersOfOthersFromBeingCancelled(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	s := stage.Open(t, stores, stage.Sale{})
	goods.PutSKUs(t, goods.New(stores).Catalogue,
		goods.Code("a", "shop"), goods.Code("b", "shop"), goods.Code("c", "shop"))
	placed := uint32(0)
	due := func(dueMS int64, skus ...string) order.Number {
		placed++
		o := order.Order{
			Number: order.NewNumber(time.Now(), 0, placed), User: fmt.Sprint("u", placed),
			Task: fmt.Sprint("0~hash-", placed), Status: order.Unpaid,
			Content: order.Content{Type: order.Ordinary, TotalAmount: 1000, Shop: "shop", Currency: "CNY"},
		}
		for _, sku := range skus {
			o.Items = append(o.Items, order.Item{SKU: sku, Quantity: 1, Price: 500})
		}
		require.NoError(t, stage.Insert(t.Context(), stores.DB, o))
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE orders SET pay_before_ms = ? WHERE number = ?`,
			dueMS, o.Number)
		require.NoError(t, err)
		return o.Number
	}
	const theirs = 20
	for range theirs {
		due(1, "a", "b")
	}
	ours := due(2, "a", "c")
	tx, err := stores.DB.Write.BeginTxx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(t.Context(), `UPDATE skus SET stock = stock WHERE sku_id = 'b'`)
	require.NoError(t, err)

	var tries atomic.Int32
	d := jobCanceller(t, s, order.DueConfig{}, &tries)
	cancelled, err := d.RunOnce(t.Context())
	require.Error(t, err, "the job says that orders are left")
	assert.Equal(t, 1, cancelled)
	stored, err := order.Select(t.Context(), stores.DB.Write, ours)
	require.NoError(t, err)
	assert.Equal(t, order.Cancelled, stored.Status)
	assert.EqualValues(t, 2, tries.Load(), "the page, and the order whose skus nobody has locked")

	require.NoError(t, tx.Rollback())
	require.Eventually(t, func() bool {
		n, err := d.RunOnce(t.Context())
		cancelled += n
		return assert.NoError(t, err) && cancelled == theirs+1
	}, 10*time.Second, 20*time.Millisecond)
}
