package remind_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/journal"
	"onrush/modules/seckill"
	"onrush/modules/seckill/remind"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestAStartIsToldOnceBeforeIt(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -remind.Before-time.Minute)
		w.start(t, "bob")
		w.later(time.Second)
		made := w.start(t, "ann")
		assert.Zero(t, w.tell(t))
		w.later(time.Minute)
		w.set(t, "paused_ms", 1)
		assert.Zero(t, w.tell(t), "the sale is paused")
		w.set(t, "paused_ms", 0)
		assert.Equal(t, 2, w.tell(t))
		assert.Equal(t, []remind.Due{{
			Kind: remind.Start, Activity: w.Activity, StartsAt: api.Millis(w.starts.UnixMilli()),
			Users: []remind.User{{User: "bob", Token: "token of bob"}, {User: "ann", Token: "token of ann"}},
		}}, w.told(t), "who asked first comes first")
		again := w.start(t, "ann")
		made.State = remind.Told
		assert.Equal(t, made, again)
		w.later(remind.Before)
		assert.Zero(t, w.tell(t))
		assert.Equal(t, "already_started", code(func() error {
			_, err := w.request("cid", remind.Start, "", "")
			return err
		}()))
	})
}

func TestAStartThatMovesFarIsToldAgain(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -remind.Before)
		move := func(by time.Duration) { w.set(t, "starts_ms", w.starts.Add(by).UnixMilli()) }
		w.start(t, "ann")
		assert.Equal(t, 1, w.tell(t))
		move(remind.Before)
		w.later(time.Minute)
		assert.Zero(t, w.tell(t), "it is told about right")
		move(-time.Minute)
		assert.Zero(t, w.tell(t))
		move(remind.Before + time.Minute)
		assert.Zero(t, w.tell(t))
		w.later(remind.Before)
		assert.Equal(t, 1, w.tell(t))
		assert.Zero(t, w.tell(t))
		assert.Equal(t, []string{"ann", "ann"}, w.users(t))
		assert.Equal(t, w.starts.Add(remind.Before+time.Minute).UnixMilli(), int64(w.told(t)[1].StartsAt))
		w.start(t, "bob")
		w.set(t, "state", seckill.Offline)
		assert.Zero(t, w.tell(t))
	})
}

func TestUnitsAreToldWhileTheyAreOpen(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, 1, time.Minute), context.Background()
		sold := w.Place(t, "eve", 1)
		w.units(t, "ann", stage.SKU)
		w.units(t, "bob", "")
		w.crowd(t, w.Activity, remind.Units, "another", 1)
		w.later(time.Minute)
		assert.Zero(t, w.tell(t))
		require.NoError(t, w.Canceller.Cancel(ctx, sold.User, sold.Number, ""))
		_, err := w.Outbox.RunOnce(ctx)
		require.NoError(t, err)
		w.set(t, "paused_ms", 1)
		w.later(2 * time.Second)
		assert.Zero(t, w.tell(t), "the sale is paused")
		w.set(t, "paused_ms", 0)
		w.set(t, "mode", seckill.Draw)
		assert.Zero(t, w.tell(t), "units of a draw are for nobody but those who are drawn")
		w.set(t, "mode", seckill.First)
		assert.Equal(t, 2, w.tell(t))
		assert.Zero(t, w.tell(t))
		assert.ElementsMatch(t, []string{"ann", "bob"}, w.users(t))
		_, err = w.request("ann", remind.Units, stage.SKU, "")
		assert.Equal(t, "not_sold_out", code(err))

		w.Place(t, "eve", 1)
		w.later(2 * time.Second)
		assert.Equal(t, remind.Waits, w.units(t, "ann", stage.SKU).State, "it is asked again")
		assert.Zero(t, w.tell(t))
		w.Flush(t)
		w.later(2 * time.Second)
		assert.Zero(t, w.tell(t), "nobody knows what is left")
		assert.Len(t, w.users(t), 2)
	})
}

