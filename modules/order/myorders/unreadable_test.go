package myorders

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
)

func TestAListIsPartialWhileARecordOfItsBuyerCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		key           bool // the whole key has another type
		field, record string
	}{
		{name: "the key has another type", key: true},
		{name: "a record is garbage", record: "\x00spoiled"},
		{name: "a record is of another order", record: `{"v":1,"n":1,"u":"user_1","c":{}}`},
		{name: "a field is garbage", field: "spoiled", record: "spoiled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, s *kit.Stores) {
				ctx := t.Context()
				w, cached, stored := twoOrders(t, s)
				orders := patientOrders(s)
				key := s.Keys.Orders(cached.Number.Lane(), w.user)
				readable := []order.Number{stored.Number}
				switch {
				case c.key:
					require.NoError(t, s.Redis.Del(ctx, key).Err())
					require.NoError(t, s.Redis.Set(ctx, key, "spoiled", 0).Err())
				case c.field != "":
					require.NoError(t, s.Redis.HSet(ctx, key, c.field, c.record).Err())
					readable = []order.Number{cached.Number, stored.Number}
				default:
					require.NoError(t, s.Redis.HSet(ctx, key, lua.OrderField(cached.Number.String()), c.record).Err())
				}
				for _, f := range []Filter{{}, {Name: "lamp"}} {
					list, err := orders.List(ctx, w.user, f, api.Page{Page: 1, Size: 10})
					require.NoError(t, err)
					assert.True(t, list.Partial)
					assert.Equal(t, readable, numbersOf(list))
				}
				if len(readable) == 1 {
					_, err := orders.Get(ctx, w.user, cached.Number)
					assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err), "it may exist")
				}
				_, err := orders.Get(ctx, w.user, stored.Number)
				require.NoError(t, err)

				other, err := orders.List(ctx, "user_2", Filter{}, api.Page{Page: 1, Size: 10})
				require.NoError(t, err)
				assert.False(t, other.Partial, "other buyers' lists are complete")

				if !c.key && c.field == "" { // SQL takes precedence
					require.NoError(t, w.store(ctx, cached))
					list, err := orders.List(ctx, w.user, Filter{}, api.Page{Page: 1, Size: 10})
					require.NoError(t, err)
					assert.False(t, list.Partial)
					assert.Equal(t, []order.Number{cached.Number, stored.Number}, numbersOf(list))
				}
			})
		})
	}
}
