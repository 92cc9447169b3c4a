package sqldb_test

import (
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/sqldb"
	"onrush/test/kit"
)

func TestConnectionToAReadOnlyServerIsClosed(t *testing.T) {
	t.Parallel()
	kit.NotOnVitess(t, "a connection to vtgate outlives its servers")
	s := kit.OnReal(t)
	ctx := t.Context()
	db, err := sqldb.OpenMySQL(ctx, s.MySQLDSN, 1)
	require.NoError(t, err)
	defer func() { _ = db.Close() }()
	id := func() (n int64) {
		require.NoError(t, db.Write.GetContext(ctx, &n, `SELECT CONNECTION_ID()`))
		return n
	}
	before := id()
	// SIGNAL raises what a server answers that was demoted to a replica.
	err = db.InTx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1290, MESSAGE_TEXT = 'read-only'`)
		return err
	})
	require.Error(t, err)
	assert.NotEqual(t, before, id())
}

func TestNoPoolReadsAFormerPrimary(t *testing.T) {
	t.Parallel()
	kit.NotOnVitess(t, "a connection to vtgate outlives its servers")
	s := kit.Own(t)
	ctx := t.Context()
	db, err := sqldb.OpenMySQL(ctx, s.MySQLDSN, 1)
	require.NoError(t, err)
	defer func() { _ = db.Close() }()
	readers, err := db.Pool(sqldb.Pool{Writers: 1, Readers: 1})
	require.NoError(t, err)
	defer func() { _ = readers.Close() }()
	id := func() (n int64) {
		require.NoError(t, readers.Read.GetContext(ctx, &n, `SELECT CONNECTION_ID()`))
		return n
	}
	before := id()
	require.Equal(t, before, id())
	_, err = db.Write.ExecContext(ctx, `SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1290, MESSAGE_TEXT = 'read-only'`)
	require.Error(t, err)
	after := id()
	assert.NotEqual(t, before, after, "a write of another pool found the server read-only")
	assert.Equal(t, after, id())

	_, err = s.DB.Write.ExecContext(ctx, `SET GLOBAL read_only = 1`)
	require.NoError(t, err)
	assert.Equal(t, after, id(), "until a write finds that")
	_, err = db.Write.ExecContext(ctx, `SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1290, MESSAGE_TEXT = 'read-only'`)
	require.Error(t, err)
	once := id()
	assert.NotEqual(t, once, id(), "no connection to a read-only server is kept")
}
