package faults

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// onOwnRedis gives a test SQLite and a redis-server of its own, whose settings it may change.
func onOwnRedis(t *testing.T) *kit.Stores {
	t.Helper()
	sql := kit.OnEmbedded(t)
	own := kit.Own(t, kit.RedisOnly())
	own.DB, own.SQLitePath = sql.DB, sql.SQLitePath
	return own.Stores
}

// fill makes a Redis refuse every write that may take memory: the bound is below what an empty
// Redis uses.
func fill(t *testing.T, stores *kit.Stores) {
	t.Helper()
	require.NoError(t, stores.Redis.ConfigSet(t.Context(), "maxmemory", "500kb").Err())
	require.ErrorContains(t, stores.Redis.Set(t.Context(), "any", 1, 0).Err(), "OOM")
}

func unfill(t *testing.T, stores *kit.Stores) {
	t.Helper()
	require.NoError(t, stores.Redis.ConfigSet(t.Context(), "maxmemory", "0").Err())
}

func TestFullRedisDrainsAndJobsThatFreeMemoryRun(t *testing.T) {
	t.Parallel()
	const orders = 200
	stores := onOwnRedis(t)
	s := site.Start(t, stores, site.Idle())
	sale := s.Open(t, site.Sale{Stock: map[string]int64{"0": 1000}, PurchaseLimit: 5})
	numbers, paths := make([]string, orders), make([]string, orders)
	for i := range orders {
		buyer := s.Buyer(t, fmt.Sprintf("b%d", i))
		paths[i] = buyer.Path(t, sale, "sku")
		placed := buyer.Submit(t, paths[i], "k", map[string]any{"quantity": 1})
		require.Equal(t, http.StatusAccepted, placed.Status, string(placed.Body))
		numbers[i] = placed.JSON(t)["order_number"].(string)
	}

	fill(t, stores)
	refused := s.Buyer(t, "b0").Submit(t, paths[0], "other", map[string]any{"quantity": 1})
	assert.Equal(t, "overloaded", refused.Code(), string(refused.Body))
	assert.Equal(t, http.StatusServiceUnavailable, refused.Status)
	assert.NotEmpty(t, refused.Header.Get("Retry-After"))
	assert.NotContains(t, refused.JSON(t), "task_id", "the outcome is known: nothing was placed")
	replayed := s.Buyer(t, "b0").Submit(t, paths[0], "k", map[string]any{"quantity": 1})
	assert.Equal(t, http.StatusAccepted, replayed.Status, string(replayed.Body))

	_, err := s.Server.Mover.Drain(t.Context())
	require.NoError(t, err)
	for lane := 1; lane <= 4; lane++ {
		left, err := stores.Redis.LLen(t.Context(), stores.Keys.Queue(lane)).Result()
		require.NoError(t, err)
		assert.Zero(t, left, "entries left in lane %d", lane)
	}
	assert.Empty(t, s.Audit(t, sale))

	cancelled := s.Buyer(t, "b0").Call(t, http.MethodPost, "/api/v1/orders/"+numbers[0]+"/cancel", "", nil)
	assert.Equal(t, http.StatusOK, cancelled.Status, string(cancelled.Body))
	s.Job(t, "settle_stock")
	assert.Empty(t, s.Audit(t, sale))

	unfill(t, stores)
	again := s.Buyer(t, "b0").Submit(t, paths[0], "other", map[string]any{"quantity": 1})
	assert.Equal(t, http.StatusAccepted, again.Status, string(again.Body))
}

func TestJobsRunOnAFullRedis(t *testing.T) {
	t.Parallel()
	stores := onOwnRedis(t)
	s := site.Start(t, stores, site.Idle())
	sale := s.Open(t, site.Sale{})
	placed := s.Buyer(t, "anna").Buy(t, sale, "sku", "k")
	require.Equal(t, http.StatusAccepted, placed.Status, string(placed.Body))
	fill(t, stores)
	operator := s.Operator(t)
	for _, job := range []string{
		"move_orders", "cancel_unpaid", "settle_stock", "preheat", "retire_activities", "audit",
	} {
		asked := operator.Call(t, http.MethodPost, "/admin/api/v1/jobs/"+job+"/run", "", nil)
		require.Equal(t, http.StatusAccepted, asked.Status, string(asked.Body))
		id := asked.JSON(t)["run_id"]
		var run struct {
			State string `json:"state"`
			Error string `json:"error"`
		}
		require.Eventually(t, func() bool {
			var runs struct {
				Items []struct {
					RunID string `json:"run_id"`
					State string `json:"state"`
					Error string `json:"error"`
				} `json:"items"`
			}
			operator.Call(t, http.MethodGet, "/admin/api/v1/jobs/"+job+"/runs", "", nil).Into(t, &runs)
			for _, r := range runs.Items {
				if r.RunID == id && r.State != "running" {
					run.State, run.Error = r.State, r.Error
					return true
				}
			}
			return false
		}, 30*time.Second, 5*time.Millisecond, job)
		assert.Empty(t, run.Error, job)
	}
	left, err := stores.Redis.LLen(t.Context(), stores.Keys.Queue(1)).Result()
	require.NoError(t, err)
	assert.Zero(t, left)
}

