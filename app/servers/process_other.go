//go:build !linux

package servers

import (
	"errors"
	"os"
	"os/exec"
	"time"
)

// dieWithUs does nothing here: the servers are stopped, unless this process is killed.
func dieWithUs(*exec.Cmd) {}

// memoryDir returns the folder for temporary files: where one in memory is differs by system.
func memoryDir() string { return os.TempDir() }

// Used returns an error: where to read it differs by system.
func (p *Process) Used() (time.Duration, error) {
	return 0, errors.New("the processor time of another process is only known on Linux")
}

// Memory returns an error, as used does.
func (p *Process) Memory() (now, peak int64, err error) {
	return 0, 0, errors.New("the memory of another process is only known on Linux")
}
