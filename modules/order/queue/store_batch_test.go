package queue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/stage"
)

func TestEntryWhoseOrderSQLHasIsAcknowledgedWithoutItsRecord(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{})
		execSQL(t, s, `UPDATE activity_stock SET total = 3 WHERE activity_id = ?`, s.Activity)
		stored, failed := s.Place(t, "stored", 2), s.Place(t, "failed", 2)
		_, _, err := s.Start(t, stage.CrashAt("before_ack")).Mover.MoveLane(ctx, s.Lane)
		require.ErrorIs(t, err, stage.ErrCrash)
		require.NoError(t, stores.Redis.Del(ctx, recordKey(s, stored), recordKey(s, failed)).Err())
		s.Move(t)
		assert.Empty(t, deadOf(t, s))
		assert.Equal(t, "S", s.Task(t, stored))
		assert.Equal(t, "F:no_stock", s.Task(t, failed))
		assert.Len(t, s.Stored(t), 2)
	})
}
