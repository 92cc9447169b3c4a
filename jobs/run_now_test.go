package jobs

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
	"onrush/test/kit"
)

func TestRequestedRunHasItsWholeTimeAfterWaiting(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const within = time.Minute
		began, goOn := make(chan time.Time, 2), make(chan struct{})
		a := instance(t, stores, "a", Job{
			Name: "work", Every: time.Hour, Within: within, RunOnce: func(ctx context.Context) (int, error) {
				deadline, _ := ctx.Deadline()
				began <- deadline
				<-goOn
				return 1, nil
			},
		})
		_, err := a.RunNow(t.Context(), "work", "olga")
		require.NoError(t, err)
		<-began
		id, err := a.RunNow(t.Context(), "work", "olga")
		require.NoError(t, err)
		soon(t, "a little time goes by", func() bool {
			return time.Now().UnixMilli() > int64(runs(t, a, "work")[0].StartedMS)+1
		})
		released := time.Now()
		close(goOn)
		assert.False(t, (<-began).Before(released.Add(within)), "its time begins when it does")
		a.requested.Wait()
		for _, r := range runs(t, a, "work") {
			assert.Equal(t, Done, r.State)
			if r.RunID == id {
				assert.GreaterOrEqual(t, int64(r.StartedMS), released.UnixMilli())
			}
		}
	})
}

func TestRefusedRunThatSQLStoresLateEndsAsLost(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := instance(t, stores, "a", Job{Name: "work", Every: time.Hour, Within: time.Hour, RunOnce: nothing})
		s.history.db = stores.DB // the one that breaks
		s.history.newID = func() string { return "late" }
		stores.SQLAway(t)
		_, err := s.RunNow(t.Context(), "work", "olga")
		require.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		stores.SQLBack(t)
		late := s.history.begin(s.byName["work"], "olga")
		soon(t, "sql is back, and carries the insert out", func() bool {
			return s.history.insert(t.Context(), &late.Run) == nil
		})
		after := time.UnixMilli(int64(late.StartedMS)).Add(time.Hour + lostAfter + time.Second)
		s.history.now = func() time.Time { return after }
		list := runs(t, s, "work")
		assert.Equal(t, []any{"late", Failed, lostMessage}, []any{list[0].RunID, list[0].State, list[0].Error})
	}, kit.Breakable())
}
