package queue_test

import (
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/sqldb"
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
		read, load := 0, flushAndLoad(t, s)
		mover := s.Start(t, func(step string) error {
			if step == "peek" {
				read++
			}
			if step == "peek" && read == 2 { // the first two are being stored
				return load()
			}
			return nil
		}).Mover
		_, err := mover.RunOnce(t.Context())
		require.NoError(t, err)
		stored := len(s.Stored(t))
		assert.Contains(t, []int{0, 2}, stored)
		assert.Equal(t, strconv.Itoa(10-stored), s.Left(t, ""))
		s.Balanced(t)
	})
}

// SQL may commit a batch before the one at the head of the queue, and the program may end then.
func TestBatchesAreCommittedInAnyOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		if stores.DB.Dialect == sqldb.SQLite {
			return // one transaction at a time
		}
		s := stage.Open(t, stores, stage.Sale{Batch: 2})
		orders := s.PlaceMany(t, 4)
		var reads, inserts atomic.Int32
		inserted, committed := make(chan struct{}), make(chan struct{})
		mover := s.Start(t, func(step string) error {
			switch {
			case step == "peek" && reads.Add(1) == 2:
				<-inserted
			case step == "insert" && inserts.Add(1) == 1:
				close(inserted)
				<-committed
				return stage.ErrCrash
			case step == "commit":
				close(committed)
			}
			return nil
		}).Mover
		moved, err := mover.RunOnce(t.Context())
		require.ErrorIs(t, err, stage.ErrCrash)
		assert.Zero(t, moved)
		stored := s.Stored(t)
		assert.Len(t, stored, 2)
		assert.Contains(t, stored, orders[2].Number)
		assert.Len(t, s.QueueLine(t), 4)
		s.Balanced(t)
		s.Move(t)
		assert.Len(t, s.Stored(t), 4)
		assert.EqualValues(t, 4, s.Sold(t))
		for _, o := range orders {
			assert.Equal(t, "S", s.Task(t, o))
		}
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
