package inventory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill"
	"onrush/modules/seckill/inventory"
	"onrush/test/kit"
	"onrush/test/stage"
)

// preheater makes one of its own, with an empty cache.
func preheater(s *stage.Stage, cfg inventory.PreheatConfig) *inventory.Preheater {
	deps := depsOf(s, nil)
	return inventory.NewPreheater(cfg, deps, s.Loader,
		seckill.NewActivityCache(s.Stores.DB, s.Scripts, deps.Clock, time.Now))
}

// loaded says whether Redis has an activity.
func loaded(t *testing.T, s *stage.Stage, activity string, lane int) bool {
	t.Helper()
	state, err := s.Stores.Redis.HGet(t.Context(), s.Stores.Keys.Meta(lane, activity), "state").Result()
	return err == nil && state == "open"
}

type sale struct {
	id   string
	lane int
}

// publish publishes n sales.
func publish(t *testing.T, s *stage.Stage, n int) []sale {
	t.Helper()
	sales := make([]sale, n)
	for i := range sales {
		sales[i].id, sales[i].lane = s.Publish(t)
	}
	return sales
}

// moveTo gives an activity other times, from now.
func moveTo(t *testing.T, s *stage.Stage, activity string, startsIn, endsIn time.Duration) {
	t.Helper()
	now := time.Now()
	_, err := s.Stores.DB.Write.ExecContext(t.Context(),
		`UPDATE activities SET starts_ms = ?, ends_ms = ? WHERE activity_id = ?`,
		now.Add(startsIn).UnixMilli(), now.Add(endsIn).UnixMilli(), activity)
	require.NoError(t, err)
}

func TestARunningSaleIsLoadedBeforeAThousandThatEnded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		var rows []string
		now := time.Now()
		for i := range 1000 {
			rows = append(rows, fmt.Sprintf("('ended%04d', 's', 't', 1, %d, 900, -1, -1, 'published', 1, 1, 0, '', '')",
				i, now.Add(-time.Duration(i)*time.Minute).UnixMilli()))
		}
		_, err := stores.DB.Write.ExecContext(t.Context(),
			`INSERT INTO activities (activity_id, shop_id, title, starts_ms, ends_ms,
			pay_within_s, purchase_limit, permit_ratio, state, lane, created_ms, retired_ms, description, images)
			VALUES `+strings.Join(rows, ","))
		require.NoError(t, err)
		s.Flush(t)
		done, err := preheater(s, inventory.PreheatConfig{Loads: 1}).RunOnce(t.Context())
		require.ErrorContains(t, err, "1000 of 1001 sales are not loaded yet")
		assert.Equal(t, 1, done)
		assert.True(t, loaded(t, s, s.Activity, s.Lane))
	})
}

func TestSalesAreLoadedInTheOrderInWhichTheyAreNeeded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		sales := publish(t, s, 6)
		// As they are to be loaded, the stage's own between the first two.
		moveTo(t, s, sales[0].id, -time.Hour, 10*time.Minute)
		moveTo(t, s, sales[1].id, time.Minute, 48*time.Hour)
		moveTo(t, s, sales[2].id, time.Hour, 2*time.Hour)
		moveTo(t, s, sales[3].id, -3*time.Hour, -time.Hour)
		moveTo(t, s, sales[4].id, -3*time.Hour, -2*time.Hour)
		moveTo(t, s, sales[5].id, -72*time.Hour, -48*time.Hour) // over for long
		sales = []sale{sales[0], {s.Activity, s.Lane}, sales[1], sales[2], sales[3], sales[4], sales[5]}
		s.Flush(t)
		h := preheater(s, inventory.PreheatConfig{Loads: 1, Page: 2})
		for i := range 6 {
			done, err := h.RunOnce(t.Context())
			if i < 5 {
				require.ErrorContains(t, err, fmt.Sprintf("%d of 6 sales are not loaded yet", 5-i))
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, 1, done)
			for j, sale := range sales {
				assert.Equal(t, j <= i, loaded(t, s, sale.id, sale.lane), "run %d, sale %d", i, j)
			}
		}

		require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Meta(sales[4].lane, sales[4].id)).Err())
		total := 0
		for range 4 { // pages of two: the third or the fourth run comes to it
			done, err := h.RunOnce(t.Context())
			require.NoError(t, err)
			total += done
		}
		assert.Equal(t, 1, total)
		assert.True(t, loaded(t, s, sales[4].id, sales[4].lane))
		copies, err := s.Scripts.Sales(context.WithoutCancel(t.Context()),
			[]string{sales[0].id, sales[4].id, sales[6].id})
		require.NoError(t, err)
		assert.Len(t, copies, 2, "each that was loaded has its copy")
	})
}

