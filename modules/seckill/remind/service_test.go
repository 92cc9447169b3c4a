package remind_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill"
	"onrush/modules/seckill/remind"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestAReminderIsMadeOnceAndForgotten(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, 1, -time.Hour), context.Background()
		made := w.start(t, "ann")
		assert.Equal(t, remind.View{
			ID: made.ID, Activity: w.Activity, Kind: remind.Start, State: remind.Waits, CreatedAt: made.CreatedAt,
		}, made)
		w.later(time.Second)
		assert.Equal(t, made, w.start(t, "ann"))
		again, err := w.request("ann", remind.Start, "", "another")
		require.NoError(t, err)
		assert.Equal(t, made, again)
		again, err = w.request("ann", remind.Start, "", "")
		require.NoError(t, err)
		assert.Equal(t, made, again)
		other := w.start(t, "bob")

		mine, err := w.service.Mine(ctx, "ann", "")
		require.NoError(t, err)
		assert.Equal(t, []remind.View{made}, mine)
		of, err := remind.Of(ctx, stores.DB.Read, "ann")
		require.NoError(t, err)
		assert.Equal(t, []remind.Exported{{View: made, Token: "another"}}, of, "without a token it keeps the last one")
		mine, err = w.service.Mine(ctx, "ann", "other")
		require.NoError(t, err)
		assert.Empty(t, mine)

		assert.Equal(t, "not_found", code(w.service.Forget(ctx, "ann", other.ID)), "it is another buyer's")
		require.NoError(t, w.service.Forget(ctx, "ann", made.ID))
		assert.Equal(t, "not_found", code(w.service.Forget(ctx, "ann", made.ID)))
		require.NoError(t, stores.DB.InTx(ctx, func(tx *sqlx.Tx) error { return remind.Erase(ctx, tx, "bob") }))
		assert.Zero(t, w.rows(t))
	})
}

func TestAReminderIsRefusedWhereItWouldTellNothing(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -time.Minute)
		refused := func(want string, kind remind.Kind, sku string) {
			t.Helper()
			_, err := w.request("ann", kind, sku, "")
			assert.Equal(t, want, code(err))
		}
		refused("not_started", remind.Units, stage.SKU)
		refused("invalid_request", remind.Start, stage.SKU)
		w.later(time.Hour)
		refused("already_started", remind.Start, "")
		refused("not_sold_out", remind.Units, stage.SKU)
		refused("not_sold_out", remind.Units, "")
		refused("not_found", remind.Units, "other")
		w.Place(t, "eve", 1)
		w.later(2 * time.Second)
		w.set(t, "mode", seckill.Draw)
		refused("not_drawn", remind.Units, stage.SKU)
		w.set(t, "mode", seckill.First)
		w.units(t, "ann", stage.SKU)
		w.units(t, "ann", "")
		w.set(t, "segments", "members")
		refused("not_in_segment", remind.Units, stage.SKU)
		w.set(t, "segments", "")
		w.Flush(t)
		w.later(2 * time.Second)
		_, err := w.request("bob", remind.Units, stage.SKU, "")
		assert.Equal(t, "unavailable", code(err), "nobody knows what is left")
		w.set(t, "state", seckill.Offline)
		_, err = w.request("bob", remind.Units, stage.SKU, "")
		assert.Equal(t, "offline", code(err))
		w.set(t, "state", seckill.Published)
		w.later(2 * time.Hour)
		_, err = w.request("bob", remind.Units, stage.SKU, "")
		assert.Equal(t, "ended", code(err))
		_, err = w.service.Remind(t.Context(), seckill.Wisher{User: "bob"},
			remind.Request{Activity: "other", Kind: remind.Start})
		assert.Equal(t, "not_found", code(err))
	})
}

