package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
)

// What a MySQL connection waits for at most, unless the DSN says otherwise. A caller's own
// deadline counts where it is nearer.
const (
	mysqlDialTimeout = time.Second
	mysqlCallTimeout = 30 * time.Second // of one read or write, far above any lock wait
)

// sessionVars are set on each connection, whatever the DSN says: the mode is strict, so that
// nothing is cut to fit, and a lock is not waited for for long.
var sessionVars = map[string]string{
	"sql_mode":                 "'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'",
	"innodb_lock_wait_timeout": "5",
}

// OpenMySQL opens a MySQL or MariaDB store from a DSN of go-sql-driver/mysql and checks that it
// answers. The DSN says where the store is and how to log in; how statements work is not its to
// say: the mode is strict, text is utf8mb4, one call is one statement, and affected rows are
// those that met the condition, as SQLite counts them. Errors never hold the DSN.
func OpenMySQL(ctx context.Context, dsn string, maxOpen int) (*DB, error) {
	db, err := ConnectMySQL(dsn, maxOpen, nil)
	if err != nil {
		return nil, err
	}
	if err := db.Write.PingContext(ctx); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("open mysql: %w", err)
	}
	return db, nil
}

// ConnectMySQL is OpenMySQL without a check that the store answers: it connects when it is used. While
// gate, which may be nil, returns an error, no connection is made and calls return that error.
func ConnectMySQL(dsn string, maxOpen int, gate func() error) (*DB, error) {
	cfg, err := mysqlConfig(dsn)
	if err != nil {
		return nil, err
	}
	if gate != nil {
		if err := cfg.Apply(mysql.BeforeConnect(func(context.Context, *mysql.Config) error { return gate() })); err != nil {
			return nil, fmt.Errorf("open mysql: %w", err)
		}
	}
	return openMySQL(cfg, Pool{Writers: maxOpen, LockWait: longLockWait})
}

// longLockWait is how long a statement waits for a row where nobody waits for its answer.
const longLockWait = 5 * time.Second

// Pool bounds a pool of connections.
type Pool struct {
	// Writers is how many connections transactions and the queries before them have, at least 1.
	Writers int
	// Readers is how many connections Read has for itself; at 0 it shares those of Write.
	Readers int
	// LockWait is how long a statement waits for a row, in whole seconds, at least 1 s.
	LockWait time.Duration
}

// Pool makes another pool on the same store, so that a pool that has no connection left takes none
// from another. It connects when it is used. On SQLite, which has one writer, it returns db itself.
func (db *DB) Pool(p Pool) (*DB, error) {
	if db.Dialect == SQLite {
		return db, nil
	}
	return openMySQL(db.mysql, p)
}

func openMySQL(cfg *mysql.Config, p Pool) (*DB, error) {
	cfg = cfg.Clone()
	cfg.Params["innodb_lock_wait_timeout"] = strconv.Itoa(max(int(p.LockWait/time.Second), 1))
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("open mysql: %w", err)
	}
	open := func(connections int) *sqlx.DB {
		pool := sql.OpenDB(readCommitted{connector})
		pool.SetMaxOpenConns(connections)
		pool.SetMaxIdleConns(connections)
		pool.SetConnMaxIdleTime(time.Minute)
		return sqlx.NewDb(pool, "mysql")
	}
	db := &DB{Dialect: MySQL, Write: open(p.Writers), mysql: cfg, lockWait: p.LockWait}
	db.Read = db.Write
	if p.Readers > 0 {
		db.Read = open(p.Readers)
	}
	return db, nil
}

func mysqlConfig(dsn string) (*mysql.Config, error) {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil || cfg.DBName == "" {
		return nil, errors.New("open mysql: the DSN can't be read (user:password@tcp(host:port)/database)")
	}
	// Parameters that the driver doesn't know become session variables, set in no certain order:
	// another spelling of ours would win half of the time. Only these are known to be harmless.
	vars := map[string]string{}
	for name, value := range cfg.Params {
		switch strings.ToLower(name) {
		case "wait_timeout", "net_read_timeout", "net_write_timeout", "max_execution_time", "innodb_snapshot_isolation":
			vars[name] = value
		default:
			if _, ours := sessionVars[strings.ToLower(name)]; !ours {
				return nil, fmt.Errorf("open mysql: the DSN sets %q, which is not supported", name)
			}
		}
	}
	for name, value := range sessionVars {
		vars[name] = value
	}
	cfg.Params = vars
	cfg.Logger = &mysql.NopLogger{} // it writes to stderr what the errors say as well
	cfg.AllowAllFiles = false
	cfg.ClientFoundRows = true
	cfg.ColumnsWithAlias = false
	cfg.InterpolateParams = true // one round trip per statement; safe, since the charset is utf8mb4
	cfg.MultiStatements = false
	cfg.ParseTime = false
	cfg.RejectReadOnly = true // after a failover the old server is read-only: look for the new one
	if cfg.Timeout == 0 {
		cfg.Timeout = mysqlDialTimeout
	}
	if cfg.ReadTimeout == 0 {
		cfg.ReadTimeout = mysqlCallTimeout
	}
	if cfg.WriteTimeout == 0 {
		cfg.WriteTimeout = mysqlCallTimeout
	}
	if err := cfg.Apply(mysql.Charset("utf8mb4", "utf8mb4_bin")); err != nil {
		return nil, fmt.Errorf("open mysql: %w", err)
	}
	return cfg, nil
}