func TestLoadThatContinuesIsNotRestarted(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		s.Flush(t)
		started := preheater(s, inventory.PreheatConfig{}) // of an instance that starts meanwhile
		require.NoError(t, s.Start(t, stage.At("load_fill", func() error {
			_, err := started.RunOnce(t.Context())
			assert.ErrorContains(t, err, "1 of 1 sales are not loaded yet")
			return nil
		})).Loader.Load(t.Context(), s.Activity))
		assert.True(t, loaded(t, s, s.Activity, s.Lane))

		s.Flush(t)
		require.ErrorIs(t, s.Start(t, stage.CrashAt("load_fill")).Loader.Load(t.Context(), s.Activity), stage.ErrCrash)
		// 4 s later
		require.NoError(t, stores.Redis.PExpire(t.Context(), stores.Keys.Meta(s.Lane, s.Activity),
			56*time.Second).Err())
		_, err := started.RunOnce(t.Context())
		require.NoError(t, err)
		assert.True(t, loaded(t, s, s.Activity, s.Lane))
	})
}

func TestSalesThatCannotBeLoadedDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		sales := publish(t, s, 8)
		for i := range sales {
			moveTo(t, s, sales[i].id, -time.Hour, time.Duration(i+1)*time.Minute)
		}
		moveTo(t, s, s.Activity, -time.Hour, time.Hour) // the last
		s.Flush(t)
		// A key of one has another type, and six can't be loaded, this one among them.
		wrong := stores.Keys.Meta(sales[0].lane, sales[0].id)
		require.NoError(t, stores.Redis.Set(t.Context(), wrong, "no hash", 0).Err())
		loads := 0
		loader := s.Start(t, func(step string) error {
			if step == "load_fill" {
				loads++
			}
			if step == "load_fill" && loads <= 6 {
				return errors.New("does not fit")
			}
			return nil
		}).Loader
		deps := depsOf(s, nil)
		h := inventory.NewPreheater(inventory.PreheatConfig{}, deps, loader,
			seckill.NewActivityCache(stores.DB, s.Scripts, deps.Clock, time.Now))
		done, err := h.RunOnce(t.Context())
		require.ErrorContains(t, err, "6 of 9 sales are not loaded yet")
		assert.Equal(t, 3, done)
		assert.True(t, loaded(t, s, s.Activity, s.Lane))

		for _, broken := range sales[:6] { // as if their loads had ended long ago
			require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Meta(broken.lane, broken.id)).Err())
		}
		done, err = h.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 6, done)
	})
}

func TestASaleThatAnotherInstanceLoadsMeanwhileIsNoFailure(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		s.Flush(t)
		late := s.Start(t, stage.At("load_commit", func() error {
			s.Load(t)
			return nil
		}))
		deps := depsOf(s, nil)
		_, err := inventory.NewPreheater(inventory.PreheatConfig{}, deps, late.Loader,
			seckill.NewActivityCache(s.Stores.DB, s.Scripts, deps.Clock, time.Now)).RunOnce(t.Context())
		require.NoError(t, err)
		assert.True(t, loaded(t, s, s.Activity, s.Lane))
		s.Place(t, "ann", 1)
		s.Move(t)
		s.Balanced(t)
	})
}
