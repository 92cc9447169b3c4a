package doctor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"onrush/app/embedded"
	"onrush/app/schema"
	"onrush/modules/site"
	"onrush/modules/sqldb"
)

func (d *Doctor) sql(ctx context.Context) {
	if d.cfg.MySQLDSN == "" {
		d.add("sql", Warning, "embedded: SQLite in "+d.cfg.DataDir+", for one instance",
			"set ONRUSH_MYSQL_DSN for real sales")
		d.sqlite(ctx)
		return
	}
	db, err := sqldb.OpenMySQL(ctx, d.cfg.MySQLDSN, 1)
	if err != nil {
		d.unanswered("sql", err, "check ONRUSH_MYSQL_DSN, the login, whose password is not escaped there, "+
			"and that the server runs")
		return
	}
	defer func() { _ = db.Close() }()
	for _, check := range []func(context.Context, *sqldb.DB) error{
		d.sqlServer, d.sqlTLS, d.schema, d.sameSite, d.lanes, d.paused, d.sqlWrites, d.sqlConnections, d.sqlCluster,
		d.sqlLog,
		d.sqlReplica, d.sqlClock,
	} {
		if err := check(ctx, db); err != nil {
			d.unanswered("sql", err, "")
			return
		}
	}
}

// sqlite checks the schema of the embedded store, if there is one.
func (d *Doctor) sqlite(ctx context.Context) {
	if !embedded.HasSQL(d.cfg.DataDir) {
		return
	}
	db, err := embedded.SQL(ctx, d.cfg.DataDir, nil)
	if err == nil {
		err = errors.Join(d.schema(ctx, db), db.Close())
	}
	if err != nil {
		d.add("schema", Failure, err.Error(), "")
	}
}

// sqlServer checks whether a commit survives a crash of the server.
func (d *Doctor) sqlServer(ctx context.Context, db *sqldb.DB) error {
	var server struct {
		Version string `db:"version"`
		Flush   int    `db:"flush"`
	}
	const query = `SELECT VERSION() AS version, @@innodb_flush_log_at_trx_commit AS flush`
	if err := db.Read.GetContext(ctx, &server, query); err != nil {
		return fmt.Errorf("read the settings of the server: %w", err)
	}
	if err := db.CheckVersion(ctx); err != nil {
		return err
	}
	d.add("sql", OK, "version "+server.Version, "")
	if server.Flush != 1 {
		d.add("sql persistence", Warning,
			fmt.Sprintf("innodb_flush_log_at_trx_commit is %d: a crash may lose what was committed last", server.Flush),
			"set it to 1: an order leaves Redis once it is committed")
		return nil
	}
	d.add("sql persistence", OK, "flushes at each commit", "")
	return nil
}

func (d *Doctor) schema(ctx context.Context, db *sqldb.DB) error {
	state, err := schema.Read(ctx, db)
	foreign, isForeign := errors.AsType[*schema.ForeignError](err)
	switch {
	case isForeign:
		d.add("schema", Failure, foreign.Error(), d.cfg.SchemaAdvice())
	case err != nil:
		return err
	case state.Newer > 0:
		d.add("schema", Warning, fmt.Sprintf("changes of a newer version: %d", state.Newer),
			"upgrade this instance")
	case state.Lacks > 0:
		d.add("schema", Warning, fmt.Sprintf("changes are missing: %d", state.Lacks),
			"onrush schema up applies them; so does the next start")
	default:
		return d.edits(ctx, db)
	}
	return nil
}

// edits looks for what somebody has edited in tables that have all changes.
func (d *Doctor) edits(ctx context.Context, db *sqldb.DB) error {
	differences, err := schema.Differences(ctx, db)
	switch {
	case err != nil:
		return err
	case len(differences) > 0:
		d.add("schema", Failure, "somebody has edited the tables: "+strings.Join(differences, "; "),
			"make them as they were; onrush schema check looks again")
	default:
		d.add("schema", OK, "up to date", "")
	}
	return nil
}

// sameSite compares the sites of the stores. A database that has none yet is not of the site whose keys Redis has.
func (d *Doctor) sameSite(ctx context.Context, db *sqldb.DB) error {
	state, err := schema.Read(ctx, db)
	if err != nil || d.site == "" || state.Begun() && state.Lacks > 0 {
		return nil //nolint:nilerr // the check of the schema says so
	}
	var stored site.Values
	if state.Begun() {
		if stored, err = site.Stored(ctx, db); err != nil {
			return err
		}
	}
	const check = "site"
	if stored.ID == d.site {
		d.add(check, OK, "Redis and SQL are of one site", "")
		return nil
	}
	what, advice, _ := strings.Cut(site.ErrForeign.Error(), ": ")
	d.add(check, Failure, what, advice)
	return nil
}

