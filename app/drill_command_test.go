package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/simulate"
)

func TestADrillPrintsTheFateOfEachVisitorAndTheBound(t *testing.T) {
	t.Parallel()
	out, logged, code := run(t, nil, "drill", "--simulate", "--visitors=20000", "--units=700", "--over=1s")
	require.Zero(t, code, logged)
	for _, line := range []string{
		`visitors +20000\n`, `accepted +700, the last after \d+\.\d s\n`, `refused +19300 sold_out\n`, `waiting +0\n`,
		`submit +p50 \d+\.\d ms, p99 \d+\.\d ms\n`, `stored +after \d+\.\d s\n`, `(instances|redis) .* the bound\n`,
	} {
		assert.Regexp(t, line, out)
	}
	asJSON, _, _ := run(t, nil, "drill", "--simulate", "--visitors=20000", "--units=700", "--over=1s", "-o", "json")
	var r simulate.Result
	require.NoError(t, json.Unmarshal([]byte(asJSON), &r))
	assert.Equal(t, 700, r.Accepted)
	assert.Len(t, r.Stations, 3)
}

func TestADrillWithoutSimulateIsRefused(t *testing.T) {
	t.Parallel()
	out, logged, code := run(t, nil, "drill", "--visitors=20000")
	assert.Equal(t, 2, code)
	assert.Empty(t, out)
	assert.Contains(t, logged, "only --simulate exists so far")
	_, logged, code = run(t, nil, "drill", "--simulate", "--visitors=0")
	assert.NotZero(t, code)
	assert.Contains(t, logged, "visitors must be 1 to 1,000,000,000")
}
