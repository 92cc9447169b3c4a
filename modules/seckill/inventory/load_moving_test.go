package inventory_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/seckill/inventory"
	"onrush/test/kit"
	"onrush/test/stage"
)

// A load holds no lock while it reads: orders are stored, cancelled and paid meanwhile, before and
// after its view, and every unit is counted once.
func TestOrdersContinueWhileTheirSaleIsLoaded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, step := range []string{"load_commit", "load_fill"} {
			s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": 30}, Limit: 5, SKULimit: 5})
			ctx := context.WithoutCancel(t.Context())
			kept, cancelled, paid := s.Place(t, "u1", 1), s.Place(t, "u2", 2), s.Place(t, "u3", 3)
			s.Move(t)
			queued, ensured := s.Place(t, "u1", 1), s.Place(t, "u2", 2)
			moved := s.Place(t, "u4", 4)
			s.LoseActivity(t)
			loader := s.Start(t, stage.At(step, func() error {
				_, err := s.Ensurer.EnsureStored(ctx, "u2", ensured.Number)
				require.NoError(t, err)
				require.NoError(t, s.Canceller.Cancel(ctx, "u2", ensured.Number, ""))
				require.NoError(t, s.Canceller.Cancel(ctx, "u2", cancelled.Number, ""))
				s.SetStatus(t, paid.Number, order.Paid) //nolint:contextcheck // the test's own
				_, err = stores.DB.Write.ExecContext(ctx, `INSERT INTO stock_outbox
					(outbox_id, kind, state, activity_id, sku_id, point_id, quantity, order_number, user_id, created_ms)
					VALUES (?, 'confirm', 'pending', ?, 'sku', '0', 3, ?, 'u3', 0)`,
					"confirm:"+paid.Number.String(), s.Activity, paid.Number)
				require.NoError(t, err)
				// What is stored now stays in the queue: the load counts it there.
				for range 3 {
					_, _, err := s.Mover.MoveLane(ctx, s.Lane)
					require.NoError(t, err)
				}
				assert.Len(t, s.QueueLine(t), 3) //nolint:contextcheck // the test's own
				_, err = s.Outbox.RunOnce(ctx)
				require.NoError(t, err)
				return nil
			})).Loader
			require.NoError(t, loader.Load(ctx, s.Activity))
			s.Balanced(t)
			s.Move(t)
			_, err := s.Outbox.RunOnce(ctx)
			require.NoError(t, err)
			s.Balanced(t)
			assert.Equal(t, "21", s.Left(t, ""), "30 without the units of u1, u3 and u4")
			assert.Equal(t, map[string]string{"sku~0": "3"}, s.Hash(t, stores.Keys.Paid))
			assert.Len(t, s.Hash(t, stores.Keys.Held), 3)
			for o, state := range map[*order.Order]string{
				kept: "S", cancelled: "S", paid: "S", queued: "S", ensured: "S", moved: "S",
			} {
				assert.Equal(t, state, s.Task(t, o))
			}
			assert.Equal(t, map[string]string{
				"a:u1": "2", "s:sku~u1": "2", "a:u3": "3", "s:sku~u3": "3", "a:u4": "4", "s:sku~u4": "4",
			}, s.Hash(t, stores.Keys.Bought))
			_, err = s.Auditor.Audit(ctx, s.Activity)
			require.NoError(t, err)
		}
	})
}

// The fence is released before the bulk is read: another transaction changes the stock rows meanwhile.
func TestLoadAndAuditReadMostRowsWithoutALock(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, step := range []string{"load_fill", "account_fence"} {
			s := stage.Open(t, stores, stage.Sale{})
			ctx := context.WithoutCancel(t.Context())
			o := s.Place(t, "u", 1)
			s.Move(t)
			done := false
			during := s.Start(t, stage.At(step, func() error {
				short, cancel := context.WithTimeout(ctx, 20*time.Second)
				defer cancel()
				require.NoError(t, s.Canceller.Cancel(short, "u", o.Number, ""))
				_, err := s.Outbox.RunOnce(short)
				require.NoError(t, err)
				done = true
				return nil
			}))
			if step == "load_fill" {
				s.Flush(t)
				require.NoError(t, during.Loader.Load(ctx, s.Activity))
			} else {
				audit, err := during.Auditor.Audit(ctx, s.Activity)
				require.NoError(t, err)
				assert.True(t, audit.OK, "%+v", audit)
			}
			assert.True(t, done)
			_, err := s.Outbox.RunOnce(ctx)
			require.NoError(t, err)
			assert.Equal(t, "10", s.Left(t, ""))
			s.Balanced(t)
		}
	})
}

