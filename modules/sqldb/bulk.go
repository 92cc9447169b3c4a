package sqldb

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// Bulk is for statements that read much and are not in a hurry: exports, reports, audits. They see what was committed
// before, as on Read, but are read on the replica of ViewsFrom if there is one that has it.
func (db *DB) Bulk() sqlx.QueryerContext {
	if db.views == nil {
		return db.Read
	}
	return bulk{db}
}

type bulk struct{ db *DB }

// QueryContext implements sqlx.QueryerContext.
func (b bulk) QueryContext(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	if b.read(ctx, func(pool *sqlx.DB) error {
		rows, err = pool.QueryContext(ctx, query, args...) //nolint:rowserrcheck,sqlclosecheck // of the caller
		return err
	}) {
		return rows, nil
	}
	return b.db.Read.QueryContext(ctx, query, args...) //nolint:sqlclosecheck // of the caller
}

// QueryxContext implements sqlx.QueryerContext.
func (b bulk) QueryxContext(ctx context.Context, query string, args ...any) (rows *sqlx.Rows, err error) {
	if b.read(ctx, func(pool *sqlx.DB) error {
		rows, err = pool.QueryxContext(ctx, query, args...) //nolint:sqlclosecheck // of the caller
		return err
	}) {
		return rows, nil
	}
	return b.db.Read.QueryxContext(ctx, query, args...) //nolint:sqlclosecheck // of the caller
}

// QueryRowxContext implements sqlx.QueryerContext.
func (b bulk) QueryRowxContext(ctx context.Context, query string, args ...any) (row *sqlx.Row) {
	if b.read(ctx, func(pool *sqlx.DB) error {
		row = pool.QueryRowxContext(ctx, query, args...)
		return row.Err()
	}) {
		return row
	}
	return b.db.Read.QueryRowxContext(ctx, query, args...)
}

// read runs a query on the replica, and reports whether it did.
func (b bulk) read(ctx context.Context, query func(pool *sqlx.DB) error) bool {
	position, err := b.db.Position(ctx)
	if err != nil {
		return false
	}
	r := b.db.views
	return r.ask(ctx, func() error {
		wait, cancel := context.WithTimeout(ctx, askWithin)
		defer cancel()
		if err := r.reach(wait, r.pool, []string{position}); err != nil {
			return err
		}
		if err := query(r.pool); err != nil {
			return fmt.Errorf("read the replica: %w", err)
		}
		return nil
	}) == nil
}
