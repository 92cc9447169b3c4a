package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"onrush/app/embedded"
	"onrush/app/schema"
	"onrush/app/tracing"
	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/redisdb"
	"onrush/modules/site"
	"onrush/modules/sqldb"
)

// Parts is what a server runs on; tests set their own.
type Parts struct {
	DB    *sqldb.DB // of movers and jobs
	Pools Pools     // of the other callers; nil ones are DB
	// Replica is read for lists and reports; nil: there is none.
	Replica *sqldb.Replica
	Redis   redis.UniversalClient
	Keys    lua.Keys
	Now     func() time.Time // the instance's own clock
	Clock   *clock.Clock     // of the sales; nil except in tests
	NewID   func() string
	// Traces are nil if they are off.
	Traces *tracing.Traces
	// Version is the version of the program, as operators see it.
	Version string
	Random  func() uint64 // safe for concurrent use
	Log     *slog.Logger
	// Metrics gets the metrics, but not the metrics of Go and the process; nil: they are only served.
	Metrics prometheus.Registerer
	// Level is the level of Log, which operators may change; nil if it doesn't change.
	Level  *slog.LevelVar
	Faults order.Faults // nil except in tests
	// PlaceWithin sets Within of place.Config; 0 except in tests.
	PlaceWithin time.Duration
	// Prepare prepares a SQL store that was unavailable at the start; nil if it is ready.
	Prepare func(context.Context) error
}

// Open opens the stores that the configuration names, applies the schema, and adds the secrets that an
// embedded run makes itself. The closer closes them.
//
// It changes nothing of the process. traces may be nil; the caller closes them after the stores.
func Open(
	ctx context.Context, cfg *Config, log *slog.Logger, traces *tracing.Traces,
) (parts Parts, closer func(), err error) {
	if err := cfg.Check(); err != nil {
		return Parts{}, nil, configError(err)
	}
	var opened closers
	defer func() {
		if err != nil {
			opened.closeAll()
		}
	}()
	url := cfg.RedisURL
	if cfg.Embedded() {
		if url, err = openEmbedded(ctx, cfg, log, &opened); err != nil {
			return Parts{}, nil, err
		}
	}
	rdb, err := openRedis(ctx, url, cfg, log)
	if err != nil {
		return Parts{}, nil, err
	}
	opened.add(func() { _ = rdb.Close() })
	traces.Redis(rdb)
	db, prepare, err := openSQL(ctx, cfg, lua.New(rdb, cfg.Keys()), traces.SQL(), log)
	if err != nil {
		return Parts{}, nil, err
	}
	opened.add(func() { _ = db.Close() })
	pools, err := OpenPools(db, cfg.SQLConnections)
	if err != nil {
		return Parts{}, nil, err
	}
	opened.add(pools.Close)
	replica, err := openReplica(cfg, db, log)
	if err != nil {
		return Parts{}, nil, err
	}
	if replica != nil {
		opened.add(func() { _ = replica.Close() })
	}
	switch err := prepare(ctx); {
	case err == nil:
		prepare = nil
	case ctx.Err() == nil && errors.Is(err, schema.ErrBusy):
		log.WarnContext(ctx, busyText)
	case ctx.Err() == nil && sqldb.IsUnavailable(err):
		log.WarnContext(ctx, "SQL is unavailable; its schema is checked when it answers, and until then nothing is "+
			"written there", "error", err)
	default:
		return Parts{}, nil, err
	}
	return Parts{
		Prepare: prepare,
		DB:      db, Pools: pools, Replica: replica, Redis: rdb, Keys: cfg.Keys(),
		Now: time.Now, NewID: NewID,
		Random: rand.Uint64, Log: log, Traces: traces,
	}, opened.closeAll, nil
}

// closers close the stores that were opened.
type closers []func()

func (c *closers) add(closer func()) { *c = append(*c, closer) }

// closeAll closes the stores in reverse order.
func (c *closers) closeAll() {
	for _, closer := range slices.Backward(*c) {
		closer()
	}
}

// openEmbedded locks the data folder, fills in the secrets that the configuration lacks, and starts the
// embedded Redis, whose URL it returns.
func openEmbedded(ctx context.Context, cfg *Config, log *slog.Logger, opened *closers) (url string, err error) {
	unlock, err := embedded.Lock(cfg.DataDir)
	if err != nil {
		return "", err
	}
	opened.add(unlock)
	keys, err := embedded.Secrets(cfg.DataDir)
	if err != nil {
		return "", err
	}
	if cfg.JWTSecret == "" && cfg.JWKS == "" {
		cfg.JWTSecret, cfg.madeSecret = keys.JWT, true
	}
	if cfg.SandboxSecret == "" && len(cfg.channelsOn()) == 0 {
		cfg.SandboxSecret = keys.Sandbox
	}
	if cfg.PathSecret == "" {
		cfg.PathSecret = keys.Path
	}
	mini, err := embedded.Redis(ctx, log)
	if err != nil {
		return "", err
	}
	opened.add(mini.Stop)
	log.WarnContext(ctx, "the embedded stores are not for sales: the embedded Redis forgets orders if the program is "+
		"killed, and there can be one instance only; set ONRUSH_REDIS_URL and ONRUSH_MYSQL_DSN")
	return "redis://" + mini.Addr(), nil
}

