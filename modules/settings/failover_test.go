package settings

import (
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/problem"
	"onrush/test/kit"
)

// A Redis with too few replicas may lose the copy in a failover, and SQL may be frozen when all instances start again.
func TestAStopIsUncertainUntilReplicasHaveItsCopy(t *testing.T) {
	t.Parallel()
	s := kit.Own(t).Stores // without a replica
	clock := kit.NewClock(start)
	waits := newInstance(s, clock)
	waits.Lua.Waits = lua.Confirm{Replicas: 1, Within: time.Millisecond}
	for range 2 { // the second time, the copy is there already
		stopped, err := waits.Change(t.Context(), Values{SalesStopped: new(true)}, nil, 0)
		require.NoError(t, err)
		assert.True(t, stopped.Uncertain)
	}
	certain, err := newInstance(s, clock).Change(t.Context(), Values{SalesStopped: new(false)}, nil, 0)
	require.NoError(t, err)
	assert.False(t, certain.Uncertain, "without ONRUSH_REDIS_REPLICAS both stores are enough")
}

// The replica that becomes the master of Redis lacks a stop that was answered.
func TestAStopOutlivesAFailoverOfRedisWhileSQLIsAway(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		o.SQLAway(t)
		behind := o.redis(t)
		o.change(t, Values{SalesStopped: new(true)})
		o.redis(t, behind)
		require.Error(t, o.here.Refresh(t.Context()), "SQL")
		require.Error(t, o.there.Refresh(t.Context()), "SQL")
		assert.True(t, o.here.Stopped(), "it remembers")
		assert.True(t, o.there.Stopped(), "the first one has told Redis")
		late := newInstance(o.Stores, o.clock)
		require.Error(t, late.Refresh(t.Context()), "SQL")
		assert.True(t, late.Stopped())

		require.NoError(t, o.Redis.Del(t.Context(), o.Keys.Settings()).Err())
		require.Error(t, o.there.Refresh(t.Context()), "SQL")
		assert.NotEmpty(t, o.redis(t), "the other one remembers, too")
		o.SQLBack(t)
		o.refresh(t)
		assert.Equal(t, Values{LimitUser: new("5/1s"), SalesStopped: new(true)}, o.row(t).Set)
		actions, _ := o.log(t)
		assert.Equal(t, []string{"settings.changed 0", "settings.changed 1000"}, actions)
	})
}

// SQL is back, and an instance that never saw the stop, in a Redis that has lost it, changes something else.
func TestAChangeOfAnotherSettingUndoesNoStop(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		o.SQLAway(t)
		behind := o.redis(t)
		o.change(t, Values{SalesStopped: new(true)})
		o.redis(t, behind)
		o.SQLBack(t)
		o.clock.Advance(time.Second)
		_, err := newInstance(o.Stores, o.clock).Change(o.ann(t), Values{Log: new("debug")}, nil, 0)
		require.NoError(t, err)
		o.refresh(t)
		want := Values{LimitUser: new("5/1s"), SalesStopped: new(true), Log: new("debug")}
		for _, has := range []Values{o.row(t).Set, applied(o.here), applied(o.there)} {
			assert.Equal(t, want, has)
		}
		assert.Equal(t, o.row(t).Version, version(o.there))
		actions, _ := o.log(t)
		assert.Len(t, actions, 3)
	})
}

// SQL was restored to before the stop, and changed since; Redis was restored to before that change.
func TestAStopOutlivesARestoredSQLThatWasChangedSince(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		stopped := o.change(t, Values{SalesStopped: new(true)})
		_, err := o.DB.Write.ExecContext(t.Context(),
			`UPDATE settings SET version = 2, updated_ms = 1794398402000,
				body = '{"log":"debug","changed":{"log":1794398402000}}'`)
		require.NoError(t, err)
		late := newInstance(o.Stores, o.clock)
		for range 2 {
			require.NoError(t, late.Refresh(t.Context()))
		}
		want := Values{SalesStopped: new(true), Log: new("debug")}
		assert.Equal(t, want, applied(late))
		assert.Equal(t, want, o.row(t).Set)
		assert.Equal(t, stopped.Version+1, version(late), "no version is of two states")
		o.refresh(t)
		assert.Equal(t, want, applied(o.there))
	})
}

