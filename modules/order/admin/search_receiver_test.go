package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/order/receiver"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/stage"
)

// sent stores an order for each receiver, with the numbers from 1, among many others, of shop-1 and shop-2 in turn.
func sent(t *testing.T, s *kit.Stores, receivers ...catalogue.Address) {
	t.Helper()
	for i := range 200 { // MySQL reads a smaller table whole
		receivers = append(receivers, catalogue.Address{
			Receiver: fmt.Sprint("Other ", i), Phone: fmt.Sprint(5550000 + i),
		})
	}
	orders := make([]*order.Order, len(receivers))
	for i := range receivers {
		orders[i] = &order.Order{
			Number: order.Number(i + 1), Task: fmt.Sprint(i), Status: order.Paid, User: fmt.Sprint("u", i),
			Content: order.Content{
				Type: order.Ordinary, Kind: catalogue.Physical, Shop: fmt.Sprint("shop-", i%2+1),
				Items: []order.Item{{SKU: "s", Quantity: 1}}, Address: &receivers[i],
			},
		}
	}
	require.NoError(t, s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
		return order.Insert(t.Context(), tx, orders, nil)
	}))
}

// found returns the numbers of the orders that a search finds.
func found(ctx context.Context, t *testing.T, s *kit.Stores, q string) string {
	t.Helper()
	hits, err := NewService(s.DB, stored{}).Find(ctx, q, maxHits)
	require.NoError(t, err)
	var numbers []string
	for _, hit := range hits {
		assert.NotEmpty(t, hit.Receiver+hit.Phone, q)
		numbers = append(numbers, strings.TrimLeft(hit.ID, "0"))
	}
	return strings.Join(numbers, " ")
}

func TestOrdersAreFoundByTheirReceivers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		sent(t, s,
			catalogue.Address{Receiver: "Ada Lovelace", Phone: "+86 138-0013-8000"},
			catalogue.Address{Receiver: "ADA LOVELACE", Phone: "13800138000"},
			catalogue.Address{Receiver: "李雷", Phone: "１３８ ００１３ ８０００"},
			catalogue.Address{Receiver: "李雷雷", Phone: "0044 (0)20 7946 0018"},
			catalogue.Address{Receiver: "Élodie O'Brien", Phone: "020 7946.0018"},
			catalogue.Address{Receiver: "Ada", Phone: "٠١٢٣٤٥٦٧"},
		)
		require.NoError(t, stage.Archive(t.Context(), s.DB, `number = 2 OR number = 20`))
		one, two := api.WithShop(t.Context(), "shop-1"), api.WithShop(t.Context(), "shop-2")
		for _, row := range []struct {
			ctx     context.Context
			q, want string
		}{
			{t.Context(), "13800138000", "3 2 1"},
			{t.Context(), "+86 138 0013 8000", "3 2 1"},
			{t.Context(), "008613800138000", "3 2 1"},
			{t.Context(), "\u202a138–0013–8000\u202c", "3 2 1"},
			{t.Context(), "0138000", "3 2 1"}, // the end of a number, of six digits without the zero
			{t.Context(), "38000", ""},
			{t.Context(), "+1 13800138000", "3 2"},
			{t.Context(), "020 7946 0018", "5 4"},
			{t.Context(), "+4420 79460018", "5 4"},
			{t.Context(), "+44 (0)20 7946 0018", "5 4"},
			{t.Context(), "1234567", "6"},
			{t.Context(), "ada lovelace", "2 1"},
			{t.Context(), "Ada", "6 2 1"},
			{t.Context(), "李雷", "3 4"},
			{t.Context(), "李", ""},
			{t.Context(), "élodie obrien", "5"},
			{t.Context(), "Elodie", ""},
			{t.Context(), "da lovelace", ""},
			{t.Context(), "5550014", "21"},
			{t.Context(), "5550013", "20"}, // archived
			{t.Context(), "?", ""},
			{t.Context(), "%%%", ""},
			{one, "13800138000", "3 1"},
			{two, "13800138000", "2"},
			{one, "ada", "1"},
			{two, "ada", "6 2"},
		} {
			assert.Equal(t, row.want, found(row.ctx, t, s, row.q), row.q)
		}
		hits, err := NewService(s.DB, stored{}).Find(t.Context(), "138 0013 8000", 1)
		require.NoError(t, err)
		assert.Equal(t, []api.Hit{{
			Kind: "order", ID: order.Number(3).String(), Link: ordersRoute + "/" + order.Number(3).String(),
			Receiver: "李雷", Phone: "１３８ ００１３ ８０００", Status: "paid",
		}}, hits)
	})
}

