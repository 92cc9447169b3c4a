//go:build unix

package servers

import (
	"errors"
	"syscall"
)

// Suspend stops a process without ending it, and Resume lets it go on.
const (
	Suspend = syscall.SIGSTOP
	Resume  = syscall.SIGCONT
)

// isGone reports whether no process has the id.
func isGone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
