package remind_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/remind"
	"onrush/test/kit"
	"onrush/test/stage"
)

// world is a sale, and what buyers and the job do with its reminders.
type world struct {
	*stage.Stage
	clock   *kit.Clock
	starts  time.Time // of the sale
	cache   *seckill.ActivityCache
	service *remind.Service
	teller  *remind.Teller
}

// open makes a sale of units; the time of the reminders is after its start.
func open(t *testing.T, stores *kit.Stores, units int64, after time.Duration) *world {
	t.Helper()
	w := &world{Stage: stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": units}})}
	w.starts = time.UnixMilli(w.Know(t).StartsMS)
	w.clock = kit.NewClock(w.starts.Add(after))
	w.cache = seckill.NewActivityCache(stores.DB, w.Scripts, clock.Fixed(w.clock.Now), w.clock.Now)
	w.service = remind.NewService(w.deps(nil))
	w.teller = remind.NewTeller(w.deps(nil))
	return w
}

// deps are the dependencies of an instance; faults may be nil.
func (w *world) deps(faults order.Faults) remind.Deps {
	return remind.Deps{
		DB: w.Stores.DB, Clock: clock.Fixed(w.clock.Now), Activities: w.cache,
		Counts: seckill.NewStockCache(w.Scripts, w.clock.Now), NewID: kit.IDs(uint64(time.Now().UnixNano())),
		Faults: faults,
	}
}

// request asks for a reminder.
func (w *world) request(user string, kind remind.Kind, sku, token string) (remind.View, error) {
	return w.service.Remind(context.Background(), seckill.Wisher{User: user}, remind.Request{
		Activity: w.Activity, SKU: sku, Kind: kind, Token: token,
	})
}

func (w *world) start(t testing.TB, user string) remind.View {
	t.Helper()
	v, err := w.request(user, remind.Start, "", "token of "+user)
	require.NoError(t, err)
	return v
}

func (w *world) units(t testing.TB, user, sku string) remind.View {
	t.Helper()
	v, err := w.request(user, remind.Units, sku, "token of "+user)
	require.NoError(t, err)
	return v
}

// later lets time pass for the reminders; copies are read again.
func (w *world) later(d time.Duration) { w.clock.Advance(d) }

// set changes a column of the sale in SQL.
func (w *world) set(t testing.TB, column string, value any) {
	t.Helper()
	require.NoError(t, w.Stores.DB.InTx(context.Background(), func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(context.Background(), `UPDATE activities SET `+column+` = ? WHERE activity_id = ?`,
			value, w.Activity)
		return err
	}))
	w.cache.Forget(w.Activity)
}

// tell runs the job, and returns how many reminders it told.
func (w *world) tell(t testing.TB) int {
	t.Helper()
	n, err := w.teller.RunOnce(context.Background())
	require.NoError(t, err)
	return n
}

// told are the contents of the events, in their order.
func (w *world) told(t testing.TB) (all []remind.Due) {
	t.Helper()
	var texts []string
	require.NoError(t, w.Stores.DB.Write.SelectContext(context.Background(), &texts,
		`SELECT data FROM events WHERE type = 'reminder.due' ORDER BY id`))
	for _, text := range texts {
		var d remind.DueData
		require.NoError(t, json.Unmarshal([]byte(text), &d))
		all = append(all, d.Reminder)
	}
	return all
}

// users are those who were told, in the order in which they were; who was told twice is there twice.
func (w *world) users(t testing.TB) (users []string) {
	t.Helper()
	for _, d := range w.told(t) {
		for _, u := range d.Users {
			users = append(users, u.User)
		}
	}
	return users
}

func (w *world) rows(t testing.TB) (n int) {
	t.Helper()
	require.NoError(t, w.Stores.DB.Write.GetContext(context.Background(), &n, `SELECT COUNT(*) FROM reminders`))
	return n
}

// crowd writes n reminders of a sale, made before those of everybody else.
func (w *world) crowd(t testing.TB, activity string, kind remind.Kind, sku string, n int) {
	t.Helper()
	require.NoError(t, w.Stores.DB.InTx(context.Background(), func(tx *sqlx.Tx) error {
		for part := range slices.Chunk(names(n), 200) {
			query := `INSERT INTO reminders (reminder_id, activity_id, kind, sku_id, user_id, notify_token, created_ms,
				told_ms) VALUES `
			var args []any
			for i, user := range part {
				if i > 0 {
					query += ","
				}
				query += "(?, ?, ?, ?, ?, ?, ?, 0)"
				id := fmt.Sprintf("%.12s%.5s%s", activity, kind, user)
				args = append(args, id, activity, kind, sku, user, "token of "+user, 1)
			}
			if _, err := tx.ExecContext(context.Background(), query, args...); err != nil {
				return err
			}
		}
		return nil
	}))
}

func names(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = name(i)
	}
	return all
}

func name(i int) string { return fmt.Sprintf("user%06d", i) }

func code(err error) string { return problem.CodeOf(err).Name }
