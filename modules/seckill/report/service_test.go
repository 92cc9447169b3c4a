package report

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/test/kit"
	"onrush/test/stage"
)

// service returns a Service over the stores of a stage, whose clock the test sets.
func service(s *stage.Stage) (*Service, *kit.Clock) {
	at := kit.NewClock(time.Now())
	scripts := lua.New(s.Stores.Redis, s.Stores.Keys)
	clock := clock.Fixed(at.Now)
	return NewService(Deps{
		DB: s.Stores.DB, Lua: scripts, Clock: clock, Counters: seckill.NewAnswerCounters(scripts, clock),
	}), at
}

func TestAReportIsKeptForTenSeconds(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		reports, at := service(s)
		get := func() *Report {
			r, err := reports.Report(t.Context(), s.Activity)
			require.NoError(t, err)
			return r
		}
		assert.EqualValues(t, 0, *get().Placed)
		s.Place(t, "ann", 1)
		at.Advance(freshFor - time.Millisecond)
		assert.EqualValues(t, 0, *get().Placed)
		at.Advance(time.Millisecond)
		assert.EqualValues(t, 1, *get().Placed)
		at.Advance(-time.Hour) // a clock that is set back keeps no report for longer
		_, err := s.Mover.Drain(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 1, get().Totals.UnpaidUnits)
	})
}

func TestReportsAreMadeOneAfterTheOther(t *testing.T) {
	t.Parallel()
	reports := NewService(Deps{})
	require.NoError(t, reports.begin(t.Context()))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Equal(t, problem.CodeOverloaded, problem.CodeOf(reports.begin(ended)))
	<-reports.making
	require.NoError(t, reports.begin(t.Context()))
}

func TestAReportOfWhatIsNoSaleIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		reports, _ := service(s)
		_, err := reports.Report(t.Context(), "nothing")
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		now := time.Now()
		draft, err := s.Activities.Clone(t.Context(), s.Activity, now.UnixMilli(), now.Add(time.Hour).UnixMilli())
		require.NoError(t, err)
		_, err = reports.Report(t.Context(), draft.ID)
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
	})
}
