package myorders

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/test/kit"
)

// The newest record of a buyer can't be read: the cursor leads past it to the other orders.
func TestACursorLeadsPastAnOrderThatCannotBeRead(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		w, cached, _ := twoOrders(t, s)
		spoilt := order.NewNumber(listNow.Add(time.Second), cached.Number.Lane(), 1)
		require.Greater(t, spoilt, cached.Number)
		key := s.Keys.Orders(cached.Number.Lane(), w.user)
		require.NoError(t, s.Redis.HSet(ctx, key, lua.OrderField(spoilt.String()), "{").Err())

		list, err := patientOrders(s).List(ctx, w.user, Filter{}, api.Page{Size: 1})
		require.NoError(t, err)
		assert.Empty(t, list.Items)
		assert.True(t, list.Partial)
		assert.Equal(t, spoilt.String(), list.NextCursor)
	})
}
