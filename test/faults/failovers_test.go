package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

// failoverUsers is how many buyers order one unit each in a round, failoverAtOnce of them at the same time.
const failoverUsers, failoverAtOnce = 240, 16

// failovers is a sale on a cluster that two instances sell. In each round something happens to the master of the sale
// while buyers order, who send a submit whose outcome they don't know again.
type failovers struct {
	c        *kit.Cluster // nil where the stores are others
	stores   *kit.Stores
	settle   func(testing.TB) // waits until Redis is whole again
	sites    [2]*site.Site
	activity string
	lane     string // a key of the sale's lane
	random   *rand.Rand

	responses atomic.Int64 // to submits
	unknown   atomic.Int64 // of them answered 503
	answered  atomic.Int64 // buyers of this round with a 202

	mu      sync.Mutex
	numbers map[string]string // user → order number of the 202
	paths   map[string]string // user → path

	missing, renumbered int
}

// newFailovers opens a sale with a unit for each buyer of all rounds.
func newFailovers(t *testing.T, seed uint64, replicas, rounds int) *failovers {
	t.Helper()
	c := kit.OnReplicatedCluster(t)
	f := newFailoversOn(t, c.Stores, c.Settle, seed, replicas, rounds)
	f.c = c
	return f
}

// newFailoversOn is newFailovers on stores.
func newFailoversOn(
	t *testing.T, stores *kit.Stores, settle func(testing.TB), seed uint64, replicas, rounds int,
) *failovers {
	t.Helper()
	f := &failovers{
		stores: stores, settle: settle, random: kit.Rand(seed),
		numbers: map[string]string{}, paths: map[string]string{},
	}
	for i, s := range []*kit.Stores{f.stores, reconnect(t, f.stores)} {
		f.sites[i] = site.Start(t, s, site.Idle(), site.Configured(func(cfg *server.Config) {
			cfg.RedisReplicas = replicas
		}))
	}
	f.activity = f.sites[0].Open(t, site.Sale{Stock: map[string]int64{"0": failoverUsers * int64(rounds)}})
	f.lane = f.stores.Keys.Queue(site.Lane(t, f.sites[0].Stores, f.activity))
	return f
}

// faults are what may happen to the master of the sale; each ends with a cluster that becomes whole by itself.
var faults = []struct {
	name   string
	happen func(f *failovers, t *testing.T)
}{
	{"kill -9 of the master", (*failovers).killMaster},
	{"partition, and the replica takes over", (*failovers).partition},
	{"resharding of the lane's slot", (*failovers).reshard},
	{"the master pauses until it is replaced", (*failovers).pauseMaster},
	{"the master pauses for less", (*failovers).blink},
	{"the replica pauses", (*failovers).pauseReplica},
	{"partition, and kill -9 of the master", (*failovers).partitionAndKill},
}

func (f *failovers) killMaster(t *testing.T) {
	master := f.c.MasterOf(t, f.lane)
	master.Kill(t)
	f.c.MasterOf(t, f.lane)
	master.Restart(t)
}

func (f *failovers) partition(t *testing.T) {
	replica := f.c.ReplicaOf(t, f.c.MasterOf(t, f.lane))
	replica.CutOff(t)
	f.awaitResponses(t)
	replica.TakeOver(t)
	replica.JoinAgain(t)
}

func (f *failovers) partitionAndKill(t *testing.T) {
	master := f.c.MasterOf(t, f.lane)
	replica := f.c.ReplicaOf(t, master)
	replica.CutOff(t)
	f.awaitResponses(t)
	master.Kill(t)
	f.c.MasterOf(t, f.lane)
	replica.JoinAgain(t)
	master.Restart(t)
}

func (f *failovers) reshard(t *testing.T) {
	f.c.MoveSlot(t, f.lane, f.c.Other(t, f.c.MasterOf(t, f.lane)))
}

func (f *failovers) pauseMaster(t *testing.T) {
	master := f.c.MasterOf(t, f.lane)
	master.Freeze(t)
	f.c.MasterOf(t, f.lane)
	f.awaitResponses(t)
	master.Thaw(t)
}

