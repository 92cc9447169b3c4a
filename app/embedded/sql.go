package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"onrush/modules/sqldb"
)

// The data folder and its files are for their owner alone: they hold orders and secrets.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// SQL opens the SQLite store in the data folder, and makes both if they aren't there. The schema
// is not applied.
func SQL(ctx context.Context, dataDir string) (*sqldb.DB, error) {
	if err := makeDir(dataDir); err != nil {
		return nil, err
	}
	path := filepath.Join(dataDir, "onrush.db")
	// SQLite would make the file, and those beside it, readable for all; it gives the latter the
	// mode of the former.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, fileMode) //nolint:gosec // the path is the operator's
	if err != nil {
		return nil, fmt.Errorf("open the embedded store: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("open the embedded store: %w", err)
	}
	return sqldb.OpenSQLite(ctx, path)
}

func makeDir(dataDir string) error {
	if err := os.MkdirAll(dataDir, dirMode); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	return nil
}
