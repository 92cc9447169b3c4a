package lua

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func begin(t tb, all stores, epoch int64) bool {
	t.Helper()
	begun, err := same(t, all, func(s *Scripts) (bool, error) {
		known, err := s.Epoch(t.Context(), lane, activity)
		if err != nil {
			return false, err
		}
		return s.LoadBegin(t.Context(), lane, activity, epoch, known)
	})
	require.NoError(t, err)
	return begun
}

func fill(t tb, all stores, epoch int64, field LoadField, pairs ...string) error {
	t.Helper()
	_, err := same(t, all, func(s *Scripts) (bool, error) {
		return true, s.LoadFill(t.Context(), lane, activity, epoch, field, pairs)
	})
	return err
}

func open(t tb, all stores, epoch int64, state string) error {
	t.Helper()
	_, err := same(t, all, func(s *Scripts) (bool, error) {
		return true, s.LoadOpen(t.Context(), lane, activity, epoch, map[string]string{
			"state": state, "starts_ms": longAgo, "ends_ms": farAway, "limit": "3",
		})
	})
	return err
}

func TestLoadFillsEveryHashAndThenOpensTheActivity(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	k := all.keys()
	all.each(t, func(s *Scripts) error { // of a load that broke off
		return s.Redis.HSet(t.Context(), k.Stock(lane, activity), "old", 1).Err()
	})
	require.True(t, begin(t, all, 5))
	assert.Empty(t, all.hash(t, k.Stock(lane, activity)))
	names := []string{
		k.Stock(lane, activity), k.Paid(lane, activity), k.Bought(lane, activity),
		k.Held(lane, activity), k.Tasks(lane, activity), k.Changes(lane, activity),
	}
	for i := range names {
		require.NoError(t, fill(t, all, 5, LoadStock+LoadField(i), "f"+strconv.Itoa(i), "1"))
	}
	assert.Equal(t, NotLoaded, place(t, all, buy("1", "ann", 1))[0].Code)
	require.NoError(t, open(t, all, 5, string(StateOpen)))
	for i, name := range names {
		assert.Equal(t, map[string]string{"f" + strconv.Itoa(i): "1"}, all.hash(t, name))
	}
	assert.Equal(t, map[string]string{
		"state": string(StateOpen), "epoch": "5", "starts_ms": longAgo, "ends_ms": farAway, "limit": "3",
	}, all.hash(t, k.Meta(lane, activity)))

	require.ErrorIs(t, fill(t, all, 5, LoadStock, "f", "1"), ErrSuperseded)
	require.ErrorIs(t, open(t, all, 5, string(StateOpen)), ErrSuperseded)
}

func TestALoadReplacesAnActivityOfAnotherLoadThanThatOfSQL(t *testing.T) {
	t.Parallel()
	for _, inRedis := range []string{"3", "9", "12345678901234567890"} {
		all := newStores(t)
		sale(t, all, "epoch", inRedis)
		begun, err := same(t, all, func(s *Scripts) (bool, error) {
			return s.LoadBegin(t.Context(), lane, activity, 20, 7)
		})
		require.NoError(t, err)
		assert.True(t, begun, inRedis)
		assert.Empty(t, all.hash(t, all.keys().Stock(lane, activity)))
	}
}

func TestALoadIsRefusedWhileTheActivityIsLoaded(t *testing.T) {
	t.Parallel()
	for _, state := range []string{string(StateOpen), string(StateClosed)} {
		all := newStores(t)
		require.True(t, begin(t, all, 5))
		require.NoError(t, open(t, all, 5, state))
		before := dump(t, all[0])
		assert.False(t, begin(t, all, 6))
		assert.Equal(t, before, dump(t, all[0]))
	}
}

func TestTheHigherEpochOfTwoLoadsWins(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	const older, newer = math.MaxInt64 - 1, math.MaxInt64 // more digits than a Lua number keeps
	require.True(t, begin(t, all, 9))
	require.True(t, begin(t, all, older))
	require.NoError(t, fill(t, all, older, LoadStock, "sku1", "1"))
	require.True(t, begin(t, all, newer))
	assert.Empty(t, all.hash(t, all.keys().Stock(lane, activity)))
	assert.False(t, begin(t, all, older))
	require.ErrorIs(t, fill(t, all, older, LoadStock, "sku1", "1"), ErrSuperseded)
	require.ErrorIs(t, open(t, all, older, string(StateOpen)), ErrSuperseded)
	require.True(t, begin(t, all, newer), "a load that begins anew")
	require.NoError(t, open(t, all, newer, string(StateOpen)))
}

func TestFillTakesAnyNumberOfPairs(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	require.True(t, begin(t, all, 1))
	pairs := make([]string, 0, 5002)
	for i := range 2501 {
		pairs = append(pairs, "f"+strconv.Itoa(i), strconv.Itoa(i))
	}
	require.NoError(t, fill(t, all, 1, LoadTasks, pairs...))
	assert.Len(t, all.hash(t, all.keys().Tasks(lane, activity)), 2501)
	require.NoError(t, fill(t, all, 1, LoadTasks))
}