func TestReceiversAreFoundFromAnIndexInItsOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		sent(t, s)
		for q, index := range map[string]string{"555 0014": "phone", "Other 1": "name"} {
			column, exact, begin := soughtReceiver(q)
			for _, where := range []sqldb.Where{among(column, exact), beginning(column, begin)} {
				for _, shop := range []string{"", "shop-1"} {
					query, args := received(column, where, shop, 20)
					plan := kit.Explain(t, s.DB, query, args...)
					assert.Contains(t, plan, "orders_receiver_"+index, "%s", plan)
					assert.Contains(t, plan, "orders_archive_"+index, "%s", plan)
					assert.NotRegexp(t, `orders_shop|orders_archive_shop|SCAN o`, plan)
					if shop == "" {
						assert.NotContains(t, plan, "filesort", "%s", plan)
						assert.NotContains(t, plan, "TEMP B-TREE", "%s", plan)
					}
				}
			}
		}
	})
}

// columnsOf returns the receivers of all orders, as their columns have them.
func columnsOf(t *testing.T, s *kit.Stores) (rows []string) {
	t.Helper()
	for _, table := range []string{"orders", "orders_archive"} {
		var some []struct {
			Number int64  `db:"number"`
			Phone  string `db:"receiver_phone"`
			Name   string `db:"receiver_name"`
		}
		require.NoError(t, s.DB.Write.SelectContext(t.Context(), &some,
			`SELECT number, receiver_phone, receiver_name FROM `+table+` ORDER BY number`))
		rows = append(rows, fmt.Sprintf("%s %v", table, some))
	}
	return rows
}

// An older version of the program knows no receivers: it inserts, archives and erases without them.
func TestReceiversOfOlderVersionsAreFilledWith48InstancesAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		sent(t, s, catalogue.Address{Receiver: "Ada", Phone: "13800138000"}, catalogue.Address{})
		require.NoError(t, stage.Archive(ctx, s.DB, `number % 3 = 0`))
		want := columnsOf(t, s)
		assert.Contains(t, want[0], "{1 00083100831 ada} {2  } {4 ")
		for _, statement := range []string{
			`UPDATE orders SET receiver_phone = '?', receiver_name = '?' WHERE number % 2 = 1`,
			`UPDATE orders_archive SET receiver_phone = '?', receiver_name = '?'`,
		} {
			_, err := s.DB.Write.ExecContext(ctx, statement)
			require.NoError(t, err)
		}
		assert.Empty(t, found(ctx, t, s, "13800138000"))
		errs := make([]error, 48)
		kit.Crowd(len(errs), func(i int) {
			_, errs[i] = NewReceivers(ReceiversConfig{Page: 7}, s.DB, time.Now).RunOnce(ctx)
		})
		for _, err := range errs {
			require.NoError(t, err)
		}
		assert.Equal(t, want, columnsOf(t, s))
		assert.Equal(t, "1", found(ctx, t, s, "13800138000"))
		again, err := NewReceivers(ReceiversConfig{}, s.DB, time.Now).RunOnce(ctx)
		require.NoError(t, err)
		assert.Zero(t, again)

		// An older version has erased order 1, and order 2 has a record that nobody can read.
		_, err = s.DB.Write.ExecContext(ctx, `UPDATE orders SET record = '{"v":1,"n":1,"c":{"type":"ordinary"}}'
			WHERE number = 1`)
		require.NoError(t, err)
		assert.Empty(t, found(ctx, t, s, "13800138000"))
		_, err = s.DB.Write.ExecContext(ctx, `UPDATE orders SET record = 'x', receiver_phone = '?' WHERE number = 2`)
		require.NoError(t, err)
		filled, err := NewReceivers(ReceiversConfig{}, s.DB, time.Now).RunOnce(ctx)
		require.NoError(t, err)
		assert.Equal(t, 1, filled)
		assert.NotContains(t, columnsOf(t, s)[0], receiver.Unknown)
	})
}