// lanes compares ONRUSH_LANES with the number of lanes that all instances have.
func (d *Doctor) lanes(ctx context.Context, db *sqldb.DB) error {
	if state, err := schema.Read(ctx, db); err != nil || state.Lacks > 0 {
		return nil //nolint:nilerr // the check of the schema says so
	}
	const check = "lanes"
	stored, err := site.Stored(ctx, db)
	lanes := stored.Lanes
	switch {
	case err != nil:
		return err
	case lanes == 0:
		d.add(check, OK, fmt.Sprintf("the first instance makes %d", d.cfg.Lanes), "")
	case lanes > d.cfg.Lanes:
		d.add(check, OK, fmt.Sprintf("the site has %d and ONRUSH_LANES is %d: %d apply", lanes, d.cfg.Lanes, lanes), "")
	case lanes < d.cfg.Lanes:
		d.add(check, OK, fmt.Sprintf("the site has %d; the next start adds the other %d", lanes, d.cfg.Lanes-lanes), "")
	default:
		d.add(check, OK, fmt.Sprintf("the site has %d, as ONRUSH_LANES says", lanes), "")
	}
	return nil
}

// sqlWrites checks that the store takes writes. Without the schema there is no table to write to, and under another
// schema nothing is written.
func (d *Doctor) sqlWrites(ctx context.Context, db *sqldb.DB) error {
	if state, err := schema.Read(ctx, db); err != nil || state.Lacks > 0 {
		return nil //nolint:nilerr // the check of the schema says so
	}
	d.writes("sql writes", db.CheckWrite(ctx, doctorSlot, d.now().UnixMilli()))
	return nil
}

// doctorSlot is a row of the checks of writes that no instance uses.
const doctorSlot = -1

// spareConnections is how many connections to leave free for those that an instance opens for a moment beside its
// pools, and for operators' own tools.
const spareConnections = 5

// sqlConnections compares max_connections with the pools of the instances that run, at least one.
func (d *Doctor) sqlConnections(ctx context.Context, db *sqldb.DB) error {
	var most int64
	if err := db.Read.GetContext(ctx, &most, `SELECT @@global.max_connections`); err != nil {
		return fmt.Errorf("read max_connections: %w", err)
	}
	const check = "sql connections"
	pools := int64(d.cfg.SQLConnections)
	running := max(d.instances, 1)
	detail := fmt.Sprintf("max_connections is %d; instances: %d, with %d each", most, running, pools)
	switch {
	case running*pools+spareConnections > most:
		d.add(check, Failure, detail+" take more", "raise max_connections, or lower ONRUSH_SQL_CONNECTIONS")
	case (running+1)*pools+spareConnections > most:
		d.add(check, Warning, detail+" leave no room for another, as during an upgrade",
			"raise max_connections, or lower ONRUSH_SQL_CONNECTIONS")
	default:
		d.add(check, OK, detail, "")
	}
	return nil
}

// sqlCluster warns of a Galera cluster. On two of its nodes, conditional updates of one row may both find their
// condition true; one of the transactions fails at its commit, and is run again. A node may also lack, for a moment,
// rows that another node has committed.
func (d *Doctor) sqlCluster(ctx context.Context, db *sqldb.DB) error {
	var size struct {
		Name  string `db:"Variable_name"`
		Nodes int    `db:"Value"`
	}
	err := db.Read.GetContext(ctx, &size, `SHOW GLOBAL STATUS LIKE 'wsrep_cluster_size'`)
	if errors.Is(err, sql.ErrNoRows) { // MySQL doesn't have it
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the size of the cluster: %w", err)
	}
	d.galera(size.Nodes)
	return nil
}

func (d *Doctor) galera(nodes int) {
	if nodes > 1 {
		d.add("sql cluster", Warning, fmt.Sprintf("a Galera cluster of %d nodes", nodes),
			"let all instances use one node at a time, such as by a proxy: on several, an update of a status may "+
				"succeed twice until one fails at its commit, and a list may lack an order that another node has")
	}
}

func (d *Doctor) sqlClock(ctx context.Context, db *sqldb.DB) error {
	ms, err := db.NowMS(ctx)
	if err != nil {
		return err
	}
	d.clock("sql clock", time.UnixMilli(ms))
	return nil
}