// Buyers need time to buy what they are told of: the others wait on, whatever the number of instances.
func TestFewAreToldOfFewUnits(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 2, time.Minute)
		w.crowd(t, w.Activity, remind.Units, stage.SKU, remind.MaxUsers)
		page := 2 * remind.UsersPerUnit
		tell := func() (told int) {
			for range 3 {
				w.teller = remind.NewTeller(w.deps(nil))
				told += w.tell(t)
			}
			return told
		}
		assert.Equal(t, page, tell())
		w.later(remind.Rest - time.Second)
		assert.Zero(t, tell())
		w.later(time.Second)
		assert.Equal(t, page, tell(), "the units are still open")
		w.Place(t, "eve", 1)
		w.later(remind.Rest)
		assert.Equal(t, page/2, tell())
		w.Place(t, "eve", 1)
		w.later(remind.Rest)
		assert.Zero(t, tell(), "the units are gone")
	})
}

func TestOnePageIsToldOfManyUnits(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1_000_000, time.Minute)
		w.crowd(t, w.Activity, remind.Units, stage.SKU, remind.MaxUsers+1)
		assert.Equal(t, remind.MaxUsers, w.tell(t))
		assert.Zero(t, w.tell(t))
		w.later(remind.Rest)
		assert.Equal(t, 1, w.tell(t))
	})
}

// Another instance tells between the steps of this one.
func TestInstancesThatTellOfUnitsAtOnceTellOnePage(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, time.Minute)
		w.crowd(t, w.Activity, remind.Units, stage.SKU, 3*remind.UsersPerUnit)
		w.teller = remind.NewTeller(w.deps(func(step string) error {
			if step == "reminders_read" {
				_, err := remind.NewTeller(w.deps(nil)).RunOnce(context.Background())
				return err
			}
			return nil
		}))
		assert.Zero(t, w.tell(t))
		assert.Len(t, w.users(t), remind.UsersPerUnit)
		kit.Crowd(8, func(int) { _, _ = remind.NewTeller(w.deps(nil)).RunOnce(context.Background()) })
		assert.Len(t, w.users(t), remind.UsersPerUnit)
		w.later(remind.Rest)
		kit.Crowd(8, func(int) { _, _ = remind.NewTeller(w.deps(nil)).RunOnce(context.Background()) })
		assert.Len(t, w.users(t), 2*remind.UsersPerUnit)
	})
}

func TestACrashTellsNobodyTwice(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -time.Minute)
		w.start(t, "ann")
		w.start(t, "bob")
		killed := errors.New("killed")
		for _, at := range []string{"reminders_read", "reminders_marked"} {
			dies := remind.NewTeller(w.deps(func(step string) error {
				if step == at {
					return killed
				}
				return nil
			}))
			_, err := dies.RunOnce(context.Background())
			require.ErrorIs(t, err, killed)
			assert.Empty(t, w.users(t), at)
		}
		dies := remind.NewTeller(w.deps(func(step string) error {
			if step == "reminders_told" {
				return killed
			}
			return nil
		}))
		_, err := dies.RunOnce(context.Background())
		require.ErrorIs(t, err, killed)
		assert.Zero(t, w.tell(t))
		assert.ElementsMatch(t, []string{"ann", "bob"}, w.users(t))
	})
}

// What changes between the read and the mark is read again by the next run.
func TestWhoLeavesMeanwhileIsNotTold(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -time.Minute)
		ann := w.start(t, "ann")
		w.start(t, "bob")
		left := false
		w.teller = remind.NewTeller(w.deps(func(step string) error {
			if step == "reminders_read" && !left {
				left = true
				_, err := w.request("bob", remind.Start, "", "newer")
				return errors.Join(err, w.service.Forget(context.Background(), "ann", ann.ID))
			}
			return nil
		}))
		assert.Zero(t, w.tell(t))
		assert.Equal(t, 1, w.tell(t))
		assert.Equal(t, []remind.User{{User: "bob", Token: "newer"}}, w.told(t)[0].Users)
	})
}

func TestInstancesThatTellAtOnceTellEachOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -time.Minute)
		const crowd = 5*remind.MaxUsers + 7
		w.crowd(t, w.Activity, remind.Start, "", crowd)
		for try := 0; len(w.users(t)) < crowd; try++ {
			require.Less(t, try, 50)
			kit.Crowd(8, func(int) { // one may give up a page, since another one has it
				_, _ = remind.NewTeller(w.deps(nil)).RunOnce(context.Background())
			})
		}
		users := w.users(t)
		slices.Sort(users)
		assert.Equal(t, names(crowd), users)
	})
}

