//go:build large

package faults

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
	"onrush/test/site"
)

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
