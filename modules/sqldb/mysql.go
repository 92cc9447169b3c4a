package sqldb

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"

	"onrush/modules/tlsfiles"
)

// Timeouts of a MySQL connection, unless the DSN sets others. An earlier deadline of the caller
// applies.
const (
	mysqlDialTimeout = time.Second
	mysqlCallTimeout = 30 * time.Second // of one read or write, far above any lock wait
)

// sessionVars are set on each connection and override the DSN: strict mode, so that no value is
// truncated, and a short lock timeout.
var sessionVars = map[string]string{
	"sql_mode":                 "'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'",
	"innodb_lock_wait_timeout": "5",
}

// OpenMySQL opens a MySQL or MariaDB store from a DSN of go-sql-driver/mysql and checks that it
// answers. The DSN sets the address and the login, but not how statements work: the mode is strict,
// text is utf8mb4, one call is one statement, and affected rows are the rows that met the condition,
// as SQLite counts them. The parameters tls_ca, tls_cert and tls_key are paths of PEM files, and require TLS. Errors
// never contain the DSN.
func OpenMySQL(ctx context.Context, dsn string, maxOpen int) (*DB, error) {
	cfg, err := mysqlConfig(dsn)
	if err != nil {
		return nil, err
	}
	db, err := openMySQL(cfg, Pool{Writers: maxOpen, LockWait: longLockWait}, &failover{}, nil)
	if err != nil {
		return nil, err
	}
	if err := db.Write.PingContext(ctx); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("open mysql: %w", err)
	}
	return db, nil
}

// ConnectMySQL opens the pool of movers and jobs (Work), and connects on first use. While gate returns an error, no
// connection is made and calls return that error. gate may be nil. open opens the pools, also the pools of DB.Pool.
func ConnectMySQL(dsn string, maxOpen int, gate func() error, open Opener) (*DB, error) {
	cfg, err := mysqlConfig(dsn)
	if err != nil {
		return nil, err
	}
	if gate != nil {
		if err := cfg.Apply(mysql.BeforeConnect(func(context.Context, *mysql.Config) error {
			if err := gate(); err != nil {
				return fmt.Errorf("%w: %w", errNotOpen, err)
			}
			return nil
		})); err != nil {
			return nil, fmt.Errorf("open mysql: %w", err)
		}
	}
	return openMySQL(cfg, Work(maxOpen), &failover{}, open)
}

// longLockWait is the lock timeout of tools, which have one thing to do.
const longLockWait = 5 * time.Second

// Work returns the pool of movers and jobs. They work for many owners, and come back to one whose rows are locked
// (Busy), so they wait for a row as briefly as MySQL can, and once.
func Work(writers int) Pool { return Pool{Writers: writers, LockWait: time.Second, LockOnce: true} }

// Pool bounds a pool of connections.
type Pool struct {
	// Writers is the number of connections for transactions and the queries before them, at least 1.
	Writers int
	// Readers is the number of connections of Read; if it is 0, Read shares Write's connections.
	Readers int
	// LockWait is how long a statement waits for a locked row, in whole seconds, at least 1 s.
	LockWait time.Duration
	// LockOnce says that a transaction that waited in vain for a locked row isn't run again.
	LockOnce bool
}

// Pool returns another pool on the same store, for callers that must not wait for connections of db.
// It connects on first use. On SQLite, which has one writer, Pool returns db itself.
func (db *DB) Pool(p Pool) (*DB, error) {
	if db.Dialect == SQLite {
		return db, nil
	}
	return openMySQL(db.mysql, p, db.failover, db.open)
}

// Patient returns another pool on a MySQL store, for statements that may take longer than the timeouts of the DSN, such
// as changes of large tables: a connection is given up only when the server is gone or the context ends. It doesn't
// look for failovers, which would end its connections.
func (db *DB) Patient(connections int) (*DB, error) {
	cfg := db.mysql.Clone()
	cfg.ReadTimeout, cfg.WriteTimeout = 0, 0
	return openMySQL(cfg, Pool{Writers: connections, LockWait: longLockWait}, nil, db.open)
}

func openMySQL(cfg *mysql.Config, p Pool, over *failover, opener Opener) (*DB, error) {
	cfg = cfg.Clone()
	cfg.Params["innodb_lock_wait_timeout"] = strconv.Itoa(max(int(p.LockWait/time.Second), 1))
	limited := slices.ContainsFunc(limits, func(name string) bool { return cfg.Params[name] != "" })
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("open mysql: %w", err)
	}
	open := func(connections int) *sqlx.DB {
		pool := opener.pool(session{connector, over, limited})
		pool.SetMaxOpenConns(connections)
		pool.SetMaxIdleConns(connections)
		pool.SetConnMaxIdleTime(time.Minute)
		return sqlx.NewDb(pool, "mysql")
	}
	db := &DB{
		Dialect: MySQL, Write: open(p.Writers), mysql: cfg, open: opener, failover: over, lockWait: p.LockWait,
		lockOnce: p.LockOnce,
	}
	if p.LockOnce {
		db.Busy = NewBusy(time.Now)
	}
	db.Read = db.Write
	if p.Readers > 0 {
		db.Read = open(p.Readers)
	}
	return db, nil
}

// TLS returns how connections are secured; nil if they are not, and for SQLite. It must not be changed.
func (db *DB) TLS() *tls.Config {
	if db.mysql == nil {
		return nil
	}
	return db.mysql.TLS
}

func mysqlConfig(dsn string) (*mysql.Config, error) {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil || cfg.DBName == "" {
		return nil, errors.New("open mysql: the DSN can't be read (user:password@tcp(host:port)/database); " +
			"user and password stand as they are, without escapes; after the database, write / as %2F")
	}
	// The driver sets parameters that it doesn't know as session variables, in random order. A parameter that spells
	// one of ours in another way might override it, so only these are accepted.
	files := tlsfiles.Files{CA: cfg.Params["tls_ca"], Cert: cfg.Params["tls_cert"], Key: cfg.Params["tls_key"]}
	if !files.None() {
		cfg.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		if err := files.Into(cfg.TLS); err != nil {
			return nil, fmt.Errorf("open mysql: %w", err)
		}
	}
	vars := map[string]string{}
	for name, value := range cfg.Params {
		switch name := strings.ToLower(name); name {
		case "wait_timeout", "net_read_timeout", "net_write_timeout", "max_execution_time", "max_statement_time",
			"innodb_snapshot_isolation":
			vars[name] = value
		case "tls_ca", "tls_cert", "tls_key":
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
	cfg.Logger = &mysql.NopLogger{} // it writes to stderr what the errors contain
	cfg.AllowAllFiles = false
	cfg.ClientFoundRows = true
	cfg.ColumnsWithAlias = false
	cfg.InterpolateParams = true // one round trip per statement; safe, since the charset is utf8mb4
	cfg.MultiStatements = false
	cfg.ParseTime = false
	cfg.RejectReadOnly = true // after a failover the old server is read-only: connect to the new one
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
