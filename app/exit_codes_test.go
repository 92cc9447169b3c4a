package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/drill"
	"onrush/test/kit"
)

func TestCommandsEndWithTheDocumentedCodes(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	for _, row := range []struct {
		code int
		args []string
	}{
		{0, []string{"version"}},
		{0, []string{"doctor", "--data-dir=" + t.TempDir()}},
		{1, []string{"doctor", "--data-dir=" + t.TempDir(), "--lanes=0"}},
		{0, []string{"orders", "--addr=" + c.site.URL}},
		{1, []string{"orders", "4711", "--addr=" + c.site.URL}},
		{1, []string{"orders", "--addr=http://127.0.0.1:1"}},
		{1, []string{"skus", "put", "-f", "/nowhere", "--addr=" + c.site.URL}},
		{1, []string{"audit", "nothing", "--addr=" + c.site.URL}},
		{80, []string{"orders", "--nothing"}},
		{80, []string{"orders", "--limit=x"}},
		{80, []string{"nothing"}},
		{2, []string{"drill", "--url=http://127.0.0.1:1"}},
	} {
		out, logged, code := run(t, nil, row.args...)
		assert.Equal(t, row.code, code, "%v: %s%s", row.args, out, logged)
	}
}

func TestADrillEndsWithTheCodeOfItsVerdict(t *testing.T) {
	t.Parallel()
	for code, verdicts := range map[int][]drill.Verdict{
		0: {drill.Held, drill.Held}, 1: {drill.NotExercised, drill.Broken}, 3: {drill.Held, drill.NotExercised},
	} {
		report := &drill.Report{}
		for _, v := range verdicts {
			report.Checks = append(report.Checks, drill.Check{Verdict: v})
		}
		err := (&drillCommand{}).verdict(report)
		if code == 0 {
			require.NoError(t, err)
			continue
		}
		var coded interface{ ExitCode() int }
		require.ErrorAs(t, err, &coded)
		assert.Equal(t, code, coded.ExitCode())
	}
}
