package inventory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill/inventory"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestASaleWithAKeyOfAnotherTypeIsLoadedAgainWithItsOrders(t *testing.T) {
	t.Parallel()
	for i, name := range []string{"meta", "stock", "paid", "bought", "held", "tasks", "changes"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				ctx := t.Context()
				s := stage.Open(t, stores, stage.Sale{Limit: 5})
				other, lane := s.Publish(t)
				s.Place(t, "ann", 2)
				s.Move(t)
				waits := s.Place(t, "bob", 1)
				h := preheater(s, inventory.PreheatConfig{})
				_, err := h.RunOnce(ctx)
				require.NoError(t, err)

				key := stores.Keys.Loaded(s.Lane, s.Activity)[i]
				require.NoError(t, stores.Redis.Del(ctx, key).Err())
				require.NoError(t, stores.Redis.RPush(ctx, key, "spoiled").Err())
				done, err := h.RunOnce(ctx)
				require.NoError(t, err)
				assert.Equal(t, 1, done)
				assert.True(t, loaded(t, s, s.Activity, s.Lane))
				assert.True(t, loaded(t, s, other, lane))
				assert.Equal(t, "7", s.Left(t, ""))
				s.Balanced(t)
				s.Move(t)
				assert.Equal(t, "S", s.Task(t, waits))
				s.Balanced(t)
			})
		})
	}
}
