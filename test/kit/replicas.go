package kit

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/app/servers"
)

// Replicated is Owned with a replica of the SQL server, which may be made to lag.
type Replicated struct {
	*Owned

	ReplicaServer *Server
	ReplicaDSN    string // of the same database
}

// OwnReplicated starts servers for a test, and a replica that has the schema when it returns.
func OwnReplicated(tb testing.TB, opts ...Option) *Replicated {
	tb.Helper()
	NotOnVitess(tb, "it knows no positions of replicas")
	needReal(tb)
	return ownReplicated(tb, opts, "--sync-binlog=0", "--relay-log-recovery=ON")
}

// ownReplicated is OwnReplicated with more arguments of both SQL servers.
func ownReplicated(tb testing.TB, opts []Option, more ...string) *Replicated {
	tb.Helper()
	logged := func(server string) []string {
		args := append([]string{"--log-bin=changes", "--server-id=" + server}, more...)
		if !IsMariaDB() {
			args = append(args, "--gtid-mode=ON", "--enforce-gtid-consistency=ON")
		}
		return args
	}
	s := &Replicated{Owned: Own(tb, append(opts, SQLArgs(logged("1")...))...)}
	flush := read(opts).flush
	s.ReplicaServer = own(tb, func() (*servers.Server, error) {
		return servers.StartSQL(flush, true, defaultBufferMB, logged("2")...)
	})
	s.ReplicaDSN = strings.Replace(s.MySQLDSN, s.SQLServer.Addr, s.ReplicaServer.Addr, 1)
	s.follow(tb, 0, true)
	s.CatchUp(tb)
	return s
}

// Lag makes the replica repeat what the primary commits from now on, that much later, in whole seconds.
func (s *Replicated) Lag(tb testing.TB, d time.Duration) {
	tb.Helper()
	s.follow(tb, d, false)
}

// CatchUp waits until the replica has what the primary has committed.
func (s *Replicated) CatchUp(tb testing.TB) {
	tb.Helper()
	position, err := s.DB.Position(tb.Context())
	require.NoError(tb, err)
	wait := "MASTER_GTID_WAIT"
	if !IsMariaDB() {
		wait = "WAIT_FOR_EXECUTED_GTID_SET"
	}
	db, err := servers.AdminSQL(s.ReplicaServer.Addr)
	require.NoError(tb, err)
	defer func() { _ = db.Close() }()
	var result int
	require.NoError(tb, db.QueryRowContext(tb.Context(), "SELECT "+wait+"('"+position+"', 60)").Scan(&result))
	require.Zero(tb, result, "the replica follows")
}

// follow begins the replication, or changes its delay.
func (s *Replicated) follow(tb testing.TB, lag time.Duration, first bool) {
	tb.Helper()
	db, err := servers.AdminSQL(s.ReplicaServer.Addr)
	require.NoError(tb, err)
	defer func() { _ = db.Close() }()
	host, port, err := net.SplitHostPort(s.SQLServer.Addr)
	require.NoError(tb, err)
	source, replica, position := "MASTER", "SLAVE", "MASTER_USE_GTID=slave_pos"
	change := "CHANGE MASTER TO"
	if !IsMariaDB() {
		source, replica, position = "SOURCE", "REPLICA", "SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1"
		change = "CHANGE REPLICATION SOURCE TO"
	}
	statements := []string{
		"STOP " + replica,
		fmt.Sprintf("%[1]s %[2]s_HOST='%[3]s', %[2]s_PORT=%[4]s, %[2]s_USER='root', %[5]s, %[2]s_DELAY=%[6]d",
			change, source, host, port, position, int(lag/time.Second)),
		"START " + replica,
	}
	if first {
		statements = statements[1:]
	}
	for _, statement := range statements {
		_, err := db.ExecContext(context.WithoutCancel(tb.Context()), statement)
		require.NoError(tb, err, statement)
	}
}
