package faults

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/jobs"
	"onrush/test/kit"
	"onrush/test/site"
)

// lastRun is the run of a job that began last, as operators see it.
func lastRun(t *testing.T, operator *site.Person, job string) (last jobs.Run, found bool) {
	t.Helper()
	if runs := runsOf(t, operator, job); len(runs) > 0 {
		return runs[0], true
	}
	return last, false
}

// jobsWithoutRedis takes Redis away from an instance that runs its jobs while orders become due:
// what needs no Redis is done, what needs it says so, and all of it is done when Redis is back.
func jobsWithoutRedis(t *testing.T, stores *kit.Stores, away, back func()) {
	t.Helper()
	const due = 12
	inspector := site.Start(t, stores, site.Idle())
	activity := inspector.Open(t, site.Sale{Stock: map[string]int64{"0": due + 1}})
	for i := range due + 1 {
		placed(t, inspector.Buyer(t, fmt.Sprintf("buyer%d", i)).Buy(t, activity, "sku", "k"))
	}
	inspector.Drain(t)
	s := site.Start(t, reconnect(t, stores))
	operator := s.Operator(t)
	waitFor(t, "jobs run", func() bool { _, found := lastRun(t, operator, "settle_stock"); return found })

	away()
	waitFor(t, "redis is down", func() bool { ok, checks := ready(t, s); return !ok && checks["redis"] == "down" })
	_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE orders SET pay_before_ms = 1 WHERE user_id <> 'buyer0'`)
	require.NoError(t, err)
	waitFor(t, "the due orders are cancelled in SQL", func() bool {
		return count(t, stores, `SELECT COUNT(*) FROM orders WHERE status = 'cancelled'`) == due
	})
	assert.Equal(t, due, count(t, stores,
		`SELECT COUNT(*) FROM stock_outbox WHERE kind = 'return' AND state = 'pending'`), "its units are owed")
	assert.Equal(t, 1, count(t, stores, `SELECT SUM(sold) FROM activity_stock`))
	waitFor(t, "the run is in the history", func() bool {
		for _, r := range runsOf(t, operator, "cancel_unpaid") {
			if r.State == jobs.Done && r.Done == due {
				return true
			}
		}
		return false
	})
	waitFor(t, "what needs Redis says that it can't be done", func() bool {
		last, found := lastRun(t, operator, "settle_stock")
		return found && last.State == jobs.Failed && last.Error != ""
	})

	back()
	waitFor(t, "redis is back", func() bool { ok, _ := ready(t, s); return ok })
	waitFor(t, "all units are given back", func() bool {
		return count(t, stores, `SELECT COUNT(*) FROM stock_outbox`) == 0
	})
	for _, job := range []string{"settle_stock", "cancel_unpaid"} {
		waitFor(t, job+" continues", func() bool {
			last, found := lastRun(t, operator, job)
			return found && last.State == jobs.Done
		})
	}
	twelve := fmt.Sprint(due)
	assert.Equal(t, map[string]string{"sku": twelve, "sku~0": twelve}, remaining(t, s, activity))
	assert.Equal(t, due, count(t, stores, `SELECT COUNT(*) FROM order_log WHERE what = 'cancelled'`), "each once")
	requireSound(t, stores, activity)
	assert.Empty(t, s.Audit(t, activity))
}

func TestJobsThatNeedNoRedisRunWithoutItAndTheOthersWhenItReturns(t *testing.T) {
	t.Parallel()
	t.Run("cut off", func(t *testing.T) {
		t.Parallel()
		stores := kit.OnReal(t, kit.Breakable())
		jobsWithoutRedis(t, stores, func() { stores.RedisAway(t) }, func() { stores.RedisBack(t) })
	})
	t.Run("frozen", func(t *testing.T) {
		t.Parallel()
		stores, server := ownRedis(t)
		jobsWithoutRedis(t, stores, func() { server.Freeze(t) }, func() { server.Thaw(t) })
	})
}
