//go:build !linux

package kit

import (
	"errors"
	"os"
	"os/exec"
	"time"
)

// dieWithUs does nothing here: Main stops the servers, unless the test process is killed.
func dieWithUs(*exec.Cmd) {}

// memoryDir returns the folder for temporary files: where one in memory is differs by system.
func memoryDir() string { return os.TempDir() }

// used returns an error: where to read it differs by system.
func (p *process) used() (time.Duration, error) {
	return 0, errors.New("the processor time of another process is only known on Linux")
}

// memory returns an error, as used does.
func (p *process) memory() (now, peak int64, err error) {
	return 0, 0, errors.New("the memory of another process is only known on Linux")
}
