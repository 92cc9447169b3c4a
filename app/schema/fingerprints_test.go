package schema_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/schema"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// A database has the fingerprint of each change that was applied, and refuses a program whose files differ.
func TestAnAppliedChangeIsNeverEdited(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("released.sha256")
	require.NoError(t, err)
	var lines []string
	paths, err := fs.Glob(schema.Files, "*.sql")
	require.NoError(t, err)
	for _, path := range paths {
		file, err := fs.ReadFile(schema.Files, path)
		require.NoError(t, err)
		assert.NotContains(t, string(file), "\r", path)
		sum := sha256.Sum256(file)
		lines = append(lines, hex.EncodeToString(sum[:])+"  "+path)
	}
	assert.Equal(t, lines, strings.Split(strings.TrimSpace(string(text)), "\n"),
		"an applied change is final, 00001 included: take the edit back and write it as a new file with the next "+
			"number. A new file is recorded by: cd app/schema && sha256sum *.sql > released.sha256")
}

func requireForeign(t *testing.T, err error, says string) {
	t.Helper()
	_, foreign := errors.AsType[*schema.ForeignError](err)
	require.True(t, foreign, "%v", err)
	require.ErrorContains(t, err, says)
	assert.NotContains(t, err.Error(), "\n")
}

func TestADatabaseWithoutFingerprintsIsRefusedAndNotChanged(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		kit.MakeFormerSchema(t, s.DB)
		made := describe(t, s)
		requireForeign(t, schema.Up(t.Context(), s.DB), "it has the table activities, but no fingerprint")
		assert.Equal(t, made, describe(t, s))
		var next string
		require.NoError(t, s.DB.Read.GetContext(t.Context(), &next,
			"SELECT `next` FROM payments WHERE pay_number = 7"))
	}, kit.NoSchema())
}

// Two versions of the program, as their files.
var (
	first = "-- +goose Up\nCREATE TABLE IF NOT EXISTS one (id INT NOT NULL PRIMARY KEY, n INT NOT NULL);\n" +
		"-- +goose Down\nDROP TABLE one;\n"
	edited = strings.Replace(first, "n INT NOT NULL)", "n INT NOT NULL, more INT NOT NULL)", 1)
	second = "-- +goose Up\nCREATE INDEX one_n ON one (n);\n-- +goose Down\nDROP INDEX one_n /*! ON one */;\n"
)

func buildOf(t *testing.T, texts ...string) schema.Build {
	t.Helper()
	files := fstest.MapFS{}
	for i, text := range texts {
		files[[]string{"00001_one.sql", "00002_two.sql"}[i]] = &fstest.MapFile{Data: []byte(text)}
	}
	build, err := schema.BuildOf(files)
	require.NoError(t, err)
	return build
}

func TestADatabaseWithOtherFingerprintsIsRefusedAndNotChanged(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		require.NoError(t, buildOf(t, first).Up(t.Context(), s.DB))
		made := describe(t, s)
		requireForeign(t, buildOf(t, edited, second).Up(t.Context(), s.DB), "change 1 has another fingerprint")
		assert.Equal(t, made, describe(t, s))
		_, err := s.DB.Write.ExecContext(t.Context(), `UPDATE schema_changes SET applied = 0`)
		require.NoError(t, err)
		requireForeign(t, buildOf(t, edited).Up(t.Context(), s.DB), "another version began change 1")
		assert.Equal(t, made, describe(t, s))
	}, kit.NoSchema())
}

func TestADatabaseOfANewerVersionIsTakenIfTheKnownChangesAreThoseOfThisVersion(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		require.NoError(t, buildOf(t, first).Up(t.Context(), s.DB))
		state, err := buildOf(t, first, second).Read(t.Context(), s.DB)
		require.NoError(t, err)
		assert.Equal(t, []any{1, 0, true}, []any{state.Lacks, state.Newer, state.Begun()})
		require.NoError(t, buildOf(t, first, second).Up(t.Context(), s.DB))
		made := describe(t, s)

		require.NoError(t, buildOf(t, first).Up(t.Context(), s.DB))
		state, err = buildOf(t, first).Read(t.Context(), s.DB)
		require.NoError(t, err)
		assert.Equal(t, []any{0, 1, true}, []any{state.Lacks, state.Newer, state.Begun()})
		requireForeign(t, buildOf(t, edited).Up(t.Context(), s.DB), "change 1 has another fingerprint")
		assert.Equal(t, made, describe(t, s))
	}, kit.NoSchema())
}

