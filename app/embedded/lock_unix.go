//go:build unix

package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Lock keeps a second program from using the data folder: each would have a Redis of its own in memory, and
// they would sell the same units. The lock ends with the process, or with unlock.
func Lock(dataDir string) (unlock func(), err error) {
	if err := makeDir(dataDir); err != nil {
		return nil, err
	}
	//nolint:gosec // the operator names the folder
	f, err := os.OpenFile(filepath.Join(dataDir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("another program runs on the data folder %s; stop it, or set ONRUSH_DATA_DIR",
				dataDir)
		}
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	return func() { _ = f.Close() }, nil
}
