package queue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/stage"
)

// refuse makes SQL refuse the orders for which the condition on NEW is true, with an error that the
// program doesn't know. allow takes it back.
func refuse(t *testing.T, s *stage.Stage, condition string) (allow func()) {
	t.Helper()
	body := ` FOR EACH ROW IF ` + condition + ` THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refused'; END IF`
	if s.Stores.DB.Dialect == sqldb.SQLite {
		body = ` WHEN ` + condition + ` BEGIN SELECT RAISE(ABORT, 'refused'); END`
	}
	db := s.Stores.Below(t)
	execute := func(statement string) {
		_, err := db.Write.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	execute(`CREATE TRIGGER refuse BEFORE INSERT ON orders` + body)
	return func() { execute(`DROP TRIGGER refuse`) }
}

// moves runs the mover over the lane n times and returns how many runs failed.
func moves(t *testing.T, s *stage.Stage, n int) (failed int) {
	t.Helper()
	for range n {
		if _, _, err := s.Mover.MoveLane(t.Context(), s.Lane); err != nil {
			failed++
		}
	}
	return failed
}

func TestOrderThatSQLRefusesByItselfIsDeadAfterFiveFailures(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Limit: 5})
		allow := refuse(t, s, `NEW.user_id = 'bad'`)
		before, bad, after := s.Place(t, "before", 1), s.Place(t, "bad", 1), s.Place(t, "after", 1)
		assert.Equal(t, 4, moves(t, s, 4))
		assert.Equal(t, map[order.Number]order.Status{before.Number: order.Unpaid, after.Number: order.Unpaid},
			s.Stored(t), "it doesn't keep the others from being stored")
		assert.Empty(t, deadOf(t, s))
		s.Move(t)
		assert.Equal(t, map[string]string{idOf(s, bad): order.ReasonBadRow}, deadOf(t, s))
		s.Balanced(t)

		allow()
		_, err := s.Queue.Replay(t.Context(), idOf(s, bad))
		require.NoError(t, err)
		s.Move(t)
		assert.Equal(t, order.Unpaid, s.Stored(t)[bad.Number])
		s.Balanced(t)
	})
}

func TestNoOrderBecomesDeadWhileSQLRefusesAll(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Limit: 5})
		s.Place(t, "first", 1)
		s.Move(t) // so that others were committed, but before
		allow := refuse(t, s, `NEW.user_id <> ''`)
		for _, user := range []string{"a", "b", "c"} {
			s.Place(t, user, 1)
		}
		assert.Equal(t, 12, moves(t, s, 12))
		assert.Empty(t, deadOf(t, s))
		allow()
		s.Move(t)
		assert.Empty(t, deadOf(t, s))
		assert.Len(t, s.Stored(t), 4)
		s.Balanced(t)
	})
}

func TestSingleRefusedOrderWaitsForOthers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Limit: 5})
		refuse(t, s, `NEW.user_id = 'bad'`)
		bad := s.Place(t, "bad", 1)
		assert.Equal(t, 12, moves(t, s, 12))
		assert.Empty(t, deadOf(t, s), "nothing shows that the fault is its own")
		good := s.Place(t, "good", 1)
		s.Move(t)
		assert.Equal(t, map[string]string{idOf(s, bad): order.ReasonBadRow}, deadOf(t, s))
		assert.Equal(t, map[order.Number]order.Status{good.Number: order.Unpaid}, s.Stored(t))
		s.Balanced(t)
	})
}
