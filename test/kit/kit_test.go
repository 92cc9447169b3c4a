package kit_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

const soon = 10 * time.Second

func TestEachTestHasItsOwnEmptyStores(t *testing.T) {
	t.Parallel()
	for range 3 {
		kit.Each(t, func(t *testing.T, s *kit.Stores) {
			ctx := t.Context()
			var skus int
			require.NoError(t, s.DB.Read.GetContext(ctx, &skus, `SELECT COUNT(*) FROM skus`))
			assert.Zero(t, skus)
			insertSKU(t, s, "s1")

			size, err := s.Redis.DBSize(ctx).Result()
			require.NoError(t, err)
			assert.Zero(t, size)
			require.NoError(t, s.Redis.Set(ctx, s.Keys.WriteCheck(1), "1", 0).Err())
			got, err := s.ConnectRedis(t).Get(ctx, s.Keys.WriteCheck(1)).Result()
			require.NoError(t, err)
			assert.Equal(t, "1", got, "a second instance sees the same Redis")
			require.NoError(t, s.ConnectSQL(t).Read.GetContext(ctx, &skus, `SELECT COUNT(*) FROM skus`))
			assert.Equal(t, 1, skus, "a second instance sees the same SQL store")
		})
	}
}

func TestStoresKeepTheirDataThroughAnOutage(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		require.NoError(t, s.Redis.Set(ctx, s.Keys.WriteCheck(1), "1", 0).Err())
		insertSKU(t, s, "s1")

		s.RedisAway(t)
		require.Error(t, s.Redis.Get(ctx, s.Keys.WriteCheck(1)).Err())
		s.SQLAway(t)
		_, err := s.DB.Write.ExecContext(ctx, `UPDATE skus SET stock = 2`)
		require.Error(t, err)
		require.Error(t, s.DB.Read.PingContext(ctx))

		s.RedisBack(t)
		s.SQLBack(t)
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			assert.Equal(c, "1", s.Redis.Get(ctx, s.Keys.WriteCheck(1)).Val())
			var stock int
			assert.NoError(c, s.DB.Read.GetContext(ctx, &stock, `SELECT stock FROM skus`))
			assert.Equal(c, 1, stock)
		}, soon, 10*time.Millisecond)
	}, kit.Breakable())
}

func TestOpenTransactionIsLostWhenSQLBecomesUnavailable(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		insertSKU(t, s, "s1")
		tx, err := s.DB.Write.BeginTxx(ctx, nil)
		require.NoError(t, err)
		_, err = tx.ExecContext(ctx, `UPDATE skus SET stock = 2`)
		require.NoError(t, err)
		s.SQLAway(t)
		require.Error(t, tx.Commit())
		s.SQLBack(t)
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			var stock int
			assert.NoError(c, s.DB.Write.GetContext(ctx, &stock, `SELECT stock FROM skus`))
			assert.Equal(c, 1, stock)
		}, soon, 10*time.Millisecond)
	}, kit.Breakable())
}

func TestOwnServersKeepWhatTheyAcknowledgedThroughAKill(t *testing.T) {
	t.Parallel()
	s := kit.Own(t, kit.FsyncAlways(), kit.FlushAtCommit())
	ctx := t.Context()
	require.NoError(t, s.Redis.Set(ctx, s.Keys.WriteCheck(1), "1", 0).Err())
	insertSKU(t, s.Stores, "s1")

	s.RedisServer.Kill(t)
	s.SQLServer.Kill(t)
	require.Error(t, s.Redis.Ping(ctx).Err())
	require.Error(t, s.DB.Read.PingContext(ctx))
	s.RedisServer.Restart(t)
	s.SQLServer.Restart(t)

	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Equal(c, "1", s.Redis.Get(ctx, s.Keys.WriteCheck(1)).Val())
		var stock int
		assert.NoError(c, s.DB.Read.GetContext(ctx, &stock, `SELECT stock FROM skus`))
		assert.Equal(c, 1, stock)
	}, soon, 10*time.Millisecond)
}

func TestFrozenServersAnswerAfterTheyAreThawed(t *testing.T) {
	t.Parallel()
	s := kit.Own(t)
	require.NoError(t, s.Redis.Ping(t.Context()).Err())

	s.RedisServer.Freeze(t)
	s.SQLServer.Freeze(t)
	brief, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	require.Error(t, s.Redis.Ping(brief).Err())
	require.Error(t, s.DB.Read.PingContext(brief))

	s.RedisServer.Thaw(t)
	s.SQLServer.Thaw(t)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.NoError(c, s.Redis.Ping(t.Context()).Err())
		assert.NoError(c, s.DB.Read.PingContext(t.Context()))
	}, soon, 10*time.Millisecond)
}

func TestSourcesRepeatForTheSameSeed(t *testing.T) {
	t.Parallel()
	one, two, other := kit.IDs(1), kit.IDs(1), kit.IDs(2)
	first := one()
	assert.Regexp(t, `^[a-z2-7]{20}$`, first)
	assert.Equal(t, first, two())
	assert.NotEqual(t, first, other())
	assert.NotEqual(t, first, one())
	random, again := kit.Rand(7), kit.Rand(7)
	assert.Equal(t, random.Uint64(), again.Uint64())

	start := time.Unix(1_700_000_000, 0)
	clock := kit.NewClock(start)
	assert.Equal(t, start.Add(time.Minute), clock.Advance(time.Minute))
	assert.Equal(t, start.Add(time.Minute), clock.Now())
	clock.Set(start)
	assert.Equal(t, start, clock.Now())
}

func insertSKU(t *testing.T, s *kit.Stores, id string) {
	t.Helper()
	const insert = `INSERT INTO skus (sku_id, shop_id, title, image_url, kind, price, currency, stock,
		freight_fee, freight_free_over, updated_ms) VALUES (?, 'shop', 'Title', '', 'physical', 100, 'EUR', 1, 0, 0, 0)`
	_, err := s.DB.Write.ExecContext(t.Context(), insert, id)
	require.NoError(t, err)
}
