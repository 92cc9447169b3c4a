package queue_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/stage"
)

// placeAgain stores an order of ann, lets Redis forget all of it, as a failover to a replica that is
// behind does, and places it again with the task that it had.
func placeAgain(t *testing.T, s *stage.Stage) (first, again *order.Order) {
	t.Helper()
	ctx, keys, rdb := t.Context(), s.Stores.Keys, s.Stores.Redis
	stock := s.Hash(t, keys.Stock)
	first = s.Place(t, "ann", 2)
	s.Move(t)
	require.NoError(t, errors.Join(
		rdb.HDel(ctx, keys.Tasks(s.Lane, s.Activity), order.TaskHash(first.Task)).Err(),
		rdb.HDel(ctx, keys.Held(s.Lane, s.Activity), first.Number.String()).Err(),
		rdb.HDel(ctx, keys.Bought(s.Lane, s.Activity), "a:ann", "s:"+stage.SKU+"~ann").Err(),
		rdb.HSet(ctx, keys.Stock(s.Lane, s.Activity), stock).Err(),
	))
	again = s.Order("ann", catalogue.DefaultPoint, 2)
	again.Task = first.Task
	results, err := s.TryPlace(ctx, again)
	require.NoError(t, err)
	require.Equal(t, lua.Placed, results[0].Code)
	return first, again
}

// decisions are the possible states of the order that a repeat repeats.
var decisions = map[string]struct {
	decide func(ctx context.Context, s *stage.Stage, first *order.Order) error
	left   string
	bought map[string]string
}{
	"cancelled": {
		func(ctx context.Context, s *stage.Stage, first *order.Order) error {
			return s.Canceller.Cancel(ctx, first.User, first.Number, "")
		},
		"10",
		map[string]string{},
	},
	"paid": {
		func(ctx context.Context, s *stage.Stage, first *order.Order) error {
			payer := order.NewPayer(func() string { return "code" }, nil, nil)
			return s.Stores.DB.InTx(ctx, func(tx *sqlx.Tx) error {
				_, err := payer.Pay(ctx, tx, first.Number, 1, order.LogLine{Actor: "test"})
				return err
			})
		},
		"8",
		map[string]string{"a:ann": "2", "s:" + stage.SKU + "~ann": "2"},
	},
}

func settled(t *testing.T, s *stage.Stage, left string, bought map[string]string) {
	t.Helper()
	s.Move(t)
	_, err := s.Outbox.RunOnce(t.Context())
	require.NoError(t, err)
	assert.Equal(t, left, s.Left(t, ""))
	assert.Empty(t, s.Hash(t, s.Stores.Keys.Held))
	assert.Equal(t, bought, s.Hash(t, s.Stores.Keys.Bought))
	assert.Len(t, s.Stored(t), 1)
	s.Balanced(t)
}

func TestAnOrderThatIsDecidedBeforeItsRepeatIsAcknowledgedGetsNoToken(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for name, d := range decisions {
			s := stage.Open(t, stores, stage.Sale{Limit: 5, SKULimit: 5})
			first, _ := placeAgain(t, s)
			mover := s.Start(t, stage.At("before_ack", func() error {
				if err := d.decide(t.Context(), s, first); err != nil {
					return err
				}
				_, err := s.Outbox.RunOnce(t.Context()) // it finds no hold, and its row goes
				return err
			})).Mover
			_, _, err := mover.MoveLane(t.Context(), s.Lane)
			require.NoError(t, err, name)
			settled(t, s, d.left, d.bought)
		}
	})
}

func TestAnOrderIsNotDecidedWhileItsRepeatIsAcknowledged(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for name, d := range decisions {
			s := stage.Open(t, stores, stage.Sale{Limit: 5, SKULimit: 5})
			first, _ := placeAgain(t, s)
			decided := make(chan error, 1)
			rdb := stage.BeforeScript(t, stores, func() { // the ack has looked at the order
				go func() {
					err := d.decide(context.WithoutCancel(t.Context()), s, first)
					if err == nil {
						_, err = s.Outbox.RunOnce(context.WithoutCancel(t.Context()))
					}
					decided <- err
				}()
				assert.Never(t, func() bool { return len(decided) > 0 }, 200*time.Millisecond, tick,
					"%s: it waits until the ack is through", name)
			})
			_, _, err := s.StartOn(t, nil, stores.DB, rdb).Mover.MoveLane(t.Context(), s.Lane)
			require.NoError(t, err, name)
			require.NoError(t, <-decided, name)
			settled(t, s, d.left, d.bought)
		}
	})
}

func TestMoverCutOffAtTheAckOfARepeatKeepsTheCountsCorrect(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, cut := range []struct{ step, decided string }{
			{"before_ack", "cancelled"}, {"ack", "cancelled"}, {"ack", "paid"},
		} {
			s := stage.Open(t, stores, stage.Sale{Limit: 5, SKULimit: 5})
			first, _ := placeAgain(t, s)
			_, _, err := s.Start(t, stage.CrashAt(cut.step)).Mover.MoveLane(t.Context(), s.Lane)
			require.ErrorIs(t, err, stage.ErrCrash, cut)
			d := decisions[cut.decided]
			require.NoError(t, d.decide(t.Context(), s, first), cut)
			settled(t, s, d.left, d.bought)
		}
	})
}

func TestTokenOfAPaidOrderLeftByACrashIsRepaired(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Limit: 5, SKULimit: 5})
		first, _ := placeAgain(t, s)
		paid := decisions["paid"]
		pay := stage.At("before_ack", func() error {
			if err := paid.decide(t.Context(), s, first); err != nil {
				return err
			}
			_, err := s.Outbox.RunOnce(t.Context())
			return err
		})
		crash := stage.CrashAt("ack") // before the confirm
		mover := s.Start(t, func(step string) error { return errors.Join(pay(step), crash(step)) }).Mover
		_, _, err := mover.MoveLane(t.Context(), s.Lane)
		require.ErrorIs(t, err, stage.ErrCrash)
		assert.Contains(t, s.Hash(t, stores.Keys.Held), first.Number.String())
		s.Balanced(t)
		_, err = s.Auditor.Repair(t.Context(), s.Activity)
		require.NoError(t, err)
		settled(t, s, paid.left, paid.bought)
	})
}
