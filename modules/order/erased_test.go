package order_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// invitedOrder is an order that names zoe as its inviter.
func invitedOrder(sequence uint32) *order.Order {
	return &order.Order{
		Number: order.NewNumber(time.Now(), 0, sequence), User: "ann", Task: "1~sale~hash~mac", Status: order.Unpaid,
		Content: order.Content{
			Type: order.Ordinary, TotalAmount: 1000, Items: []order.Item{{SKU: "s", Quantity: 1}}, Inviter: "zoe",
		},
	}
}

// remember is the beginning of an erasure.
func remember(ctx context.Context, db *sqldb.DB) error {
	return db.InTx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO erased_users (user_digest, pseudonym) VALUES (?, 'erased-1')`,
			order.ErasedDigest("zoe"))
		return err
	})
}

// The transaction of an order has looked for the inviter before the erasure began, and commits after the erasure has
// looked for orders.
func TestAnErasureWaitsForOrdersThatAreBeingStored(t *testing.T) {
	t.Parallel()
	kit.EachIsolation(t, func(t *testing.T, s *kit.Stores) {
		o := invitedOrder(1)
		found := make(chan bool, 1)
		tx, err := s.DB.Write.BeginTxx(t.Context(), nil)
		require.NoError(t, err)
		defer func() { _ = tx.Rollback() }()
		require.NoError(t, order.Insert(t.Context(), tx, []*order.Order{o}, nil))
		back := errors.New("roll back")
		go func() { // on SQLite the whole of it waits
			ctx := context.WithoutCancel(t.Context())
			named := false
			err := errors.Join(remember(ctx, s.DB), s.DB.InTx(ctx, func(tx *sqlx.Tx) (err error) {
				if named, err = order.WaitForInvited(ctx, tx, "zoe"); err == nil {
					err = back
				}
				return err
			}))
			found <- errors.Is(err, back) && named
		}()
		if s.MySQLDSN != "" {
			db := s.Below(t)
			require.Eventually(t, func() bool { // it waits for the row; Vitess puts a hint behind DELETE
				var waiting int
				err := db.Read.GetContext(t.Context(), &waiting, `SELECT COUNT(*) FROM information_schema.processlist
					WHERE db = DATABASE() AND info LIKE 'DELETE %FROM order_labels %'`)
				return err == nil && waiting > 0 || len(found) > 0
			}, 10*time.Second, 5*time.Millisecond)
		}
		require.NoError(t, tx.Commit())
		require.True(t, <-found, "the erasure missed an order that was being stored")
		require.NoError(t, s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			return order.ForgetInviter(t.Context(), tx, "zoe", "erased-1", []order.Number{o.Number})
		}))
		stored, err := order.Select(t.Context(), s.DB.Read, o.Number)
		require.NoError(t, err)
		assert.Equal(t, "erased-1", stored.Inviter)
		assert.Equal(t, "ann", stored.User)
	})
}

// A user who was erased may use the id again, and name it as the inviter of an order of their own.
func TestAnOrderThatIsStoredLaterForgetsItsInviterAndNothingElse(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		require.NoError(t, remember(t.Context(), s.DB))
		o := invitedOrder(1)
		o.User, o.Remark, o.Room = "zoe", "ring twice", "zoe"
		back := errors.New("roll back")
		require.ErrorIs(t, s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			return errors.Join(order.Insert(t.Context(), tx, []*order.Order{o}, nil), back)
		}), back)
		require.NoError(t, s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			return order.Insert(t.Context(), tx, []*order.Order{o}, nil)
		}))
		stored, err := order.Select(t.Context(), s.DB.Read, o.Number)
		require.NoError(t, err)
		assert.Equal(t, []string{"zoe", "erased-1", "ring twice", "zoe"},
			[]string{stored.User, stored.Inviter, stored.Remark, stored.Room})
		var labels []string
		require.NoError(t, s.DB.Read.SelectContext(t.Context(), &labels,
			`SELECT value FROM order_labels WHERE number = ? ORDER BY name`, o.Number))
		assert.Equal(t, []string{"erased-1", "zoe"}, labels)
	})
}

// MySQL takes "zoe " for zoe where it compares texts.
func TestAnInviterWithASpaceAtTheEndIsForgottenWithNobodyElse(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx, own, others := t.Context(), invitedOrder(1), invitedOrder(2)
		own.User, own.Inviter = "zoe", "zoe "
		others.Inviter, others.Task = "zoe ", "2~sale~hash~mac"
		numbers := []order.Number{own.Number, others.Number}
		require.NoError(t, s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
			return order.Insert(ctx, tx, []*order.Order{own, others}, nil)
		}))
		require.NoError(t, s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
			found, err := order.WaitForInvited(ctx, tx, "zoe")
			assert.False(t, found)
			return errors.Join(err, order.Forget(ctx, tx, "zoe", "erased-1", numbers[:1]),
				order.ForgetInviter(ctx, tx, "zoe", "erased-1", numbers))
		}))
		for _, n := range numbers {
			assert.Equal(t, []string{"zoe "}, inviterLabels(t, s, n))
			stored, err := order.Select(ctx, s.DB.Read, n)
			require.NoError(t, err)
			assert.Equal(t, "zoe ", stored.Inviter)
		}
	})
}

// Somebody has changed a label by hand. An erasure that left it would find it again and again.
func TestALabelWithTheInviterGoesWhateverTheRecordOfItsOrderSays(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx, o := t.Context(), invitedOrder(1)
		o.Inviter = "bob"
		require.NoError(t, s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
			return order.Insert(ctx, tx, []*order.Order{o}, nil)
		}))
		numbers := []order.Number{o.Number, o.Number + 1} // the other one is no order
		_, err := s.DB.Write.ExecContext(ctx, `UPDATE order_labels SET value = 'zoe'`)
		require.NoError(t, err)
		_, err = s.DB.Write.ExecContext(ctx, `INSERT INTO order_labels (name, value, number)
			VALUES ('inviter_id', 'zoe', ?)`, numbers[1])
		require.NoError(t, err)
		require.NoError(t, s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
			return order.ForgetInviter(ctx, tx, "zoe", "erased-1", numbers)
		}))
		for _, n := range numbers {
			assert.Equal(t, []string{"erased-1"}, inviterLabels(t, s, n))
		}
		stored, err := order.Select(ctx, s.DB.Read, o.Number)
		require.NoError(t, err)
		assert.Equal(t, "bob", stored.Inviter)
	})
}

func inviterLabels(t *testing.T, s *kit.Stores, n order.Number) (labels []string) {
	t.Helper()
	require.NoError(t, s.DB.Read.SelectContext(t.Context(), &labels,
		`SELECT value FROM order_labels WHERE name = 'inviter_id' AND number = ?`, n))
	return labels
}
