package faults

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

// built is the program's file, made the first time that a test needs it. TestMain removes it.
var built struct {
	once sync.Once
	dir  string
	file string
	err  error
}

func binary() (string, error) {
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "onrush-faults-"); built.err == nil {
			built.file, built.err = kit.Build(built.dir, "onrush/app")
		}
	})
	return built.file, built.err
}

// program is the built program over real stores: it is killed and started again while people call
// it, who wait for the next one when theirs has ended.
type program struct {
	env       []string    // of its stores
	stores    *kit.Stores // nil if embedded
	inspector *site.Site  // looks into the stores, if not embedded; it moves nothing by itself

	mu      sync.Mutex
	started *sync.Cond
	process *kit.Program
	remote  *site.Site // nil while none runs
	over    bool       // none will run any more
}

// skipInShort skips a test of the built program in -short, which the race detector is run with: the program is
// built without it.
func skipInShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("the program runs as a process of its own")
	}
}

// newProgram gives the program a redis-server that flushes every write, and a database.
func newProgram(t *testing.T) (*program, *kit.Server) {
	t.Helper()
	skipInShort(t)
	own := kit.Own(t, kit.RedisOnly(), kit.FsyncAlways())
	stores := *kit.OnReal(t)
	stores.Name, stores.Redis, stores.RedisURL, stores.RedisAddr = kit.OwnStores, own.Redis, own.RedisURL, own.RedisAddr
	stores.Keys = lua.Keys{Prefix: lua.DefaultPrefix}
	p := &program{
		env:    []string{"ONRUSH_REDIS_URL=" + stores.RedisURL, "ONRUSH_MYSQL_DSN=" + stores.MySQLDSN},
		stores: &stores, inspector: site.Start(t, &stores, site.Idle()),
	}
	p.started = sync.NewCond(&p.mu)
	return p, own.RedisServer
}

func (p *program) start(t *testing.T) {
	t.Helper()
	file, err := binary()
	require.NoError(t, err)
	env := append(site.Env(), "ONRUSH_ADDR=127.0.0.1:0", "ONRUSH_LOG=warn")
	process := kit.Run(t, file, append(env, p.env...)...)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.process, p.remote = process, site.Remote(t, process.URL)
	p.started.Broadcast()
}

// kill ends the program with SIGKILL.
func (p *program) kill(t *testing.T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remote = nil
	p.process.Kill(t)
}

// terminate ends the program with SIGTERM.
func (p *program) terminate(t *testing.T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remote.HangUp()
	p.remote = nil
	require.NoError(t, p.process.Terminate(t, patience), "the graceful stop")
}

// running is the instance that runs now, waited for if there is none; nil when the test is over.
func (p *program) running() *site.Site {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.remote == nil && !p.over {
		p.started.Wait()
	}
	return p.remote
}

// giveUp ends all waiting for an instance.
func (p *program) giveUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remote, p.over = nil, true
	p.started.Broadcast()
}

// insist repeats a call until an instance answers it with a status other than 503.
func (p *program) insist(t *testing.T, who *site.Person, path, key string, body any) (a site.Answer) {
	until(t, func() bool {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		instance := p.running()
		if instance == nil {
			return true
		}
		var err error
		a, err = who.At(instance).Try(ctx, http.MethodPost, path, key, body)
		return err == nil && a.Status != http.StatusServiceUnavailable
	})
	return a
}

// buyerGroup has buyers who each buy one unit and retry until they are answered.
type buyerGroup struct {
	p        *program
	activity string
	answered atomic.Int64
	soldOut  atomic.Int64

	mu       sync.Mutex
	accepted map[string]string // order number → user
	submits  map[string]string // user → path
}

func newBuyerGroup(p *program, activity string) *buyerGroup {
	return &buyerGroup{p: p, activity: activity, accepted: map[string]string{}, submits: map[string]string{}}
}

