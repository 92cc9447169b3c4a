package settings

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/oplog"
	"onrush/modules/problem"
	"onrush/test/kit"
)

// operators are two instances on the same stores, and the operator ann, whose requests reach the first one.
type operators struct {
	*kit.Stores

	clock         *kit.Clock
	here, there   *Store
	recorder      *oplog.Recorder
	limitedBefore Stored
}

// eachOutage runs a test on stores that have a limit, which both instances have read.
func eachOutage(t *testing.T, test func(t *testing.T, o *operators)) {
	t.Helper()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		o := &operators{Stores: s, clock: kit.NewClock(start)}
		o.recorder = oplog.NewRecorder(o.clock.Now, rand.Uint32)
		o.here, o.there = newInstance(s, o.clock), newInstance(s, o.clock)
		o.limitedBefore = o.change(t, Values{LimitUser: new("5/1s")})
		o.refresh(t)
		o.clock.Advance(time.Second)
		test(t, o)
	}, kit.Breakable())
}

func (o *operators) ann(t *testing.T) context.Context {
	return o.recorder.By(t.Context(), "ann", "192.0.2.1")
}

func (o *operators) change(t *testing.T, set Values, unset ...string) Stored {
	t.Helper()
	after, err := o.here.Change(o.ann(t), set, unset, 0)
	require.NoError(t, err)
	return after
}

// refresh makes both instances read the stores.
func (o *operators) refresh(t *testing.T) {
	t.Helper()
	for range 2 { // the first one may settle, after the other one has read
		require.NoError(t, o.here.Refresh(t.Context()))
		require.NoError(t, o.there.Refresh(t.Context()))
	}
}

// redis returns the text of the settings in Redis, after it was replaced by another one if there is one.
func (o *operators) redis(t *testing.T, replace ...string) string {
	t.Helper()
	text, err := o.here.Lua.Settings(t.Context())
	require.NoError(t, err)
	for _, other := range replace {
		require.NoError(t, o.Redis.Set(t.Context(), o.Keys.Settings(), other, 0).Err())
	}
	return text
}

// log returns the log's changes of the settings, oldest first.
func (o *operators) log(t *testing.T) (actions, after []string) {
	t.Helper()
	var rows []struct {
		AtMS   int64  `db:"at_ms"`
		Actor  string `db:"actor"`
		IP     string `db:"client_ip"`
		Action string `db:"action"`
		After  string `db:"after_value"`
	}
	const query = `SELECT at_ms, actor, client_ip, action, after_value FROM operator_log ORDER BY change_id`
	require.NoError(t, o.DB.Read.SelectContext(t.Context(), &rows, query))
	for _, r := range rows {
		assert.Equal(t, []string{"ann", "192.0.2.1"}, []string{r.Actor, r.IP})
		actions = append(actions, fmt.Sprint(r.Action, " ", r.AtMS-start.UnixMilli()))
		after = append(after, r.After)
	}
	return actions, after
}

// row returns what SQL has.
func (o *operators) row(t *testing.T) Stored {
	t.Helper()
	row, err := read(t.Context(), o.DB.Read)
	require.NoError(t, err)
	return row
}

func TestSalesStopAndGoOnWhileSQLIsAway(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		o.SQLAway(t)
		stopped := o.change(t, Values{SalesStopped: new(true)})
		assert.Equal(t, Values{LimitUser: new("5/1s"), SalesStopped: new(true)}, stopped.Set)
		assert.True(t, o.here.Stopped())
		require.Error(t, o.there.Refresh(t.Context()), "SQL")
		assert.True(t, o.there.Stopped())
		late := newInstance(o.Stores, o.clock)
		require.Error(t, late.Refresh(t.Context()), "SQL")
		assert.True(t, late.Stopped(), "one that starts meanwhile")
		seen, err := late.Get(t.Context())
		require.NoError(t, err)
		assert.True(t, stopped.Pending && stopped.Uncertain, "no replica confirms")
		stopped.Uncertain = false
		assert.Equal(t, stopped, seen)

		o.clock.Advance(time.Second)
		_, err = o.here.Change(o.ann(t), Values{SalesStopped: new(false)}, nil, stopped.Version-1)
		assert.Equal(t, problem.CodeStaleVersion, problem.CodeOf(err))
		o.change(t, Values{SalesStopped: new(false)})
		require.Error(t, o.there.Refresh(t.Context()), "SQL")
		assert.False(t, o.there.Stopped())

		o.clock.Advance(time.Minute)
		o.SQLBack(t)
		o.refresh(t)
		row := o.row(t)
		assert.Equal(t, Values{LimitUser: new("5/1s"), SalesStopped: new(false)}, row.Set)
		assert.Equal(t, stopped.Version+1, row.Version, "the version that operators saw")
		assert.Equal(t, row.Version, version(o.there))
		actions, after := o.log(t)
		assert.Equal(t, []string{"settings.changed 0", "settings.changed 1000", "settings.changed 2000"}, actions)
		assert.Contains(t, after[1], `"sales_stopped":true`)
		assert.NotContains(t, o.redis(t), "waiting")
	})
}

