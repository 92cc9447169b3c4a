package settings

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/problem"
	"onrush/test/kit"
)

var start = time.Date(2026, 11, 11, 12, 0, 0, 0, time.UTC)

// newInstance returns the store of an instance, which logs to log.
func newInstance(s *kit.Stores, clock *kit.Clock, log ...slog.Handler) *Store {
	return New(Deps{
		DB: s.DB, Lua: lua.New(s.Redis, s.Keys), StoresNow: clock.Now, Now: clock.Now,
		Log:     slog.New(append(log, slog.DiscardHandler)[0]),
		IsRoute: func(string) error { return nil }, Apply: func(Values) error { return nil },
	})
}

// version is the version that an instance applies.
func version(s *Store) int64 { return s.current.Load().Version }

// applied are the values that an instance applies.
func applied(s *Store) Values { return s.current.Load().Set }

func TestSettingsAreSetUnsetAndFollowed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		clock := kit.NewClock(start)
		store, copied := newInstance(s, clock), newInstance(s, clock)
		require.NoError(t, copied.Refresh(t.Context()))
		assert.Equal(t, Full, copied.Level())
		assert.False(t, copied.Stopped())

		set, err := store.Change(t.Context(), Values{
			LimitUser: new("5/1s"), Degrade: new("no_lists"), SalesStopped: new(true),
		}, nil, 1)
		require.NoError(t, err)
		assert.EqualValues(t, 2, set.Version)
		require.NoError(t, copied.Refresh(t.Context()))
		assert.Equal(t, NoLists, copied.Level())
		assert.True(t, copied.Stopped())
		assert.Equal(t, "5/1s", *applied(copied).LimitUser)

		same, err := store.Change(t.Context(), Values{SalesStopped: new(true)}, nil, 2)
		require.NoError(t, err)
		assert.Equal(t, set, same, "it changes nothing")
		_, err = store.Change(t.Context(), Values{Log: new("debug")}, nil, 1)
		assert.Equal(t, problem.CodeStaleVersion, problem.CodeOf(err))

		unset, err := store.Change(t.Context(), Values{}, []string{"sales_stopped", "limit_user", "version"}, 0)
		require.NoError(t, err)
		assert.Equal(t, Values{Degrade: new("no_lists")}, unset.Set)
		clock.Advance(3 * time.Second)
		assert.Equal(t, 3*time.Second, copied.Age())
		assert.True(t, copied.Stopped(), "until it is read")
		require.NoError(t, copied.Refresh(t.Context()))
		assert.False(t, copied.Stopped())
		assert.Zero(t, copied.Age())
	})
}

func TestTheLogSaysWhichSettingsApply(t *testing.T) {
	t.Parallel()
	s := kit.OnEmbedded(t)
	clock := kit.NewClock(start)
	var logged strings.Builder
	copied := newInstance(s, clock, slog.NewTextHandler(&logged, nil))
	require.NoError(t, copied.Refresh(t.Context()))
	assert.Empty(t, logged.String(), "nothing is set")

	store := newInstance(s, clock)
	_, err := store.Change(t.Context(), Values{SalesStopped: new(true), Degrade: new("no_lists")}, nil, 0)
	require.NoError(t, err)
	require.NoError(t, copied.Refresh(t.Context()))
	require.NoError(t, copied.Refresh(t.Context()))
	assert.Equal(t, 1, strings.Count(logged.String(), "the settings of operators apply"))
	assert.Contains(t, logged.String(), "version=2 sales_stopped=true degrade=no_lists")

	_, err = store.Change(t.Context(), Values{}, []string{"sales_stopped", "degrade"}, 0)
	require.NoError(t, err)
	require.NoError(t, copied.Refresh(t.Context()))
	assert.Contains(t, logged.String(), "version=3 sales_stopped=false degrade=full")
}

func TestManyOperatorsMayChangeTheSettingsAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		clock := kit.NewClock(start)
		store, copied := newInstance(s, clock), newInstance(s, clock)
		const operators = 48
		changed := func(i int, from int64) error {
			change := Values{LimitUser: new(fmt.Sprint(i+1, "/1s"))}
			if i%2 == 0 {
				change = Values{LimitInstance: new(fmt.Sprint(i+1, "/1s"))}
			}
			_, err := store.Change(t.Context(), change, nil, from)
			return err
		}
		for _, err := range kit.AtOnce(operators, func(i int) error { return changed(i, 0) }) {
			require.NoError(t, err)
		}
		require.NoError(t, copied.Refresh(t.Context()))
		assert.EqualValues(t, 1+operators, version(copied), "none is lost")
		assert.NotNil(t, applied(copied).LimitUser)
		assert.NotNil(t, applied(copied).LimitInstance)

		done := 0
		for _, err := range kit.AtOnce(operators, func(i int) error { return changed(100+i, 1+operators) }) {
			if err == nil {
				done++
			} else {
				assert.Equal(t, problem.CodeStaleVersion, problem.CodeOf(err))
			}
		}
		assert.Equal(t, 1, done, "all saw the same version")
	})
}

func TestWithoutAStoreTheLastSettingsApply(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		clock := kit.NewClock(start)
		store, copied := newInstance(s, clock), newInstance(s, clock)
		_, err := store.Change(t.Context(), Values{SalesStopped: new(true)}, nil, 0)
		require.NoError(t, err)
		require.NoError(t, copied.Refresh(t.Context()))
		s.SQLAway(t)
		clock.Advance(time.Minute)
		require.Error(t, copied.Refresh(t.Context()))
		assert.True(t, copied.Stopped())
		assert.Zero(t, copied.Age(), "Redis was read")
		s.RedisAway(t)
		clock.Advance(time.Minute)
		require.Error(t, copied.Refresh(t.Context()))
		assert.True(t, copied.Stopped())
		assert.Equal(t, time.Minute, copied.Age())
		s.SQLBack(t)
		require.Error(t, copied.Refresh(t.Context()))
		assert.Zero(t, copied.Age(), "SQL was read")
		s.RedisBack(t)
	}, kit.Breakable())
}