func (f *failovers) blink(t *testing.T) {
	master := f.c.MasterOf(t, f.lane)
	master.Freeze(t)
	f.awaitResponses(t)
	master.Thaw(t)
}

func (f *failovers) pauseReplica(t *testing.T) {
	replica := f.c.ReplicaOf(t, f.c.MasterOf(t, f.lane))
	replica.Freeze(t)
	f.awaitResponses(t)
	replica.Thaw(t)
}

// awaitResponses waits for some more responses to submits, whatever they say.
func (f *failovers) awaitResponses(t *testing.T) {
	t.Helper()
	const some = failoverAtOnce
	enough := f.responses.Load() + some
	waitFor(t, "some responses", func() bool {
		return f.responses.Load() >= enough || f.answered.Load() == failoverUsers
	})
}

// round lets the buyers of a round order, while something happens to the master and, in some rounds, movers run; then
// it compares SQL with what was answered.
func (f *failovers) round(t *testing.T, round int, happen func(*failovers, *testing.T)) {
	t.Helper()
	f.answered.Store(0)
	work, end := context.WithCancel(context.WithoutCancel(t.Context()))
	var buyers, movers sync.WaitGroup
	t.Cleanup(func() { end(); buyers.Wait(); movers.Wait() }) // where a fault fails, they must not outlive the test
	if f.random.IntN(2) == 0 {
		for _, s := range f.sites {
			movers.Go(func() {
				for work.Err() == nil {
					_, _ = s.Server.Mover.RunOnce(context.WithoutCancel(work)) // it fails while the lane has no master
				}
			})
		}
	}
	when := int64(1 + f.random.IntN(failoverUsers/2))
	user := func(i int) string { return fmt.Sprintf("round%d-%d", round, i) }
	buyers.Go(func() { inParallel(failoverUsers, failoverAtOnce, func(i int) { f.buy(work, t, i, user(i)) }) })
	waitFor(t, "enough orders", func() bool { return f.answered.Load() >= when })
	happen(f, t)
	buyers.Wait()
	end()
	movers.Wait()
	f.settle(t)
	f.sites[0].Drain(t)
	f.compare(t, user)
}

// buy orders one unit until it is answered 202.
func (f *failovers) buy(ctx context.Context, t *testing.T, i int, user string) {
	p := f.sites[i%2].Buyer(t, user)
	a := f.insist(ctx, t, p, "/api/v1/seckill/path", "", map[string]string{"activity_id": f.activity, "sku_id": "sku"})
	if !assert.Equal(t, http.StatusOK, a.Status, string(a.Body)) {
		return
	}
	path := "/api/v1/seckill/" + a.JSON(t)["path"].(string) + "/submit"
	a = f.insist(ctx, t, p, path, "key", map[string]any{"quantity": 1})
	if !assert.Equal(t, http.StatusAccepted, a.Status, string(a.Body)) {
		return
	}
	f.answered.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.numbers[user], f.paths[user] = a.JSON(t)["order_number"].(string), path
}

// insist posts until the answer is another than 503.
func (f *failovers) insist(ctx context.Context, t *testing.T, p *site.Person, path, key string, body any) site.Answer {
	a, err := site.Answer{}, error(nil)
	again := time.NewTicker(pollEvery)
	defer again.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end) && ctx.Err() == nil && !t.Failed(); <-again.C {
		if a, err = p.Try(ctx, http.MethodPost, path, key, body); err != nil {
			continue
		}
		if key != "" {
			f.responses.Add(1)
		}
		if a.Status != http.StatusServiceUnavailable {
			return a
		}
		if key != "" {
			f.unknown.Add(1)
			assert.Contains(t, string(a.Body), `"task_id"`, "the outcome is unknown")
		}
	}
	return a
}

