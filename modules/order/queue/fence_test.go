package queue_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
	"onrush/test/stage"
)

// flushAndLoad is a Redis that loses everything, and the load that follows.
func flushAndLoad(t *testing.T, s *stage.Stage) func() error {
	return func() error {
		s.Flush(t)
		s.Load(t)
		return nil
	}
}

func TestMoverStoresNothingThatItReadBeforeALoad(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		s.Place(t, "stored", 1)
		s.Move(t)
		s.Place(t, "lost", 2)
		mover := s.Start(t, stage.At("peek", flushAndLoad(t, s))).Mover
		moved, _, err := mover.MoveLane(t.Context(), s.Lane)
		require.NoError(t, err)
		assert.Zero(t, moved)
		assert.Len(t, s.Stored(t), 1)
		assert.Equal(t, "9", s.Left(t, ""))
		s.Balanced(t)

		o := s.Place(t, "later", 9)
		for range 3 {
			_, _, err = mover.MoveLane(t.Context(), s.Lane)
			require.NoError(t, err)
		}
		assert.Equal(t, order.Unpaid, s.Stored(t)[o.Number], "the mover continues in the new epoch")
		s.Balanced(t)
	})
}

func TestMoverReadsAnOrderAgainWhenOnlyItsActivityWasLoaded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Limit: 5})
		o := s.Place(t, "kept", 2)
		mover := s.Start(t, stage.At("peek", func() error {
			s.LoseActivity(t)
			s.Load(t)
			return nil
		})).Mover
		moved, more, err := mover.MoveLane(t.Context(), s.Lane)
		require.NoError(t, err)
		assert.Zero(t, moved)
		assert.True(t, more)
		assert.Empty(t, s.Stored(t))
		assert.Equal(t, "8", s.Left(t, ""))
		s.Balanced(t)

		moved, _, err = mover.MoveLane(t.Context(), s.Lane)
		require.NoError(t, err)
		assert.Equal(t, 1, moved)
		assert.Equal(t, order.Unpaid, s.Stored(t)[o.Number])
		assert.Equal(t, "S", s.Task(t, o))
		s.Balanced(t)
	})
}

// A second request that learns of the newer epoch must not vouch for what the first one read
// before the load.
func TestOrderReadBeforeALoadIsNotStored(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		lost := s.Place(t, "lost", 1)
		reads := 0
		var between func()
		rdb := stage.Watch(t, stores, func(cmd redis.Cmder) {
			if cmd.Name() != "hget" ||
				!strings.HasSuffix(cmd.String(), " "+recordOf(lost)+": "+cmd.(*redis.StringCmd).Val()) {
				return
			}
			if reads++; reads == 2 {
				between()
			}
		})
		ensurer := s.StartOn(t, nil, stores.DB, rdb).Ensurer
		between = func() {
			s.Flush(t)
			s.Load(t)
			kept := s.Place(t, "kept", 1)
			_, err := ensurer.EnsureStored(t.Context(), "kept", kept.Number)
			require.NoError(t, err)
		}
		_, err := ensurer.EnsureStored(t.Context(), "lost", lost.Number)
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err), "%v", err)
		assert.GreaterOrEqual(t, reads, 2)
		assert.NotContains(t, s.Stored(t), lost.Number)
		s.Balanced(t)
	})
}

func recordOf(o *order.Order) string { return "info:" + o.Number.String() }

func TestEnsuringIsTriedAgainAfterALoad(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		o := s.Place(t, "u", 1)
		var once sync.Once
		reads := 0
		rdb := stage.Watch(t, stores, func(cmd redis.Cmder) {
			if cmd.Name() != "hget" {
				return
			}
			if reads++; reads == 2 {
				once.Do(func() {
					s.LoseActivity(t)
					s.Load(t)
				})
			}
		})
		got, err := s.StartOn(t, nil, stores.DB, rdb).Ensurer.EnsureStored(t.Context(), "u", o.Number)
		require.NoError(t, err)
		assert.Equal(t, o.Number, got.Number)
		assert.Equal(t, 4, reads, "it was read again, twice")
		s.Balanced(t)
		s.Move(t)
		s.Balanced(t)
	})
}

func TestReturnOvertakenByALoadIsAppliedOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for name, lose := range map[string]func(*stage.Stage){
			"everything":    func(s *stage.Stage) { s.Flush(t) },
			"only its keys": func(s *stage.Stage) { s.LoseActivity(t) },
		} {
			s := stage.Open(t, stores, stage.Sale{Limit: 3})
			o := s.Place(t, "u", 3)
			s.Move(t)
			crashed := s.Start(t, stage.CrashAt("cancel_commit"))
			require.ErrorIs(t, crashed.Canceller.Cancel(t.Context(), "u", o.Number, ""), stage.ErrCrash)

			outbox := s.Start(t, stage.At("return_stock", func() error {
				require.Equal(t, "10", s.Left(t, ""))
				lose(s)
				s.Load(t)
				require.Equal(t, "7", s.Left(t, ""), "the load counts the return as pending")
				return nil
			})).Outbox
			settled, err := outbox.RunOnce(t.Context())
			require.NoError(t, err, name)
			assert.Zero(t, settled, "the row stays, for the load has counted it")
			s.Balanced(t)

			settled, err = outbox.RunOnce(t.Context())
			require.NoError(t, err, name)
			assert.Equal(t, 1, settled)
			assert.Equal(t, "10", s.Left(t, ""), name)
			assert.Empty(t, s.Hash(t, stores.Keys.Held))
			assert.Empty(t, s.Hash(t, stores.Keys.Bought))
			settled, err = outbox.RunOnce(t.Context())
			require.NoError(t, err)
			assert.Zero(t, settled)
			s.Balanced(t)
			s.Place(t, "u", 3)
			s.Flush(t)
		}
	})
}
