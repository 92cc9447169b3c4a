package site

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

// instance is one that asks for lanes, with a clock of its own for the age of its copy.
func instance(t *testing.T, s *kit.Stores, lanes int, now *kit.Clock) *Site {
	t.Helper()
	return New(Deps{
		DB: s.DB, Lua: lua.New(s.Redis, s.Keys), Lanes: lanes, Now: now.Now, Local: now.Now, Random: rand.Reader,
		Log: slog.New(slog.DiscardHandler),
	})
}

func settled(t *testing.T, s *Site) int {
	t.Helper()
	lanes, err := s.Settled(t.Context())
	require.NoError(t, err)
	return lanes
}

// keepCopy replaces the copy in Redis.
func keepCopy(t *testing.T, s *kit.Stores, v Values) {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, s.Redis.Set(t.Context(), s.Keys.Site(), text, 0).Err())
}

func values(t *testing.T, s *Site) Values {
	t.Helper()
	c := s.current(t.Context())
	require.NotNil(t, c)
	return c.Values
}

func TestManyFirstStartsMakeOneSite(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		const instances = 48
		now := kit.NewClock(time.Now())
		var mu sync.Mutex
		made := map[Values]int{}
		kit.Crowd(instances, func(int) {
			i := instance(t, s, 16, now)
			for range 100 { // a crowd of starts waits for one writer
				if c := i.current(context.WithoutCancel(t.Context())); c != nil {
					mu.Lock()
					made[c.Values]++
					mu.Unlock()
					return
				}
			}
			t.Error("the site can't be read")
		})
		require.Len(t, made, 1)
		for v, n := range made {
			assert.Equal(t, instances, n)
			assert.Equal(t, 16, v.Lanes)
			assert.Len(t, v.NumberKey, 2*keyBytes)
			assert.Len(t, v.ID, 2*idBytes)
		}
	})
}

// An operator gives one instance after the other more lanes, and takes the setting back.
func TestLanesAreAddedByOneInstanceAndTakenBackByNone(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx, now := t.Context(), kit.NewClock(time.Now())
		before := instance(t, s, 4, now)
		assert.Equal(t, 4, before.Lanes(ctx))
		more := instance(t, s, 8, now)
		assert.Equal(t, 8, more.Lanes(ctx))
		assert.Equal(t, 4, settled(t, more), "no sale gets a lane that another instance doesn't read yet")

		require.NoError(t, before.follow.Refresh(ctx))
		assert.Equal(t, 8, before.Lanes(ctx), "an instance that runs reads the new lanes")
		now.Advance(freshFor + time.Millisecond)
		assert.False(t, before.Fresh(), "it has not looked for a while")
		assert.Equal(t, 8, before.Lanes(ctx), "it looks")
		assert.True(t, before.Fresh())
		assert.Equal(t, 4, settled(t, before))
		now.Advance(settle)
		assert.Equal(t, 8, settled(t, before))
		assert.Equal(t, 8, settled(t, more))

		back := instance(t, s, 4, now)
		assert.Equal(t, 8, back.Lanes(ctx), "the setting was taken back")
		assert.Equal(t, 8, settled(t, back))
		assert.Equal(t, values(t, more).NumberKey, values(t, back).NumberKey)
	})
}

// Raises that follow each other at once are one for those who have seen none of them.
func TestLanesThatAreAddedTwiceAtOnceSettleTogether(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx, now := t.Context(), kit.NewClock(time.Now())
		assert.Equal(t, 4, instance(t, s, 4, now).Lanes(ctx))
		instance(t, s, 6, now).Lanes(ctx)
		now.Advance(time.Second)
		last := instance(t, s, 9, now)
		assert.Equal(t, 9, last.Lanes(ctx))
		assert.Equal(t, 4, settled(t, last))
	})
}

