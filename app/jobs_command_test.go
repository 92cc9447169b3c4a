package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

func TestJobsAreListedRunPausedAndResumed(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	assert.Regexp(t, `(?m)^JOB +EVERY S +RUNNING +PAUSED +LAST RUN`, c.must(t, "", "jobs"))
	assert.Equal(t, "audit is paused.\n", c.must(t, "", "jobs", "pause", "audit"))
	assert.Regexp(t, `(?m)^audit +\d+ +(true|false) +true `, c.must(t, "", "jobs", "list"))
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
