package instances

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/clock"
	"onrush/modules/problem"
	"onrush/test/kit"
)

// program is an instance, whose health a test sets.
type program struct {
	*Reporter

	status      string
	unavailable []string
}

func start(stores *kit.Stores, time *kit.Clock, name string) *program {
	p, abilities := &program{status: "ok"}, []string(nil)
	if name == "second" {
		abilities = []string{"waves"}
	}
	p.Reporter = NewReporter(Deps{
		Redis: stores.Redis, Keys: stores.Keys, Clock: clock.Fixed(time.Now), Log: slog.New(slog.DiscardHandler),
		Name: name, Version: "v1 " + name, Abilities: abilities,
		Health: func() (string, []string) { return p.status, p.unavailable },
	})
	return p
}

func list(t *testing.T, r *program) []Instance {
	t.Helper()
	all, err := r.List(t.Context())
	require.NoError(t, err)
	return all
}

func TestInstancesAreListedUntilTheyLeaveOrAreForgotten(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		now := kit.NewClock(time.Now().Truncate(time.Millisecond))
		began := api.Millis(now.Now().UnixMilli())
		first, second := start(stores, now, "first"), start(stores, now, "second")
		assert.Empty(t, list(t, first))
		require.NoError(t, first.RunOnce(t.Context()))
		now.Advance(2 * time.Second)
		second.status, second.unavailable = "degraded", []string{"sql"}
		require.NoError(t, second.RunOnce(t.Context()))
		later := api.Millis(now.Now().UnixMilli())
		assert.Equal(t, []Instance{
			{"second", "v1 second", "", "degraded", []string{"sql"}, []string{"waves"}, later, later},
			{"first", "v1 first", "", "ok", []string{}, []string{}, began, began},
		}, list(t, first))

		now.Advance(9 * time.Second)
		first.status = "stopping"
		require.NoError(t, first.RunOnce(t.Context()))
		now.Advance(2 * time.Second)
		all := list(t, second)
		require.Len(t, all, 2)
		assert.Equal(t, []string{"stopping", "lost"}, []string{all[0].Status, all[1].Status})
		assert.Equal(t, began, all[0].StartedAt)

		ended, end := context.WithCancel(t.Context())
		end()
		first.Run(ended)
		all = list(t, second)
		require.Len(t, all, 1, "the first one has stopped")
		assert.Equal(t, "second", all[0].Name)
		now.Advance(time.Minute)
		require.NoError(t, first.RunOnce(t.Context()))
		all = list(t, second)
		require.Len(t, all, 1, "the second one is forgotten")
		assert.Equal(t, "first", all[0].Name)
		for _, key := range stores.Redis.Keys(t.Context(), stores.Keys.Prefix+":instance*").Val() {
			assert.Positive(t, stores.Redis.TTL(t.Context(), key).Val(), key)
		}
	})
}

func TestAnInstanceCountsThoseThatReportedInTheLastMinute(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		now := kit.NewClock(time.Now().Truncate(time.Millisecond))
		first, second := start(stores, now, "first"), start(stores, now, "second")
		assert.Zero(t, first.Count(), "it has not reported")
		report := func(p *program) {
			t.Helper()
			require.NoError(t, p.RunOnce(t.Context()))
		}
		report(first)
		assert.Zero(t, first.Count(), "the others may not have reported")
		report(first)
		assert.Equal(t, 1, first.Count())
		report(second)
		report(second)
		assert.Equal(t, 2, second.Count())
		assert.Equal(t, 1, first.Count(), "until its next report")
		report(first)
		assert.Equal(t, 2, first.Count())
		now.Advance(forgottenAfter + time.Millisecond)
		report(first)
		assert.Equal(t, 2, first.Count(), "Redis may have lost the list")
		report(first)
		assert.Equal(t, 1, first.Count(), "the second one is gone")

		ended, end := context.WithCancel(t.Context())
		end()
		now.Advance(lostAfter)
		require.Error(t, first.RunOnce(ended))
		assert.Equal(t, 1, first.Count(), "a report that fails")
		now.Advance(time.Millisecond)
		require.Error(t, first.RunOnce(ended))
		assert.Zero(t, first.Count(), "it can't know any more")
		report(first)
		assert.Zero(t, first.Count(), "the others may not be back")
		report(first)
		assert.Equal(t, 1, first.Count())
	})
}

func TestOfManyInstancesTheLastSeenAreListed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		now := kit.NewClock(time.Now())
		var last *program
		for i := range maxInstances + 10 {
			last = start(stores, now, fmt.Sprintf("i%03d", i))
			require.NoError(t, last.RunOnce(t.Context()))
			now.Advance(time.Millisecond)
		}
		all := list(t, last)
		require.Len(t, all, maxInstances)
		assert.Equal(t, "i265", all[0].Name)
		assert.EqualValues(t, maxInstances, stores.Redis.ZCard(t.Context(), stores.Keys.Instances()).Val())
	})
}

func TestRefusalsOfAllInstancesAreAddedUp(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		now := kit.NewClock(time.Date(2026, 5, 1, 12, 0, 30, 0, time.UTC))
		first, second := start(stores, now, "first"), start(stores, now, "second")
		report := func(r *program, code string, n int) {
			r.Refused(code, n)
			require.NoError(t, r.RunOnce(t.Context()))
		}
		report(first, "sold_out", 3)
		report(second, "sold_out", 4)
		now.Advance(time.Minute)
		report(first, "not_found", 5)
		first.Refused("sold_out", 1)
		first.Refused("sold_out", 1)
		require.NoError(t, first.leave(t.Context()), "the last refusals are added, too")
		of := func(minutes int) Refusals {
			all, err := second.Refusals(t.Context(), minutes)
			require.NoError(t, err)
			return all
		}
		assert.Equal(t, Refusals{
			api.Millis(time.Date(2026, 5, 1, 12, 1, 0, 0, time.UTC).UnixMilli()),
			[]Refusal{{"not_found", 5}, {"sold_out", 2}},
		}, of(1))
		assert.Equal(t, []Refusal{{"sold_out", 9}, {"not_found", 5}}, of(2).Items)
		assert.Equal(t, of(60), of(1000))
		now.Advance(2 * time.Minute)
		assert.Equal(t, []Refusal{}, of(2).Items)
	})
}

func TestRefusalsWaitWhileRedisIsUnavailable(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		r := start(stores, kit.NewClock(time.Now()), "only")
		stores.RedisAway(t)
		for i := range maxCodes + 5 {
			r.Refused(fmt.Sprint("code_", i), 1)
		}
		r.Refused("code_0", 1)
		require.Error(t, r.RunOnce(t.Context()))
		_, err := r.List(t.Context())
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		_, err = r.Refusals(t.Context(), 5)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		stores.RedisBack(t)
		require.Eventually(t, func() bool { return r.RunOnce(t.Context()) == nil }, 20*time.Second, 10*time.Millisecond)
		all, err := r.Refusals(t.Context(), 5)
		require.NoError(t, err)
		require.Len(t, all.Items, maxCodes)
		assert.Equal(t, "code_0", all.Items[0].Code)
	}, kit.Breakable())
}
