package jobs

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/redisdb"
	"onrush/test/kit"
)

// lastSuccess is what the metrics of an instance say of a job.
func lastSuccess(s *Scheduler, job string) time.Time {
	return time.UnixMilli(int64(testutil.ToFloat64(s.metrics.success.WithLabelValues(job)) * 1000))
}

func TestAfterARestartTheMetricsSayWhenAPausedJobLastSucceeded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		job := func(name string, err error) Job {
			return Job{
				Name: name, Every: every, Within: 10 * time.Second,
				RunOnce: func(context.Context) (int, error) { return 0, err },
			}
		}
		list := []Job{job("work", nil), job("broken", errors.New("broken"))}
		before := instance(t, stores, "a", list...)
		began := lastSuccess(before, "broken")
		assert.WithinDuration(t, time.Now(), began, time.Minute, "a job that never succeeded has a series")
		require.NoError(t, before.Start())
		soon(t, "both ran", func() bool {
			return lastSuccess(before, "work").After(began) && len(runs(t, before, "broken")) > 0
		})
		_, err := before.Pause(t.Context(), "work", "olga")
		require.NoError(t, err)
		require.NoError(t, before.Stop())
		const ended = 1_700_000_000_123
		_, err = stores.DB.Write.ExecContext(t.Context(), `UPDATE job_runs SET ended_ms = ?`, ended)
		require.NoError(t, err)

		after := instance(t, stores, "b", list...)
		require.NoError(t, after.Start())
		assert.EqualValues(t, ended, lastSuccess(after, "work").UnixMilli())
		assert.True(t, lastSuccess(after, "broken").After(began), "a run that failed is no success")
	})
}

func TestASuccessInTheFutureIsNotRemembered(t *testing.T) {
	t.Parallel()
	m, now := newMetrics(), time.UnixMilli(1_700_000_000_000)
	m.begin([]*scheduled{{Job: Job{Name: "work"}}}, now)
	m.remember(map[string]time.Time{"work": now.Add(time.Hour)}, now)
	assert.InDelta(t, 1_700_000_000, testutil.ToFloat64(m.success.WithLabelValues("work")), 0)
}

func TestTheLastEndOfAJobIsThatOfAllInstances(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		now := time.Now()
		rdb := stores.ConnectRedis(t)
		s, err := New(t.Context(), []Job{{Name: "work", Every: every, Within: time.Second}}, Deps{
			DB: stores.ConnectSQL(t), Redis: rdb, Keys: stores.Keys, Locks: redisdb.NewLocks(rdb),
			Now: func() time.Time { return now }, NewID: kit.IDs(1), Instance: "a",
		})
		require.NoError(t, err)
		require.NoError(t, s.CheckLastEnd(t.Context(), "work", time.Minute), "it has just begun")
		now = now.Add(2 * time.Minute)
		require.ErrorContains(t, s.CheckLastEnd(t.Context(), "work", time.Minute), "2m0s")
		other := newHistory(Deps{
			DB: stores.DB, Now: func() time.Time { return now }, NewID: kit.IDs(2), Instance: "b",
		})
		other.end(t.Context(), other.begin(s.byName["work"], ""), 0, errors.New("it drifts"))
		require.NoError(t, s.CheckLastEnd(t.Context(), "work", time.Minute))
	})
}