// openWithin is how long a store may take to answer at the start. One that takes longer, such as a frozen
// server that still accepts connections, counts as unavailable.
const openWithin = 3 * time.Second

// openRedis refuses a Redis that is too old, may evict orders, or refuses INFO to the login. One that is unavailable is
// no error: no sale can begin without it, but lists and payments work. When it comes back, it is refused by each
// connection.
func openRedis(ctx context.Context, url string, cfg *Config, log *slog.Logger) (redis.UniversalClient, error) {
	if cfg.Embedded() { // it evicts nothing, and has no setting that says so
		return redisdb.Connect(url)
	}
	guard := &redisGuard{log: log}
	rdb, err := redisdb.ConnectChecked(url, guard.check)
	if err != nil {
		return nil, configError(err)
	}
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	err = rdb.Ping(ctx).Err()
	if err == nil {
		err = errors.Join(redisdb.CheckVersion(ctx, rdb), redisdb.CheckPolicy(ctx, rdb, log))
	}
	if err == nil && cfg.RedisWaitAOF {
		err = redisdb.CheckWaitAOF(ctx, rdb)
	}
	switch {
	case unusable(err), errors.Is(err, redisdb.ErrNoWaitAOF):
		return nil, errors.Join(configError(err), rdb.Close())
	case err != nil:
		guard.logs.Store(true)
		log.WarnContext(ctx, "redis is unavailable; sales wait for it", "error", err)
	}
	return rdb, nil
}

// unusable reports whether an error says that a Redis answers and can't be used.
func unusable(err error) bool {
	return errors.Is(err, redisdb.ErrOld) || errors.Is(err, redisdb.ErrNoInfo) || errors.Is(err, redisdb.ErrEvicts)
}

// redisGuard checks the new connections to each node of Redis until one of them passes, also to nodes that join a
// cluster while the program runs.
type redisGuard struct {
	log    *slog.Logger
	passed sync.Map     // addresses of nodes
	logs   atomic.Bool  // the start doesn't report it
	logged atomic.Value // text of the last refusal
}

// check is a redisdb.Check.
func (g *redisGuard) check(ctx context.Context, addr string, conn redis.Cmdable) error {
	if _, passed := g.passed.Load(addr); passed {
		return nil
	}
	err := redisdb.CheckNode(ctx, conn, slog.New(slog.DiscardHandler))
	if err == nil {
		g.passed.Store(addr, true)
		g.logs.Store(true) // of a node that joins later, only this tells
		return nil
	}
	if g.logs.Load() && unusable(err) {
		if text := err.Error(); g.logged.Swap(text) != text {
			g.log.ErrorContext(ctx, "redis answers but can't be used", "redis", addr, "error", err)
		}
	}
	return fmt.Errorf("check a connection: %w", err) // the client unwraps it
}

// openSQL opens the SQL store. prepare applies and checks its schema, and may be called until it succeeds.
// Until then no connection to MySQL is made, so that nothing is written under an old schema. keys are the keys
// of the Redis beside it; nil: it is not known.
func openSQL(
	ctx context.Context, cfg *Config, keys *lua.Scripts, open sqldb.Opener, log *slog.Logger,
) (db *sqldb.DB, prepare func(context.Context) error, err error) {
	if cfg.MySQLDSN == "" {
		if db, err = embedded.SQL(ctx, cfg.DataDir, open); err != nil {
			return nil, nil, err
		}
		return db, func(ctx context.Context) error { return prepareSQL(ctx, db, cfg, nil, log) }, nil
	}
	var refusal atomic.Pointer[error] // why no connection is made; nil: connections are made
	refusal.Store(&errNotPrepared)
	db, err = sqldb.ConnectMySQL(cfg.MySQLDSN, divide(cfg.SQLConnections).work, func() error {
		if why := refusal.Load(); why != nil {
			return *why
		}
		return nil
	}, open)
	if err != nil {
		return nil, nil, configError(err)
	}
	return db, func(ctx context.Context) error {
		opening, cancel := context.WithTimeout(ctx, openWithin)
		defer cancel()
		own, err := sqldb.OpenMySQL(opening, cfg.MySQLDSN, 2)
		if err != nil {
			return fmt.Errorf("open the SQL store: %w", err)
		}
		err = errors.Join(prepareSQL(ctx, own, cfg, keys, log), own.Close())
		switch _, foreign := errors.AsType[*schema.ForeignError](err); {
		case err == nil:
			refusal.Store(nil)
		case foreign, errors.Is(err, site.ErrForeign): // readiness says so
			refusal.Store(&err)
		case errors.Is(err, schema.ErrBusy):
			why := error(&problem.NoWritesError{Reason: "schema is changed", Err: err})
			refusal.Store(&why)
		default:
			refusal.Store(&errNotPrepared)
		}
		return err
	}, nil
}

