package mypayments

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/test/kit"
	"onrush/test/stage"
)

var testNow = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// counted counts the statements that it runs.
type counted struct {
	sqlx.QueryerContext

	statements int
}

func (c *counted) QueryxContext(ctx context.Context, query string, args ...any) (*sqlx.Rows, error) {
	c.statements++
	return c.QueryerContext.QueryxContext(ctx, query, args...)
}

// The payments of an order are read with as many statements as one of them, however many they are; only those that can
// still be paid say how.
func TestThePaymentsOfAnOrderAreReadTogether(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		require.NoError(t, stage.Insert(t.Context(), stores.DB, order.Order{Number: 5, User: "ada", Task: "task"}))
		const began = most + 5
		for i := range order.Number(began + 1) {
			user, of, expires := "ada", order.Number(5), testNow.Add(time.Hour)
			switch i {
			case began:
				user = "bob"
			case began - 2:
				expires = testNow
			case began - 3:
				of = 6
			}
			insert := `INSERT INTO payments (` + pay.PaymentColumns + `)
				VALUES (?, ?, ?, '', 'bank', 'pending', 1, 0, 'CNY', '', '{"url":"https://bank.example"}', '', 0, ?,
					0, ?, 0, 0, 0)`
			_, err := stores.DB.Write.ExecContext(t.Context(), insert, 200+i, user, fmt.Sprint("task", i), i,
				expires.UnixMilli())
			require.NoError(t, err)
			_, err = stores.DB.Write.ExecContext(t.Context(),
				`INSERT INTO payment_orders (pay_number, order_number, amount) VALUES (?, ?, 1)`, 200+i, of)
			require.NoError(t, err)
		}
		q := &counted{QueryerContext: stores.DB.Read}
		views, err := NewService(q, func() time.Time { return testNow }).OfOrder(t.Context(), "ada", 5)
		require.NoError(t, err)
		assert.Equal(t, 2, q.statements)
		require.Len(t, views, most)
		assert.Equal(t, order.Number(200+began-1), views[0].Number, "the newest first, and none of bob's")
		assert.Equal(t, order.Number(200+began-2), views[1].Number)
		assert.Equal(t, order.Number(200+began-4), views[2].Number, "one pays another order")
		assert.NotNil(t, views[0].Next)
		assert.Nil(t, views[1].Next, "its time is over")
		for _, v := range views {
			assert.Equal(t, []order.Number{5}, v.Orders)
		}
	})
}
