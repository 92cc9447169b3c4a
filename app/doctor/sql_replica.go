package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"onrush/modules/sqldb"
)

// sqlLog checks what a failover of SQL rests on: that the log of changes survives a crash, and that this server is the
// primary.
func (d *Doctor) sqlLog(ctx context.Context, db *sqldb.DB) error {
	var server struct {
		Log  bool  `db:"log"`
		Sync int64 `db:"sync"`
	}
	const query = `SELECT @@log_bin AS log, @@sync_binlog AS sync`
	if err := db.Read.GetContext(ctx, &server, query); err != nil {
		return fmt.Errorf("read the settings of the log of changes: %w", err)
	}
	if server.Log && server.Sync != 1 {
		d.add("sql log", Warning,
			fmt.Sprintf("sync_binlog is %d: after a crash, replicas may lack what this server has", server.Sync),
			"set it to 1")
	}
	if err := d.sqlFailover(ctx, db, server.Log); err != nil {
		return err
	}
	// The statement needs a privilege that the program doesn't need; without it, nothing is said.
	rows, err := db.Read.QueryxContext(ctx, `SHOW REPLICA STATUS`)
	if err != nil {
		return nil
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		status := map[string]any{}
		if rows.MapScan(status) == nil && runs(status) {
			d.add("sql replica", Warning, "the server of ONRUSH_MYSQL_DSN repeats what another server commits",
				"let the DSN name the primary; orders that are written here are lost when it follows again")
		}
	}
	return rows.Err()
}

// sqlFailover says whether commits of a server with a log of changes wait for a replica. Whether there is a replica
// that may take over, a user without more privileges doesn't see, so it warns only if the server is set up for one.
func (d *Doctor) sqlFailover(ctx context.Context, db *sqldb.DB, logs bool) error {
	if !logs {
		return nil
	}
	const check, alone = "sql failover", "commits don't wait for a replica: a failover loses what it doesn't have yet"
	switch semi, err := db.ReadSemiSync(ctx); {
	case err != nil:
		return err
	case semi.Waits:
		d.add(check, OK, "commits wait for a replica", "")
	case semi.SetUp && semi.Variable == "":
		d.add(check, Warning, alone, "load the plugin of semi-synchronous sources on this server, as on its replica")
	case semi.SetUp:
		d.add(check, Warning, alone, "let a replica follow this server, and then run on this server: SET GLOBAL "+
			semi.Variable+" = OFF; SET GLOBAL "+semi.Variable+" = ON")
	default:
		d.add(check, OK, alone, "if a replica takes over when this server fails, use semi-synchronous replication")
	}
	return nil
}

// runs reports whether a server applies the changes of its source, by what SHOW REPLICA STATUS says of it.
func runs(status map[string]any) bool {
	for name, value := range status {
		if name == "Slave_SQL_Running" || name == "Replica_SQL_Running" {
			text, _ := value.([]byte)
			return strings.EqualFold(string(text), "Yes")
		}
	}
	return false
}

// sqlReplica checks the replica that lists are read from. Without it the primary is read, so nothing is a failure but
// a setting with which it is never read.
func (d *Doctor) sqlReplica(ctx context.Context, db *sqldb.DB) error {
	if d.cfg.MySQLReadDSN == "" {
		return nil
	}
	const check, advice = "sql read replica", "check ONRUSH_MYSQL_READ_DSN and the replication; the primary is read"
	replica, err := db.OpenReplica(d.cfg.MySQLReadDSN, 1, d.now, slog.New(slog.DiscardHandler))
	if err != nil {
		d.add(check, Failure, err.Error(), "check ONRUSH_MYSQL_READ_DSN")
		return nil
	}
	defer func() { _ = replica.Close() }()
	switch err := replica.Check(ctx, db); {
	case err == nil:
		d.add(check, OK, "has what the primary has", "")
	case ctx.Err() != nil:
		return err
	default:
		d.add(check, Warning, err.Error(), advice)
	}
	return nil
}