var errNotPrepared = errors.New("the SQL store has not been checked yet")

// busyText is logged every few seconds while another program changes the tables.
const busyText = "another program changes the tables; until it has ended, this one writes nothing to SQL"

func prepareSQL(ctx context.Context, db *sqldb.DB, cfg *Config, keys *lua.Scripts, log *slog.Logger) error {
	if err := db.CheckVersion(ctx); errors.Is(err, sqldb.ErrOld) {
		return configError(err)
	} else if err != nil {
		return err
	}
	isEmpty := func() bool {
		state, err := schema.Read(ctx, db)
		return err == nil && !state.Begun() // schema.Upgrade returns the error
	}
	if err := site.CheckEmpty(ctx, keys, isEmpty, log); err != nil {
		return configError(err)
	}
	if err := schema.Upgrade(ctx, db, log); err != nil {
		return cfg.AdviseOnSchema(db.ExplainWrite(ctx, err))
	}
	return nil
}

// AdviseOnSchema adds to the refusal of a database with another schema what to do.
func (c *Config) AdviseOnSchema(err error) error {
	if _, foreign := errors.AsType[*schema.ForeignError](err); !foreign {
		return err
	}
	return configError(fmt.Errorf("%w; %s", err, c.SchemaAdvice()))
}

// SchemaAdvice says what to do about a database with another schema than this program's.
func (c *Config) SchemaAdvice() string {
	if c.MySQLDSN == "" {
		return "delete or move the folder " + c.DataDir + ", and start again"
	}
	return "run the version that made it, or set ONRUSH_MYSQL_DSN to an empty database"
}

// UpgradeSchema applies the missing changes of the schema to the store of MySQLDSN, or else to the store in the data
// folder. It needs no other setting. With RedisURL, an empty database stays empty if Redis has the keys of a site.
// While another program applies changes, it waits.
func UpgradeSchema(ctx context.Context, cfg *Config, log *slog.Logger) error {
	if cfg.MySQLDSN == "" {
		unlock, err := embedded.Lock(cfg.DataDir)
		if err != nil {
			return err
		}
		defer unlock()
	}
	var keys *lua.Scripts
	if cfg.RedisURL != "" {
		rdb, err := redisdb.Connect(cfg.RedisURL)
		if err != nil {
			return configError(err)
		}
		defer func() { _ = rdb.Close() }()
		keys = lua.New(rdb, cfg.Keys())
	}
	db, prepare, err := openSQL(ctx, &Config{MySQLDSN: cfg.MySQLDSN, DataDir: cfg.DataDir}, keys, nil, log)
	if err != nil {
		return err
	}
	err = prepare(ctx)
	for ctx.Err() == nil && errors.Is(err, schema.ErrBusy) {
		log.InfoContext(ctx, "waiting for another program, which changes the tables")
		err = prepare(ctx)
	}
	return errors.Join(err, db.Close())
}

// CompareSchema compares the schema of the store that UpgradeSchema would change with the program's, and changes
// nothing. differences are in which ways its tables are not as the changes made them.
func CompareSchema(ctx context.Context, cfg *Config) (changes []schema.Change, differences []string, err error) {
	var db *sqldb.DB
	if cfg.MySQLDSN == "" {
		if !embedded.HasSQL(cfg.DataDir) { // to open it would make it
			return nil, nil, fmt.Errorf("there is no database in the folder %s", cfg.DataDir)
		}
		db, err = embedded.SQL(ctx, cfg.DataDir, nil)
	} else {
		db, err = sqldb.OpenMySQL(ctx, cfg.MySQLDSN, 2)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open the SQL store: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if changes, err = schema.Changes(ctx, db); err != nil {
		return nil, nil, cfg.AdviseOnSchema(err)
	}
	differences, err = schema.Differences(ctx, db)
	return changes, differences, err
}

// idLetters are the letters and digits of ids: 32, so that five random bits choose one.
const idLetters = "abcdefghijklmnopqrstuvwxyz234567"

// NewID makes a random id of 26 lower-case letters and digits. It is unique, not a secret: each request gets one.
func NewID() string {
	var id [26]byte
	var bits uint64
	for i := range id {
		if i%12 == 0 {
			// 60 of the 64 bits are used.
			bits = rand.Uint64() //nolint:gosec // not a secret
		}
		id[i] = idLetters[bits&31]
		bits >>= 5
	}
	return string(id[:])
}
