package kit

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/go-sql-driver/mysql"
)

// startSQL starts a mariadbd or mysqld whose buffer pool has bufferMB. It flushes to disk at every commit if
// flush is set, else about once a second. Its sql_mode is the least strict one, so that tests show whether the
// program sets its own.
func startSQL(onDisk, flush bool, bufferMB int, more ...string) (*Server, error) {
	program, err := findSQL()
	if err != nil {
		return nil, err
	}
	asUser := []string{}
	if os.Geteuid() == 0 {
		asUser = append(asUser, "--user=root")
	}
	prepare := func(dir string) error { return installSQL(program, dir, asUser) }
	return newServer(onDisk, prepare, func(dir string, port int) (*process, error) {
		flushAt := "0"
		if flush {
			flushAt = "1"
		}
		args := append([]string{
			"--no-defaults", // first, or it is refused
			"--datadir=" + filepath.Join(dir, "data"), "--tmpdir=" + dir, "--socket=" + filepath.Join(dir, "sql.sock"),
			"--pid-file=" + filepath.Join(dir, "sql.pid"), "--bind-address=127.0.0.1", "--port=" + strconv.Itoa(port),
			"--skip-log-bin", "--sql-mode=", "--max-connections=500",
			"--performance-schema=OFF", fmt.Sprintf("--innodb-buffer-pool-size=%dM", bufferMB),
			"--loose-innodb-log-file-size=32M", "--innodb-flush-log-at-trx-commit=" + flushAt, "--loose-mysqlx=OFF",
		}, slices.Concat(asUser, more)...)
		return startProcess(dir, pingSQL(port), program.path, args...)
	})
}

// sqlProgram is mariadbd or mysqld.
type sqlProgram struct {
	path    string
	isMaria bool
}

// findSQL finds the server that comes first on the PATH. It asks the server for its version only once, because a
// server calibrates its timers before it answers, which takes more processor time than many a test.
var findSQL = sync.OnceValues(func() (sqlProgram, error) { return findSQLOn(os.Getenv("PATH")) })

func findSQLOn(path string) (sqlProgram, error) {
	for _, dir := range filepath.SplitList(path) {
		for _, candidate := range []string{"mariadbd", "mysqld"} { // MariaDB may have both names
			name, err := exec.LookPath(filepath.Join(dir, candidate))
			if err != nil {
				continue
			}
			version, err := exec.Command(name, "--version").Output()
			if err != nil {
				return sqlProgram{}, fmt.Errorf("ask %s for its version: %w", name, err)
			}
			return sqlProgram{path: name, isMaria: bytes.Contains(version, []byte("MariaDB"))}, nil
		}
	}
	return sqlProgram{}, errors.New("find mariadbd or mysqld: neither is on the PATH")
}

// IsMariaDB reports whether the real SQL server of the tests is MariaDB.
func IsMariaDB() bool {
	program, err := findSQL()
	return err == nil && program.isMaria
}

// installSQL makes an empty data folder in dir, whose root user needs no password. Temporary files
// lie in dir as well: a server that starts removes the temporary tables of others that share its
// folder for them.
func installSQL(server sqlProgram, dir string, asUser []string) error {
	data := filepath.Join(dir, "data")
	install := exec.Command(server.path,
		append([]string{"--no-defaults", "--initialize-insecure", "--datadir=" + data, "--tmpdir=" + dir},
			asUser...)...)
	if server.isMaria {
		install = exec.Command("mariadb-install-db", append([]string{
			"--no-defaults", "--datadir=" + data, "--tmpdir=" + dir, "--auth-root-authentication-method=normal",
			"--skip-test-db",
		}, asUser...)...)
	}
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("make a data folder for %s: %w\n%s", server.path, err, out)
	}
	return nil
}

func pingSQL(port int) func(context.Context) error {
	return func(ctx context.Context) error {
		db, err := adminSQL(net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return err
		}
		defer func() { _ = db.Close() }()
		return db.PingContext(ctx)
	}
}

// adminSQL connects to the server itself, to make and drop databases.
func adminSQL(addr string) (*sql.DB, error) {
	cfg := sqlConfig(addr, "")
	cfg.Logger = &mysql.NopLogger{} // the server may not be up yet
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	return sql.OpenDB(connector), nil
}

func sqlConfig(addr, database string) *mysql.Config {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = "root", "tcp", addr, database
	return cfg
}
