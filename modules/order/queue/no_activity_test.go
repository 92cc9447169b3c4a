package queue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestOrdersOfAnActivityThatSQLDoesNotHaveAreKept(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		o := s.Place(t, "ada", 2)
		// An instance that was given the wrong database, or one restored from before the sale.
		other := kit.OnEmbedded(t)
		wrong := s.StartOn(t, nil, other.DB, stores.Redis).Mover
		_, _, err := wrong.MoveLane(t.Context(), s.Lane)
		require.NoError(t, err)
		assert.Equal(t, "P", s.Task(t, o))
		dead, err := s.Queue.Dead(t.Context(), api.Page{Page: 1, Size: 10})
		require.NoError(t, err)
		require.Len(t, dead.Items, 1)
		_, err = s.Queue.Replay(t.Context(), dead.Items[0].DeadID)
		require.NoError(t, err)
		s.Move(t)
		assert.Equal(t, map[order.Number]order.Status{o.Number: order.Unpaid}, s.Stored(t))
		assert.Equal(t, "S", s.Task(t, o))
		s.Balanced(t)
	})
}
