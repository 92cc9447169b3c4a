package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

func TestJobsAreListedRunPausedAndResumed(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	assert.Regexp(t, `(?m)^JOB +EVERY S +RUNNING +PAUSED +LAST RUN`, c.must(t, "", "jobs"))
	assert.Equal(t, "audit is paused.\n", c.must(t, "", "jobs", "pause", "audit"))
	assert.Regexp(t, `(?m)^audit +\d+ +(true|false) +true .*Z? +operator +20\d\d-`, c.must(t, "", "jobs", "list"))
	assert.Regexp(t, `(?m)^audit is paused by operator since 20\d\d-`, c.must(t, "", "jobs", "runs", "audit"))
	assert.NotContains(t, c.must(t, "", "queue"), "paused")
	c.must(t, "", "jobs", "pause", "move_orders")
	assert.Regexp(t, `(?m)^move_orders is paused by operator since 20\d\d-.*resume move_orders`, c.must(t, "", "queue"))
	assert.Contains(t, c.must(t, "", "queue", "-o", "json"), `"paused_by": "operator"`)
	require.Eventually(t, func() bool {
		ready := c.site.Stranger().Ask(http.MethodGet, "/readyz", "", nil)
		return strings.Contains(string(ready.Body), "queue: move_orders is paused")
	}, time.Minute, 50*time.Millisecond)
	assert.JSONEq(t, `false`, jsonField(t, c.must(t, "", "jobs", "resume", "audit", "-o", "json"), "paused"))
	assert.Contains(t, c.must(t, "", "jobs", "run", "audit"), "onrush jobs runs audit")
	var id string
	require.NoError(t, json.Unmarshal(
		[]byte(jsonField(t, c.must(t, "", "jobs", "run", "audit", "-o", "json"), "run_id")), &id))
	assert.NotEmpty(t, id)
	assert.Regexp(t, `(?m)^RUN +STATE`, c.must(t, "", "jobs", "runs", "audit"))
	var all []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(c.must(t, "", "jobs", "-o", "json")), &all))
	assert.NotEmpty(t, all)
	for _, action := range []string{"run", "pause", "resume", "runs"} {
		assert.Contains(t, c.refused(t, "", "jobs", action, "nonsense"), "404 Not Found not_found", action)
	}
}
