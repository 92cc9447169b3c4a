package inventory_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/seckill/inventory"
	"onrush/test/kit"
	"onrush/test/stage"
)

func depsOf(s *stage.Stage, faults order.Faults) inventory.Deps {
	return inventory.Deps{
		DB: s.Stores.DB, Lua: s.Scripts, Clock: clock.New(time.Now), Log: slog.New(slog.DiscardHandler),
		Faults: faults,
	}
}

// retirer lets go of what ended an hour ago.
func retirer(s *stage.Stage, faults order.Faults) *inventory.Retirer {
	return inventory.NewRetirer(inventory.RetireConfig{After: time.Hour}, depsOf(s, faults))
}

// endIn lets the sale end at a time from now, in SQL only; Redis keeps the old end.
func endIn(t *testing.T, s *stage.Stage, d time.Duration) {
	t.Helper()
	_, err := s.Stores.DB.Write.ExecContext(t.Context(), `UPDATE activities SET ends_ms = ? WHERE activity_id = ?`,
		time.Now().Add(d).UnixMilli(), s.Activity)
	require.NoError(t, err)
}

// pay moves an order to paid as a payment does; confirming it is left to the outbox.
func pay(t *testing.T, s *stage.Stage, o *order.Order) {
	t.Helper()
	payer := order.NewPayer(func() string { return "code" }, nil, nil)
	require.NoError(t, s.Stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
		paid, err := payer.Pay(t.Context(), tx, o.Number, time.Now().UnixMilli(), order.LogLine{Actor: "test"})
		assert.True(t, paid)
		return err
	}))
}

func settle(t *testing.T, s *stage.Stage) {
	t.Helper()
	_, err := s.Outbox.RunOnce(t.Context())
	require.NoError(t, err)
}

func count(t *testing.T, s *stage.Stage, query string, args ...any) (n int64) {
	t.Helper()
	require.NoError(t, s.Stores.DB.Write.GetContext(context.WithoutCancel(t.Context()), &n, query, args...))
	return n
}

func retiredMS(t *testing.T, s *stage.Stage) int64 {
	t.Helper()
	return count(t, s, `SELECT retired_ms FROM activities WHERE activity_id = ?`, s.Activity)
}

// keysOf are the names of the activity's keys in Redis.
func keysOf(t *testing.T, s *stage.Stage) (names []string) {
	t.Helper()
	for _, name := range s.Stores.KeysLike(t, s.Stores.Keys.Prefix+"*") {
		if strings.Contains(name, s.Activity) {
			names = append(names, name)
		}
	}
	return names
}

func TestRetiringThatIsCutOffAfterAnyStepIsFinishedByTheNextRound(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, step := range []string{"retire_close", "retire_keys"} {
			s := stage.Open(t, stores, stage.Sale{Limit: 5})
			paid, cancelled := s.Place(t, "ann", 2), s.Place(t, "bob", 3)
			s.Move(t)
			pay(t, s, paid)
			require.NoError(t, s.Canceller.Cancel(t.Context(), cancelled.User, cancelled.Number, ""))
			settle(t, s)
			endIn(t, s, -2*time.Hour)

			for range 3 { // crashes in a row
				_, err := retirer(s, stage.CrashAt(step)).RunOnce(t.Context())
				require.ErrorIs(t, err, stage.ErrCrash, step)
				assert.Zero(t, retiredMS(t, s), "SQL says so only when the keys are gone for good: %s", step)
			}
			if step == "retire_close" { // nothing is deleted yet, and nothing more is placed
				s.Balanced(t)
				results, err := s.TryPlace(t.Context(), s.Order("cid", catalogue.DefaultPoint, 1))
				require.NoError(t, err)
				assert.Equal(t, lua.Closed, results[0].Code)
			} else {
				s.Load(t) // a reload brings all of it back out of SQL, and it is open
				s.Balanced(t)
				assert.Equal(t, "8", s.Left(t, ""))
			}

			retired, err := retirer(s, nil).RunOnce(t.Context())
			require.NoError(t, err, step)
			assert.Equal(t, 1, retired, step)
			assert.NotZero(t, retiredMS(t, s), step)
			assert.Empty(t, keysOf(t, s), step)
			assert.Equal(t, map[order.Number]order.Status{paid.Number: order.Paid, cancelled.Number: order.Cancelled},
				s.Stored(t), step)
			assert.EqualValues(t, 2, s.Sold(t), step)
			require.ErrorIs(t, s.Loader.Load(t.Context(), s.Activity), seckill.ErrRetired, step)
			assert.Empty(t, keysOf(t, s), step)
		}
	})
}

