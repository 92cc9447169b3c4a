//go:build large

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

	"onrush/test/kit"
	"onrush/test/site"
)

const (
	changeBuyers = 2000
	changeStock  = 1000 // at first
	changes      = 40
)

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

func TestStockChangesAreAppliedOnceWhenTheProgramIsKilled(t *testing.T) {
	t.Parallel()
	p, _ := newProgram(t)
	activity := p.inspector.Open(t, site.Sale{Stock: map[string]int64{"0": changeStock}})
	p.start(t)
	r := newBuyerGroup(p, activity)
	list := randomChanges(kit.Rand(7))
	var operator sync.WaitGroup
	operator.Go(func() {
		for i, c := range list {
			until(t, func() bool { return r.answered.Load() >= int64(i*changeBuyers/len(list)/2) })
			a := p.insist(t, p.inspector.Operator(t), "/admin/api/v1/activities/"+activity+"/stock", c.key,
				map[string]any{"sku_id": "sku", "point_id": "0", "delta": c.delta})
			assert.Contains(t, []int{http.StatusOK, http.StatusConflict}, a.Status, string(a.Body))
		}
	})
	again := func() { p.kill(t); p.start(t) }
	r.run(t, changeBuyers, again, again, again, again)
	operator.Wait()
	r.requireSettled(t)
	requireAppliedOnce(t, p.stores, p.inspector.Operator(t).At(p.running()), activity, list)
	assert.Empty(t, p.inspector.Audit(t, activity))
}
