package sqldb_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// lamps are the titles of the skus that a reader sees.
func lamps(ctx context.Context, q sqlx.QueryerContext) (titles []string, err error) {
	err = sqlx.SelectContext(ctx, q, &titles, `SELECT title FROM skus ORDER BY sku_id`)
	return titles, err
}

func addLamp(t *testing.T, s *kit.Stores, sku string) {
	t.Helper()
	const insert = `INSERT INTO skus (sku_id, shop_id, title, image_url, kind, price, currency, stock, freight_fee,
		freight_free_over, updated_ms) VALUES (?, 'shop', 'Lamp', '', 'virtual', 1, 'CNY', 1, 0, 0, 0)`
	_, err := s.DB.Write.ExecContext(t.Context(), insert, sku)
	require.NoError(t, err)
}

func openReplica(t *testing.T, s *kit.Replicated) *sqldb.Replica {
	t.Helper()
	replica, err := s.DB.OpenReplica(s.ReplicaDSN, 4, time.Now, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, replica.Close()) })
	return replica
}

func TestAReplicaIsReadOnlyWhereItHasWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	s := kit.OwnReplicated(t)
	ctx := t.Context()
	replica := openReplica(t, s)
	reports := s.DB.ViewsFrom(replica)
	reads := func() [3]int64 {
		return [3]int64{replica.Read.Swap(0), replica.Behind.Swap(0), replica.Away.Swap(0)}
	}
	readAt := func(positions ...string) int {
		t.Helper()
		var found []string
		require.NoError(t, replica.ReadAt(ctx, s.DB, positions,
			func(ctx context.Context, q sqlx.QueryerContext) (err error) {
				found, err = lamps(ctx, q)
				return err
			}))
		return len(found)
	}
	view := func() (n int) {
		t.Helper()
		require.NoError(t, reports.InView(ctx, func(tx *sqlx.Tx) error {
			found, err := lamps(ctx, tx)
			n = len(found)
			return err
		}))
		return n
	}
	bulk := func() int {
		t.Helper()
		found, err := lamps(ctx, reports.Bulk(ctx))
		require.NoError(t, err)
		return len(found)
	}

	before, err := s.DB.Position(ctx)
	require.NoError(t, err)
	require.NotEmpty(t, before)
	addLamp(t, s.Stores, "one")
	after, err := s.DB.Position(ctx)
	require.NoError(t, err)
	require.NotEqual(t, before, after)
	s.CatchUp(t)
	assert.Equal(t, []int{1, 1, 1}, []int{readAt(after, before), view(), bulk()})
	assert.Equal(t, [3]int64{3, 0, 0}, reads(), "all of them at the replica")

	s.Lag(t, time.Hour)
	addLamp(t, s.Stores, "two")
	newest, err := s.DB.Position(ctx)
	require.NoError(t, err)
	assert.Equal(t, 1, readAt(after), "an old position: the replica has it")
	assert.Equal(t, [3]int64{1, 0, 0}, reads())
	assert.Equal(t, []int{2, 2, 2, 2}, []int{readAt(after, newest), readAt(""), view(), bulk()})
	assert.Equal(t, [3]int64{0, 4, 0}, reads(), "all of them at the primary, since the replica is behind")

	s.Lag(t, 0)
	s.CatchUp(t)
	for _, leave := range []func(testing.TB){s.ReplicaServer.Freeze, s.ReplicaServer.Kill} {
		leave(t)
		require.Eventually(t, func() bool { return readAt(newest) == 2 && replica.Away.Load() > 0 }, time.Minute,
			time.Millisecond, "it is frozen, or gone")
		reads()
		assert.Equal(t, []int{2, 2, 2}, []int{readAt(newest), view(), bulk()}, "that delays, and harms nobody")
		assert.Equal(t, [3]int64{0, 0, 3}, reads())
	}
	s.ReplicaServer.Restart(t)
	require.Eventually(t, func() bool { return readAt(newest) == 2 && replica.Read.Load() > 0 }, time.Minute,
		50*time.Millisecond, "the replica is read again when it is back")
}

func TestAReaderThatGivesUpIsNotServedTwice(t *testing.T) {
	t.Parallel()
	s := kit.OwnReplicated(t)
	replica := openReplica(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := replica.ReadAt(ctx, s.DB, nil, func(ctx context.Context, _ sqlx.QueryerContext) error {
		calls++
		cancel()
		return ctx.Err()
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, calls)
	assert.Zero(t, replica.Away.Load(), "the replica is not to blame")
}

func TestWithoutAReplicaThePrimaryIsRead(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		addLamp(t, s, "one")
		var none *sqldb.Replica
		require.NoError(t, none.ReadAt(t.Context(), s.DB, []string{"", "any"},
			func(ctx context.Context, q sqlx.QueryerContext) error {
				found, err := lamps(ctx, q)
				assert.Len(t, found, 1)
				return err
			}))
		found, err := lamps(t.Context(), s.DB.ViewsFrom(none).Bulk(t.Context()))
		require.NoError(t, err)
		assert.Len(t, found, 1)
	})
}