func TestWrongLoadsAreRefusedBeforeRedis(t *testing.T) {
	t.Parallel()
	s := newStores(t)[0]
	ctx := t.Context()
	require.Error(t, s.LoadFill(ctx, lane, activity, 1, LoadStock, []string{"odd"}))
	require.Error(t, s.LoadFill(ctx, lane, activity, 1, LoadChanges+1, []string{"a", "b"}))
	for _, meta := range []map[string]string{
		{"state": string(StateOpen), "starts_ms": "1"},
		{"state": string(StateLoading), "starts_ms": "1", "ends_ms": "2"},
		{"state": string(StateOpen), "starts_ms": "1", "ends_ms": "2", "epoch": "3"},
	} {
		require.Error(t, s.LoadOpen(ctx, lane, activity, 1, meta))
	}
	_, err := s.LoadBegin(ctx, lane, activity, -1, 0)
	require.ErrorContains(t, err, "epoch")
	assert.Empty(t, dump(t, s))
}

func TestSetStateOpensAndClosesWhatIsLoaded(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	set := func(state string) bool {
		loaded, err := same(t, all, func(s *Scripts) (bool, error) {
			return s.SetState(t.Context(), lane, activity, ActivityState(state))
		})
		require.NoError(t, err)
		return loaded
	}
	assert.False(t, set(string(StateClosed)))
	assert.Empty(t, dump(t, all[0]))
	require.True(t, begin(t, all, 1))
	assert.False(t, set(string(StateOpen)))
	require.NoError(t, open(t, all, 1, string(StateOpen)))
	for _, state := range []string{string(StateClosed), string(StateClosed), string(StateOpen)} {
		assert.True(t, set(state))
		assert.Equal(t, state, all.hash(t, all.keys().Meta(lane, activity))["state"])
	}
	_, err := all[0].SetState(t.Context(), lane, activity, StateLoading)
	assert.ErrorContains(t, err, "neither open nor closed")
}

func TestLeasesOfASequenceDoNotOverlap(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	for _, want := range []int64{40, 140, 240} {
		first, err := same(t, all, func(s *Scripts) (int64, error) {
			return s.LeaseNumbers(t.Context(), lane, Lease{Size: 100, Start: 40, Skip: 1000})
		})
		require.NoError(t, err)
		assert.Equal(t, want, first)
	}
}

func TestTasksAreFilledAfterTheOpening(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	k := all.keys()
	require.True(t, begin(t, all, 5))
	require.NoError(t, fill(t, all, 5, LoadStock, "sku1", "10", "sku1~0", "10"))
	_, err := same(t, all, func(s *Scripts) (bool, error) {
		add := map[string]int64{"a:ann": 2, "a:bob": 1}
		if err := s.LoadAdd(t.Context(), lane, activity, 5, LoadBought, add); err != nil {
			return false, err
		}
		add = map[string]int64{"a:ann": 1}
		if err := s.LoadAdd(t.Context(), lane, activity, 5, LoadBought, add); err != nil {
			return false, err
		}
		return true, s.LoadOpen(t.Context(), lane, activity, 5, map[string]string{
			"state": string(StateOpen), "starts_ms": longAgo, "ends_ms": farAway, "tasks": string(StateLoading),
		})
	})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a:ann": "3", "a:bob": "1"}, all.hash(t, k.Bought(lane, activity)))
	all.each(t, func(s *Scripts) error {
		ttl, err := s.Redis.PTTL(t.Context(), k.Meta(lane, activity)).Result()
		assert.Negative(t, ttl, "the key of an open sale doesn't expire")
		return err
	})

	new1, asked := buy("1", "ann", 1), buy("2", "ann", 1)
	asked.Asked = true
	results := place(t, all, new1, asked)
	assert.Equal(t, []PlaceCode{TasksLoading, Placed}, []PlaceCode{results[0].Code, results[1].Code})
	tasks := func(epoch int64) error {
		_, err := same(t, all, func(s *Scripts) (bool, error) {
			err := s.FillTasks(t.Context(), lane, activity, epoch, []string{"t2", "7:S:other", "told", "8:S:d"})
			if err == nil {
				err = s.TasksDone(t.Context(), lane, activity, epoch)
			}
			return true, err
		})
		return err
	}
	require.ErrorIs(t, tasks(4), ErrSuperseded)
	require.NoError(t, tasks(5))
	assert.Equal(t, map[string]string{"t2": asked.Number + ":P:d2", "told": "8:S:d"},
		all.hash(t, k.Tasks(lane, activity)), "a task that is there stays")
	assert.Equal(t, Placed, place(t, all, new1)[0].Code)
}

func TestLoadThatIsNotContinuedExpires(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	require.True(t, begin(t, all, 5))
	all.each(t, func(s *Scripts) error {
		ttl, err := s.Redis.PTTL(t.Context(), s.Keys.Meta(lane, activity)).Result()
		assert.Positive(t, ttl)
		return err
	})
}
