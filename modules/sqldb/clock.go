package sqldb

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// Queries for the time in UTC milliseconds. No query for it works in both dialects.
const (
	mysqlNowMS  = `SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000`
	sqliteNowMS = `SELECT CAST(ROUND(unixepoch('now', 'subsec') * 1000) AS INTEGER)`
)

// NowMS returns the store's time in UTC milliseconds.
func (db *DB) NowMS(ctx context.Context) (ms int64, err error) { return db.NowMSIn(ctx, db.Read) }

// NowMSIn is NowMS on a connection of the caller, such as a transaction.
func (db *DB) NowMSIn(ctx context.Context, q sqlx.QueryerContext) (ms int64, err error) {
	query := mysqlNowMS
	if db.Dialect == SQLite {
		query = sqliteNowMS
	}
	if err := sqlx.GetContext(ctx, q, &ms, query); err != nil {
		return 0, fmt.Errorf("read the time of SQL: %w", err)
	}
	return ms, nil
}
