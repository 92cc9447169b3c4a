package faults

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/modules/redisdb"
	"onrush/test/kit"
	"onrush/test/site"
)

// newConfirmed starts an instance on a Redis with a replica that has to confirm each order, and opens a sale.
func newConfirmed(t *testing.T, opts ...site.Option) (s *site.Site, activity string, replica *kit.Server) {
	t.Helper()
	stores, _ := ownRedis(t)
	replica = kit.StartReplica(t, stores, "")
	s = site.Start(t, stores, append(opts, site.Idle(), site.Configured(func(cfg *server.Config) {
		cfg.RedisReplicas = 1
	}))...)
	return s, s.Open(t, site.Sale{Stock: map[string]int64{"0": 10}}), replica
}

// submitOnce submits one unit and doesn't repeat it.
func submitOnce(t *testing.T, p *site.Person, path string) site.Answer {
	t.Helper()
	return p.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/submit", "key", map[string]any{"quantity": 1})
}

func TestAnOrderIsAnsweredWhenTheReplicaHasIt(t *testing.T) {
	t.Parallel()
	s, activity, replica := newConfirmed(t)
	require.NoError(t, s.Stores.Redis.ScriptFlush(t.Context()).Err())
	placed(t, s.Buyer(t, "first").Buy(t, activity, "sku", "key"))

	replica.Freeze(t)
	p := s.Buyer(t, "second")
	path := p.Path(t, activity, "sku")
	unknown := submitOnce(t, p, path)
	require.Equal(t, http.StatusServiceUnavailable, unknown.Status, string(unknown.Body))
	task := unknown.JSON(t)["task_id"].(string)
	state := get(t, p, "/api/v1/seckill/tasks/"+task)
	assert.Equal(t, "SUBMITTED", state["status"], "a read says what Redis has now")
	again := submitOnce(t, p, path)
	assert.Equal(t, http.StatusServiceUnavailable, again.Status, "a replay is confirmed too: %s", again.Body)

	replica.Thaw(t)
	number := placed(t, p.Submit(t, path, "key", map[string]any{"quantity": 1}))
	assert.Equal(t, state["order_number"], number)

	s.Drain(t)
	replica.Freeze(t)
	assert.Equal(t, number, placed(t, submitOnce(t, p, path)), "SQL has it, so that no replica is asked")
	replica.Thaw(t)
	assert.Equal(t, "8", remaining(t, s, activity)["sku"])
}

func TestAnOrderIsAnsweredWhenTheFileOfTheReplicaHasIt(t *testing.T) {
	t.Parallel()
	stores, _ := ownRedis(t, kit.FsyncAlways())
	text, err := stores.Redis.Info(t.Context(), "server").Result()
	require.NoError(t, err)
	if version := redisdb.ParseInfo(text)["redis_version"]; !redisdb.HasWaitAOF(version) {
		t.Skipf("version %s has no WAITAOF", version)
	}
	replica := kit.StartReplica(t, stores, "always")
	s := site.Start(t, stores, site.Idle(), site.Configured(func(cfg *server.Config) {
		cfg.RedisReplicas, cfg.RedisWaitAOF = 1, true
	}))
	activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 10}})
	placed(t, s.Buyer(t, "first").Buy(t, activity, "sku", "key"))
	replica.Freeze(t)
	p := s.Buyer(t, "second")
	path := p.Path(t, activity, "sku")
	assert.Equal(t, http.StatusServiceUnavailable, submitOnce(t, p, path).Status)
	replica.Thaw(t)
	placed(t, p.Submit(t, path, "key", map[string]any{"quantity": 1}))
}

func TestSQLGetsWhatTheReplicaHasAndAfterAWhileTheRest(t *testing.T) {
	t.Parallel()
	clock := kit.NewClock(time.Now())
	s, activity, replica := newConfirmed(t, site.Time(clock.Now))
	placed(t, s.Buyer(t, "first").Buy(t, activity, "sku", "key")) // the replica has the lease of its number, too
	p := s.Buyer(t, "alice")
	path := p.Path(t, activity, "sku")
	s.Drain(t)
	replica.Freeze(t)
	require.Equal(t, http.StatusServiceUnavailable, submitOnce(t, p, path).Status)
	move := func() {
		_, err := s.Server.Mover.RunOnce(t.Context())
		require.NoError(t, err)
	}
	move()
	assert.Len(t, rows(t, s.Stores, activity), 1, "a failover would lose it")
	clock.Advance(11 * time.Second)
	move()
	assert.Len(t, rows(t, s.Stores, activity), 2, "the replica may be away for hours")
	placed(t, submitOnce(t, p, path))
}

