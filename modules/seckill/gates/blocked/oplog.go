package blocked

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
)

// inForceOf reads the block of a subject; nil without one in force.
func inForceOf(ctx context.Context, tx *sqlx.Tx, subject Subject, now int64) (*Entry, error) {
	var e Entry
	const query = `SELECT ` + entryColumns + ` FROM blocked WHERE kind = ? AND subject = ? AND ` + inForce
	err := tx.GetContext(ctx, &e, query, subject.Kind, subject.Name, now)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("select a block: %w", err)
	}
	return &e, nil
}

// fromVersion is inForceOf for a request that was made from a version of the block, as oplog.Check takes it.
func fromVersion(ctx context.Context, tx *sqlx.Tx, subject Subject, now, from int64) (*Entry, error) {
	e, err := inForceOf(ctx, tx, subject, now)
	if err != nil {
		return nil, err
	}
	var version int64
	if e != nil {
		version = e.Version
	}
	return e, oplog.Check(ctx, tx, "blocked:"+string(subject.Kind)+":"+subject.Name, from, version)
}

// recordChange records that a block began, changed or ended; nil means that there was or is none.
func recordChange(ctx context.Context, tx *sqlx.Tx, subject Subject, before, after *Entry) error {
	c := oplog.Entry{Action: "blocked.changed", On: "blocked:" + string(subject.Kind) + ":" + subject.Name}
	if before != nil {
		c.Before = before
	} else {
		c.Action = "blocked.created"
	}
	if after != nil {
		c.After = after
	} else {
		c.Action = "blocked.deleted"
	}
	return oplog.Record(ctx, tx, c)
}
