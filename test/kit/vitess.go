package kit

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/app/servers"
	"onrush/modules/sqldb"
)

// Vitess is the variable that names the program vtcombo, which is a vtgate and its vttablets in one process. With it
// the SQL server of the tests is a Vitess over the mysqld that comes first on the PATH. .ci/engines builds the program.
const Vitess = "ONRUSH_TEST_VITESS"

// OnVitess reports whether the SQL server of the tests is Vitess.
func OnVitess() bool { return os.Getenv(Vitess) != "" }

// OwnVitess is Own with a Vitess, and skips the test where the variable names none.
func OwnVitess(tb testing.TB, opts ...Option) *Owned {
	tb.Helper()
	if !OnVitess() {
		tb.Skip(Vitess + " names no vtcombo: .ci/engines builds one")
	}
	return Own(tb, opts...)
}

// NoUsers is what many tests need that Vitess doesn't have.
const NoUsers = "statements make no users, and set no variables of the server"

// NotOnVitess skips a test that needs what Vitess doesn't have, and says what.
func NotOnVitess(tb testing.TB, lacks string) {
	tb.Helper()
	if OnVitess() {
		tb.Skip("Vitess: " + lacks)
	}
}

// vitess is what a Server that is a vtcombo has beside it. Databases can't be made while it runs, since that writes
// without a lock to what other requests read: so it begins with enough of them, which tests take and give back.
type vitess struct {
	tablet *Server // the mysqld
	names  []string
	free   chan string
}

// vitessDatabases is how many databases tests may have at the same time.
const vitessDatabases = 48

// startSQL starts the SQL server that the tests run on, which has that many databases if it is Vitess.
func startSQL(databases int, onDisk, flush bool, bufferMB int, more ...string) (*Server, error) {
	if !OnVitess() {
		return wrap(servers.StartSQL(onDisk, flush, bufferMB, more...))
	}
	tablet, err := wrap(servers.StartSQL(onDisk, flush, bufferMB, slices.Concat([]string{
		"--log-bin=changes", "--server-id=1", "--gtid-mode=ON", "--enforce-gtid-consistency=ON", "--sync-binlog=0",
		"--max-connections=4000", "--sql-mode=STRICT_TRANS_TABLES",
	}, more)...))
	if err != nil {
		return nil, err
	}
	v := &vitess{tablet: tablet, free: make(chan string, databases)}
	for i := range databases {
		v.names = append(v.names, fmt.Sprintf("t%d", i))
		v.free <- v.names[i]
	}
	gate, err := servers.New(onDisk, v.makeDatabases, v.start)
	if err != nil {
		tablet.Stop()
		return nil, err
	}
	return &Server{Server: gate, vitess: v}, nil
}

// below returns the name in mysqld of a database of Vitess.
func below(name string) string { return "vt_" + name + "_0" }

func (v *vitess) makeDatabases(string) error {
	admin, err := servers.AdminSQL(v.tablet.Addr)
	if err != nil {
		return err
	}
	defer func() { _ = admin.Close() }()
	for _, name := range v.names {
		statement := "CREATE DATABASE " + below(name) + " CHARACTER SET utf8mb4"
		if _, err := admin.ExecContext(context.Background(), statement); err != nil {
			return fmt.Errorf("make a database for Vitess: %w", err)
		}
	}
	return nil
}

// start starts vtcombo. It must not be root, but must reach its file and folder, which only root may.
func (v *vitess) start(dir string, port int) (*servers.Process, error) {
	args, err := v.arguments(port)
	if err != nil {
		return nil, err
	}
	command := append([]string{"env", "VTDATAROOT=" + dir, "HOME=" + dir, "TMPDIR=" + dir, os.Getenv(Vitess)}, args...)
	if os.Geteuid() == 0 {
		command = append([]string{
			"setpriv", "--pdeathsig=kill", "--reuid=65534", "--regid=65534", "--clear-groups",
			"--inh-caps=+dac_override", "--ambient-caps=+dac_override",
		}, command...)
	}
	return servers.Start(dir, v.answers(port), command[0], command[1:]...)
}

