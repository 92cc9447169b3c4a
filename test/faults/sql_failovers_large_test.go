//go:build large

package faults

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/restore"
	"onrush/app/server"
	"onrush/modules/order"
	"onrush/test/site"
)

func TestManyFailoversOfSQLLoseNothingThatAReplicaHadToConfirm(t *testing.T) {
	t.Parallel()
	rounds := failoverRounds(t, len(sqlFaults))
	f := newSQLFailovers(t, 4, rounds)
	f.run(t, rounds)
	assert.Zero(t, f.feed.missed, "pages of the feed that lack events")
}

// killBehind kills a primary whose replica has missed its last commits, which nobody waited for.
func (f *sqlFailovers) killBehind(t *testing.T) {
	f.p.Lose(t)
	f.awaitResponses(t, sqlUsers)
	f.killPrimary(t)
}

// losses counts what was answered and is not in SQL.
type losses struct{ answered, orders, ordinary, payments, cancels int }

// count counts the losses of a round, by its visits.
func (f *sqlFailovers) count(t *testing.T, total *losses) (lost []*visit) {
	t.Helper()
	stores, done := f.judge(t)
	defer done()
	stored := rows(t, stores, f.activity)
	for _, v := range f.visits {
		total.answered++
		switch r, found := stored[v.number]; {
		case !found:
			total.orders++
			lost = append(lost, v)
		case v.cancelled && r.Status != order.Cancelled:
			total.cancels++
		case v.paid && r.Status == order.Unpaid:
			total.payments++
		}
		if v.ordinary == "" {
			continue
		}
		var n int
		require.NoError(t, stores.DB.Write.GetContext(t.Context(), &n,
			`SELECT COUNT(*) FROM orders WHERE number = ?`, v.ordinary))
		total.ordinary += 1 - n
	}
	return lost
}

// TestFailoversOfSQLToAReplicaThatIsBehind logs how much is lost if commits don't wait for the replica. Afterwards
// nothing is oversold, no id of an event comes again, and a repair corrects the stock.
func TestFailoversOfSQLToAReplicaThatIsBehind(t *testing.T) {
	t.Parallel()
	rounds := failoverRounds(t, 2)
	f := newSQLFailovers(t, 5, rounds, site.Configured(func(cfg *server.Config) { cfg.MoveWithin = 0 }))
	f.lossy = true
	var total losses
	var lost []*visit
	for round := range rounds {
		before, ghosts := total, 0
		f.round(t, round, (*sqlFailovers).killBehind)
		gone := f.count(t, &total)
		for _, v := range gone { // until a restore, Redis remembers its key
			again := f.sites[0].Buyer(t, v.user).Call(t, http.MethodPost, v.path, "key", map[string]any{"quantity": 1})
			if again.Status == http.StatusAccepted && placed(t, again) == v.number {
				ghosts++
			}
		}
		f.settle(t)
		drift := f.sites[0].Audit(t, f.activity)
		repaired := f.sites[0].Operator(t).Call(t, http.MethodPost,
			"/admin/api/v1/activities/"+f.activity+"/audit/repair", "", nil)
		require.Equal(t, http.StatusOK, repaired.Status, string(repaired.Body))
		stores, done := f.judge(t)
		f.requireUnits(t, stores)
		done()
		f.feed.catchUp(t)
		lost = append(lost, gone...)
		t.Logf("%3d before %+v, after %+v, keys of lost orders: %d, drift %s", round, before, total, ghosts, drift)
		if t.Failed() {
			return
		}
		if round < rounds-1 {
			f.p.Rejoin(t)
		}
	}
	t.Logf("%d rounds: %+v, %d pages of the feed say that events are missing", rounds, total, f.feed.missed)
	f.restore(t, lost)
}

// restore finishes the loss as docs/operating says, and lets a buyer of a lost order buy again with its key.
func (f *sqlFailovers) restore(t *testing.T, lost []*visit) {
	t.Helper()
	for _, s := range f.sites {
		s.Stop(t)
	}
	require.NoError(t, f.stores.Redis.Del(t.Context(), f.stores.Keys.Instances()).Err()) // as after 15 seconds
	stores, done := f.judge(t)
	defer done()
	idle := site.Start(t, stores, site.Idle())
	reported := map[string]restore.Lost{}
	_, err := restore.Finish(t.Context(), restore.Stores{
		DB: stores.DB, Redis: stores.Redis, Keys: stores.Keys,
		Pause: func(ctx context.Context, id string) error {
			_, err := idle.Server.Activities.Pause(ctx, id)
			return err
		},
	}, func(l restore.Lost) error { reported[l.Number] = l; return nil })
	require.NoError(t, err)
	for _, v := range lost {
		assert.Contains(t, reported, v.number, "the lost order of %s", v.user)
	}
	after := site.Start(t, stores, site.Idle())
	after.Job(t, "preheat")
	after.Job(t, "settle_stock")
	after.Operator(t).ResumeActivity(t, f.activity)
	for _, v := range lost {
		again := after.Buyer(t, v.user).Buy(t, f.activity, "sku", "key")
		assert.NotEqual(t, v.number, placed(t, again), "the key of %s", v.user)
	}
	after.Drain(t)
	f.sites[0] = after
	f.requireUnits(t, stores)
}
