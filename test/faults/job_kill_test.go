package faults

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/jobs"
	"onrush/test/kit"
	"onrush/test/site"
)

// startSecond starts one more process of the program beside those that run.
func (p *program) startSecond(t *testing.T) (*kit.Program, *site.Site) {
	t.Helper()
	p.start(t)
	return p.process, p.remote
}

// runsOf returns the runs of a job from the operators' route of an instance, newest first.
func runsOf(t *testing.T, operator *site.Person, job string) []jobs.Run {
	t.Helper()
	a := operator.Call(t, http.MethodGet, "/admin/api/v1/jobs/"+job+"/runs?page_size=100", "", nil)
	require.Equal(t, http.StatusOK, a.Status, string(a.Body))
	var list struct{ Items []jobs.Run }
	a.Into(t, &list)
	return list.Items
}

// rowOf reads a run from SQL.
func rowOf(t *testing.T, s *kit.Stores, where string, args ...any) (row jobs.Run, found bool) {
	t.Helper()
	var rows []jobs.Run
	const query = `SELECT run_id, job, instance, asked_by, state, done, error, started_ms, ended_ms FROM job_runs
		WHERE job = 'cancel_unpaid' AND `
	require.NoError(t, s.DB.Write.SelectContext(t.Context(), &rows, query+where, args...))
	if len(rows) == 0 {
		return row, false
	}
	return rows[0], true
}

// sellDue opens a sale, lets n buyers buy one unit each, and sets the deadline of their orders to dueMS.
func (p *program) sellDue(t *testing.T, n int, dueMS int64) (activity string) {
	t.Helper()
	activity = p.inspector.Open(t, site.Sale{Stock: map[string]int64{"0": int64(n)}})
	inParallel(n, 32, func(i int) {
		a := p.inspector.Buyer(t, fmt.Sprintf("buyer%d", i)).Buy(t, activity, "sku", "k")
		assert.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
	})
	p.inspector.Drain(t)
	_, err := p.stores.DB.Write.ExecContext(t.Context(), `UPDATE orders SET pay_before_ms = ? WHERE activity_id = ?`,
		dueMS, activity)
	require.NoError(t, err)
	return activity
}

// holdStock locks the counters of an activity in SQL until letGo, so that cancels of its orders wait.
func holdStock(t *testing.T, s *kit.Stores, activity string) (letGo func()) {
	t.Helper()
	tx, err := s.DB.Write.BeginTxx(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback() })
	var sold int64
	require.NoError(t, tx.GetContext(t.Context(), &sold,
		`SELECT sold FROM activity_stock WHERE activity_id = ? FOR UPDATE`, activity))
	return func() { require.NoError(t, tx.Rollback()) }
}

func TestJobOfAKilledInstanceRunsOnAnother(t *testing.T) {
	t.Parallel()
	const page, rest = 500, 100 // one page that is done, and one that the killed run is in the middle of
	p, _ := newProgram(t)
	sales := map[string]int{p.sellDue(t, page, 1): page}
	held := p.sellDue(t, rest, 2)
	sales[held] = rest
	letGo := holdStock(t, p.stores, held)

	first, _ := p.startSecond(t)
	var killed jobs.Run
	waitFor(t, "the first one is at its second page", func() (running bool) {
		killed, running = rowOf(t, p.stores, `state = 'running'`)
		return running && count(t, p.stores, `SELECT COUNT(*) FROM orders WHERE status = 'cancelled'`) == page
	})
	_, second := p.startSecond(t)
	operator := p.inspector.Operator(t).At(second)
	asked := operator.Call(t, http.MethodPost, "/admin/api/v1/jobs/retire_activities/run", "", nil)
	require.Equal(t, http.StatusAccepted, asked.Status, string(asked.Body))
	waitFor(t, "the second one runs jobs", func() bool {
		return count(t, p.stores, `SELECT COUNT(*) FROM job_runs WHERE job = 'retire_activities' AND asked_by <> ''
			AND state = 'done'`) == 1
	})
	_, both := rowOf(t, p.stores, `instance <> ?`, killed.Instance)
	require.False(t, both, "while one runs it, the other leaves it alone")
	first.Kill(t)
	letGo()

	waitFor(t, "the second one has cancelled the rest", func() bool {
		return count(t, p.stores, `SELECT COUNT(*) FROM orders WHERE status = 'cancelled'`) == page+rest &&
			count(t, p.stores, `SELECT COUNT(*) FROM stock_outbox`) == 0
	})
	var other jobs.Run
	waitFor(t, "its run is in the history", func() (found bool) {
		other, found = rowOf(t, p.stores, `state = 'done' AND done > 0 AND instance <> ?`, killed.Instance)
		return found
	})
	assert.EqualValues(t, rest, other.Done)
	assert.Equal(t, page+rest, count(t, p.stores, `SELECT COUNT(*) FROM order_log WHERE what = 'cancelled'`),
		"each once")
	for activity, units := range sales {
		all := strconv.Itoa(units)
		assert.Equal(t, map[string]string{"sku": all, "sku~0": all}, remaining(t, p.inspector, activity))
		assert.Empty(t, p.inspector.Audit(t, activity))
	}

	// The run of the killed instance ends as failed long after its time limit.
	still, found := rowOf(t, p.stores, `run_id = ?`, killed.RunID)
	require.True(t, found)
	require.Equal(t, jobs.Running, still.State, "it was killed in the middle of it")
	_, err := p.stores.DB.Write.ExecContext(t.Context(),
		`UPDATE job_runs SET started_ms = started_ms - 120000 WHERE run_id = ?`, killed.RunID)
	require.NoError(t, err)
	for _, r := range runsOf(t, operator, "cancel_unpaid") {
		if r.RunID == killed.RunID {
			assert.Equal(t, []any{jobs.Failed, "lost"}, []any{r.State, r.Error})
			return
		}
	}
	assert.Fail(t, "the killed run is not in the history")
}

func count(t *testing.T, s *kit.Stores, query string) (n int) {
	t.Helper()
	require.NoError(t, s.DB.Write.GetContext(t.Context(), &n, query))
	return n
}