func TestTasksFollowTheOpeningOfASale(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		had := s.Place(t, "u", 1)
		s.Move(t)
		s.Flush(t)
		require.NoError(t, s.Loader.Open(t.Context(), s.Activity))
		assert.Equal(t, "9", s.Left(t, ""))
		again, fresh := s.Order("u", "0", 1), s.Order("u", "0", 1)
		again.Task = had.Task
		results, err := s.TryPlace(t.Context(), again, fresh)
		require.NoError(t, err)
		assert.Equal(t, lua.TasksLoading, results[0].Code, "SQL has it, and Redis doesn't know")
		assert.Equal(t, lua.TasksLoading, results[1].Code)
		require.NoError(t, s.Loader.FillTasks(t.Context(), s.Activity))
		results, err = s.TryPlace(t.Context(), again, fresh)
		require.NoError(t, err)
		assert.Equal(t, lua.Replayed, results[0].Code)
		assert.Equal(t, had.Number.String(), results[0].Number)
		assert.Equal(t, lua.Placed, results[1].Code)
		s.Move(t)
		s.Balanced(t)
	})
}

func TestTasksAreFilledFromWhereTheyWereCutShort(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		unpaid, paid := s.Place(t, "ann", 1), s.Place(t, "bob", 1) // a page for each status
		s.Move(t)
		s.SetStatus(t, paid.Number, order.Paid)
		s.Flush(t)
		require.NoError(t, s.Loader.Open(t.Context(), s.Activity))
		ctx, cut := context.WithCancel(t.Context())
		defer cut()
		pages := 0
		loader := s.StartOn(t, nil, stores.DB, stage.Watch(t, stores, func(cmd redis.Cmder) {
			if slices.Contains(cmd.Args(), any("fill_tasks")) {
				pages++
				cut()
			}
		})).Loader
		require.ErrorIs(t, loader.FillTasks(ctx, s.Activity), context.Canceled)
		assert.Equal(t, 1, pages)
		require.NoError(t, loader.FillTasks(t.Context(), s.Activity))
		assert.Equal(t, 2, pages, "the first is not filled again")
		for _, o := range []*order.Order{unpaid, paid} {
			assert.Equal(t, "S", s.Task(t, o))
		}
	})
}

func TestAuditComparesCountsAndRepairCorrectsThem(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, saleOfTwoPoints())
		fillSale(t, s)
		key := stores.Keys.Bought(s.Lane, s.Activity)
		right := s.Hash(t, stores.Keys.Bought)
		require.NotEmpty(t, right)
		for name, harm := range map[string]func() error{
			"all are lost": func() error { return stores.Redis.Del(t.Context(), key).Err() },
			"one is lost": func() error {
				return stores.Redis.HDel(t.Context(), key, "a:filler", "a:queued").Err()
			},
			"one is too low":    func() error { return stores.Redis.HSet(t.Context(), key, "a:u_0:x", 1).Err() },
			"one is too high":   func() error { return stores.Redis.HSet(t.Context(), key, "s:sku~u_0:x", 9).Err() },
			"one is unknown":    func() error { return stores.Redis.HSet(t.Context(), key, "a:nobody", 1).Err() },
			"one of a returned": func() error { return stores.Redis.HIncrBy(t.Context(), key, "a:u_4:x", 1).Err() },
		} {
			require.NoError(t, harm())
			wrong := s.Hash(t, stores.Keys.Bought)
			audit := auditOf(t, s)
			if !assert.ObjectsAreEqual(right, wrong) {
				assert.Positive(t, audit.BoughtWrong, name)
				assert.False(t, audit.OK, name)
			}
			audit, err := s.Auditor.Repair(t.Context(), s.Activity)
			require.NoError(t, err)
			assert.True(t, audit.OK, name)
			assert.Equal(t, right, s.Hash(t, stores.Keys.Bought), name)
		}
	})
}

// The sale sells; the preheater fills the rest.
func TestALoadSucceedsWhoseTasksAreFilledLater(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		had := s.Place(t, "ann", 1)
		s.Move(t)
		s.Flush(t)
		ctx, cut := context.WithCancel(t.Context())
		defer cut()
		loader := s.StartOn(t, nil, stores.DB, stage.BeforeEach(t, stores, func(cmd redis.Cmder) {
			if slices.Contains(cmd.Args(), any("fill_tasks")) {
				cut()
			}
		})).Loader
		require.NoError(t, loader.Load(ctx, s.Activity))
		assert.Equal(t, "9", s.Left(t, ""))
		results, err := s.TryPlace(t.Context(), had)
		require.NoError(t, err)
		assert.Equal(t, lua.TasksLoading, results[0].Code)
		_, err = preheater(s, inventory.PreheatConfig{}).RunOnce(t.Context())
		require.NoError(t, err)
		results, err = s.TryPlace(t.Context(), had)
		require.NoError(t, err)
		assert.Equal(t, lua.Replayed, results[0].Code)
	})
}