// One buyer sends requests about one sale, and about many, at once.
func TestAHostileBuyerHasFewReminders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -time.Hour)
		views := kit.AtOnce(48, func(int) remind.View {
			v, err := w.request("ann", remind.Start, "", "t")
			if err != nil {
				return remind.View{ID: err.Error()}
			}
			return v
		})
		for _, v := range views {
			assert.Equal(t, views[0], v)
		}
		assert.Equal(t, 1, w.rows(t))
		require.NoError(t, w.service.Forget(context.Background(), "ann", views[0].ID))

		var sales []string
		for range remind.MaxReminders + 5 {
			id, _ := w.Publish(t)
			sales = append(sales, id)
		}
		codes := kit.AtOnce(len(sales), func(i int) string {
			_, err := w.service.Remind(context.Background(), seckill.Wisher{User: "ann"},
				remind.Request{Activity: sales[i], Kind: remind.Start})
			if err != nil {
				return code(err)
			}
			return ""
		})
		counts := map[string]int{}
		for _, c := range codes {
			counts[c]++
		}
		assert.Equal(t, len(sales), counts[""]+counts["too_many_reminders"])
		assert.Equal(t, counts[""], w.rows(t))
		for _, id := range sales { // of those that were asked for at once, too many may have been refused
			_, _ = w.service.Remind(context.Background(), seckill.Wisher{User: "ann"},
				remind.Request{Activity: id, Kind: remind.Start})
			assert.LessOrEqual(t, w.rows(t), remind.MaxReminders)
		}
		assert.Equal(t, remind.MaxReminders, w.rows(t))
	})
}

// meanwhile lets something happen once between the read of a request and its write.
func (w *world) meanwhile(happens func() error) {
	done := false
	w.service = remind.NewService(w.deps(func(step string) error {
		if step != "reminder_allowed" || done {
			return nil
		}
		done = true
		return happens()
	}))
}

// The job tells a reminder while its token is changed.
func TestANewTokenTellsNobodyTwice(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, time.Minute)
		sold := w.Place(t, "eve", 1)
		w.units(t, "ann", stage.SKU)
		require.NoError(t, w.Canceller.Cancel(context.Background(), sold.User, sold.Number, ""))
		_, err := w.Outbox.RunOnce(context.Background())
		require.NoError(t, err)
		w.later(2 * time.Second)
		w.meanwhile(func() error {
			_, err := w.teller.RunOnce(context.Background())
			return err
		})
		_, err = w.request("ann", remind.Units, stage.SKU, "newer")
		assert.Equal(t, "not_sold_out", code(err))
		w.later(remind.Rest)
		assert.Zero(t, w.tell(t))
		assert.Equal(t, []string{"ann"}, w.users(t))
	})
}

// The reminder is deleted and the sale starts while its token is changed.
func TestANewTokenMakesNoReminderOfAStartedSale(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -time.Minute)
		made := w.start(t, "ann")
		w.meanwhile(func() error {
			w.later(time.Minute)
			return w.service.Forget(context.Background(), "ann", made.ID)
		})
		_, err := w.request("ann", remind.Start, "", "newer")
		assert.Equal(t, "already_started", code(err))
		assert.Zero(t, w.rows(t))
	})
}

// A crowd writes a row each, and nothing that stays longer.
func TestAFirstReminderIsOneRow(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -time.Hour)
		w.start(t, "ann")
		var locks int
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &locks,
			`SELECT COUNT(*) FROM user_locks WHERE user_id = 'ann'`))
		assert.Zero(t, locks)
	})
}

func TestACrowdAsksAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -time.Hour)
		errs := kit.AtOnce(48, func(i int) error {
			_, err := w.request(fmt.Sprint("user", i), remind.Start, "", "t")
			return err
		})
		for _, err := range errs {
			require.NoError(t, err)
		}
		assert.Equal(t, 48, w.rows(t))
	})
}