func TestAnInstanceThatKnowsNoSettingsRefusesWhatAStopRefuses(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		refusal := func(i *Store) problem.Code {
			var refused problem.Code
			app := fiber.New(fiber.Config{ErrorHandler: func(_ *fiber.Ctx, err error) error {
				refused = problem.CodeOf(err)
				return nil
			}})
			app.Get("/", NewHTTPGate(i).Sale, func(*fiber.Ctx) error { return nil })
			res, err := app.Test(httptest.NewRequest("GET", "/", nil), -1)
			require.NoError(t, errors.Join(err, res.Body.Close()))
			return refused
		}
		require.NoError(t, o.Redis.Del(t.Context(), o.Keys.Settings()).Err())
		o.SQLAway(t)
		fresh := newInstance(o.Stores, o.clock)
		require.Error(t, fresh.Refresh(t.Context()), "SQL")
		assert.Equal(t, problem.CodeUnavailable, refusal(fresh), "it may be stopped")
		assert.Equal(t, problem.Code{}, refusal(o.here))

		require.Error(t, o.here.Refresh(t.Context()), "SQL")
		require.Error(t, fresh.Refresh(t.Context()), "SQL")
		assert.Equal(t, problem.Code{}, refusal(fresh), "another instance has told Redis")
		o.change(t, Values{SalesStopped: new(true)})
		require.Error(t, fresh.Refresh(t.Context()), "SQL")
		assert.Equal(t, CodeSalesStopped, refusal(fresh))
		o.SQLBack(t)
	})
}

// A program before the times of single settings reads and writes the same row.
func TestAnOlderProgramAndThisOneFollowEachOther(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		o.change(t, Values{SalesStopped: new(true)})
		row := o.row(t)
		o.clock.Advance(time.Second)
		_, err := o.DB.Write.ExecContext(t.Context(), `UPDATE settings SET version = ?, updated_ms = ?,
			body = '{"limit_user":"5/1s","sales_stopped":true,"log":"debug"}'`,
			row.Version+1, o.clock.Now().UnixMilli())
		require.NoError(t, err)
		o.refresh(t)
		assert.Equal(t, Values{LimitUser: new("5/1s"), SalesStopped: new(true), Log: new("debug")}, applied(o.there))
		assert.Equal(t, row.Version+1, version(o.there))
		o.clock.Advance(time.Second)
		o.change(t, Values{}, "sales_stopped")
		o.refresh(t)
		assert.False(t, o.there.Stopped())
	})
}

// A worried operator stops all sales twice. The second answer is no surer than the first one.
func TestAStopThatIsRepeatedWhileSQLIsAwayIsStillUncertain(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		o.SQLAway(t)
		for range 2 {
			stopped, err := o.here.Change(o.ann(t), Values{SalesStopped: new(true)}, nil, 0)
			require.NoError(t, err)
			assert.True(t, stopped.Uncertain)
			assert.True(t, stopped.Pending)
			o.clock.Advance(time.Second)
		}
		o.SQLBack(t)
		o.refresh(t)
		stopped, err := o.here.Change(o.ann(t), Values{SalesStopped: new(true)}, nil, 0)
		require.NoError(t, err)
		assert.False(t, stopped.Uncertain)
		actions, _ := o.log(t)
		assert.Equal(t, []string{"settings.changed 0", "settings.changed 1000"}, actions, "the repetition is no change")
	})
}

func TestAChangeOfNothingIsNotLogged(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		before, _ := o.log(t)
		_, err := o.here.Change(o.ann(t), Values{}, nil, 0)
		require.NoError(t, err)
		after, _ := o.log(t)
		assert.Equal(t, before, after)
	})
}
