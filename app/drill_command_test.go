package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
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

func TestADrillWithFlagsThatDoNotFitIsRefused(t *testing.T) {
	t.Parallel()
	for flags, message := range map[string]string{
		"--kill=sql":                             "need --real",
		"--url=http://127.0.0.1:1 --real":        "need an own program",
		"--tokens=file":                          "is for a program at --url",
		"--url=http://127.0.0.1:1 --tokens=file": "an operator's token must be given, too",
		"--rate=auto --flood":                    "--rate has no --flood",
		"--rate=auto --scenario=flood":           "--rate has no --scenario",
		"--simulate --html=report.html":          "--simulate has no --html",
		"--visitors=7":                           "--visitors needs --simulate",
		"--for=1m":                               "--for needs --scenario soak",
		"--url=":                                 "--url has no address",
		"--instances=-1":                         "--instances must be 1 or more",
		"--html=same --history=same":             "--html and --history must be two files",
		"--pay-within=1500ms":                    "in whole seconds",
		"--scenario=panic":                       "the scenario must be one of",
		"--buyers=0":                             "a drill has 1 to 1000000 buyers",
		"--over=1ms":                             "visitors come over 1s to 24h",
		"--sale=missing.yaml":                    "missing.yaml",
	} {
		out, logged, code := run(t, nil, append([]string{"drill"}, strings.Fields(flags)...)...)
		assert.Equal(t, 2, code, flags)
		assert.Empty(t, out, flags)
		assert.Contains(t, logged, message, flags)
	}
	for flag, message := range map[string]string{
		"--visitors=0":            "visitors must be 1 to 1,000,000,000",
		"--paths-per-second=NaN":  "must be numbers",
		"--paths-per-second=+Inf": "must be numbers",
		"--reads=NaN":             "must be numbers",
	} {
		_, logged, code := run(t, nil, "drill", "--simulate", flag)
		assert.NotZero(t, code, flag)
		assert.Contains(t, logged, message, flag)
	}
}

func TestAnEarlierReportStaysUntilThereIsANewOne(t *testing.T) {
	t.Parallel()
	report := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(report, []byte("of yesterday"), 0o600))
	_, logged, code := run(t, nil, "drill", "--url=http://127.0.0.1:1", "--html="+report,
		"--jwt-secret="+strings.Repeat("s", 32))
	require.Equal(t, 2, code)
	assert.Contains(t, logged, "nothing answers at 127.0.0.1:1")
	kept, err := os.ReadFile(report)
	require.NoError(t, err)
	assert.Equal(t, "of yesterday", string(kept))
}
