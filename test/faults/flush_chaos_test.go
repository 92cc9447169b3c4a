package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

// The size of a run: in each round every user submits once.
const (
	flushUsers = 40
	flushStock = 60
	flushLimit = 2
)

// flushRun has two instances that sell, move, cancel and settle while Redis is emptied repeatedly.
type flushRun struct {
	sites    [2]*site.Site
	activity string

	mu     sync.Mutex
	random *rand.Rand
	bought map[string]bought // what was answered 202, by user and key
	codes  map[string]int    // all answers
	seen   atomic.Int64      // answers in this round
}

// bought is one accepted submit.
type bought struct {
	user, key, path, number string
}

func newFlushRun(t *testing.T, stores *kit.Stores, seed uint64) *flushRun {
	t.Helper()
	st := &flushRun{random: kit.Rand(seed), bought: map[string]bought{}, codes: map[string]int{}}
	for i, s := range []*kit.Stores{stores, reconnect(t, stores)} {
		st.sites[i] = site.Start(t, s, site.Idle())
	}
	st.activity = st.sites[0].Open(t, site.Sale{Stock: map[string]int64{"0": flushStock}, PurchaseLimit: flushLimit})
	return st
}

func (st *flushRun) intN(n int) int {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.random.IntN(n)
}

func (st *flushRun) count(what string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.codes[what]++
}

// round lets all users submit while movers and settlers run on both instances, and empties Redis
// at some moment among the answers; then both instances load the sale at once.
func (st *flushRun) round(t *testing.T, round int) {
	t.Helper()
	st.seen.Store(0)
	work, end := context.WithCancel(context.WithoutCancel(t.Context()))
	defer end()
	var workers, buyers sync.WaitGroup
	for _, s := range st.sites {
		workers.Go(func() { st.repeat(work, "move", s.Server.Mover.RunOnce) })
		workers.Go(func() { st.repeat(work, "settle", jobOf(s, "settle_stock")) })
	}
	when := int64(st.intN(flushUsers))
	buyers.Go(func() {
		inParallel(flushUsers, 16, func(i int) { st.buy(t, fmt.Sprintf("user%d", i), fmt.Sprintf("round%d", round)) })
	})
	waitFor(t, "enough answers", func() bool { return st.seen.Load() >= when })
	flush(t, st.sites[0].Stores)
	kit.Crowd(len(st.sites), func(i int) { st.reload(t, st.sites[i]) })
	buyers.Wait()
	end()
	workers.Wait()
}

func jobOf(s *site.Site, name string) func(context.Context) (int, error) {
	for _, j := range s.Server.Jobs {
		if j.Name == name {
			return j.RunOnce
		}
	}
	return nil
}

// repeat calls work until the round ends. Failures are counted: a load may run between any two steps.
func (st *flushRun) repeat(ctx context.Context, what string, work func(context.Context) (int, error)) {
	for ctx.Err() == nil {
		if _, err := work(context.WithoutCancel(ctx)); err != nil {
			st.count(what + " failed")
		}
	}
}

// buy submits to one instance and sometimes cancels at the other.
func (st *flushRun) buy(t *testing.T, user, key string) {
	first := st.intN(2)
	p := st.sites[first].Buyer(t, user)
	path, ok := st.try(t, p, "/api/v1/seckill/path", "", map[string]string{"activity_id": st.activity, "sku_id": "sku"})
	if !ok {
		st.seen.Add(1)
		return
	}
	b := bought{user: user, key: key, path: path["path"].(string)}
	answer, ok := st.try(t, p, "/api/v1/seckill/"+b.path+"/submit", key, map[string]any{"quantity": 1})
	st.seen.Add(1)
	if !ok {
		return
	}
	b.number = answer["order_number"].(string)
	st.mu.Lock()
	st.bought[user+"/"+key] = b
	st.mu.Unlock()
	if st.intN(3) == 0 {
		st.try(t, p.At(st.sites[1-first]), "/api/v1/orders/"+b.number+"/cancel", "", nil)
	}
}

// try posts and counts the answer, which may be any error that an emptied Redis explains.
func (st *flushRun) try(t *testing.T, p *site.Person, path, key string, body any) (map[string]any, bool) {
	a, err := p.Try(context.WithoutCancel(t.Context()), http.MethodPost, path, key, body)
	if err != nil {
		assert.NoError(t, err, path)
		return nil, false
	}
	if a.Status < 300 {
		st.count("ok")
		return a.JSON(t), true
	}
	st.count(a.Code())
	assert.Contains(t, []string{
		"unavailable", "sold_out", "sold_out_unpaid_pending", "purchase_limit",
		"not_found", // an order that was lost with Redis
	}, a.Code(), string(a.Body))
	return nil, false
}

// reload requests a load until the sale is loaded by either instance.
func (st *flushRun) reload(t *testing.T, s *site.Site) {
	operator := s.Operator(t)
	assert.Eventually(t, func() bool {
		a, err := operator.Try(context.WithoutCancel(t.Context()), http.MethodPost,
			"/admin/api/v1/activities/"+st.activity+"/reload", "", nil)
		st.count("reload " + a.Code())
		return err == nil && a.Status == http.StatusConflict
	}, patience, pollEvery)
}

// end sells the remaining units and compares SQL, Redis and the answers.
func (st *flushRun) end(t *testing.T) {
	t.Helper()
	s := st.sites[0]
	for i := range flushStock + 1 {
		st.buy(t, fmt.Sprintf("late%d", i), "last")
	}
	s.Drain(t)
	s.Job(t, "settle_stock")
	s.Job(t, "settle_stock")
	assert.Empty(t, s.Audit(t, st.activity))
	requireSound(t, s.Stores, st.activity)
	dead, err := s.Stores.Redis.HLen(t.Context(), s.Stores.Keys.Dead(site.Lane(t, s.Stores, st.activity))).Result()
	require.NoError(t, err)
	assert.Zero(t, dead, "dead entries")

	stored := rows(t, s.Stores, st.activity)
	units := map[string]int64{}
	for number, r := range stored {
		assert.Contains(t, []order.Status{order.Unpaid, order.Cancelled}, r.Status,
			"order %s: what Redis offered was there", number)
		if r.Status == order.Unpaid {
			units[r.User] += r.Quantity
		}
	}
	for user, n := range units {
		assert.LessOrEqual(t, n, int64(flushLimit), "units of %s", user)
	}
	lost := 0
	for _, b := range st.bought {
		r, ok := stored[b.number]
		if !ok {
			lost++ // it was only in Redis
			continue
		}
		assert.Equal(t, b.user, r.User)
		again := s.Buyer(t, b.user).Submit(t, b.path, b.key, map[string]any{"quantity": 1})
		assert.Equal(t, b.number, placed(t, again), "the key of a stored order")
	}
	assert.NotEmpty(t, stored)
	t.Logf("stored %d, lost with Redis %d, answers %v", len(stored), lost, st.codes)
}

func TestNothingIsOversoldWhileRedisIsEmptiedUnderTwoInstances(t *testing.T) {
	t.Parallel()
	emptyRepeatedly(t, 2, 5)
}

// emptyRepeatedly empties Redis once a round, at a moment that depends on the seed.
func emptyRepeatedly(t *testing.T, seed uint64, rounds int) {
	t.Helper()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		st := newFlushRun(t, stores, seed)
		for round := range rounds {
			st.round(t, round)
		}
		st.end(t)
	})
}
