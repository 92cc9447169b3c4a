package kit

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/servers"
)

// Primaries is a pair of MariaDB servers that take turns as the primary, behind one address that leads to one of them,
// as a proxy does. A commit is answered when the replica has it in its relay log (semi-synchronous replication), so a
// primary that is killed takes nothing with it that was answered. A server is read-only from its start until Promote.
// The clients are a user without privileges of administrators, who would write to a server that is read-only.
type Primaries struct {
	*Replicated

	proxy    *Link
	database string
	rejoined int
}

// OwnPrimaries starts both servers for a test. It skips the test if the server is not MariaDB.
func OwnPrimaries(tb testing.TB) *Primaries {
	tb.Helper()
	NotOnVitess(tb, "its own tools promote a replica")
	needReal(tb)
	if !IsMariaDB() {
		tb.Skip("MySQL has other statements for failovers")
	}
	s := &Primaries{Replicated: ownReplicated(tb, []Option{FlushAtCommit()}, "--sync-binlog=1", "--log-slave-updates",
		"--read-only", "--rpl-semi-sync-slave-enabled=ON", "--rpl-semi-sync-master-wait-point=AFTER_SYNC",
		fmt.Sprintf("--rpl-semi-sync-master-timeout=%d", servers.StartWithin.Milliseconds()))}
	cfg, err := mysql.ParseDSN(s.MySQLDSN)
	require.NoError(tb, err)
	s.database = cfg.DBName
	s.onServer(tb, s.SQLServer, "CREATE USER shop@'%' IDENTIFIED BY ''",
		"GRANT SELECT, INSERT, UPDATE, DELETE ON "+s.database+".* TO shop@'%'", "SET GLOBAL read_only = 0")
	s.proxy = newLink(tb, s.SQLServer.Addr, 0)
	s.MySQLDSN = strings.NewReplacer("root@", "shop@", cfg.Addr, s.proxy.Addr).Replace(s.MySQLDSN)
	s.DB = s.ConnectSQL(tb)
	s.follow(tb, 0, false)
	s.Confirm(tb, true)
	return s
}

// onServer runs statements as an administrator.
func (s *Primaries) onServer(tb testing.TB, server *Server, statements ...string) {
	tb.Helper()
	s.asAdmin(tb, server, func(ctx context.Context, db *sql.Conn) {
		for _, statement := range statements {
			_, err := db.ExecContext(ctx, statement)
			require.NoError(tb, err, statement)
		}
	})
}

func (s *Primaries) asAdmin(tb testing.TB, server *Server, work func(ctx context.Context, db *sql.Conn)) {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	db, err := servers.AdminSQL(server.Addr)
	require.NoError(tb, err)
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(ctx)
	require.NoError(tb, err)
	defer func() { _ = conn.Close() }()
	work(ctx, conn)
}

// status reads a value of SHOW GLOBAL STATUS, or of SHOW SLAVE STATUS.
func status(ctx context.Context, db *sql.Conn, query, name string) (value string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return "", err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil || !rows.Next() {
		return "", err
	}
	values := make([]any, len(columns))
	for i := range values {
		values[i] = new(sql.NullString)
	}
	if err := rows.Scan(values...); err != nil {
		return "", err
	}
	for i, column := range columns {
		if column == name {
			return values[i].(*sql.NullString).String, rows.Err()
		}
	}
	return "", fmt.Errorf("%s has no %s", query, name)
}

// Confirm makes commits wait until the replica has them, which it does by then, or not any more.
func (s *Primaries) Confirm(tb testing.TB, wait bool) {
	tb.Helper()
	if !wait {
		s.onServer(tb, s.SQLServer, "SET GLOBAL rpl_semi_sync_master_enabled = 0")
		return
	}
	var position string
	s.asAdmin(tb, s.SQLServer, func(ctx context.Context, db *sql.Conn) {
		require.NoError(tb, db.QueryRowContext(ctx, "SELECT @@GLOBAL.gtid_binlog_pos").Scan(&position))
	})
	s.asAdmin(tb, s.ReplicaServer, func(ctx context.Context, db *sql.Conn) { await(ctx, tb, db, position) })
	s.asAdmin(tb, s.SQLServer, func(ctx context.Context, db *sql.Conn) {
		_, err := db.ExecContext(ctx, "SET GLOBAL rpl_semi_sync_master_enabled = 1")
		require.NoError(tb, err)
		require.EventuallyWithT(tb, func(t *assert.CollectT) {
			clients, err := status(ctx, db, "SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_master_clients'", "Value")
			assert.NoError(t, err)
			assert.Equal(t, "1", clients)
		}, servers.StartWithin, pollCluster, "the replica confirms")
	})
}