func TestOtherSettingsDoNotChangeWhileSQLIsAway(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		before := o.redis(t)
		o.SQLAway(t)
		for _, set := range []Values{{Degrade: new("no_lists")}, {SalesStopped: new(true), Log: new("debug")}, {}} {
			_, err := o.here.Change(o.ann(t), set, []string{"limit_user"}, 0)
			assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
			require.ErrorContains(t, err, "only sales_stopped can be changed")
		}
		assert.Equal(t, before, o.redis(t))
		assert.Equal(t, o.limitedBefore.Set, applied(o.here))
		o.SQLBack(t)
		o.refresh(t)
		assert.Equal(t, o.limitedBefore, o.row(t))
	})
}

// Instances of the build before let any setting wait for SQL.
func TestChangesThatAnOlderProgramLetWaitAreMade(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		o.SQLAway(t)
		o.redis(t, strings.TrimSuffix(o.redis(t), "}")+`,"waiting":[
			{"at_ms":1794398401000,"by":{"id":77,"at_ms":1794398401000,"actor":"ann","client_ip":"192.0.2.1"},
				"set":{"degrade":"no_lists"},"unset":["limit_user"]}]}`)
		require.Error(t, o.here.Refresh(t.Context()), "SQL")
		assert.Equal(t, NoLists, o.here.Level())
		o.change(t, Values{SalesStopped: new(true)})
		o.SQLBack(t)
		o.refresh(t)
		assert.Equal(t, Values{Degrade: new("no_lists"), SalesStopped: new(true)}, o.row(t).Set)
		actions, _ := o.log(t)
		assert.Len(t, actions, 3)
	})
}

func TestAnOldStopDoesNotComeBackWithARestoredRedis(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		o.SQLAway(t)
		o.change(t, Values{SalesStopped: new(true)})
		backup := o.redis(t)
		o.SQLBack(t)
		o.refresh(t)
		o.clock.Advance(time.Second)
		goOn := o.change(t, Values{}, "sales_stopped")
		o.refresh(t)
		o.redis(t, backup)
		o.refresh(t)
		assert.False(t, o.here.Stopped() || o.there.Stopped())
		assert.Equal(t, goOn, o.row(t))
		actions, _ := o.log(t)
		assert.Equal(t, []string{"settings.changed 0", "settings.changed 1000", "settings.changed 2000"}, actions)

		o.SQLAway(t)
		o.redis(t, backup)
		o.clock.Advance(time.Second)
		require.Error(t, o.here.Refresh(t.Context()), "SQL")
		assert.False(t, o.here.Stopped())
		require.Error(t, o.there.Refresh(t.Context()), "SQL")
		assert.False(t, o.there.Stopped())
		o.SQLBack(t)
	})
}

func TestAStopOutlivesASQLThatWasRestored(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		stopped := o.change(t, Values{SalesStopped: new(true)})
		_, err := o.DB.Write.ExecContext(t.Context(), `UPDATE settings SET body = '{}', version = 1, updated_ms = 0`)
		require.NoError(t, err)
		o.refresh(t)
		assert.True(t, o.here.Stopped() && o.there.Stopped())
		assert.Equal(t, stopped, o.row(t))
	})
}

// The commit of a change may take place although the instance doesn't learn of it: then the change waits, too.
func TestAChangeIsMadeOnceHoweverOftenItSettles(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		o.SQLAway(t)
		o.change(t, Values{SalesStopped: new(true)})
		waiting := o.redis(t)
		o.SQLBack(t)
		for range 3 {
			o.redis(t, waiting)
			for _, err := range kit.AtOnce(4, func(int) error { return o.there.Settle(t.Context()) }) {
				require.NoError(t, err)
			}
		}
		assert.Equal(t, o.limitedBefore.Version+1, o.row(t).Version)
		actions, _ := o.log(t)
		assert.Equal(t, []string{"settings.changed 0", "settings.changed 1000"}, actions)
	})
}