func TestASaleIsClosedAndRetiredOnAFullRedis(t *testing.T) {
	t.Parallel()
	stores := onOwnRedis(t)
	s := site.Start(t, stores, site.Idle())
	sale := s.Open(t, site.Sale{})
	draft := s.Open(t, site.Sale{Draft: true})
	fill(t, stores)

	operator := s.Operator(t)
	offline := operator.Call(t, http.MethodPost, "/admin/api/v1/activities/"+sale+"/offline", "", nil)
	assert.Equal(t, http.StatusOK, offline.Status, string(offline.Body))
	var lane int
	require.NoError(t, stores.DB.Read.GetContext(t.Context(), &lane,
		`SELECT lane FROM activities WHERE activity_id = ?`, sale))
	assert.Equal(t, "closed", stores.Redis.HGet(t.Context(), stores.Keys.Meta(lane, sale), "state").Val())

	// Retiring looks at the time of Redis, so the sale ends in the past.
	_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE activities SET ends_ms = 1 WHERE activity_id = ?`, sale)
	require.NoError(t, err)
	assert.Equal(t, 1, s.Job(t, "retire_activities"))
	assert.Zero(t, stores.Redis.Exists(t.Context(), stores.Keys.Meta(lane, sale)).Val())

	publish := operator.Call(t, http.MethodPost, "/admin/api/v1/activities/"+draft+"/publish", "", nil)
	assert.Equal(t, http.StatusServiceUnavailable, publish.Status)
	assert.Contains(t, string(publish.Body), "Redis is full")
	keys, err := stores.Redis.Keys(t.Context(), "*:"+draft+":*").Result()
	require.NoError(t, err)
	assert.Empty(t, keys, "a load that Redis refuses leaves nothing behind")
}

// fullMB is how many MB of orders TestQueueThatFilledRedisDrainsWhenSQLReturns lets wait; by default 1.
const fullMB = "ONRUSH_TEST_FULL_MB"

func TestQueueThatFilledRedisDrainsWhenSQLReturns(t *testing.T) {
	t.Parallel()
	mb, err := strconv.Atoi(cmp.Or(os.Getenv(fullMB), "1"))
	require.NoError(t, err)
	sql := kit.OnEmbedded(t, kit.Breakable())
	stores := kit.Own(t, kit.RedisOnly()).Stores
	stores.DB = sql.DB
	s := site.Start(t, stores)
	sale := s.Open(t, site.Sale{Stock: map[string]int64{"0": 1 << 30}})
	const buyers = 16
	paths := make([]string, buyers)
	for i := range buyers {
		paths[i] = s.Buyer(t, fmt.Sprintf("b%d", i)).Path(t, sale, "sku")
	}
	sql.SQLAway(t)
	bound := kit.UsedMemory(t, stores.Redis) + int64(mb)<<20
	require.NoError(t, stores.Redis.ConfigSet(t.Context(), "maxmemory", strconv.FormatInt(bound, 10)).Err())
	placed := kit.AtOnce(buyers, func(i int) (n int) {
		buyer := s.Buyer(t, fmt.Sprintf("b%d", i))
		for key := range 1 << 20 {
			a := buyer.Ask(http.MethodPost, "/api/v1/seckill/"+paths[i]+"/submit", fmt.Sprintf("k%d", key),
				map[string]any{"quantity": 1})
			switch {
			case a.Code() == "overloaded":
				return n
			case a.Status == http.StatusAccepted:
				n++
			}
		}
		return n
	})
	total := 0
	for _, n := range placed {
		total += n
	}
	require.Positive(t, total)

	fill(t, stores) // whatever else fills it: from here on Redis takes nothing
	sql.SQLBack(t)
	back := time.Now()
	require.Eventually(t, func() bool {
		for lane := 1; lane <= 4; lane++ {
			if n, err := stores.Redis.LLen(t.Context(), stores.Keys.Queue(lane)).Result(); err != nil || n > 0 {
				return false
			}
		}
		return true
	}, 2*time.Minute, 10*time.Millisecond, "the queue doesn't drain")
	t.Logf("%d orders filled %d MB of Redis; the queue was empty %s after SQL was back",
		total, mb, time.Since(back).Round(time.Millisecond))
	var stored int
	require.NoError(t, stores.DB.Read.GetContext(t.Context(), &stored, `SELECT COUNT(*) FROM orders`))
	assert.GreaterOrEqual(t, stored, total)
	assert.Empty(t, s.Audit(t, sale))
}
