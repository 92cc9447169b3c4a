package pages

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inNode runs a script with Node and returns what it printed.
func inNode(t *testing.T, script string) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	out, err := exec.CommandContext(t.Context(), node, "--input-type=module", "--eval", script).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// The test of modules/sheet, which reads the files of commands, has the same cases.
func TestTheConsoleReadsCodesAsCommandsDo(t *testing.T) {
	t.Parallel()
	out := inNode(t, `
		import { readFileSync } from 'node:fs';
		import { isDeepStrictEqual } from 'node:util';
		import { pathToFileURL } from 'node:url';
		const { codesIn } = await import(pathToFileURL('console/code_lines.js'));
		const cases = JSON.parse(readFileSync('../../modules/sheet/testdata/codes.json'));
		for (const { file, codes, line } of cases) {
			const found = codesIn(file);
			const same = line ? found.wrong[0] === line : isDeepStrictEqual(found, { codes, wrong: [] });
			if (!same) console.log(JSON.stringify(file), JSON.stringify(found));
		}
		console.log(cases.length > 0);`)
	assert.Equal(t, "true\n", out)
}

// A turn in a waiting room may be tomorrow.
func TestATimeOfAnotherDayHasItsDay(t *testing.T) {
	t.Parallel()
	times := strings.Split(inNode(t, `
		const page = { base: '' };
		const meta = { getAttribute: () => JSON.stringify(page) };
		globalThis.document = { documentElement: { dataset: { role: 'user' } }, querySelector: () => meta };
		globalThis.localStorage = { getItem: () => 'en' };
		const { pathToFileURL } = await import('node:url');
		const { clock } = await import(pathToFileURL('shared/texts.js'));
		const noon = new Date().setHours(12, 0, 0, 0);
		for (const at of [noon, noon + 86_400_000]) {
			console.log(clock(new Date(at).toISOString()).replaceAll('\u00a0', ' '));
		}`), "\n")
	assert.Regexp(t, `^12:00\sPM \S+$`, times[0])
	assert.Regexp(t, `^\w{3}, \w{3} \d+, 12:00\sPM \S+$`, times[1])
}