// A site that was made again, or restored to an older state, has at least the lanes that sales use.
func TestASiteHasTheLanesThatSalesUse(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx, now := t.Context(), kit.NewClock(time.Now())
		_, err := s.DB.Write.ExecContext(ctx, `INSERT INTO activities (activity_id, shop_id, title, starts_ms, ends_ms,
			pay_within_s, purchase_limit, permit_ratio, state, lane, created_ms, retired_ms, description,
			images) VALUES ('a', 's', 't', 1, 2, 1, -1, -1, 'published', 9, 1, 0, '', '')`)
		require.NoError(t, err)
		assert.Equal(t, 9, instance(t, s, 4, now).Lanes(ctx))

		knows := instance(t, s, 12, now)
		assert.Equal(t, 12, knows.Lanes(ctx))
		_, err = s.DB.Write.ExecContext(ctx, `UPDATE site SET lanes = 9, lanes_before = 9`)
		require.NoError(t, err)
		require.NoError(t, knows.follow.Refresh(ctx))
		assert.Equal(t, 12, values(t, instance(t, s, 4, now)).Lanes)
	})
}

// An instance that starts while SQL is away uses the copy in Redis, and the row as soon as it can be read.
func TestAnInstanceThatStartsWithoutSQLUsesTheCopyInRedis(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx, now := t.Context(), kit.NewClock(time.Now())
		stored := values(t, instance(t, s, 8, now))
		s.SQLAway(t)
		late := instance(t, s, 4, now)
		assert.Equal(t, stored, values(t, late))
		require.NoError(t, s.Redis.Del(ctx, s.Keys.Site()).Err())
		none := instance(t, s, 4, now)
		_, err := none.NumberKey(ctx)
		require.Error(t, err, "neither store tells it")
		assert.False(t, none.Fresh())
		assert.Equal(t, 4, none.Lanes(ctx))

		s.SQLBack(t)
		require.Eventually(t, func() bool { _, err := none.NumberKey(ctx); return err == nil }, 10*time.Second,
			5*time.Millisecond)
		assert.Equal(t, stored, values(t, none))
		copied, err := none.readRedis(ctx)
		require.NoError(t, err)
		assert.Equal(t, stored, copied, "Redis has its copy again")
	}, kit.Breakable())
}

// A replica of Redis that lacked the last change of the site takes over while SQL is away.
func TestAnOldCopyInRedisTakesNoLanesBack(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx, now := t.Context(), kit.NewClock(time.Now())
		one := instance(t, s, 4, now)
		old := values(t, one)
		assert.Equal(t, 8, instance(t, s, 8, now).Lanes(ctx))
		require.NoError(t, one.follow.Refresh(ctx))
		keepCopy(t, s, old)
		s.SQLAway(t)
		now.Advance(settle + freshFor)
		assert.Equal(t, 8, one.Lanes(ctx))
		assert.False(t, one.Fresh(), "there may be more lanes than in an old copy")
		s.SQLBack(t)
		assert.Equal(t, 8, one.Lanes(ctx))
		assert.True(t, one.Fresh())
	}, kit.Breakable())
}

// TestKeysOfAnotherSiteAreRefused has the keys of another site under the prefix, and takes them away.
func TestKeysOfAnotherSiteAreRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx, now := t.Context(), kit.NewClock(time.Now())
		other := Values{ID: "another", Lanes: 16, LanesBefore: 16, NumberKey: strings.Repeat("0", 2*keyBytes)}
		keepCopy(t, s, other)
		one := instance(t, s, 4, now)
		require.ErrorIs(t, one.follow.Refresh(ctx), ErrForeign)
		require.ErrorIs(t, one.CheckOwn(), ErrForeign)
		assert.Equal(t, 4, one.Lanes(ctx))
		_, err := one.NumberKey(ctx)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err), "it leases no numbers")
		stored, err := Stored(ctx, s.DB)
		require.NoError(t, err)
		assert.Equal(t, 4, stored.Lanes)
		kept, err := one.readRedis(ctx)
		require.NoError(t, err)
		assert.Equal(t, other, kept)

		require.NoError(t, s.Redis.Del(ctx, s.Keys.Site()).Err())
		require.NoError(t, one.follow.Refresh(ctx))
		require.NoError(t, one.CheckOwn())
		v := values(t, one)
		require.Equal(t, order.MaxLane, maxLanes)
		v.Lanes = maxLanes + 1
		require.ErrorContains(t, one.use(ctx, &v, now.Now()), "no valid number of lanes")
		assert.Equal(t, 4, one.Lanes(ctx))
	})
}

