package schema_test

import (
	"io/fs"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/schema"
	"onrush/test/kit"
)

// withColumn is the version of the program after this one, which adds a column to the orders.
func withColumn(t *testing.T) schema.Build {
	t.Helper()
	files := fstest.MapFS{}
	names, err := fs.Glob(schema.Files, "*.sql")
	require.NoError(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(schema.Files, name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: text}
	}
	files["00999_column.sql"] = &fstest.MapFile{Data: []byte(`-- +goose Up
ALTER TABLE orders ADD COLUMN newest BIGINT NOT NULL DEFAULT 0;
-- +goose Down
`)}
	build, err := schema.BuildOf(files)
	require.NoError(t, err)
	return build
}

func TestAChangeThatWaitsNamesTheTransactionThatHoldsTheTable(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	kit.NotOnVitess(t, "its servers show no transactions")
	tx, err := stores.DB.Write.BeginTxx(t.Context(), nil)
	require.NoError(t, err)
	var holder, orders int64
	require.NoError(t, tx.GetContext(t.Context(), &holder, `SELECT CONNECTION_ID()`))
	require.NoError(t, tx.GetContext(t.Context(), &orders, `SELECT COUNT(*) FROM orders`))

	var said kit.Output
	log := slog.New(slog.NewTextHandler(&said, nil))
	done := make(chan error, 1)
	upgraded := withColumn(t)
	go func() { done <- upgraded.Upgrade(t.Context(), stores.DB, log, 20*time.Millisecond) }()
	waits := regexp.MustCompile(`still changing the tables.*change=00999_column.sql.*ALTER TABLE orders.*` +
		`Waiting for table metadata lock.*connection ` + strconv.FormatInt(holder, 10) + `, in a transaction since`)
	require.Eventually(t, func() bool { return waits.MatchString(said.String()) }, time.Minute, 20*time.Millisecond,
		"%s", &said)
	require.NoError(t, tx.Rollback())
	require.NoError(t, <-done)
	assert.Equal(t, 1, strings.Count(said.String(), `msg="changing the tables"`), "the others were there: %s", &said)
	assert.Regexp(t, `changed the tables" change=00999_column.sql after=`, said.String())
}
