package statements_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // the values of literals
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheParserOfTiDBTakesEveryStatement parses what the program sends, and its schema. TiDB itself is not run.
func TestTheParserOfTiDBTakesEveryStatement(t *testing.T) {
	t.Parallel()
	statements := programStatements(t)
	read := parser.New()
	parsed := 0
	for _, at := range slices.Sorted(maps.Keys(statements)) {
		for _, text := range statements[at] {
			if _, _, err := read.ParseSQL(text); assert.NoError(t, err, "%s: %s", at, text) {
				parsed++
			}
		}
	}
	changes, err := filepath.Glob(filepath.Join(root, "app/schema/*.sql"))
	require.NoError(t, err)
	require.NotEmpty(t, changes)
	for _, path := range changes {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		found, _, err := read.ParseSQL(strings.ReplaceAll(string(text), "-- +goose", "--"))
		require.NoError(t, err, path)
		assert.NotEmpty(t, found, path)
		parsed += len(found)
	}
	t.Logf("%d statements", parsed)
	_, _, err = read.ParseSQL("SELECT stored FROM orders WHERE")
	require.Error(t, err)
}
