package sqldb

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// Bulk returns where statements run that read much and are not in a hurry, such as exports, reports and audits: the
// replica of ViewsFrom, if it has everything that is committed now, or else Read.
func (db *DB) Bulk(ctx context.Context) sqlx.QueryerContext {
	if db.views != nil && db.views.has(ctx, db) {
		return db.views.pool
	}
	return db.Read
}

// has reports whether the replica has what the primary has now, or gets it soon.
func (r *Replica) has(ctx context.Context, primary *DB) bool {
	position, err := primary.Position(ctx)
	return err == nil && r.ask(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, askWithin)
		defer cancel()
		return r.reach(ctx, r.pool, []string{position})
	}) == nil
}