func TestSaleIsRetiredOnlyWhenAllItsOrdersAreInSQL(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		round := func(why string) {
			t.Helper()
			retired, err := retirer(s, nil).RunOnce(t.Context())
			require.NoError(t, err)
			assert.Zero(t, retired, why)
			assert.Zero(t, retiredMS(t, s), why)
			assert.NotEmpty(t, s.Hash(t, stores.Keys.Stock), why)
		}
		round("it has not ended")
		endIn(t, s, -59*time.Minute)
		round("it has not ended for long")
		bad := s.Place(t, strings.Repeat("long", 75), 1)
		endIn(t, s, -2*time.Hour)
		round("an order is in the queue")
		s.Move(t)
		round("an order is dead")
		_, err := s.Queue.Discard(t.Context(), fmt.Sprintf("%d-%s", s.Lane, bad.Number), "operator:x")
		require.NoError(t, err)
		_, err = s.Scripts.SetState(t.Context(), s.Lane, s.Activity, lua.StateOpen) // a round closed it
		require.NoError(t, err)
		paid, cancelled := s.Place(t, "ann", 2), s.Place(t, "bob", 1)
		s.Move(t)
		round("orders are unpaid")
		pay(t, s, paid)
		require.ErrorIs(t, s.Start(t, stage.CrashAt("cancel_commit")).Canceller.Cancel(t.Context(), cancelled.User,
			cancelled.Number, ""), stage.ErrCrash)
		round("a confirm and a return are pending")
		s.Balanced(t)
		settle(t, s)
		assert.Equal(t, "8", s.Left(t, ""))
		retired, err := retirer(s, nil).RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, retired)
		assert.Empty(t, keysOf(t, s))
	})
}

func TestASaleThatRunsIsNeverRetired(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{}) // it ends in an hour
		r := inventory.NewRetirer(inventory.RetireConfig{After: -2 * time.Hour}, depsOf(s, nil))
		retired, err := r.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Zero(t, retired)
		assert.Zero(t, retiredMS(t, s))
		s.Place(t, "ann", 1)
	})
}

func TestAnOrderPlacedJustBeforeTheCloseIsNotLost(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		endIn(t, s, -2*time.Hour)
		rdb := stage.BeforeScript(t, stores, func() { s.Place(t, "late", 1) })
		deps := depsOf(s, nil)
		deps.Lua = lua.New(rdb, stores.Keys)
		retired, err := inventory.NewRetirer(inventory.RetireConfig{After: time.Hour}, deps).RunOnce(t.Context())
		require.NoError(t, err)
		assert.Zero(t, retired)
		s.Move(t)
		assert.Len(t, s.Stored(t), 1)
		s.Balanced(t)
	})
}

func TestSaleThatCannotBeRetiredDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		stuck := stage.Open(t, stores, stage.Sale{})
		stuck.Place(t, "ann", 1) // nobody moves it
		endIn(t, stuck, -3*time.Hour)
		other := stage.Open(t, stores, stage.Sale{})
		endIn(t, other, -2*time.Hour)
		r := inventory.NewRetirer(inventory.RetireConfig{After: time.Hour, Page: 1}, depsOf(stuck, nil))
		total := 0
		for range 3 {
			n, err := r.RunOnce(t.Context())
			require.NoError(t, err)
			total += n
		}
		assert.Equal(t, 1, total)
		assert.NotZero(t, retiredMS(t, other))
		assert.Zero(t, retiredMS(t, stuck))
		stuck.Move(t)
		stuck.SetStatus(t, onlyOrder(t, stuck), order.Paid)
		for range 2 {
			_, err := r.RunOnce(t.Context())
			require.NoError(t, err)
		}
		assert.NotZero(t, retiredMS(t, stuck), "it begins again from the first")
	})
}

func onlyOrder(t *testing.T, s *stage.Stage) order.Number {
	t.Helper()
	for n := range s.Stored(t) {
		return n
	}
	require.FailNow(t, "no order is stored")
	return 0
}
