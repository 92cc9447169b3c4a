package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/redisdb"
	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

const (
	patience = 30 * time.Second
	poll     = 5 * time.Millisecond
	every    = 200 * time.Millisecond
)

// instance makes a scheduler as one instance of the program has it, with connections of its own.
func instance(t *testing.T, stores *kit.Stores, name string, list ...Job) *Scheduler {
	t.Helper()
	rdb := stores.ConnectRedis(t)
	s, err := New(t.Context(), list, Deps{
		DB: stores.ConnectSQL(t), Redis: rdb, Keys: stores.Keys, Locks: redisdb.NewLocks(rdb), Now: time.Now,
		NewID: kit.IDs(uint64(time.Now().UnixNano())), Instance: name, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

func soon(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, patience, poll, what)
}

func runs(t *testing.T, s *Scheduler, job string) []Run {
	t.Helper()
	list, err := s.Runs(context.WithoutCancel(t.Context()), job, api.Page{Page: 1, Size: 100})
	require.NoError(t, err)
	return list.Items
}

func TestSchedulerStoppedDuringItsStartRunsNothing(t *testing.T) {
	t.Parallel()
	var ran atomic.Int64
	stores := kit.OnEmbedded(t)
	for i := range 20 {
		s := instance(t, stores, fmt.Sprint("a", i), Job{
			Name: "work", Every: time.Millisecond, Within: time.Second, Internal: true,
			RunOnce: func(context.Context) (int, error) {
				ran.Add(1)
				return 1, nil
			},
		})
		var starting sync.WaitGroup
		if i == 0 {
			require.NoError(t, s.Stop())
			require.NoError(t, s.Start())
			require.Never(t, func() bool { return ran.Load() > 0 }, 100*time.Millisecond, poll)
			continue
		}
		starting.Go(func() { assert.NoError(t, s.Start()) })
		require.NoError(t, s.Stop())
		starting.Wait()
	}
	before := ran.Load()
	require.Never(t, func() bool { return ran.Load() > before }, 100*time.Millisecond, poll)
}

func TestEachDueRunIsCarriedOutOnceByTwoInstances(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		var ran atomic.Int64
		var running kit.Concurrency
		job := Job{Name: "work", Every: every, Within: 10 * time.Second, RunOnce: func(context.Context) (int, error) {
			running.Begin()
			defer running.End()
			ran.Add(1)
			return 1, nil
		}}
		a, b := instance(t, stores, "a", job), instance(t, stores, "b", job)
		first := job.slot(time.Now())
		require.NoError(t, a.Start())
		require.NoError(t, b.Start())
		soon(t, "ten runs", func() bool { return ran.Load() >= 10 })
		require.NoError(t, errors.Join(a.Stop(), b.Stop()))
		assert.LessOrEqual(t, ran.Load(), job.slot(time.Now())-first+1, "no due moment twice")
		assert.EqualValues(t, 1, running.Most(), "no two at once")
		assert.Len(t, runs(t, a, "work"), int(ran.Load()))
	})
}

func TestAnotherInstanceTakesOverWhenTheOneThatRunsIsCut(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		job := func(run func(ctx context.Context) (int, error)) Job {
			return Job{Name: "work", Every: every, Within: time.Minute, RunOnce: run}
		}
		began := make(chan struct{}, 1)
		a := instance(t, stores, "a", job(func(ctx context.Context) (int, error) {
			began <- struct{}{}
			<-ctx.Done()
			return 0, ctx.Err()
		}))
		var ran atomic.Int64
		b := instance(t, stores, "b", job(func(context.Context) (int, error) { ran.Add(1); return 1, nil }))
		require.NoError(t, a.Start())
		<-began
		require.NoError(t, b.Start())
		soon(t, "it is shown as running", func() bool {
			list, err := b.List(t.Context())
			return err == nil && list[0].Running && list[0].LastRun.Instance == "a"
		})
		assert.Zero(t, ran.Load(), "while one runs it, the other leaves it alone")
		a.cancel()
		soon(t, "the other took over", func() bool { return ran.Load() > 0 })
	})
}

