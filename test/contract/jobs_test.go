package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

func TestJobsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		jobs := do[client.ListJobs200JSONResponseBody](t, w.op, 200, "listJobs").Items
		require.GreaterOrEqual(t, len(jobs), 8)
		audit := param("name", "audit")
		assert.True(t, do[client.Job](t, w.op, 200, "pauseJob", audit).Paused)
		run := do[client.RunJob202JSONResponseBody](t, w.op, 202, "runJob", audit).RunID
		w.op.do(t, 200, "listJobs")
		assert.False(t, do[client.Job](t, w.op, 200, "resumeJob", audit).Paused)
		runs := do[client.RunList](t, w.op, 200, "listRuns", audit, query("page=1&page_size=10")).Items
		require.NotEmpty(t, runs)
		assert.Equal(t, run, runs[0].RunID)
		for _, id := range []string{"pauseJob", "runJob", "resumeJob", "listRuns"} {
			w.op.do(t, 404, id, param("name", "nothing"))
		}
	})
}
