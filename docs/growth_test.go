package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each table of the schema and each kind of Redis key is in the tables that say how long it is kept.
func TestWhatGrowsListsEveryTableAndEveryRedisKey(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("operating/when-something-breaks.md")
	require.NoError(t, err)
	_, grows, found := strings.Cut(string(text), "\n## What grows\n")
	require.True(t, found)
	inSQL, inRedis, found := strings.Cut(grows, "\nIn Redis")
	require.True(t, found)

	schema, err := os.ReadFile("../app/schema/00001_schema.sql")
	require.NoError(t, err)
	tables := regexp.MustCompile(`CREATE TABLE IF NOT EXISTS (\w+)`).FindAllStringSubmatch(string(schema), -1)
	require.Greater(t, len(tables), 40)
	for _, table := range tables {
		assert.Contains(t, inSQL, "`"+table[1]+"`", "a table of the schema")
	}
	keys, err := os.ReadFile("../lua/keys.go")
	require.NoError(t, err)
	kinds := regexp.MustCompile(`(?:ofActivity\(lane, |lane\(lane\) \+ |Prefix \+ )":?(\w+)`).
		FindAllStringSubmatch(string(keys), -1)
	require.Greater(t, len(kinds), 25)
	for _, kind := range kinds {
		assert.Regexp(t, "`"+kind[1]+"[`:]", inRedis, "a kind of Redis key")
	}
}