func TestPausedJobStaysPausedAfterARestartAndRunsOnRequest(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		var ran, other atomic.Int64
		list := []Job{
			{
				Name: "work", Every: every, Within: 10 * time.Second,
				RunOnce: func(context.Context) (int, error) { ran.Add(1); return 3, nil },
			},
			{
				Name: "other", Every: every, Within: 10 * time.Second,
				RunOnce: func(context.Context) (int, error) { other.Add(1); return 0, nil },
			},
		}
		shown, err := instance(t, stores, "a", list...).Pause(t.Context(), "work", "olga")
		require.NoError(t, err)
		assert.True(t, shown.Paused)
		assert.Equal(t, "olga", shown.PausedBy)
		assert.Zero(t, shown.NextRunAt)

		b, c := instance(t, stores, "b", list...), instance(t, stores, "c", list...)
		require.NoError(t, b.Start())
		require.NoError(t, c.Start())
		soon(t, "the other job runs", func() bool { return other.Load() >= 5 })
		assert.Zero(t, ran.Load())
		id, err := b.RunNow(t.Context(), "work", "olga")
		require.NoError(t, err)
		soon(t, "the run ended", func() bool { r := runs(t, c, "work"); return len(r) == 1 && r[0].State == Done })
		r := runs(t, c, "work")[0]
		assert.Equal(t, []any{id, "olga", "b", int64(3)}, []any{r.RunID, r.AskedBy, r.Instance, r.Done})
		assert.Equal(t, int64(1), ran.Load())
		assert.Len(t, runs(t, b, "other"), 1, "runs that did nothing share a row")

		_, err = c.Resume(t.Context(), "work")
		require.NoError(t, err)
		soon(t, "it runs again", func() bool { return ran.Load() > 1 })
		_, err = c.RunNow(t.Context(), "nothing", "olga")
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
	})
}

func TestHistoryKeepsTheLastRunsAndReportsLostOnes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		cause := errors.New("no\nluck")
		s := instance(t, stores, "a", Job{
			Name: "work", Every: every, Within: time.Second,
			RunOnce: func(context.Context) (int, error) { return 0, nil },
		})
		j := s.byName["work"]
		var runsBegun int64 // each run begins a millisecond after the one before, so that they have an order
		s.history.now = func() time.Time { runsBegun++; return time.UnixMilli(runsBegun) }
		for range keepRuns + pruneEvery + 1 {
			s.history.end(t.Context(), s.history.begin(j, ""), 1, nil)
		}
		// Of runs that find nothing to do, one a minute is written; the success below is one of them.
		s.history.end(t.Context(), s.history.begin(j, ""), 0, nil)
		for range 3 {
			s.history.end(t.Context(), s.history.begin(j, ""), 0, cause)
		}
		list, err := s.Runs(t.Context(), "work", api.Page{Page: 1, Size: 10})
		require.NoError(t, err)
		assert.LessOrEqual(t, *list.Total, int64(keepRuns+pruneEvery))
		assert.Equal(t, Failed, list.Items[0].State)
		assert.Equal(t, Done, list.Items[1].State, "the same failure has one row")
		shown, err := s.List(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "no luck", shown[0].LastError)
		assert.Equal(t, list.Items[0].EndedMS, shown[0].LastErrorAt)

		s.history.end(t.Context(), s.history.begin(j, ""), 0, nil)
		shown, err = s.List(t.Context())
		require.NoError(t, err)
		assert.Empty(t, shown[0].LastError, "the next success ends it, also one that found nothing to do")
		assert.Zero(t, shown[0].LastErrorAt)

		lost := s.history.begin(j, "olga")
		s.history.now = func() time.Time {
			return time.UnixMilli(int64(lost.StartedMS)).Add(j.Within + lostAfter + time.Second)
		}
		require.NoError(t, s.history.insert(t.Context(), &lost.Run))
		for _, r := range runs(t, s, "work") {
			assert.NotEqual(t, Running, r.State)
		}
		var said string
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &said, `SELECT error FROM job_runs WHERE run_id = ?`,
			lost.RunID))
		assert.Equal(t, lostMessage, said)
	})
}

func TestJobThatPanicsIsAFailedRunWithItsStackAndRunsAgain(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		var ran, internal atomic.Int64
		panics := func(context.Context) (int, error) {
			ran.Add(1)
			panic("out of order")
		}
		s := instance(t, stores, "a",
			Job{Name: "work", Every: every, Within: 10 * time.Second, RunOnce: panics},
			Job{
				Name: "inner", Every: every, Within: 10 * time.Second, Internal: true,
				RunOnce: func(ctx context.Context) (int, error) {
					internal.Add(1)
					return panics(ctx)
				},
			})
		require.NoError(t, s.Start())
		soon(t, "both run again", func() bool { return internal.Load() >= 2 && ran.Load()-internal.Load() >= 2 })
		soon(t, "a run is a failed one", func() bool {
			list := runs(t, s, "work")
			return len(list) > 0 && list[len(list)-1].State == Failed
		})
		assert.Contains(t, runs(t, s, "work")[0].Error, "panic: out of order, at scheduler_test.go:")
	})
}

// Its work is only half done, whatever it says.
func TestARunThatIsCutShortHasFailed(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	s := instance(t, stores, "a", Job{
		Name: "work", Every: every, Within: 2 * every, RunOnce: func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 1, nil
		},
	})
	require.NoError(t, s.Start())
	// On a busy machine the time of a run may be over before it has its lock.
	soon(t, "a run that began has failed", func() bool {
		return slices.ContainsFunc(runs(t, s, "work"), func(r Run) bool {
			return r.State == Failed && strings.HasPrefix(r.Error, "cut short after ")
		})
	})
	for _, r := range runs(t, s, "work") {
		assert.NotEqual(t, Done, r.State)
	}
}
