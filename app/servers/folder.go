package servers

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// TempDir creates a folder for the data of a server or of SQLite: in memory, where making and dropping the tables of
// each test takes a tenth of the time, or on disk. Its name has the process id, so that a later process can remove
// the folders of killed ones.
func TempDir(onDisk bool) (string, error) {
	parent := os.TempDir()
	if !onDisk {
		parent = memoryDir()
	}
	sweep(parent)
	dir, err := os.MkdirTemp(parent, dirPrefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return "", fmt.Errorf("make a folder for a server: %w", err)
	}
	return dir, nil
}

const dirPrefix = "onrush-servers-"

// sweep removes folders of processes that have ended, an hour after they were last used.
func sweep(parent string) {
	dirs, err := filepath.Glob(filepath.Join(parent, dirPrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		var pid int
		if _, err := fmt.Sscanf(filepath.Base(dir), dirPrefix+"%d-", &pid); err != nil {
			continue
		}
		info, err := os.Stat(dir)
		old := err == nil && time.Since(info.ModTime()) > time.Hour
		if old && isGone(pid) {
			_ = os.RemoveAll(dir)
		}
	}
}
