package inventory_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/modules/seckill/inventory"
	"onrush/test/kit"
	"onrush/test/stage"
)

func changeOf(s *stage.Stage, key string, delta int64) inventory.StockChange {
	return inventory.StockChange{
		ID: inventory.ChangeID(s.Activity, "operator", key), Activity: s.Activity, SKU: stage.SKU,
		Point: catalogue.DefaultPoint,
		Delta: delta,
	}
}

func totalOf(t *testing.T, s *stage.Stage) int64 {
	t.Helper()
	var total int64
	require.NoError(t, s.Stores.DB.Write.GetContext(t.Context(), &total,
		`SELECT total FROM activity_stock WHERE activity_id = ? AND point_id = ?`, s.Activity, catalogue.DefaultPoint))
	return total
}

func TestStockChangesOncePerKeyUnderConcurrentRequests(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		s.Place(t, "u", 3)
		for key, delta := range map[string]int64{"raise": 5, "lower": -2} {
			kit.Crowd(8, func(int) {
				state, err := s.Changer.Change(t.Context(), changeOf(s, key, delta))
				if assert.NoError(t, err) { // pending: Redis was slow, and whoever asks again goes on
					assert.Contains(t, []inventory.ChangeState{inventory.ChangeDone, inventory.ChangePending}, state)
				}
			})
			require.Eventually(t, func() bool {
				state, err := s.Changer.Change(t.Context(), changeOf(s, key, delta))
				return err == nil && state == inventory.ChangeDone
			}, time.Minute, 10*time.Millisecond)
		}
		assert.EqualValues(t, 13, totalOf(t, s))
		assert.Equal(t, "10", s.Left(t, ""))
		s.Balanced(t)

		_, err := s.Changer.Change(t.Context(), changeOf(s, "raise", 6))
		assert.Equal(t, problem.CodeIdempotencyKeyReused, problem.CodeOf(err))
		_, err = s.Changer.Change(t.Context(), changeOf(s, "too much", -11))
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		_, err = s.Changer.Change(t.Context(), changeOf(s, "too much", -11))
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		assert.Equal(t, "10", s.Left(t, ""))
		s.Balanced(t)
	})
}

// lose makes Redis lose something of the sale and loads it again.
func lose(t *testing.T, s *stage.Stage, what string) {
	t.Helper()
	switch what {
	case "nothing":
		return
	case "everything":
		s.Flush(t)
	case "keys":
		s.LoseActivity(t)
	}
	s.Load(t)
}

const (
	eventually = 10 * time.Second
	tick       = 5 * time.Millisecond
)

// A crash, a loss of Redis with a load, or both, after each step of a change.
func TestInterruptedStockChangeIsFinishedOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		s.Place(t, "u", 3)
		s.Move(t)
		total, left := int64(10), 7
		for _, delta := range []int64{4, -2} {
			for _, step := range []string{"change_begin", "change_stock"} {
				for _, crash := range []bool{true, false} {
					for _, lost := range []string{"nothing", "everything", "keys"} {
						name := fmt.Sprintf("%d, %s, crash %v, lost %s", delta, step, crash, lost)
						changer := s.Start(t, stage.At(step, func() error {
							lose(t, s, lost)
							s.Balanced(t)
							if crash {
								return stage.ErrCrash
							}
							return nil
						})).Changer
						change := changeOf(s, name, delta)
						state, err := changer.Change(t.Context(), change)
						if err == nil {
							assert.Contains(t, []inventory.ChangeState{
								inventory.ChangeDone, inventory.ChangePending,
							}, state, name)
						} else {
							require.ErrorIs(t, err, stage.ErrCrash, name)
						}
						s.Balanced(t)
						_, err = s.Changer.RunOnce(t.Context())
						require.NoError(t, err, name)
						state, err = s.Changer.Change(t.Context(), change)
						require.NoError(t, err, name)
						assert.Equal(t, inventory.ChangeDone, state, name)
						total, left = total+delta, left+int(delta)
						assert.Equal(t, total, totalOf(t, s), name)
						assert.Equal(t, fmt.Sprint(left), s.Left(t, ""), name)
						s.Balanced(t)
					}
				}
			}
		}
	})
}

