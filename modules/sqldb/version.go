package sqldb

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrOld says that the server is older than MySQL 8.0 and MariaDB 10.6.
var ErrOld = errors.New("open mysql: MySQL 8.0 or MariaDB 10.6 or later is needed")

// CheckVersion returns an error that wraps ErrOld if the server is too old.
func (db *DB) CheckVersion(ctx context.Context) error {
	if db.Dialect == SQLite {
		return nil
	}
	version, err := db.Version(ctx)
	if err == nil && version.TooOld() {
		return fmt.Errorf("%w (it is %s)", ErrOld, version)
	}
	return err
}

// Version is the version of a server as the server returns it: 9.7.4, 11.8.9-MariaDB-4.
type Version string

// Version returns the version of a MySQL or MariaDB server.
func (db *DB) Version(ctx context.Context) (version Version, err error) {
	if err := db.Read.GetContext(ctx, &version, `SELECT VERSION()`); err != nil {
		return "", fmt.Errorf("read the version of the server: %w", err)
	}
	return version, nil
}

// IsMariaDB reports whether the server is MariaDB.
func (v Version) IsMariaDB() bool { return strings.Contains(string(v), "MariaDB") }

// TooOld reports whether the server lacks what the program needs. It is false for versions that can't be read.
func (v Version) TooOld() bool {
	var major, minor int
	if _, err := fmt.Sscanf(string(v), "%d.%d", &major, &minor); err != nil {
		return false
	}
	if v.IsMariaDB() {
		return major < 10 || major == 10 && minor < 6
	}
	return major < 8
}
