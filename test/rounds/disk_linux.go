package rounds

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// disk is a file system in memory that may be filled.
type disk struct{ dir string }

// diskSize bounds a disk that is not full, in bytes.
const diskSize = 4 << 30

// newDisk mounts a file system until the test ends. It returns an error where this user may not mount any.
func newDisk(t testing.TB) (*disk, error) {
	t.Helper()
	const prefix = "onrush-disk-"
	sweep(filepath.Join(os.TempDir(), prefix))
	dir, err := os.MkdirTemp("", prefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return nil, err
	}
	d := &disk{dir: dir}
	if err := d.mount(0, diskSize); err != nil {
		return nil, errors.Join(err, os.Remove(dir))
	}
	t.Cleanup(func() { unmount(dir) })
	return d, nil
}

// sweep unmounts the file systems of test processes that were killed.
func sweep(prefix string) {
	dirs, err := filepath.Glob(prefix + "*")
	if err != nil {
		return
	}
	for _, dir := range dirs {
		var pid int
		if _, err := fmt.Sscanf(dir, prefix+"%d-", &pid); err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			unmount(dir)
		}
	}
}

func unmount(dir string) {
	_ = syscall.Unmount(dir, syscall.MNT_DETACH)
	_ = os.Remove(dir)
}

func (d *disk) mount(flags uintptr, size int64) error {
	if err := syscall.Mount("tmpfs", d.dir, "tmpfs", flags, fmt.Sprintf("size=%d", size)); err != nil {
		return fmt.Errorf("mount a file system in memory: %w", err)
	}
	return nil
}

// fill shrinks the file system to the size of its files, so that no file can grow.
func (d *disk) fill() error {
	const tries = 100
	var err error
	for range tries { // a server may write meanwhile
		var fs syscall.Statfs_t
		if err = syscall.Statfs(d.dir, &fs); err != nil {
			return fmt.Errorf("measure a file system: %w", err)
		}
		if err = d.mount(syscall.MS_REMOUNT, int64(fs.Blocks-fs.Bfree)*fs.Bsize); err == nil {
			return nil
		}
	}
	return err
}

// free ends fill.
func (d *disk) free() error { return d.mount(syscall.MS_REMOUNT, diskSize) }