// Somebody else finishes the change, then Redis is lost and loaded: the load doesn't know the id of
// a change that is done, so the one who is late must not try it.
func TestChangerThatIsLateDoesNotChangeStockAgain(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		for i, delta := range []int64{5, -5, 5, -5} {
			change := changeOf(s, fmt.Sprint(i), delta)
			finishAndLoad := func() {
				state, err := s.Changer.Change(t.Context(), change)
				require.NoError(t, err)
				require.Equal(t, inventory.ChangeDone, state)
				s.Flush(t)
				s.Load(t)
			}
			late := s.Start(t, stage.At("change_begin", func() error { finishAndLoad(); return nil })).Changer
			if i >= 2 {
				late = s.StartOn(t, nil, stores.DB, stage.BeforeScript(t, stores, finishAndLoad)).Changer
			}
			_, err := late.Change(t.Context(), change)
			require.NoError(t, err)
			state, err := late.Change(t.Context(), change)
			require.NoError(t, err)
			assert.Equal(t, inventory.ChangeDone, state)
			s.Balanced(t)
		}
		assert.Equal(t, "10", s.Left(t, ""))
	})
}

func TestChangeRefusedByOneIsRefusedForAll(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		o := s.Place(t, "u", 8)
		change := changeOf(s, "lower", -5)
		first := s.Start(t, stage.At("change_stock", func() error { // refused in Redis, not yet in SQL
			require.NoError(t, s.Canceller.Cancel(t.Context(), "u", o.Number, ""))
			_, err := s.Changer.Change(t.Context(), change)
			assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
			s.Balanced(t)
			return nil
		})).Changer
		_, err := first.Change(t.Context(), change)
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		assert.EqualValues(t, 10, totalOf(t, s))
		assert.Equal(t, "10", s.Left(t, ""))
		s.Balanced(t)
	})
}

func TestChangeOfALostActivityDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		other := *s
		other.Activity, other.Lane = s.Publish(t)
		crashed := s.Start(t, func(string) error { return stage.ErrCrash }).Changer
		for _, change := range []inventory.StockChange{changeOf(s, "a", 1), changeOf(&other, "b", 1)} {
			_, err := crashed.Change(t.Context(), change)
			require.ErrorIs(t, err, stage.ErrCrash)
		}
		s.LoseActivity(t)
		finished, err := s.Changer.RunOnce(t.Context())
		require.ErrorContains(t, err, "not loaded")
		assert.Equal(t, 1, finished)
		assert.Equal(t, "11", other.Left(t, ""))
		other.Balanced(t)

		s.Load(t)
		finished, err = s.Changer.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, finished)
		assert.Equal(t, "11", s.Left(t, ""))
		s.Balanced(t)
	})
}

func TestUnfinishedChangesDoNotDelayLaterOnes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const stuck = 100 // a page of them
		s := stage.Open(t, stores, stage.Sale{})
		other := *s
		other.Activity, other.Lane = s.Publish(t)
		row := `(?, 'change', 'pending', '` + s.Activity + `', '` + stage.SKU + `', '0', 1, 0, '', 0)`
		ids := make([]any, stuck)
		for i := range ids {
			ids[i] = fmt.Sprintf("change:%03d", i)
		}
		_, err := stores.DB.Write.ExecContext(t.Context(),
			`INSERT INTO stock_outbox (outbox_id, kind, state, activity_id, sku_id, point_id,
			quantity, order_number, user_id, created_ms) VALUES `+row+strings.Repeat(", "+row, stuck-1), ids...)
		require.NoError(t, err)
		_, err = s.Start(t, stage.CrashAt("change_begin")).Changer.Change(t.Context(), changeOf(&other, "a", 1))
		require.ErrorIs(t, err, stage.ErrCrash)
		s.LoseActivity(t)
		finished, err := s.Changer.RunOnce(t.Context())
		require.ErrorContains(t, err, "not loaded")
		assert.Zero(t, finished)
		finished, err = s.Changer.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, finished)
		other.Balanced(t)
		_, err = s.Changer.RunOnce(t.Context())
		require.ErrorContains(t, err, "not loaded", "it begins again from the first")
	})
}

