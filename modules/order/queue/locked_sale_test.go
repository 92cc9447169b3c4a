package queue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/stage"
)

// neighbour publishes another sale in the lane of a stage.
func neighbour(t *testing.T, s *stage.Stage) *stage.Stage {
	t.Helper()
	for range 2 * stage.Lanes {
		if activity, lane := s.Publish(t); lane == s.Lane {
			other := *s
			other.Activity = activity
			return &other
		}
	}
	require.Fail(t, "no sale got the lane")
	return nil
}

// worker is one more instance with the connections of movers and jobs.
func worker(t *testing.T, s *stage.Stage) (*stage.Instance, *sqldb.Busy) {
	t.Helper()
	db, err := s.Stores.DB.Pool(sqldb.Work(4))
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return s.StartOn(t, nil, db, s.Stores.Redis), db.Busy
}

func TestASaleWhoseRowsAreLockedDoesNotKeepOthersOfItsLaneFromBeingStored(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	ctx := t.Context()
	locked := stage.Open(t, stores, stage.Sale{Batch: 2})
	free := neighbour(t, locked)
	first, busy := worker(t, locked)
	second, _ := worker(t, locked)
	tx, err := stores.DB.Write.BeginTxx(ctx, nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(ctx, `UPDATE activity_stock SET epoch = epoch WHERE activity_id = ?`, locked.Activity)
	require.NoError(t, err)

	var theirs, ours []*order.Order
	for range 3 {
		theirs, ours = append(theirs, locked.Place(t, "ann", 1)), append(ours, free.Place(t, "bob", 1))
	}
	moved, err := first.Mover.RunOnce(ctx)
	require.NoError(t, err)
	assert.Equal(t, 3, moved)
	assert.Equal(t, map[string]int{sqldb.StockRows: 1}, busy.Counts())
	assert.Len(t, free.Stored(t), 3)
	assert.Empty(t, locked.Stored(t))
	for i := range ours {
		assert.Equal(t, "S", free.Task(t, ours[i]), "it is settled behind those that wait")
		assert.Equal(t, "P", locked.Task(t, theirs[i]))
	}
	assert.Len(t, free.QueueLine(t), 6)
	free.Balanced(t)

	ours = append(ours, free.Place(t, "bob", 1))
	moved, err = first.Mover.RunOnce(ctx)
	require.NoError(t, err)
	assert.Equal(t, 1, moved, "it goes on where it was")
	ours = append(ours, free.Place(t, "cid", 1))
	moved, err = second.Mover.RunOnce(ctx)
	require.NoError(t, err)
	assert.Equal(t, 1, moved, "another instance settles only what is not settled")
	assert.Len(t, free.Stored(t), len(ours))

	require.NoError(t, tx.Rollback())
	require.Eventually(t, func() bool {
		for _, i := range []*stage.Instance{first, second} {
			if _, err := i.Mover.RunOnce(ctx); err != nil {
				t.Error(err)
			}
		}
		return len(locked.QueueLine(t)) == 0 //nolint:contextcheck // the test's own
	}, 30*time.Second, 50*time.Millisecond)
	assert.Len(t, locked.Stored(t), 3)
	assert.Len(t, free.Stored(t), len(ours))
	for _, o := range theirs {
		assert.Equal(t, "S", locked.Task(t, o))
	}
	locked.Balanced(t)
	free.Balanced(t)
}