// await waits until a replica has applied a position.
func await(ctx context.Context, tb testing.TB, db *sql.Conn, position string) {
	tb.Helper()
	var result int
	require.NoError(tb, db.QueryRowContext(ctx, "SELECT MASTER_GTID_WAIT(?, 60)", position).Scan(&result))
	if result == 0 {
		return
	}
	for _, name := range []string{"Last_Error", "Last_IO_Error", "Slave_IO_State", "Gtid_IO_Pos"} {
		text, err := status(ctx, db, "SHOW SLAVE STATUS", name)
		tb.Logf("%s: %s %v", name, text, err)
	}
	require.FailNow(tb, "the replica doesn't follow", position)
}

// Lose makes the replica miss what the primary commits from now on, and the primary not wait for it.
func (s *Primaries) Lose(tb testing.TB) {
	tb.Helper()
	s.Confirm(tb, false)
	s.onServer(tb, s.ReplicaServer, "STOP SLAVE IO_THREAD")
}

// Demote makes the primary read-only, when the commits that are under way have ended.
func (s *Primaries) Demote(tb testing.TB) {
	tb.Helper()
	s.onServer(tb, s.SQLServer, "SET GLOBAL read_only = 1")
}

// Promote lets the replica apply all that it has received, makes it the primary, and lets the address lead to it.
// Connections to the former primary stay open, if that runs.
func (s *Primaries) Promote(tb testing.TB) {
	tb.Helper()
	s.asAdmin(tb, s.ReplicaServer, func(ctx context.Context, db *sql.Conn) {
		_, err := db.ExecContext(ctx, "STOP SLAVE IO_THREAD")
		require.NoError(tb, err)
		received, err := status(ctx, db, "SHOW SLAVE STATUS", "Gtid_IO_Pos")
		require.NoError(tb, err)
		await(ctx, tb, db, received)
	})
	s.onServer(tb, s.ReplicaServer, "STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only = 0")
	s.SQLServer, s.ReplicaServer = s.ReplicaServer, s.SQLServer
	s.proxy.Lead(s.SQLServer.Addr)
}

// Rejoin makes the former primary, which runs, a replica: it drops what it has, since that may be more than the new
// primary has, and repeats the log of the new primary. Then commits wait for it again.
func (s *Primaries) Rejoin(tb testing.TB) {
	tb.Helper()
	former := s.ReplicaServer
	s.rejoined++
	const firstID = 3 // a server skips what it finds in the log under its own id
	s.asAdmin(tb, former, func(ctx context.Context, db *sql.Conn) {
		for _, statement := range []string{
			"SET GLOBAL rpl_semi_sync_master_enabled = 0", // else it waits for a replica of its own
			"SET SESSION sql_log_bin = 0",
			"SET GLOBAL innodb_flush_log_at_trx_commit = 0", "SET GLOBAL sync_binlog = 0",
			"DROP DATABASE " + s.database, "DROP USER shop@'%'", "RESET MASTER", "SET GLOBAL gtid_slave_pos = ''",
			fmt.Sprintf("SET GLOBAL server_id = %d", firstID+s.rejoined),
		} {
			_, err := db.ExecContext(ctx, statement)
			require.NoError(tb, err, statement)
		}
	})
	host, port, err := net.SplitHostPort(s.SQLServer.Addr)
	require.NoError(tb, err)
	s.onServer(tb, former, fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='%s', MASTER_PORT=%s, MASTER_USER='root', "+
		"MASTER_CONNECT_RETRY=1, MASTER_USE_GTID=slave_pos", host, port), "START SLAVE")
	s.Confirm(tb, true)
	s.onServer(tb, former, "SET GLOBAL innodb_flush_log_at_trx_commit = 1", "SET GLOBAL sync_binlog = 1")
}