// Version 2 of the program has changes from 10000 on. Version 1 doesn't know what they did.
func TestADatabaseOfALaterMajorVersionIsRefusedInOneLineAndNotChanged(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		require.NoError(t, buildOf(t, first).Up(t.Context(), s.DB))
		files := fstest.MapFS{"00001_one.sql": {Data: []byte(first)}, "10000_two.sql": {Data: []byte(second)}}
		next, err := schema.BuildOf(files)
		require.NoError(t, err)
		require.NoError(t, next.Up(t.Context(), s.DB))
		require.NoError(t, next.Up(t.Context(), s.DB), "its own version")
		made := describe(t, s)
		for range 2 {
			requireForeign(t, buildOf(t, first).Up(t.Context(), s.DB),
				"version 2 of the program upgraded it, and this is version 1, to which there is no way back")
			_, err := buildOf(t, first, second).Read(t.Context(), s.DB)
			requireForeign(t, err, "version 2 of the program upgraded it")
		}
		assert.Equal(t, made, describe(t, s))
	}, kit.NoSchema())
}

// A change of a large table takes minutes, and no other statement may.
func TestAChangeMayTakeLongerThanTheTimeoutsOfTheDSN(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t, kit.NoSchema())
	dsn, err := mysql.ParseDSN(s.MySQLDSN)
	require.NoError(t, err)
	dsn.ReadTimeout = time.Second
	db, err := sqldb.OpenMySQL(t.Context(), dsn.FormatDSN(), 2)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	slow := strings.Replace(first, "-- +goose Down", "SELECT SLEEP(2);\n-- +goose Down", 1)
	require.NoError(t, buildOf(t, slow).Up(t.Context(), db))
	state, err := buildOf(t, slow).Read(t.Context(), s.DB)
	require.NoError(t, err)
	assert.Zero(t, state.Lacks)
}

func TestOfTwoVersionsThatStartTogetherOneMakesTheSchemaAndTheOtherIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		builds := []schema.Build{buildOf(t, first, second), buildOf(t, edited, second)}
		errs := kit.AtOnce(24, func(i int) error { return builds[i%2].Up(t.Context(), s.ConnectSQL(t)) })
		winner := 0
		if errs[0] != nil {
			winner = 1
		}
		for i, err := range errs {
			if i%2 == winner {
				require.NoError(t, err, i)
				continue
			}
			requireForeign(t, err, "change 1")
		}
		state, err := builds[winner].Read(t.Context(), s.DB)
		require.NoError(t, err)
		assert.Zero(t, state.Lacks)
		var columns []string
		rows, err := s.DB.Read.QueryxContext(t.Context(), `SELECT * FROM one`)
		require.NoError(t, err)
		columns, err = rows.Columns()
		require.NoError(t, errors.Join(err, rows.Err(), rows.Close()))
		assert.Len(t, columns, 2+winner)
	}, kit.NoSchema())
}

// Files up to the third were applied before the rule; docs/operating/upgrading.md says what they lock.
func TestEachChangeSaysWhatItLocks(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/operating/upgrading.md")
	require.NoError(t, err)
	paths, err := fs.Glob(schema.Files, "*.sql")
	require.NoError(t, err)
	for _, path := range paths {
		assert.Contains(t, string(page), "| `"+path+"` |", "the table of what changes lock")
		text, err := fs.ReadFile(schema.Files, path)
		require.NoError(t, err)
		if path > "00003_segments.sql" {
			assert.Regexp(t, `(?m)^-- Locks: \S`, string(text), path)
		}
	}
}
