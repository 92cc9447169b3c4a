//go:build !unix

package servers

import (
	"os"
	"syscall"
)

// Suspend and Resume are signals that Windows doesn't have: sending them is an error.
const (
	Suspend = syscall.Signal(0x13)
	Resume  = syscall.Signal(0x12)
)

// isGone reports whether no process has the id.
func isGone(pid int) bool {
	process, err := os.FindProcess(pid)
	if err == nil {
		_ = process.Release()
	}
	return err != nil
}
