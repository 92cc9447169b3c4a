package statements_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// leastStatements is fewer than the program has, so that a test that finds none fails.
const leastStatements = 300

// collected are the statements of the program by the places that run them.
var collected = sync.OnceValues(func() (map[string][]string, error) {
	p, err := source()
	if err != nil {
		return nil, err
	}
	return assemble(p).collect(), nil
})

// ofAnyTable are statements with the name of a table that only the database knows, by the file that runs them.
var ofAnyTable = map[string]string{"app/schema/checks.go": "SHOW CREATE TABLE `orders`"}

func programStatements(t *testing.T) map[string][]string {
	t.Helper()
	found, err := collected()
	require.NoError(t, err)
	require.Greater(t, len(found), leastStatements)
	found = maps.Clone(found)
	for _, at := range slices.Sorted(maps.Keys(found)) {
		file, _, _ := strings.Cut(at, ":")
		if example := ofAnyTable[file]; example != "" && len(found[at]) == 0 {
			found[at] = []string{example}
		}
		assert.NotEmpty(t, found[at], "the statement of %s can't be assembled from the source: write it more plainly, "+
			"or teach assemble_test.go what it uses", at)
	}
	return found
}

func TestEveryStatementOfTheProgramIsTakenByTheServer(t *testing.T) {
	t.Parallel()
	statements := programStatements(t)
	s := kit.OnReal(t)
	prepared := 0
	for _, at := range slices.Sorted(maps.Keys(statements)) {
		for _, text := range statements[at] {
			statement, err := s.DB.Write.PrepareContext(t.Context(), text)
			if !assert.NoError(t, err, "%s: %s", at, text) {
				continue
			}
			prepared++
			require.NoError(t, statement.Close())
		}
	}
	t.Logf("%d statements of %d places", prepared, len(statements))
}

// In the program and in the schema, names are written in small letters and the words of SQL in capitals.
func TestNoNameIsAReservedWordOfAServer(t *testing.T) {
	t.Parallel()
	reserved := reservedWords(t)
	for at, texts := range programStatements(t) {
		for _, text := range texts {
			assert.Empty(t, reservedNames(text, reserved), "%s: %s", at, text)
		}
	}
	changes, err := filepath.Glob(filepath.Join(root, "app/schema/*.sql"))
	require.NoError(t, err)
	require.NotEmpty(t, changes)
	for _, path := range changes {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Empty(t, reservedNames(lineComment.ReplaceAllString(string(text), ""), reserved), path)
	}
	assert.Equal(t, []string{"stored", "rank"},
		reservedNames(`SELECT 'key' AS "keys", n AS stored FROM rank ORDER BY position DESC`, reserved))
}

var (
	lineComment = regexp.MustCompile(`--.*`)
	quoted      = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	name        = regexp.MustCompile(`\b[a-z_][a-z0-9_]*\b`)
)

// reservedNames returns the names in a statement that are reserved words.
func reservedNames(text string, reserved map[string]bool) (found []string) {
	for _, word := range name.FindAllString(quoted.ReplaceAllString(text, "''"), -1) {
		if reserved[strings.ToUpper(word)] {
			found = append(found, word)
		}
	}
	return found
}

// reservedWords returns the words that a version of MySQL, MariaDB, Vitess or TiDB reserves.
func reservedWords(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/reserved.txt")
	require.NoError(t, err)
	words := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if word := strings.TrimSpace(line); !strings.HasPrefix(word, "#") {
			words[word] = true
		}
	}
	return words
}

func TestTheListHasEveryWordThatTheServerReserves(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t)
	known := reservedWords(t)
	words := serverWords(t, s.DB)
	require.Greater(t, len(words), len(known), "a server knows more words than it reserves")
	taken := 0
	for _, word := range words {
		if known[word] {
			continue
		}
		statement, err := s.DB.Write.PrepareContext(t.Context(), strings.ReplaceAll(
			`SELECT w.w FROM (SELECT 1 AS w) AS w`,
			"w", word))
		if assert.NoError(t, err, "add %s to testdata/reserved.txt", word) {
			taken++
			require.NoError(t, statement.Close())
		}
	}
	assert.Positive(t, taken)
}

// serverWords returns the words that the server's grammar has, reserved or not.
func serverWords(t *testing.T, db *sqldb.DB) (words []string) {
	t.Helper()
	var all []string
	require.NoError(t, db.Read.SelectContext(t.Context(), &all, `SELECT word FROM information_schema.keywords`))
	for _, word := range all {
		if name.MatchString(strings.ToLower(word)) && !strings.ContainsAny(word, "<>=!&|:") {
			words = append(words, strings.ToUpper(word))
		}
	}
	return words
}
