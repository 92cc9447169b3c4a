package queue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/stage"
)

// spoiling writes something into a key that is none of its values.
type spoiling func(*testing.T, *stage.Stage)

// Somebody has written into one key of a sale, a buyer or a lane. The orders of the other sale in the lane are stored
// all the same, and what can't be stored is a dead entry, which an operator can discard.
// spoilt is a key that can't be read, and what becomes of the order whose key it is.
type spoilt struct {
	name  string
	spoil func(keys lua.Keys, s *stage.Stage, o *order.Order) spoiling
	dead  string // the reason; "": the order is stored
}

// spoiltKeys are the keys of a lane, a sale and a buyer, each of another type or with garbage.
func spoiltKeys() []spoilt {
	wrongType := func(key string) spoiling {
		return func(t *testing.T, s *stage.Stage) {
			t.Helper()
			require.NoError(t, s.Stores.Redis.Del(t.Context(), key).Err())
			require.NoError(t, s.Stores.Redis.Set(t.Context(), key, "spoiled", 0).Err())
		}
	}
	garbage := func(key, field string) spoiling {
		return func(t *testing.T, s *stage.Stage) {
			t.Helper()
			require.NoError(t, s.Stores.Redis.HSet(t.Context(), key, field, "\x00spoiled").Err())
		}
	}
	return []spoilt{
		{"the orders of a user have another type", func(k lua.Keys, s *stage.Stage, o *order.Order) spoiling {
			return wrongType(k.Orders(s.Lane, o.User))
		}, order.ReasonBadRecord},
		{"a record is garbage", func(k lua.Keys, s *stage.Stage, o *order.Order) spoiling {
			return garbage(k.Orders(s.Lane, o.User), recordOf(o))
		}, order.ReasonBadRecord},
		{"meta has another type", func(k lua.Keys, s *stage.Stage, _ *order.Order) spoiling {
			return wrongType(k.Meta(s.Lane, s.Activity))
		}, ""},
		{"the state is garbage", func(k lua.Keys, s *stage.Stage, _ *order.Order) spoiling {
			return garbage(k.Meta(s.Lane, s.Activity), "state")
		}, ""},
		{"tasks have another type", func(k lua.Keys, s *stage.Stage, _ *order.Order) spoiling {
			return wrongType(k.Tasks(s.Lane, s.Activity))
		}, ""},
		{"a task is garbage", func(k lua.Keys, s *stage.Stage, o *order.Order) spoiling {
			return garbage(k.Tasks(s.Lane, s.Activity), order.TaskHash(o.Task))
		}, ""},
		{"holds have another type", func(k lua.Keys, s *stage.Stage, _ *order.Order) spoiling {
			return wrongType(k.Held(s.Lane, s.Activity))
		}, ""},
		{"a hold is garbage", func(k lua.Keys, s *stage.Stage, o *order.Order) spoiling {
			return garbage(k.Held(s.Lane, s.Activity), o.Number.String())
		}, ""},
		{"the stock has another type", func(k lua.Keys, s *stage.Stage, _ *order.Order) spoiling {
			return wrongType(k.Stock(s.Lane, s.Activity))
		}, ""},
		{"the counts of buyers have another type", func(k lua.Keys, s *stage.Stage, _ *order.Order) spoiling {
			return wrongType(k.Bought(s.Lane, s.Activity))
		}, ""},
		{"an entry is garbage", func(k lua.Keys, _ *stage.Stage, _ *order.Order) spoiling {
			return func(t *testing.T, s *stage.Stage) {
				t.Helper()
				require.NoError(t, s.Stores.Redis.LPush(t.Context(), k.Queue(s.Lane), "\x00spoiled").Err())
			}
		}, order.ReasonBadEntry},
	}
}

func TestAKeyThatCannotBeReadStopsOnlyItsOwner(t *testing.T) {
	t.Parallel()
	for _, c := range spoiltKeys() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				ctx := t.Context()
				s := stage.Open(t, stores, stage.Sale{Limit: 3})
				healthy := neighbour(t, s)
				o := s.Place(t, "ann", 1)
				var others []*order.Order
				for range 3 {
					others = append(others, healthy.Place(t, "bob", 1))
				}
				c.spoil(stores.Keys, s, o)(t, s)
				_, err := s.Start(t, nil).Mover.RunOnce(ctx)
				require.NoError(t, err)
				assert.Empty(t, s.QueueLine(t))
				for _, o := range others {
					assert.Equal(t, order.Unpaid, healthy.Stored(t)[o.Number])
					assert.Equal(t, "S", healthy.Task(t, o))
				}
				healthy.Balanced(t)

				list, err := s.Queue.Dead(ctx, api.Page{Page: 1, Size: 10})
				require.NoError(t, err)
				if c.dead == "" {
					assert.Empty(t, list.Items)
					assert.Equal(t, order.Unpaid, s.Stored(t)[o.Number])
					return
				}
				require.Len(t, list.Items, 1)
				assert.Equal(t, c.dead, list.Items[0].Reason)
				_, err = s.Queue.Replay(ctx, list.Items[0].DeadID)
				require.NoError(t, err)
				s.Move(t)
				_, err = s.Queue.Discard(ctx, list.Items[0].DeadID, "operator:x")
				require.NoError(t, err)
				assert.Empty(t, deadOf(t, s))
			})
		})
	}
}

func TestALaneWhoseDeadEntriesCannotBeReadGoesOnAndSaysSo(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{})
		require.NoError(t, stores.Redis.Set(ctx, stores.Keys.Dead(s.Lane), "spoiled", 0).Err())
		require.NoError(t, stores.Redis.RPush(ctx, stores.Keys.Queue(s.Lane), "spoiled").Err())
		o := s.Place(t, "ann", 1)
		_, err := s.Mover.RunOnce(ctx)
		require.NoError(t, err)
		assert.Equal(t, "S", s.Task(t, o))
		assert.Equal(t, order.Unpaid, s.Stored(t)[o.Number])
		require.ErrorContains(t, s.Queue.CheckMoving(ctx), "lane ")
		_, err = s.Queue.Dead(ctx, api.Page{Page: 1, Size: 10})
		require.NoError(t, err, "those of the other lanes are listed")

		require.NoError(t, stores.Redis.Del(ctx, stores.Keys.Dead(s.Lane)).Err())
		s.Move(t)
		require.NoError(t, s.Queue.CheckMoving(ctx))
		assert.Len(t, deadOf(t, s), 1)
	})
}

func TestALaneWhoseQueueCannotBeReadIsToldAndStopsNoOther(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{})
		spoiled := s.Lane%stage.Lanes + 1
		require.NoError(t, stores.Redis.Set(ctx, stores.Keys.Queue(spoiled), "spoiled", 0).Err())
		o := s.Place(t, "ann", 1)
		_, err := s.Mover.RunOnce(ctx)
		require.Error(t, err)
		assert.Equal(t, "S", s.Task(t, o))
		lanes, err := s.Queue.Lanes(ctx)
		require.NoError(t, err)
		for _, l := range lanes {
			assert.Equal(t, l.Lane == spoiled, l.Unreadable)
		}
		require.Error(t, s.Queue.CheckMoving(ctx))
	})
}
