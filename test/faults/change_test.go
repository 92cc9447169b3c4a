package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

const (
	changeBuyers = 2000
	changeStock  = 1000 // at first
	changes      = 40
)

// crashes fails after the first execution of each step, and at random after later ones.
type crashes struct {
	mu      sync.Mutex
	random  *rand.Rand
	crashed map[string]int // by step
}

// oneIn is the inverse of the probability that a step fails.
const oneIn = 6

func (c *crashes) after(step string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.crashed[step] > 0 && c.random.IntN(oneIn) > 0 {
		return nil
	}
	c.crashed[step]++
	return errDied
}

// stockChange is a change that an operator requests, once per key.
type stockChange struct {
	key   string
	delta int64
}

func randomChanges(random *rand.Rand) []stockChange {
	list := make([]stockChange, changes)
	for i := range list {
		delta := int64(1 + random.IntN(40))
		if random.IntN(2) == 0 {
			delta = -delta
		}
		list[i] = stockChange{key: fmt.Sprintf("change%d", i), delta: delta}
	}
	return list
}

func (c stockChange) send(ctx context.Context, operator *site.Person, activity string) (site.Answer, error) {
	return operator.Try(ctx, http.MethodPost, "/admin/api/v1/activities/"+activity+"/stock", c.key,
		map[string]any{"sku_id": "sku", "point_id": "0", "delta": c.delta})
}

// requireAppliedOnce sends every change twice more, and compares the total with the changes that were
// applied.
func requireAppliedOnce(t *testing.T, stores *kit.Stores, operator *site.Person, activity string, list []stockChange) {
	t.Helper()
	total, refused := int64(changeStock), 0
	for range 2 {
		total, refused = changeStock, 0
		for _, c := range list {
			a, err := c.send(context.WithoutCancel(t.Context()), operator, activity)
			require.NoError(t, err)
			if a.Status == http.StatusConflict {
				refused++
				continue
			}
			require.Equal(t, http.StatusOK, a.Status, string(a.Body))
			require.Equal(t, "done", a.JSON(t)["status"], "change %s", c.key)
			total += c.delta
		}
	}
	assert.Equal(t, total, points(t, stores, activity)["0"].Total, "the total after all changes")
	assert.Less(t, refused, len(list)/2, "most changes are carried out")
}

func TestStockChangesAreAppliedOnceWhenRunsFailBetweenSteps(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		cr := &crashes{random: kit.Rand(5), crashed: map[string]int{}}
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": changeStock}})
		crashing := site.Start(t, reconnect(t, stores), site.Idle(), site.Faults(cr.after))
		list := randomChanges(kit.Rand(6))
		accepted := sellAndChange(t, crashing, activity, list)
		crashing.Stop(t)

		again := site.Start(t, stores, site.Idle())
		again.Drain(t)
		again.Job(t, "settle_stock")
		again.Job(t, "settle_stock")
		assert.Empty(t, again.Audit(t, activity))
		requireAppliedOnce(t, stores, again.Operator(t), activity, list)
		assert.Empty(t, again.Audit(t, activity))
		requireSound(t, stores, activity)
		requireKept(t, stores, activity, accepted)
		for _, step := range []string{
			"peek", "insert", "commit", "before_ack", "ack", "change_begin", "change_stock", "cancel_commit",
			"return_stock",
		} {
			assert.Positive(t, cr.crashed[step], "nothing crashed after %s", step)
		}
	})
}

// sellAndChange lets buyers buy, and some cancel, while stock changes and orders move; it returns
// the owners of the orders that were accepted, by number.
func sellAndChange(t *testing.T, s *site.Site, activity string, list []stockChange) map[string]string {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	work, end := context.WithCancel(ctx)
	var workers sync.WaitGroup
	for _, run := range []func(context.Context) (int, error){s.Server.Mover.RunOnce, jobOf(s, "settle_stock")} {
		workers.Go(func() {
			for work.Err() == nil {
				_, _ = run(ctx) // it crashes now and then
			}
		})
	}
	workers.Go(func() {
		for _, c := range list {
			_, err := c.send(ctx, s.Operator(t), activity)
			assert.NoError(t, err)
		}
	})
	var mu sync.Mutex
	accepted := map[string]string{}
	inParallel(changeBuyers, 32, func(i int) {
		p := s.Buyer(t, fmt.Sprintf("buyer%d", i))
		a, err := p.Try(ctx, http.MethodPost, "/api/v1/seckill/path", "",
			map[string]string{"activity_id": activity, "sku_id": "sku"})
		if err != nil || a.Status != http.StatusOK {
			assert.NoError(t, err)
			return
		}
		a, err = p.Try(ctx, http.MethodPost, "/api/v1/seckill/"+a.JSON(t)["path"].(string)+"/submit", "key",
			map[string]any{"quantity": 1})
		if err != nil || a.Status != http.StatusAccepted {
			assert.NoError(t, err)
			return
		}
		number := a.JSON(t)["order_number"].(string)
		mu.Lock()
		accepted[number] = p.Name
		mu.Unlock()
		if i%10 == 0 {
			_, err = p.Try(ctx, http.MethodPost, "/api/v1/orders/"+number+"/cancel", "", nil)
			assert.NoError(t, err)
		}
	})
	waitFor(t, "the queue is empty", func() bool { return len(queued(t, s, activity)) == 0 })
	end()
	workers.Wait()
	return accepted
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
