package doctor

import (
	"context"
	"fmt"
	"time"

	"onrush/app/schema"
	"onrush/modules/sqldb"
)

func (d *Doctor) sql(ctx context.Context) {
	if d.cfg.MySQLDSN == "" {
		d.add("sql", Warning, "embedded: SQLite in "+d.cfg.DataDir+", for one instance",
			"set ONRUSH_MYSQL_DSN for real sales")
		return
	}
	db, err := sqldb.OpenMySQL(ctx, d.cfg.MySQLDSN, 1)
	if err != nil {
		d.add("sql", Failure, err.Error(), "check ONRUSH_MYSQL_DSN, the login, and that the server runs")
		return
	}
	defer func() { _ = db.Close() }()
	for _, check := range []func(context.Context, *sqldb.DB) error{d.sqlServer, d.schema, d.sqlClock} {
		if err := check(ctx, db); err != nil {
			d.add("sql", Failure, err.Error(), "")
			return
		}
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
	lacks, newer, err := schema.Missing(ctx, db)
	switch {
	case err != nil:
		return err
	case newer > 0:
		d.add("schema", Warning, fmt.Sprintf("the database has %d changes of a newer version", newer),
			"upgrade this instance")
	case lacks > 0:
		d.add("schema", Warning, fmt.Sprintf("%d changes are missing", lacks),
			"onrush schema up applies them; so does the next start")
	default:
		d.add("schema", OK, "up to date", "")
	}
	return nil
}

func (d *Doctor) sqlClock(ctx context.Context, db *sqldb.DB) error {
	ms, err := db.NowMS(ctx)
	if err != nil {
		return err
	}
	d.clock("sql clock", time.UnixMilli(ms))
	return nil
}