func TestAChangeThatWasOvertakenOnlyGoesToTheLog(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		o.SQLAway(t)
		o.change(t, Values{SalesStopped: new(true)})
		waiting := o.redis(t)
		o.SQLBack(t)
		require.NoError(t, o.Redis.Del(t.Context(), o.Keys.Settings()).Err())
		o.clock.Advance(time.Second)
		_, err := newInstance(o.Stores, o.clock).Change(o.ann(t), Values{SalesStopped: new(false)}, nil, 0)
		require.NoError(t, err)
		o.redis(t, waiting)
		o.refresh(t)
		assert.False(t, o.here.Stopped() || o.there.Stopped())
		actions, after := o.log(t)
		assert.Equal(t, []string{"settings.changed 0", "settings.overtaken 1000", "settings.changed 2000"}, actions)
		assert.Contains(t, after[1], `"sales_stopped":true`)
	})
}

func TestSalesStopThoughNobodyKnowsTheSettings(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		require.NoError(t, o.Redis.Del(t.Context(), o.Keys.Settings()).Err())
		o.SQLAway(t)
		fresh := newInstance(o.Stores, o.clock)
		_, err := fresh.Get(t.Context())
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		_, err = fresh.Change(o.ann(t), Values{SalesStopped: new(true)}, nil, 0)
		require.NoError(t, err)
		require.Error(t, o.there.Refresh(t.Context()), "SQL")
		assert.True(t, o.there.Stopped())
		assert.Equal(t, "5/1s", *applied(o.there).LimitUser)
		o.SQLBack(t)
		o.refresh(t)
		assert.Equal(t, Values{LimitUser: new("5/1s"), SalesStopped: new(true)}, o.row(t).Set)

		require.NoError(t, o.Redis.Del(t.Context(), o.Keys.Settings()).Err())
		o.SQLAway(t)
		o.clock.Advance(time.Second)
		_, err = newInstance(o.Stores, o.clock).Change(o.ann(t), Values{}, []string{"sales_stopped"}, 0)
		require.NoError(t, err)
		o.SQLBack(t)
		o.refresh(t)
		assert.Equal(t, Values{LimitUser: new("5/1s")}, o.row(t).Set, "sales go on, too")
	})
}

func TestManyStopsWaitForSQL(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		o.SQLAway(t)
		const rounds, most = 3, 4
		for round := range rounds {
			for _, err := range kit.AtOnce(most, func(i int) error {
				store, stopped := []*Store{o.here, o.there}[i%2], round%2 == 0
				_, err := store.Change(o.ann(t), Values{SalesStopped: &stopped}, nil, 0)
				return err
			}) {
				require.NoError(t, err)
			}
		}
		o.SQLBack(t)
		o.refresh(t)
		assert.Equal(t, o.limitedBefore.Version+rounds, o.row(t).Version, "none is lost")
		actions, _ := o.log(t)
		assert.Len(t, actions, 1+rounds, "a repetition is no change")
		assert.Equal(t, o.row(t).Version, version(o.there))
	})
}

func TestWithoutBothStoresNothingChanges(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		o.SQLAway(t)
		o.RedisAway(t)
		_, err := o.here.Change(o.ann(t), Values{SalesStopped: new(true)}, nil, 0)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		assert.False(t, o.here.Stopped())
		o.SQLBack(t)
		o.change(t, Values{SalesStopped: new(true)})
		assert.True(t, o.here.Stopped(), "SQL alone is enough")
		o.RedisBack(t)
		o.refresh(t)
		assert.True(t, o.there.Stopped())
		assert.Contains(t, o.redis(t), `"sales_stopped":true`)
	})
}

// Redis has what no program wrote, as after a repair by hand: the settings of SQL and of the instances hold, and
// replace it.
func TestACopyInRedisThatNobodyCanReadIsReplaced(t *testing.T) {
	t.Parallel()
	eachOutage(t, func(t *testing.T, o *operators) {
		stopped := o.change(t, Values{SalesStopped: new(true)})
		o.refresh(t)
		before := o.redis(t, "{", "no JSON")
		o.refresh(t)
		assert.True(t, o.here.Stopped())
		assert.True(t, o.there.Stopped())
		assert.JSONEq(t, before, o.redis(t))
		next := newInstance(o.Stores, o.clock)
		o.redis(t, "no JSON")
		require.NoError(t, next.Refresh(t.Context()))
		assert.True(t, next.Stopped(), "an instance that starts meanwhile")
		assert.Equal(t, stopped.Version, version(next))
	})
}