func TestRemindersOfSalesThatAreOverAreDeleted(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, 1, -time.Hour), t.Context()
		expire := func() {
			for _, e := range remind.Expiries(w.clock.Now()) {
				_, err := stores.DB.Expire(ctx, e)
				require.NoError(t, err)
			}
		}
		w.start(t, "ann")
		expire()
		assert.Equal(t, 1, w.rows(t))
		w.later(58 * time.Minute)
		w.start(t, "bob")
		assert.Equal(t, 2, w.tell(t))
		expire()
		assert.Equal(t, 2, w.rows(t), "the start may still move")
		w.later(3 * time.Minute)
		w.crowd(t, w.Activity, remind.Start, "", 1) // late, and not told yet
		expire()
		assert.Equal(t, 1, w.rows(t))
		w.Place(t, "eve", 1)
		w.units(t, "ann", stage.SKU)
		expire()
		assert.Equal(t, 2, w.rows(t))
		w.set(t, "state", seckill.Offline)
		expire()
		assert.Zero(t, w.rows(t))
		w.set(t, "state", seckill.Published)
		w.crowd(t, w.Activity, remind.Units, "", 3)
		w.later(3 * time.Hour)
		assert.Zero(t, w.tell(t), "of a sale that is over")
		expire()
		assert.Zero(t, w.rows(t))
	})
}

func TestASaleHasABoundedNumberOfReminders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -time.Hour)
		counts, n, failure := 0, remind.MaxOfSale, error(nil)
		w.service.CountBy(func(context.Context, string) (remind.Counted, error) {
			counts++
			return remind.Counted{Start: 1, Units: n - 1}, failure
		})
		_, err := w.request("ann", remind.Start, "", "")
		require.Equal(t, "too_many_reminders", code(err))
		failure = errors.New("SQL fails")
		w.later(time.Minute)
		for range 10 {
			_, err = w.request("ann", remind.Start, "", "")
			require.Equal(t, "too_many_reminders", code(err), "the last count stands")
		}
		assert.Equal(t, 2, counts, "SQL rests after a count that failed")
		w.later(30 * time.Second)
		n, failure = remind.MaxOfSale-1, nil
		w.later(30 * time.Second)
		w.start(t, "ann")
	})
}

// Operators see how many reminders a sale has, by what they are of.
func TestRemindersOfASaleAreCountedByKind(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -time.Hour)
		has := func() remind.Counted {
			n, err := w.service.Count(t.Context(), w.Activity)
			require.NoError(t, err)
			return n
		}
		assert.Zero(t, has())
		w.start(t, "ann")
		w.start(t, "bob")
		assert.Zero(t, has(), "it is counted once a second")
		w.later(time.Second)
		assert.Equal(t, remind.Counted{Start: 2}, has())
		w.later(time.Hour + time.Minute)
		w.Place(t, "eve", 1)
		w.units(t, "ann", "")
		w.later(time.Minute)
		assert.Equal(t, remind.Counted{Start: 2, Units: 1}, has())
		_, err := w.service.Count(t.Context(), "another")
		assert.Equal(t, "not_found", code(err))
	})
}

// A count that fails or takes long keeps nobody from a reminder.
func TestRemindersAreMadeWhileTheyCantBeCounted(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, -time.Hour)
		w.service.CountBy(func(context.Context, string) (remind.Counted, error) {
			return remind.Counted{}, errors.New("SQL fails")
		})
		w.start(t, "ann")
		counting := make(chan struct{})
		w.service = remind.NewService(w.deps(nil))
		w.service.CountBy(func(ctx context.Context, _ string) (remind.Counted, error) {
			<-counting
			return remind.Counted{Start: remind.MaxOfSale}, ctx.Err()
		})
		w.start(t, "bob")
		close(counting)
	})
}

// The counts of all skus of a sale are read at once.
func TestASoldOutSaleIsReadAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, 1, time.Minute)
		w.Place(t, "eve", 1)
		commands := kit.CountCommands(w.Scripts.Redis)
		a := *w.Know(t)
		read := func() int {
			commands.Take()
			require.NoError(t, w.service.SoldOut(t.Context(), &a, w.clock.Now().UnixMilli()))
			return commands.Take()["hmget"]
		}
		one := read()
		for i := range 100 {
			a.SKUs = append(a.SKUs[:len(a.SKUs):len(a.SKUs)], seckill.ActivitySKU{SKU: fmt.Sprint("sku", i)})
		}
		assert.Equal(t, one, read())
		assert.Positive(t, one)
	})
}
