//go:build !linux

package rounds

import (
	"errors"
	"testing"
)

// disk is a file system that may be filled: only on Linux.
type disk struct{ dir string }

var errNoDisk = errors.New("file systems in memory are only known on Linux")

// newDisk returns an error: how to mount one differs by system.
func newDisk(testing.TB) (*disk, error) { return nil, errNoDisk }

func (*disk) fill() error { return errNoDisk }
func (*disk) free() error { return errNoDisk }