// compare requires that SQL has one order of each buyer who was answered 202, and counts those whose order is missing,
// or has another number than the answer.
func (f *failovers) compare(t *testing.T, user func(i int) string) {
	t.Helper()
	stored := map[string]row{}
	for _, r := range rows(t, f.stores, f.activity) {
		_, twice := stored[r.User]
		assert.False(t, twice, "%s ordered twice", r.User)
		assert.Equal(t, order.Unpaid, r.Status, "the order %s of %s: %s", r.Number, r.User, r.Reason)
		stored[r.User] = r
	}
	requireSound(t, f.stores, f.activity)
	for i := range failoverUsers {
		name := user(i)
		switch r, found := stored[name]; {
		case !found:
			f.missing++
		case r.Number.String() != f.numbers[name]:
			f.renumbered++
			again := f.sites[0].Buyer(t, name).Call(t, http.MethodPost, f.paths[name], "key",
				map[string]any{"quantity": 1})
			assert.Equal(t, r.Number.String(), placed(t, again), "the key of %s", name)
		}
	}
}

// run has rounds of all faults in turn, and logs what they did.
func (f *failovers) run(t *testing.T, rounds int) {
	t.Helper()
	for round := range rounds {
		fault := faults[round%len(faults)]
		before, missing, began := f.unknown.Load(), f.missing, time.Now()
		f.round(t, round, fault.happen)
		t.Logf("%3d %s: %d unknown, %d missing, %s", round, fault.name, f.unknown.Load()-before, f.missing-missing,
			time.Since(began).Round(time.Millisecond))
		if t.Failed() {
			return
		}
	}
	t.Logf("%d rounds, %d answered 202 of %d responses, %d unknown, %d missing, %d with another number", rounds,
		len(f.numbers), f.responses.Load(), f.unknown.Load(), f.missing, f.renumbered)
}

func TestAFailoverLosesNoOrderThatAReplicaHadToConfirm(t *testing.T) {
	t.Parallel()
	const rounds = 3
	f := newFailovers(t, 1, 1, rounds)
	f.run(t, rounds)
	assert.Zero(t, f.missing, "orders that were answered 202")
	assert.Zero(t, f.renumbered, "orders that were answered 202 with a number that they don't have")
	late := f.sites[0].Buyer(t, "late").Call(t, http.MethodPost, "/api/v1/seckill/path", "",
		map[string]string{"activity_id": f.activity, "sku_id": "sku"})
	assert.Equal(t, "sold_out_unpaid_pending", late.Code(), string(late.Body))
}

// A replica becomes the master after a mover has read a queue, and before it asks which replicas have the orders.
func TestSQLGetsNoOrderOfAMasterThatWasReplacedAfterTheRead(t *testing.T) {
	t.Parallel()
	f := newFailovers(t, 3, 1, 1)
	replica := f.c.ReplicaOf(t, f.c.MasterOf(t, f.lane))
	var once sync.Once
	read, replaced := make(chan struct{}), make(chan struct{})
	mover := site.Start(t, reconnect(t, f.c.Stores), site.Idle(), site.Configured(func(cfg *server.Config) {
		cfg.RedisReplicas = 1
	}), site.Faults(func(step string) error {
		if step == "peek" {
			once.Do(func() {
				close(read)
				<-replaced
			})
		}
		return nil
	}))
	p := f.sites[0].Buyer(t, "alice")
	path := p.Path(t, f.activity, "sku")
	placed(t, f.sites[0].Buyer(t, "first").Buy(t, f.activity, "sku", "key")) // the replica has the lease, too
	f.sites[0].Drain(t)
	had := len(rows(t, f.c.Stores, f.activity))
	replica.CutOff(t)
	require.Equal(t, http.StatusServiceUnavailable, submitOnce(t, p, path).Status)
	var moved sync.WaitGroup
	moved.Go(func() { _, _ = mover.Server.Mover.RunOnce(t.Context()) }) // it fails at the former master
	t.Cleanup(moved.Wait)
	replace := sync.OnceFunc(func() { close(replaced) })
	t.Cleanup(replace)
	<-read
	replica.TakeOver(t)
	replica.JoinAgain(t)
	f.c.Settle(t)
	replace()
	moved.Wait()
	assert.Len(t, rows(t, f.c.Stores, f.activity), had)

	again := f.insist(t.Context(), t, p, "/api/v1/seckill/"+path+"/submit", "key", map[string]any{"quantity": 1})
	number := placed(t, again)
	f.sites[0].Drain(t)
	stored := rows(t, f.c.Stores, f.activity)
	assert.Len(t, stored, had+1)
	assert.Contains(t, stored, number)
}
