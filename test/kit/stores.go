package kit

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"onrush/app/embedded"
	"onrush/app/schema"
	"onrush/app/servers"
	"onrush/lua"
	"onrush/modules/redisdb"
	"onrush/modules/sqldb"
)

// The kinds of Stores.
const (
	Embedded   = "embedded" // miniredis and SQLite
	RealStores = "real"     // redis-server and mariadbd or mysqld, shared by the test process
	OwnStores  = "own"      // the same, for this test alone
	sqlConns   = 32         // of one test; the server takes 500
	tidyWithin = 10 * time.Second

	defaultBufferMB = 128
)

// Stores is one Redis and one SQL store, empty but for the schema, for one test.
type Stores struct {
	Name  string // Embedded, RealStores or OwnStores
	DB    *sqldb.DB
	Redis redis.UniversalClient
	Keys  lua.Keys // with a prefix that no other test has

	RedisAddr  string // host:port
	RedisURL   string // for redisdb.Connect, with the test's own database
	MySQLDSN   string // for sqldb.OpenMySQL; "" if embedded
	SQLitePath string // for sqldb.OpenSQLite; "" unless embedded
	// SnapshotIsolation is whether the SQL store has innodb_snapshot_isolation on.
	SnapshotIsolation bool
	Mini              *miniredis.Miniredis // nil unless embedded

	redisLink *Link
	sqlLink   *Link
	sqlSwitch *sqlSwitch
	belowDSN  string // of the database in the mysqld of a Vitess
}

// Option configures the Stores of a test.
type Option func(*options)

type options struct {
	breakable bool
	noSchema  bool
	redisOnly bool
	fsync     string // of redis-server
	flush     bool
	bufferMB  int
	redisArgs []string
	sqlArgs   []string
	distance  time.Duration
	snapshot  string // onIsolation or offIsolation; "" is chosen at random
}

// Breakable makes the Away and Back methods work. It costs some speed.
func Breakable() Option { return func(o *options) { o.breakable = true } }

// RedisAt makes each round trip to Redis take longer by distance, as to another building.
func RedisAt(distance time.Duration) Option { return func(o *options) { o.distance = distance } }

// NoSchema leaves the SQL store without tables.
func NoSchema() Option { return func(o *options) { o.noSchema = true } }

// RedisOnly makes Own start no SQL server; DB is nil.
func RedisOnly() Option { return func(o *options) { o.redisOnly = true } }

// FsyncAlways makes an Own redis-server flush every write to disk, so that a Kill loses nothing.
func FsyncAlways() Option { return func(o *options) { o.fsync = "always" } }

// FsyncEverySecond makes an Own redis-server flush its writes to disk once a second, as most are configured.
func FsyncEverySecond() Option { return func(o *options) { o.fsync = "everysec" } }

// FlushAtCommit makes an Own mariadbd flush at every commit, so that a Kill loses nothing.
func FlushAtCommit() Option { return func(o *options) { o.flush = true } }

// BufferMB sets the size of the buffer pool of an Own mariadbd. Default 128.
func BufferMB(n int) Option { return func(o *options) { o.bufferMB = n } }

// RedisArgs gives an Own redis-server more arguments.
func RedisArgs(args ...string) Option { return func(o *options) { o.redisArgs = args } }

// SQLArgs gives an Own mariadbd or mysqld more arguments.
func SQLArgs(args ...string) Option { return func(o *options) { o.sqlArgs = args } }

func read(opts []Option) options {
	o := options{bufferMB: defaultBufferMB}
	for _, set := range opts {
		set(&o)
	}
	return o
}

// OnlyStores is the variable that says on which stores Each runs a test, also after PreferReal: "both", or "embedded".
// With "embedded", what PreferReal has left out runs and nothing else: tests that choose their stores are skipped.
const OnlyStores = "ONRUSH_TEST_STORES"

// realOnly and embeddedOnly are whether Each leaves the other stores out.
var (
	realOnly     bool
	embeddedOnly = os.Getenv(OnlyStores) == Embedded
)

// PreferReal makes Each leave the embedded stores out where the real ones are installed, unless the variable OnlyStores
// says otherwise. TestMain of a package that runs the whole program calls it: the modules' tests run on both kinds.
func PreferReal() { realOnly = os.Getenv(OnlyStores) == "" && Real() }

// Each runs a test on every kind of stores, as parallel subtests "embedded" and "real". The
// latter is skipped if the programs are missing, or fails if RequireReal is set.
func Each(t *testing.T, test func(t *testing.T, s *Stores), opts ...Option) {
	t.Helper()
	EachInTurn(t, func(t *testing.T, stores func() *Stores) {
		t.Parallel()
		test(t, stores())
	}, opts...)
}

// EachInTurn works like Each, but the subtests are not parallel: for tests that count what the process has. stores
// makes the stores of a subtest.
func EachInTurn(t *testing.T, test func(t *testing.T, stores func() *Stores), opts ...Option) {
	t.Helper()
	if !realOnly {
		t.Run(Embedded, func(t *testing.T) { test(t, func() *Stores { return onEmbedded(t, opts...) }) })
	}
	if !embeddedOnly {
		t.Run(RealStores, func(t *testing.T) { test(t, func() *Stores { return OnReal(t, opts...) }) })
	}
}

// OnEmbedded gives a test or benchmark embedded stores.
func OnEmbedded(tb testing.TB, opts ...Option) *Stores {
	tb.Helper()
	skipUnlessEach(tb)
	return onEmbedded(tb, opts...)
}

