package schema

import (
	"context"
	"io/fs"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"

	"onrush/modules/sqldb"
)

// Build lets tests apply the changes of another version of the program, and each change by itself.
type Build struct{ b *build }

// BuildOf returns the version of the program that has other files.
func BuildOf(files fs.ReadDirFS) (Build, error) {
	b, err := buildOf(files)
	return Build{b}, err
}

// Up is Up of that version.
func (b Build) Up(ctx context.Context, db *sqldb.DB) error {
	return b.b.up(ctx, db, progress{slog.New(slog.DiscardHandler), time.Hour})
}

// Upgrade is Upgrade of that version, which mentions a change that runs more often or less.
func (b Build) Upgrade(ctx context.Context, db *sqldb.DB, log *slog.Logger, every time.Duration) error {
	return b.b.up(ctx, db, progress{log, every})
}

// Read is Read of that version.
func (b Build) Read(ctx context.Context, db *sqldb.DB) (State, error) { return b.b.read(ctx, db) }

// Provider runs single changes.
func (b Build) Provider(ctx context.Context, db *sqldb.DB) (*goose.Provider, error) {
	return b.b.provider(ctx, db)
}

// Remaining returns what a database needs of a change.
func (b Build) Remaining(ctx context.Context, db *sqldb.DB, name string) (string, error) {
	return remaining{ctx, b.b, db}.text(name)
}

// Files are the changes of this version.
var Files = files
