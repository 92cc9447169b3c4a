package schema

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"

	"onrush/modules/sqldb"
)

// Begun reports whether a MySQL store has the schema of any version.
func Begun(ctx context.Context, db *sqldb.DB) (begun bool, err error) {
	const exists = `SELECT COUNT(*) > 0 FROM information_schema.tables
		WHERE table_schema = DATABASE() AND table_name = 'goose_db_version'`
	if err := sqlx.GetContext(ctx, db.Read, &begun, exists); err != nil {
		return false, fmt.Errorf("read which changes of the schema are applied: %w", err)
	}
	return begun, nil
}

// Missing returns how many changes a MySQL store lacks, and how many it has that this program doesn't know,
// because a newer version made them. It changes nothing.
func Missing(ctx context.Context, db *sqldb.DB) (lacks, newer int, err error) {
	provider, err := goose.NewProvider(goose.DialectMySQL, db.Read.DB, changes)
	if err != nil {
		return 0, 0, fmt.Errorf("read schema: %w", err)
	}
	applied := map[int64]bool{}
	begun, err := Begun(ctx, db)
	if err != nil {
		return 0, 0, err
	}
	if begun {
		var versions []int64
		if err := db.Read.SelectContext(ctx, &versions,
			`SELECT version_id FROM goose_db_version WHERE is_applied AND version_id > 0`); err != nil {
			return 0, 0, fmt.Errorf("read which changes of the schema are applied: %w", err)
		}
		for _, version := range versions {
			applied[version] = true
		}
	}
	for _, source := range provider.ListSources() {
		if !applied[source.Version] {
			lacks++
		}
		delete(applied, source.Version)
	}
	return lacks, len(applied), nil
}