func (r *buyerGroup) buy(t *testing.T, user string) {
	defer r.answered.Add(1)
	who := r.p.inspector.Buyer(t, user)
	a := r.p.insist(t, who, "/api/v1/seckill/path", "", map[string]string{"activity_id": r.activity, "sku_id": "sku"})
	if a.Status != http.StatusOK {
		r.refused(t, a)
		return
	}
	path := "/api/v1/seckill/" + a.JSON(t)["path"].(string) + "/submit"
	a = r.p.insist(t, who, path, "key", map[string]any{"quantity": 1})
	if a.Status != http.StatusAccepted {
		r.refused(t, a)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.accepted[a.JSON(t)["order_number"].(string)] = user
	r.submits[user] = path
}

func (r *buyerGroup) refused(t *testing.T, a site.Answer) {
	assert.Contains(t, []string{"sold_out", "sold_out_unpaid_pending"}, a.Code(), string(a.Body))
	r.soldOut.Add(1)
}

// run lets n buyers buy; the breaks run one after the other, at equal parts of the answers.
func (r *buyerGroup) run(t *testing.T, n int, breaks ...func()) {
	t.Helper()
	var all sync.WaitGroup
	t.Cleanup(func() { r.p.giveUp(); all.Wait() }) // where a break fails, buyers must not outlive the test
	all.Go(func() {
		inParallel(n, 64, func(i int) { r.buy(t, fmt.Sprintf("buyer%d", i)) })
	})
	for i, happens := range breaks {
		after := int64(n * (i + 1) / (len(breaks) + 1))
		waitFor(t, "enough answers", func() bool { return r.answered.Load() >= after })
		happens()
	}
	all.Wait()
}

// requireSettled waits until the program has moved and settled everything, and compares what SQL has
// with what was accepted.
func (r *buyerGroup) requireSettled(t *testing.T) {
	t.Helper()
	r.requireMoved(t)
	requireSound(t, r.p.stores, r.activity)
	t.Logf("%d orders, %d sold out", len(r.accepted), r.soldOut.Load())
}

// requireMoved is requireSettled where orders were paid or cancelled as well.
func (r *buyerGroup) requireMoved(t *testing.T) {
	t.Helper()
	inspector := r.p.inspector
	waitFor(t, "the queue is empty and nothing is owed", func() bool {
		var owed int
		err := r.p.stores.DB.Write.GetContext(t.Context(), &owed,
			`SELECT COUNT(*) FROM stock_outbox WHERE state = 'pending'`)
		return err == nil && owed == 0 && len(queued(t, inspector, r.activity)) == 0
	})
	requireKept(t, r.p.stores, r.activity, r.accepted)
	assert.Len(t, rows(t, r.p.stores, r.activity), len(r.accepted), "stored orders that were not acknowledged")
	assert.Empty(t, inspector.Audit(t, r.activity))
}

func TestEveryAcceptedOrderIsStoredOnceWhenTheProgramAndRedisAreKilled(t *testing.T) {
	t.Parallel()
	p, redis := newProgram(t)
	activity := p.inspector.Open(t, site.Sale{Stock: map[string]int64{"0": 1200}})
	p.start(t)
	r := newBuyerGroup(p, activity)
	again := func() { p.kill(t); p.start(t) }
	r.run(t, 1500, again, func() { redis.Kill(t); redis.Restart(t) }, again, again)
	r.requireSettled(t)
	assert.Len(t, r.accepted, 1200)
	for number, user := range r.accepted {
		a := p.inspector.Buyer(t, user).At(p.running()).Call(t, http.MethodPost, r.submits[user], "key",
			map[string]any{"quantity": 1})
		require.Equal(t, number, placed(t, a), "the key of %s", user)
	}
}

// until waits like waitFor, in a goroutine that is not the test's own.
func until(t *testing.T, ok func() bool) { assert.Eventually(t, ok, patience, pollEvery) }

func TestAGracefulStopUnderLoadKeepsEveryAcceptedOrder(t *testing.T) {
	t.Parallel()
	p, _ := newProgram(t)
	activity := p.inspector.Open(t, site.Sale{Stock: map[string]int64{"0": 1000}})
	p.start(t)
	r := newBuyerGroup(p, activity)
	r.run(t, 600, func() { p.terminate(t); p.start(t) }, func() { p.terminate(t); p.start(t) })
	r.requireSettled(t)
	assert.Len(t, r.accepted, 600)
}

// requireKept requires that SQL has every accepted order once, and that none failed.
func requireKept(t *testing.T, stores *kit.Stores, activity string, accepted map[string]string) {
	t.Helper()
	stored := rows(t, stores, activity)
	missing := 0
	for number, user := range accepted {
		r, ok := stored[number]
		if !ok {
			missing++
			continue
		}
		assert.Equal(t, user, r.User, number)
		assert.NotEqual(t, order.Failed, r.Status, number)
	}
	assert.Zero(t, missing, "orders that were accepted and are lost, of %d", len(accepted))
	assert.NotEmpty(t, accepted)
}