// more publishes n sales more, which start when the first one does, and returns the ids of all in their order.
func (w *world) more(t *testing.T, n int) []string {
	t.Helper()
	ids := []string{w.Activity}
	for range n {
		id, _ := w.Publish(t)
		ids = append(ids, id)
	}
	_, err := w.Stores.DB.Write.ExecContext(t.Context(), `UPDATE activities SET starts_ms = ?`, w.starts.UnixMilli())
	require.NoError(t, err)
	slices.Sort(ids)
	return ids
}

// One sale has more than a run tells; another one doesn't wait for it.
func TestALargeSaleDelaysNoOther(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -time.Minute)
		sales := w.more(t, 1)
		w.crowd(t, sales[0], remind.Start, "", 21*remind.MaxUsers)
		w.crowd(t, sales[1], remind.Start, "", 3)
		assert.Equal(t, 19*remind.MaxUsers+3, w.tell(t))
		events := w.told(t)
		assert.Len(t, events, 20)
		assert.Equal(t, sales[1], events[1].Activity)
		assert.Equal(t, 2*remind.MaxUsers, w.tell(t))
		assert.Len(t, w.users(t), 21*remind.MaxUsers+3)
	})
}

// More sales than a run serves have more than it tells: the next run begins with the others.
func TestManyLargeSalesTakeTurns(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -time.Minute)
		sales := w.more(t, 24)
		for _, id := range sales {
			w.crowd(t, id, remind.Start, "", 2*remind.MaxUsers)
		}
		for range 2 {
			w.tell(t)
		}
		var heard []string
		for _, d := range w.told(t) {
			heard = append(heard, d.Activity)
		}
		slices.Sort(heard)
		assert.Equal(t, sales, slices.Compact(heard))
	})
}

func TestEventsAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -time.Minute)
		w.crowd(t, w.Activity, remind.Start, "", remind.MaxUsers)
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE reminders SET notify_token = ?`,
			string(slices.Repeat([]byte("<"), 128)))
		require.NoError(t, err)
		assert.Equal(t, remind.MaxUsers, w.tell(t))
		assert.ElementsMatch(t, names(remind.MaxUsers), w.users(t))
		var sizes []int
		require.NoError(t, stores.DB.Read.SelectContext(t.Context(), &sizes, `SELECT LENGTH(data) FROM events
			WHERE type = 'reminder.due'`))
		assert.Greater(t, len(sizes), 6)
		assert.LessOrEqual(t, slices.Max(sizes), journal.MaxData)
		var subjects int
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &subjects, `SELECT COUNT(DISTINCT subject) FROM events
			WHERE type = 'reminder.due'`))
		assert.Len(t, sizes, subjects)
	})
}

// While nothing is due, a run reads a few entries of an index, however many were told.
func TestARunReadsFewOfThoseWhoWereTold(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, 1, -time.Minute), t.Context()
		w.crowd(t, w.Activity, remind.Start, "", 20_000)
		_, err := stores.DB.Write.ExecContext(ctx, `UPDATE reminders SET told_ms = ?`, w.starts.UnixMilli())
		require.NoError(t, err)
		now, before := w.clock.Now().UnixMilli(), remind.Before.Milliseconds()
		args := []any{now + before, now, "", before, now, 200}
		plan := kit.Explain(t, stores.DB, remind.MayBeDue, args...)
		assert.Contains(t, plan, "reminders_due")
		for line := range strings.Lines(plan) { // the few sales may be sorted
			if strings.Contains(line, "reminders_due") {
				assert.NotContains(t, line, "filesort")
			}
		}
		assert.Less(t, kit.RowsRead(t, stores.DB, func(q sqlx.QueryerContext) {
			var due []string
			require.NoError(t, sqlx.SelectContext(ctx, q, &due, remind.MayBeDue, args...))
			assert.Empty(t, due)
		}), 100)
	})
}
