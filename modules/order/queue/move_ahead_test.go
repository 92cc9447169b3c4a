package queue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestQueueOfManyBatchesMovesInOneRun(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{catalogue.DefaultPoint: 20}, Batch: 3})
		orders := s.PlaceMany(t, 10)
		mover := s.Start(t, stage.At("before_ack", func() error {
			orders = append(orders, s.Place(t, "late", 1)) // behind what has been read
			return nil
		})).Mover
		moved, err := mover.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 11, moved)
		assert.Len(t, s.Stored(t), 11)
		assert.Empty(t, s.QueueLine(t))
		for _, o := range orders {
			assert.Equal(t, "S", s.Task(t, o))
		}
		s.Balanced(t)
	})
}

func TestBatchReadAheadOfALoadIsNotStoredAfterIt(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Batch: 2})
		s.PlaceMany(t, 4)
		// The first two are off the queue, the others have been read.
		mover := s.Start(t, stage.At("ack", flushAndLoad(t, s))).Mover
		moved, err := mover.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 2, moved)
		assert.Len(t, s.Stored(t), 2)
		assert.Equal(t, "8", s.Left(t, ""))
		s.Balanced(t)
	})
}

func TestBatchReadAheadThatAnotherMoverTookIsStoredOnce(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"commit", "before_ack", "ack"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				s := stage.Open(t, stores, stage.Sale{Batch: 2})
				orders := s.PlaceMany(t, 6)
				mover := s.Start(t, stage.At(step, func() error {
					s.Move(t)
					return nil
				})).Mover
				_, err := mover.RunOnce(t.Context())
				require.NoError(t, err)
				assert.Empty(t, s.QueueLine(t))
				assert.Len(t, s.Stored(t), 6)
				assert.Equal(t, int64(6), s.Sold(t))
				for _, o := range orders {
					assert.Equal(t, "S", s.Task(t, o))
				}
				s.Balanced(t)
			})
		})
	}
}
