// Package schema holds the tables as goose changes and applies them.
package schema

import (
	"context"
	"embed"
	"fmt"

	"github.com/pressly/goose/v3"

	"onrush/modules/order/sqldb"
)

//go:embed *.sql
var changes embed.FS

// Up applies the changes that the database does not have yet.
func Up(ctx context.Context, db *sqldb.DB) error {
	dialect := goose.DialectMySQL
	if db.Dialect == sqldb.SQLite {
		dialect = goose.DialectSQLite3
	}
	provider, err := goose.NewProvider(dialect, db.Write.DB, changes)
	if err != nil {
		return fmt.Errorf("read schema: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("apply schema: %w", err)
	}
	return nil
}