// arguments returns the arguments of vtcombo: each database is a keyspace of one shard, which has one tablet.
func (v *vitess) arguments(port int) ([]string, error) {
	type shard struct {
		Name string `json:"name"`
	}
	type keyspace struct {
		Name     string  `json:"name"`
		Shards   []shard `json:"shards"`
		Replicas int     `json:"replicaCount"` // 0 would be two, and
		ReadOnly int     `json:"rdonlyCount"`  // one
	}
	var topology struct {
		Keyspaces []keyspace `json:"keyspaces"`
		Cells     []string   `json:"cells"`
	}
	topology.Cells = []string{"test"}
	for _, name := range v.names {
		topology.Keyspaces = append(topology.Keyspaces, keyspace{name, []shard{{"0"}}, -1, -1})
	}
	keyspaces, err := json.Marshal(topology)
	if err != nil {
		return nil, fmt.Errorf("start Vitess: %w", err)
	}
	_, tabletPort, err := net.SplitHostPort(v.tablet.Addr)
	if err != nil {
		return nil, fmt.Errorf("start Vitess: %w", err)
	}
	status, err := servers.FreePort()
	if err != nil {
		return nil, err
	}
	args := []string{
		"--json-topo=" + string(keyspaces), "--cell=test", "--tablet-types-to-wait=PRIMARY", "--mycnf-server-id=1",
		"--db-host=127.0.0.1", "--db-port=" + tabletPort, "--db-charset=utf8mb4",
		"--mysql-server-port=" + strconv.Itoa(port), "--mysql-server-bind-address=127.0.0.1",
		"--mysql-auth-server-impl=none", "--port=" + strconv.Itoa(status), "--bind-address=127.0.0.1",
		"--queryserver-config-transaction-cap=200", "--queryserver-config-transaction-timeout=5m",
		"--queryserver-config-txpool-timeout=10s", // the wait has the making of a connection to mysqld in it
	}
	for _, user := range []string{"dba", "app", "allprivs", "repl", "filtered", "appdebug"} {
		args = append(args, "--db-"+user+"-user=root", "--db-"+user+"-use-ssl=false")
	}
	return args, nil
}

// answers returns what asks each database for an answer.
func (v *vitess) answers(port int) func(context.Context) error {
	return func(ctx context.Context) error {
		db, err := servers.AdminSQL(net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return err
		}
		defer func() { _ = db.Close() }()
		for _, name := range v.names {
			if _, err := db.ExecContext(ctx, "SELECT 1 FROM "+name+".dual"); err != nil {
				return err
			}
		}
		return nil
	}
}

// takeDatabase gives a test an empty database of a Vitess, until its end.
func (v *vitess) takeDatabase(tb testing.TB) (name string) {
	tb.Helper()
	select {
	case name = <-v.free:
	default:
		tb.Fatalf("tests have all %d databases", len(v.names))
	}
	tb.Cleanup(func() { v.free <- name })
	v.withTablet(tb, name, func(db *sql.DB) {
		rows, err := db.QueryContext(tb.Context(), "SHOW TABLES")
		require.NoError(tb, err)
		defer func() { _ = rows.Close() }()
		var tables []string
		for rows.Next() {
			var table string
			require.NoError(tb, rows.Scan(&table))
			tables = append(tables, table)
		}
		require.NoError(tb, rows.Err())
		if len(tables) > 0 {
			_, err = db.ExecContext(tb.Context(), "DROP TABLE "+strings.Join(tables, ", "))
			require.NoError(tb, err, "empty a database")
		}
	})
	return name
}

// Below returns the store for statements that Vitess doesn't take, such as those that make a trigger: there, the
// database of its mysqld, and otherwise DB.
func (s *Stores) Below(tb testing.TB) *sqldb.DB {
	tb.Helper()
	if s.belowDSN == "" {
		return s.DB
	}
	db, err := sqldb.OpenMySQL(tb.Context(), s.belowDSN, 1)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

func (v *vitess) withTablet(tb testing.TB, name string, work func(db *sql.DB)) {
	tb.Helper()
	db, err := openDatabase(v.tablet.Addr, below(name))
	require.NoError(tb, err)
	defer func() { _ = db.Close() }()
	work(db)
}

// vitessVersion returns the version of the program.
func vitessVersion() string {
	out, err := exec.Command(os.Getenv(Vitess), "--version").Output()
	if err != nil {
		return "Vitess"
	}
	for _, word := range strings.Fields(string(out)) {
		if word[0] >= '0' && word[0] <= '9' {
			return "Vitess " + word
		}
	}
	return "Vitess"
}
