package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"onrush/modules/sqldb"
)

// Only the owner may read the data folder and its files, since they contain orders and secrets.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// fileName is the file of the SQLite store.
const fileName = "onrush.db"

// HasSQL reports whether the data folder has a SQLite store.
func HasSQL(dataDir string) bool {
	_, err := os.Stat(filepath.Join(dataDir, fileName))
	return err == nil
}

// SQL opens the SQLite store in the data folder, and creates both if they don't exist. The schema is not
// applied.
func SQL(ctx context.Context, dataDir string, open sqldb.Opener) (*sqldb.DB, error) {
	if err := makeDir(dataDir); err != nil {
		return nil, err
	}
	path := filepath.Join(dataDir, fileName)
	// SQLite would create a file that everybody may read, and it gives its other files beside the database the same
	// mode.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, fileMode) //nolint:gosec // the path is the operator's
	if err != nil {
		return nil, fmt.Errorf("open the embedded store: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("open the embedded store: %w", err)
	}
	return sqldb.OpenSQLiteBy(ctx, path, open)
}

func makeDir(dataDir string) error {
	if err := os.MkdirAll(dataDir, dirMode); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	return nil
}
