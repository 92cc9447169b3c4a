package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/test/kit"
)

func nothing(context.Context) (int, error) { return 0, nil }

func TestRunEndsWhenItsRowWasStoredWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := instance(t, stores, "a", Job{Name: "work", Every: every, Within: time.Minute, RunOnce: nothing})
		j, noLuck := s.byName["work"], errors.New("no luck")
		for i, tc := range []struct {
			done  int
			cause error
			state State
		}{{7, nil, Done}, {0, nil, Done}, {0, noLuck, Failed}, {0, noLuck, Failed}, {3, noLuck, Failed}} {
			name := fmt.Sprintf("run %d", i)
			r := s.history.begin(j, "")
			require.NoError(t, s.history.insert(t.Context(), &r.Run))
			s.history.showRunning(r) // as if the row could not be written
			s.history.end(t.Context(), r, tc.done, tc.cause)

			var row Run
			require.NoError(t, stores.DB.Write.GetContext(t.Context(), &row,
				`SELECT `+runColumns+` FROM job_runs WHERE run_id = ?`, r.RunID), name)
			assert.Equal(t, []any{tc.state, int64(tc.done)}, []any{row.State, row.Done}, name)
			assert.NotZero(t, row.EndedMS, name)
		}
		shown, err := s.List(t.Context())
		require.NoError(t, err)
		assert.False(t, shown[0].Running)
		assert.Len(t, runs(t, s, "work"), 5)
	})
}

func TestRunThatCouldNotBeStoredAtItsStartIsStoredAtItsEnd(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := instance(t, stores, "a", Job{Name: "work", Every: every, Within: time.Minute, RunOnce: nothing})
		s.history.db = stores.DB // the one that breaks
		r := s.history.begin(s.byName["work"], "")
		stores.SQLAway(t)
		s.history.showRunning(r)
		stores.SQLBack(t)
		soon(t, "sql is back", func() bool { return stores.DB.Write.PingContext(t.Context()) == nil })
		s.history.end(t.Context(), r, 7, nil)
		list := runs(t, s, "work")
		require.Len(t, list, 1)
		assert.Equal(t, []any{Done, int64(7)}, []any{list[0].State, list[0].Done})
	}, kit.Breakable())
}

func TestHistoryOfLongRunsIsBoundedAsWell(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := instance(t, stores, "a", Job{Name: "work", Every: every, Within: time.Minute, RunOnce: nothing})
		var begun int64 // each run begins a millisecond after the one before, so that they have an order
		s.history.now = func() time.Time { begun++; return time.UnixMilli(begun) }
		for range keepRuns + pruneEvery + 1 {
			r := s.history.begin(s.byName["work"], "")
			s.history.showRunning(r)
			s.history.end(t.Context(), r, 1, nil)
		}
		list, err := s.Runs(t.Context(), "work", api.Page{Page: 1, Size: 10})
		require.NoError(t, err)
		assert.LessOrEqual(t, *list.Total, int64(keepRuns+pruneEvery))
	})
}

func TestRunsOfAnInstanceWhoseClockWasAheadDoNotDriveOutTheTrueOnes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := instance(t, stores, "a", Job{Name: "work", Every: every, Within: time.Minute, RunOnce: nothing})
		now := time.Now()
		s.history.now = func() time.Time { now = now.Add(time.Millisecond); return now }
		work := func(times int) {
			for range times {
				s.history.end(t.Context(), s.history.begin(s.byName["work"], ""), 1, nil)
			}
		}
		now = now.Add(time.Hour)
		work(keepRuns + pruneEvery)
		now = now.Add(-time.Hour)
		work(pruneEvery)
		id, err := s.RunNow(t.Context(), "work", "olga")
		require.NoError(t, err)
		s.requested.Wait()
		list := runs(t, s, "work")
		assert.Equal(t, id, list[0].RunID, "it is the newest")
		assert.Len(t, list, 100)
		shown, err := s.List(t.Context())
		require.NoError(t, err)
		assert.Equal(t, id, shown[0].LastRun.RunID)

		work(keepRuns - 1)
		var have int
		require.NoError(t, stores.DB.Write.GetContext(t.Context(), &have,
			`SELECT COUNT(*) FROM job_runs WHERE run_id = ?`, id))
		assert.Equal(t, 1, have, "fewer true ones came after it than are kept")
		var all, ahead int64
		require.NoError(t, stores.DB.Write.GetContext(t.Context(), &all,
			`SELECT COUNT(*) FROM job_runs WHERE job = 'work'`))
		require.NoError(t, stores.DB.Write.GetContext(t.Context(), &ahead,
			`SELECT COUNT(*) FROM job_runs WHERE started_ms > ?`, s.history.latest()))
		assert.LessOrEqual(t, all, int64(keepRuns+pruneEvery))
		assert.Zero(t, ahead, "they have gone")
	})
}

// Runs that found nothing to do share a row, which the first of many instances makes.
func TestTheFirstIdleRunsOfManyInstancesShareARow(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const instances = 48
		s := instance(t, stores, "a", Job{Name: "work", Every: time.Hour, Within: time.Hour, RunOnce: nothing})
		kit.Crowd(instances, func(i int) {
			h := newHistory(Deps{
				DB: stores.DB, Now: time.Now, NewID: kit.IDs(uint64(i)), Instance: strconv.Itoa(i),
				Log: slog.New(slog.DiscardHandler),
			})
			assert.NoError(t, h.write(context.WithoutCancel(t.Context()), &run{Run: Run{Job: "work", State: Done}}))
		})
		assert.Len(t, runs(t, s, "work"), 1)
	})
}
