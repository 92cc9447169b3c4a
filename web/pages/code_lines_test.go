package pages

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test of modules/sheet, which reads the files of commands, has the same cases.
func TestTheConsoleReadsCodesAsCommandsDo(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	const script = `
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
		console.log(cases.length > 0);`
	out, err := exec.CommandContext(t.Context(), node, "--input-type=module", "--eval", script).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, "true\n", string(out))
}