// Two instances start for the first time: the keys that the second one finds are of the tables that the first one has
// just made.
func TestAnEmptyDatabaseIsNotOfTheSiteWhoseKeysRedisHas(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx, scripts := t.Context(), lua.New(s.Redis, s.Keys)
		var logged strings.Builder
		log := slog.New(slog.NewTextHandler(&logged, nil))
		empty := func(answers ...bool) func() bool {
			return func() (is bool) { is, answers = answers[0], answers[1:]; return is }
		}
		require.NoError(t, CheckEmpty(ctx, scripts, empty(true, true), log), "Redis has no keys")
		keepCopy(t, s, Values{ID: "one"})
		require.ErrorIs(t, CheckEmpty(ctx, scripts, empty(true, true), log), ErrForeign)
		require.NoError(t, CheckEmpty(ctx, scripts, empty(true, false), log), "the first instance has made them")
		require.NoError(t, CheckEmpty(ctx, scripts, empty(false), log))
		require.NoError(t, CheckEmpty(ctx, nil, empty(true), log), "no Redis is known")
		assert.Empty(t, logged.String())

		require.NoError(t, s.Redis.Set(ctx, s.Keys.Site(), "no copy", 0).Err())
		require.NoError(t, CheckEmpty(ctx, scripts, empty(true, true), log))
		assert.Contains(t, logged.String(), `level=WARN msg="the database has no tables and gets them`)
		assert.Contains(t, logged.String(), "it is not the copy of a site")
	})
}

// TestOneOfTwoSitesGetsAPrefix has 48 sites take one prefix at the same time.
func TestOneOfTwoSitesGetsAPrefix(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		scripts := lua.New(s.Redis, s.Keys)
		kit.Crowd(48, func(i int) { _ = scripts.KeepSite(ctx, fmt.Sprint("site ", i), false) })
		first, err := scripts.Site(ctx)
		require.NoError(t, err)
		require.NoError(t, scripts.KeepSite(ctx, "late", false))
		kept, err := scripts.Site(ctx)
		require.NoError(t, err)
		assert.Equal(t, first, kept)
	})
}

// TestAnUnreadableCopyIsReplaced has garbage, and a key of another type, where the copy was.
func TestAnUnreadableCopyIsReplaced(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx, now := t.Context(), kit.NewClock(time.Now())
		one := instance(t, s, 4, now)
		want := values(t, one)
		for _, spoil := range []func() error{
			func() error { return s.Redis.Set(ctx, s.Keys.Site(), "{", 0).Err() },
			func() error {
				return errors.Join(s.Redis.Del(ctx, s.Keys.Site()).Err(),
					s.Redis.RPush(ctx, s.Keys.Site(), "x").Err())
			},
		} {
			require.NoError(t, spoil())
			require.NoError(t, one.follow.Refresh(ctx))
			kept, err := one.readRedis(ctx)
			require.NoError(t, err)
			assert.Equal(t, want, kept)
		}
	})
}

// An instance with more lanes that has read neither store gives a sale none of them.
func TestASiteThatWasNotReadSettlesNoLanes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx, now := t.Context(), kit.NewClock(time.Now())
		require.Equal(t, 4, settled(t, instance(t, s, 4, now)))
		require.NoError(t, s.Redis.Del(ctx, s.Keys.Site()).Err())
		s.SQLAway(t)
		_, err := instance(t, s, 8, now).Settled(ctx)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		s.SQLBack(t)
	}, kit.Breakable())
}
