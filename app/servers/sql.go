package servers

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

// StartSQL starts a mariadbd or mysqld whose buffer pool has bufferMB. It flushes to disk at every commit if
// flush is set, else about once a second. Its sql_mode is the least strict one, so that tests show whether the
// program sets its own.
func StartSQL(onDisk, flush bool, bufferMB int, more ...string) (*Server, error) {
	program, err := FindSQL()
	if err != nil {
		return nil, err
	}
	asUser := []string{}
	if os.Geteuid() == 0 {
		asUser = append(asUser, "--user=root")
	}
	prepare := func(dir string) error { return installSQL(program, dir, asUser) }
	return New(onDisk, prepare, func(dir string, port int) (*Process, error) {
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
		return Start(dir, pingSQL(port), program.Path, args...)
	})
}

// SQLProgram is mariadbd or mysqld.
type SQLProgram struct {
	Path    string
	IsMaria bool
}

// FindSQL finds the server that comes first on the PATH. It asks the server for its version only once, because a
// server calibrates its timers before it answers, which takes more processor time than many a test.
var FindSQL = sync.OnceValues(func() (SQLProgram, error) { return findSQLOn(os.Getenv("PATH")) })

func findSQLOn(path string) (SQLProgram, error) {
	for _, dir := range filepath.SplitList(path) {
		for _, candidate := range []string{"mariadbd", "mysqld"} { // MariaDB may have both names
			name, err := exec.LookPath(filepath.Join(dir, candidate))
			if err != nil {
				continue
			}
			version, err := exec.Command(name, "--version").Output()
			if err != nil {
				return SQLProgram{}, fmt.Errorf("ask %s for its version: %w", name, err)
			}
			return SQLProgram{Path: name, IsMaria: bytes.Contains(version, []byte("MariaDB"))}, nil
		}
	}
	return SQLProgram{}, errors.New("find mariadbd or mysqld: neither is on the PATH")
}

// installSQL makes an empty data folder in dir, whose root user needs no password. Temporary files
// lie in dir as well: a server that starts removes the temporary tables of others that share its
// folder for them.
func installSQL(server SQLProgram, dir string, asUser []string) error {
	data := filepath.Join(dir, "data")
	install := exec.Command(server.Path,
		append([]string{"--no-defaults", "--initialize-insecure", "--datadir=" + data, "--tmpdir=" + dir},
			asUser...)...)
	if server.IsMaria {
		install = exec.Command("mariadb-install-db", append([]string{
			"--no-defaults", "--datadir=" + data, "--tmpdir=" + dir, "--auth-root-authentication-method=normal",
			"--skip-test-db",
		}, asUser...)...)
	}
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("make a data folder for %s: %w\n%s", server.Path, err, out)
	}
	return nil
}

func pingSQL(port int) func(context.Context) error {
	return func(ctx context.Context) error {
		db, err := AdminSQL(net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return err
		}
		defer func() { _ = db.Close() }()
		return db.PingContext(ctx)
	}
}

// AdminSQL connects to the server itself, to make and drop databases.
func AdminSQL(addr string) (*sql.DB, error) {
	cfg := SQLConfig(addr, "")
	cfg.Logger = &mysql.NopLogger{} // the server may not be up yet
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	return sql.OpenDB(connector), nil
}

// SQLConfig returns how root connects to a database of a server.
func SQLConfig(addr, database string) *mysql.Config {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = "root", "tcp", addr, database
	return cfg
}