// An older version erases a buyer and leaves the receiver in the columns, which it doesn't know.
func TestReceiversThatOlderVersionsLeftAtErasedBuyersAreEmptied(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		sent(t, s)
		require.NoError(t, stage.Archive(ctx, s.DB, `number > 100`))
		for _, table := range []string{"orders", "orders_archive"} {
			_, err := s.DB.Write.ExecContext(ctx, `UPDATE `+table+` SET user_id = 'erased-1',
				record = '{"v":1,"n":1,"c":{"type":"ordinary"}}' WHERE number % 2 = 0`)
			require.NoError(t, err)
		}
		clock := kit.NewClock(time.Now())
		r := NewReceivers(ReceiversConfig{Page: 7, PagesPerRun: 4}, s.DB, clock.Now) // a run doesn't reach all
		for _, want := range []int{2 * 28, 2 * 22, 0, 0} {
			emptied, err := r.RunOnce(ctx)
			require.NoError(t, err)
			assert.Equal(t, want, emptied)
		}
		for _, table := range []string{"orders", "orders_archive"} {
			var wrong int
			require.NoError(t, s.DB.Write.GetContext(ctx, &wrong, `SELECT COUNT(*) FROM `+table+`
				WHERE (number % 2 = 0) <> (receiver_phone = '' AND receiver_name = '')`))
			assert.Zero(t, wrong, table)
		}
		_, err := s.DB.Write.ExecContext(ctx, `UPDATE orders SET receiver_phone = '1' WHERE number = 2`)
		require.NoError(t, err)
		clock.Advance(time.Hour - time.Millisecond)
		emptied, err := r.RunOnce(ctx)
		require.NoError(t, err)
		assert.Zero(t, emptied, "it rests")
		clock.Advance(time.Millisecond)
		emptied, err = r.RunOnce(ctx)
		require.NoError(t, err)
		assert.Equal(t, 1, emptied, "it begins anew")
	})
}

// A transaction that holds an order doesn't keep other orders from it.
func TestReceiversOfAllOrdersButALockedOneAreFilled(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t)
	ctx := t.Context()
	sent(t, s)
	require.NoError(t, stage.Archive(ctx, s.DB, `number > 100`))
	for _, table := range []string{"orders", "orders_archive"} {
		_, err := s.DB.Write.ExecContext(ctx, `UPDATE `+table+` SET receiver_phone = '?', receiver_name = '?'`)
		require.NoError(t, err)
	}
	work, err := s.DB.Pool(sqldb.Work(2))
	require.NoError(t, err)
	t.Cleanup(func() { _ = work.Close() })
	require.NoError(t, s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT number FROM orders WHERE number = 95 FOR UPDATE`); err != nil {
			return err
		}
		filled, err := NewReceivers(ReceiversConfig{Page: 10}, work, time.Now).RunOnce(ctx)
		assert.True(t, sqldb.IsLockTimeout(err), "%v", err)
		assert.Equal(t, 190, filled)
		return nil
	}))
	filled, err := NewReceivers(ReceiversConfig{Page: 10}, work, time.Now).RunOnce(ctx)
	require.NoError(t, err)
	assert.Equal(t, 10, filled)
}

// unreachable is an Ensurer without Redis.
type unreachable struct{ stored }

func (unreachable) EnsureNumber(context.Context, order.Number) error {
	return problem.Unavailable(errors.New("no Redis"), "The order can't be read right now.")
}

// A phone number may look like an order number.
func TestOrdersAreFoundByPhoneWithoutRedis(t *testing.T) {
	t.Parallel()
	s := kit.OnEmbedded(t)
	sent(t, s, catalogue.Address{Receiver: "Ada", Phone: "+447911123456"})
	service, number := NewService(s.DB, unreachable{}), order.NewNumber(time.Now(), 1, 1).String()
	hits, err := service.Find(t.Context(), "447911123456", maxHits)
	require.NoError(t, err)
	assert.Len(t, hits, 1)
	_, err = service.Find(t.Context(), number, maxHits)
	assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
	hits, err = service.Find(api.WithShop(t.Context(), "shop-1"), number, maxHits)
	require.NoError(t, err)
	assert.Empty(t, hits)
}