func TestStockChangeIsPendingWhileRedisIsUnavailable(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		stores.RedisAway(t)
		state, err := s.Changer.Change(t.Context(), changeOf(s, "raise", 5))
		require.NoError(t, err)
		assert.Equal(t, inventory.ChangePending, state)
		_, err = s.Changer.RunOnce(t.Context())
		require.Error(t, err)
		stores.RedisBack(t)
		require.Eventually(t, func() bool {
			finished, err := s.Changer.RunOnce(t.Context())
			return err == nil && finished == 1
		}, eventually, tick)
		assert.Equal(t, "15", s.Left(t, ""))
		s.Balanced(t)
	}, kit.Breakable())
}

// The units of a change that only one store has are no drift; a change that stays so for a minute is wrong.
func TestTheAccountCountsPendingChangesAndIsWrongWhileOneIsStuck(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		crash                            string
		delta                            int64
		total, left, changing, afterward int64
	}{
		"a raise that only SQL has":           {"change_begin", 5, 15, 10, 5, 15},
		"a lowering that only Redis has":      {"change_stock", -3, 10, 7, 3, 7},
		"a lowering that neither store has":   {"change_begin", -3, 10, 10, 0, 7},
		"a raise that SQL has not marked yet": {"change_stock", 5, 15, 15, 0, 15},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				ctx := t.Context()
				s := stage.Open(t, stores, stage.Sale{})
				state, err := s.Start(t, stage.CrashAt(row.crash)).Changer.Change(ctx, changeOf(s, "k", row.delta))
				require.True(t, errors.Is(err, stage.ErrCrash) || state == inventory.ChangePending,
					"%s, %v", state, err)
				account := func() *inventory.Audit {
					audit, err := s.Auditor.Audit(ctx, s.Activity)
					require.NoError(t, err)
					assert.Equal(t, []inventory.AuditItem{{
						SKU: stage.SKU, Point: catalogue.DefaultPoint, Total: row.total, Remaining: row.left,
						Changing: row.changing,
					}}, audit.Items)
					assert.EqualValues(t, 1, audit.ChangesPending)
					return audit
				}
				audit := account()
				assert.Zero(t, audit.ChangesStuck)
				assert.True(t, audit.OK)

				_, err = stores.DB.Write.ExecContext(ctx, `UPDATE stock_outbox SET created_ms = created_ms - 61000`)
				require.NoError(t, err)
				audit = account()
				assert.EqualValues(t, 1, audit.ChangesStuck)
				assert.False(t, audit.OK)
				_, err = s.Auditor.RunOnce(ctx)
				require.ErrorContains(t, err, "1 stock changes are pending for more than a minute")

				finished, err := s.Changer.RunOnce(ctx)
				require.NoError(t, err)
				assert.Equal(t, 1, finished)
				audit, err = s.Auditor.Audit(ctx, s.Activity)
				require.NoError(t, err)
				assert.True(t, audit.OK)
				assert.Zero(t, audit.ChangesPending+audit.ChangesStuck)
				assert.Equal(t, row.afterward, audit.Items[0].Total)
				assert.Equal(t, row.afterward, audit.Items[0].Remaining)
			})
		})
	}
}

func TestStockOfAnUnpublishedActivityDoesNotChange(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		unknown := changeOf(s, "k", 1)
		unknown.Activity = "nope"
		_, err := s.Changer.Change(t.Context(), unknown)
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		elsewhere := changeOf(s, "k2", 1)
		elsewhere.Point = "p9"
		_, err = s.Changer.Change(t.Context(), elsewhere)
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		_, err = s.Activities.Offline(t.Context(), s.Activity)
		require.NoError(t, err)
		_, err = s.Changer.Change(t.Context(), changeOf(s, "k3", 1))
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		s.Balanced(t)
	})
}