func TestAFullRedisWithAReplicaDrainsAfterAWhile(t *testing.T) {
	t.Parallel()
	clock := kit.NewClock(time.Now())
	s, activity, _ := newConfirmed(t, site.Time(clock.Now))
	placed(t, s.Buyer(t, "alice").Buy(t, activity, "sku", "key"))
	fill(t, s.Stores)
	clock.Advance(11 * time.Second)
	_, err := s.Server.Mover.RunOnce(t.Context())
	require.NoError(t, err)
	assert.Len(t, rows(t, s.Stores, activity), 1)
}

func TestReadyzSaysThatReplicasAreMissing(t *testing.T) {
	t.Parallel()
	s, _, replica := newConfirmed(t)
	unavailable := func() any { return get(t, s.Stranger(), "/readyz")["unavailable"] }
	assert.Empty(t, unavailable())
	replica.Kill(t)
	waitFor(t, "too few replicas", func() bool {
		return assert.ObjectsAreEqual([]any{"redis: too few replicas"}, unavailable())
	})
}

// What SQL decided stays there until a replica of Redis has it.
func TestARowOfTheOutboxStaysUntilAReplicaHasIt(t *testing.T) {
	t.Parallel()
	s, activity, replica := newConfirmed(t)
	op, p := s.Operator(t), s.Buyer(t, "alice")
	number := placed(t, p.Buy(t, activity, "sku", "key"))
	s.Drain(t)
	sale := "/admin/api/v1/activities/" + activity

	replica.Freeze(t)
	cancelled := p.Call(t, http.MethodPost, "/api/v1/orders/"+number+"/cancel", "", nil)
	require.Equal(t, http.StatusOK, cancelled.Status, string(cancelled.Body))
	raised := op.Call(t, http.MethodPost, sale+"/stock", "raise",
		map[string]any{"sku_id": "sku", "point_id": "0", "delta": 5})
	assert.Equal(t, "pending", raised.JSON(t)["status"], string(raised.Body))
	renamed := op.Call(t, http.MethodPatch, sale, "", map[string]any{"title": "Other"})
	assert.Equal(t, http.StatusServiceUnavailable, renamed.Status, string(renamed.Body))
	s.TryJob(t, "settle_stock")
	assert.Equal(t, "15", remaining(t, s, activity)["sku"], "the master has both")
	assert.Equal(t, 2, pendingRows(t, s.Stores))

	replica.Thaw(t)
	s.Job(t, "settle_stock")
	assert.Zero(t, pendingRows(t, s.Stores))
	assert.Equal(t, "15", remaining(t, s, activity)["sku"], "each once")
	assert.Empty(t, s.Audit(t, activity))
}

// While SQL is away, a stop of all sales is certain once a replica of Redis has it.
func TestAStopIsCertainWhenAReplicaHasIt(t *testing.T) {
	t.Parallel()
	stores, _ := ownRedis(t, kit.Breakable())
	replica := kit.StartReplica(t, stores, "")
	s := site.Start(t, stores, site.Idle(), site.Configured(func(cfg *server.Config) { cfg.RedisReplicas = 1 }))
	op := s.Operator(t)
	change := func(stopped bool) (status int, pending any) {
		a := op.Call(t, http.MethodPatch, settingsPath, "", map[string]any{"sales_stopped": stopped})
		return a.Status, a.JSON(t)["pending"]
	}
	requireAnswer := func(status int, pending, stopped bool) {
		t.Helper()
		gotStatus, gotPending := change(stopped)
		assert.Equal(t, []any{status, pending}, []any{gotStatus, gotPending})
	}
	requireAnswer(http.StatusOK, false, true)
	stores.SQLAway(t)
	requireAnswer(http.StatusOK, true, false)
	replica.Freeze(t)
	requireAnswer(http.StatusAccepted, true, true)
	stores.SQLBack(t)
	requireAnswer(http.StatusAccepted, true, false) // a replica that takes over while SQL is away has an older copy
	replica.Thaw(t)
	requireAnswer(http.StatusOK, false, true)
	stores.SQLAway(t)
	requireAnswer(http.StatusOK, true, false)
	stores.SQLBack(t)
}