// skipUnlessEach skips a test that chooses its stores where only the embedded half of Each is to run.
func skipUnlessEach(tb testing.TB) {
	tb.Helper()
	if t, is := tb.(*testing.T); is && embeddedOnly {
		t.Skip(OnlyStores + "=" + Embedded + ": only tests of both kinds of stores run")
	}
}

func onEmbedded(tb testing.TB, opts ...Option) *Stores {
	tb.Helper()
	o := read(opts)
	mini, err := embedded.Redis(tb.Context(), slog.New(slog.DiscardHandler))
	require.NoError(tb, err, "start miniredis")
	tb.Cleanup(mini.Stop)
	s := &Stores{Name: Embedded, Mini: mini.Miniredis, RedisAddr: mini.Addr()}
	dir, err := servers.TempDir(false)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	s.SQLitePath = filepath.Join(dir, "onrush.db")
	if !o.noSchema {
		copySQLite(tb, s.SQLitePath)
	}
	if o.breakable {
		s.sqlSwitch = &sqlSwitch{}
		s.DB, err = sqldb.OpenSQLiteThrough(tb.Context(), s.SQLitePath, s.sqlSwitch.wrap)
	} else {
		s.DB, err = sqldb.OpenSQLite(tb.Context(), s.SQLitePath)
	}
	require.NoError(tb, err, "open sqlite")
	tb.Cleanup(func() { _ = s.DB.Close() })
	s.connectRedis(tb, o, 0)
	return s
}

// OnReal gives a test or benchmark its own databases on the real servers of the test process. Where the variable
// RedisCluster is set, it is OnCluster.
func OnReal(tb testing.TB, opts ...Option) *Stores {
	tb.Helper()
	if os.Getenv(RedisCluster) != "" {
		return OnCluster(tb, opts...)
	}
	needReal(tb)
	redisServer, sqlServer := startShared(tb)
	s := &Stores{Name: RealStores, RedisAddr: redisServer.Addr}
	o := read(opts)
	s.connectSQL(tb, o, sqlServer)
	s.connectRedis(tb, o, nextRedisDatabase())
	return s
}

// connectSQL makes a database with the schema on the server and opens it.
func (s *Stores) connectSQL(tb testing.TB, o options, server *Server) {
	tb.Helper()
	name := s.makeDatabase(tb, server)
	if s.Name == RealStores && !o.noSchema {
		copyTables(tb, server, name)
	}
	addr := server.Addr
	if o.breakable {
		s.sqlLink = newLink(tb, addr, 0)
		addr = s.sqlLink.Addr
	}
	cfg := servers.SQLConfig(addr, name)
	s.isolate(tb, o, cfg)
	s.MySQLDSN = cfg.FormatDSN()
	if server.vitess != nil {
		s.belowDSN = servers.SQLConfig(server.Tablet().Addr, below(name)).FormatDSN()
	}
	s.DB = s.ConnectSQL(tb)
	if s.Name == OwnStores && !o.noSchema {
		require.NoError(tb, schema.Up(tb.Context(), s.DB))
	}
}

// makeDatabase makes an empty database, which is dropped after the test.
func (s *Stores) makeDatabase(tb testing.TB, server *Server) (name string) {
	tb.Helper()
	if server.vitess != nil {
		return server.vitess.takeDatabase(tb)
	}
	name = "t_" + randomName()
	admin, err := servers.AdminSQL(server.Addr)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = admin.Close() })
	_, err = admin.ExecContext(tb.Context(), "CREATE DATABASE "+name)
	require.NoError(tb, err, "make a database")
	tb.Cleanup(func() {
		if s.Name == OwnStores {
			return // it ends with its server, which may be frozen or gone by now
		}
		ctx, cancel := context.WithTimeout(context.Background(), tidyWithin)
		defer cancel()
		_, _ = admin.ExecContext(ctx, "DROP DATABASE "+name) // an Own server may be gone by now
	})
	return name
}

func (s *Stores) connectRedis(tb testing.TB, o options, database int) {
	tb.Helper()
	if o.breakable || o.distance > 0 {
		s.redisLink = newLink(tb, s.RedisAddr, o.distance)
		s.RedisAddr = s.redisLink.Addr
	}
	s.RedisURL = servers.RedisURL(s.RedisAddr, database)
	if s.Name == Embedded {
		s.RedisURL += "?read_timeout=10s" // its Lua is slow beside other load
	}
	s.Keys = lua.Keys{Prefix: "t" + randomName()}
	s.Redis = s.ConnectRedis(tb)
}

// ConnectRedis opens another client, as a second instance of the program has it.
func (s *Stores) ConnectRedis(tb testing.TB) redis.UniversalClient {
	tb.Helper()
	rdb, err := redisdb.Connect(s.RedisURL)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// ConnectSQL opens the SQL store once more, as a second instance of the program has it. It works
// without the switch of Breakable on embedded stores.
func (s *Stores) ConnectSQL(tb testing.TB) *sqldb.DB {
	tb.Helper()
	var db *sqldb.DB
	var err error
	if s.MySQLDSN != "" {
		db, err = sqldb.OpenMySQL(tb.Context(), s.MySQLDSN, sqlConns)
	} else {
		db, err = sqldb.OpenSQLite(tb.Context(), s.SQLitePath)
	}
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

// randomName returns a name that no other test process on the machine uses.
func randomName() string { return strings.ToLower(rand.Text()[:12]) }
