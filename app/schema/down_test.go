package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/schema"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// provider gives a test the changes one by one.
func provider(t *testing.T, s *kit.Stores) *goose.Provider {
	t.Helper()
	build, err := schema.BuildOf(schema.Files)
	require.NoError(t, err)
	provider, err := build.Provider(t.Context(), s.DB)
	require.NoError(t, err)
	return provider
}

// describe returns a line for each table, column, index and check of the project, not of SQLite nor the one of the
// changes.
func describe(t *testing.T, s *kit.Stores) []string {
	t.Helper()
	queries := []string{
		`SELECT CONCAT_WS(' ', 'table', table_name, engine, table_collation) FROM information_schema.tables
			WHERE table_schema = DATABASE() AND table_name <> 'schema_changes' ORDER BY 1`,
		`SELECT CONCAT_WS(' ', 'column', table_name, LPAD(ordinal_position, 3, '0'), column_name, column_type,
			is_nullable, column_default, collation_name, extra)
			FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name <> 'schema_changes'
			ORDER BY 1`,
		`SELECT CONCAT_WS(' ', 'index', table_name, index_name, seq_in_index, column_name, sub_part, collation,
			non_unique)
			FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name <> 'schema_changes'
			ORDER BY 1`,
		`SELECT CONCAT_WS(' ', 'check', constraint_name, check_clause)
			FROM information_schema.check_constraints WHERE constraint_schema = DATABASE() ORDER BY 1`,
	}
	if s.DB.Dialect == sqldb.SQLite {
		queries = []string{`SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
			AND name <> 'schema_changes' ORDER BY type, name`}
	}
	lines := []string{}
	for _, query := range queries {
		var found []string
		require.NoError(t, s.DB.Read.SelectContext(t.Context(), &found, query))
		lines = append(lines, found...)
	}
	if s.DB.Dialect == sqldb.SQLite { // the text is what was written; a table that was renamed is quoted
		for i, line := range lines {
			lines[i] = strings.Join(strings.Fields(strings.NewReplacer(`"`, "", ",", " , ", "(", " ( ",
				")", " ) ").Replace(line)), " ")
		}
	}
	return lines
}

func TestEachChangeIsTakenBackByItsDownAndCanBeMadeAgain(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		had := [][]string{describe(t, s)}
		require.Empty(t, had[0])
		up := provider(t, s)
		for _, source := range up.ListSources() {
			_, err := up.ApplyVersion(t.Context(), source.Version, true)
			require.NoError(t, err)
			had = append(had, describe(t, s))
		}
		down := provider(t, s)
		for i, source := range slices.Backward(down.ListSources()) {
			_, err := down.ApplyVersion(t.Context(), source.Version, false)
			require.NoError(t, err)
			assert.Equal(t, had[i], describe(t, s), "after the down of %s", source.Path)
		}
		require.NoError(t, schema.Up(t.Context(), s.DB))
		assert.Equal(t, had[len(had)-1], describe(t, s))
	}, kit.NoSchema())
}
