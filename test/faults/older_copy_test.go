package faults

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// copyRedis copies all keys of a test's Redis; the returned function restores them, and nothing else.
func copyRedis(t *testing.T, stores *kit.Stores) (restore func()) {
	t.Helper()
	ctx, rdb := t.Context(), stores.Redis
	keys, err := rdb.Keys(ctx, stores.Keys.Prefix+":*").Result()
	require.NoError(t, err)
	var writes []func(p redis.Pipeliner)
	for _, key := range keys {
		kind, err := rdb.Type(ctx, key).Result()
		require.NoError(t, err)
		switch kind {
		case "hash":
			values, err := rdb.HGetAll(ctx, key).Result()
			require.NoError(t, err)
			writes = append(writes, func(p redis.Pipeliner) { p.HSet(ctx, key, values) })
		case "list":
			values, err := rdb.LRange(ctx, key, 0, -1).Result()
			require.NoError(t, err)
			writes = append(writes, func(p redis.Pipeliner) { p.RPush(ctx, key, values) })
		case "zset":
			values, err := rdb.ZRangeWithScores(ctx, key, 0, -1).Result()
			require.NoError(t, err)
			writes = append(writes, func(p redis.Pipeliner) { p.ZAdd(ctx, key, values...) })
		default:
			value, err := rdb.Get(ctx, key).Result()
			require.NoError(t, err)
			writes = append(writes, func(p redis.Pipeliner) { p.Set(ctx, key, value, 0) })
		}
	}
	return func() {
		require.NoError(t, rdb.FlushDB(ctx).Err())
		_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, write := range writes {
				write(p)
			}
			return nil
		})
		require.NoError(t, err)
	}
}

// metaOf returns what the scripts read of an activity.
func metaOf(t *testing.T, s *site.Site, activity string) map[string]string {
	t.Helper()
	a, err := s.Server.Activities.Get(t.Context(), activity)
	require.NoError(t, err)
	meta, err := s.Stores.Redis.HGetAll(t.Context(), s.Stores.Keys.Meta(a.Lane, activity)).Result()
	require.NoError(t, err)
	return meta
}

// Redis is copied, emptied and loaded again, and then the copy is restored.
func TestARedisOfAnOlderLoadIsLoadedAgainByItself(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		first := placed(t, s.Buyer(t, "alice").Buy(t, activity, "sku", "k"))
		placed(t, s.Buyer(t, "bob").Buy(t, activity, "sku", "k"))
		s.Drain(t)
		restore := copyRedis(t, stores)
		flush(t, stores)
		s.Job(t, "preheat")
		again := site.Start(t, stores, site.Idle()) // it has read the sale after the load
		cid := again.Buyer(t, "cid")
		path := cid.Path(t, activity, "sku")
		restore()

		refused := cid.Submit(t, path, "k", map[string]any{"quantity": 1})
		assert.Equal(t, http.StatusServiceUnavailable, refused.Status, "the older copy sells nothing: %s", refused.Body)
		raise := stockChange{key: "raise", delta: 7}
		a, err := raise.send(t.Context(), again.Operator(t), activity)
		require.NoError(t, err)
		assert.Equal(t, "pending", a.JSON(t)["status"])
		audited := again.Operator(t).Call(t, http.MethodGet, "/admin/api/v1/activities/"+activity+"/audit", "", nil)
		assert.Equal(t, http.StatusConflict, audited.Status, "an account of two loads is none: %s", audited.Body)

		assert.Positive(t, again.Job(t, "preheat"), "sales that were loaded")
		again.Job(t, "settle_stock")
		a, err = raise.send(t.Context(), again.Operator(t), activity)
		require.NoError(t, err)
		assert.Equal(t, "done", a.JSON(t)["status"])
		assert.Equal(t, map[string]string{"sku": "105", "sku~0": "105"}, remaining(t, again, activity), "107 − 2")
		placed(t, cid.Submit(t, path, "k", map[string]any{"quantity": 1}))
		assert.Equal(t, first, placed(t, s.Buyer(t, "alice").Buy(t, activity, "sku", "k")), "the key from before")
		again.Drain(t)
		assert.Empty(t, again.Audit(t, activity))
		requireSound(t, stores, activity)
	})
}

func TestAnOperatorMayReloadARedisOfAnOlderLoad(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		restore := copyRedis(t, stores)
		flush(t, stores)
		s.Job(t, "preheat")
		restore()
		reload := func() int {
			path := "/admin/api/v1/activities/" + activity + "/reload"
			return s.Operator(t).Call(t, http.MethodPost, path, "", nil).Status
		}
		assert.Equal(t, http.StatusOK, reload())
		assert.Equal(t, http.StatusConflict, reload(), "it is loaded")
		assert.Empty(t, s.Audit(t, activity))
	})
}

// An older copy of Redis of the same load lacks a change of the sale.
func TestAnOlderCopyOfRedisGetsTheChangesOfTheSaleAgain(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		restore := copyRedis(t, stores)
		ends := time.Now().Add(3 * time.Hour).UTC().Truncate(time.Second)
		a := s.Operator(t).Call(t, http.MethodPatch, "/admin/api/v1/activities/"+activity, "",
			map[string]any{"ends_at": ends})
		require.Equal(t, http.StatusOK, a.Status, string(a.Body))
		restore()
		s.Job(t, "preheat")
		s.Job(t, "settle_stock")
		assert.Equal(t, strconv.FormatInt(ends.UnixMilli(), 10), metaOf(t, s, activity)["ends_ms"])
		assert.Equal(t, ends.UnixMilli(), keptSale(t, stores, activity).EndsMS)
	})
}

// SQL was restored from a backup that is older than Redis: the sale goes on as SQL has it.
func TestASaleGoesOnAfterSQLWasRestoredFromABackup(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]string{
		"before a load":   `UPDATE activity_stock SET epoch = epoch - 1 WHERE activity_id = ?`,
		"before a change": `UPDATE activities SET version = 0, applied = 0, title = 'Sale' WHERE activity_id = ?`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				s := site.Start(t, stores, site.Idle())
				activity := s.Open(t, site.Sale{})
				a := s.Operator(t).Call(t, http.MethodPatch, "/admin/api/v1/activities/"+activity, "",
					map[string]any{"title": "Another"})
				require.Equal(t, http.StatusOK, a.Status, string(a.Body))
				before := metaOf(t, s, activity)
				require.NoError(t, stores.DB.InTx(context.WithoutCancel(t.Context()), func(tx *sqlx.Tx) error {
					_, err := tx.ExecContext(t.Context(), back, activity)
					return err
				}))
				s.Job(t, "preheat")
				s.Job(t, "settle_stock")
				after := metaOf(t, s, activity)
				assert.NotEqual(t, before["epoch"]+" "+before["version"], after["epoch"]+" "+after["version"])
				again := site.Start(t, stores, site.Idle())
				placed(t, again.Buyer(t, "alice").Buy(t, activity, "sku", "k"))
				again.Drain(t)
				assert.Empty(t, again.Audit(t, activity))
			})
		})
	}
}
