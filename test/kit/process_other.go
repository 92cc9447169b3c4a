//go:build !linux

package kit

import (
	"errors"
	"os/exec"
	"time"
)

// dieWithUs does nothing here: Main stops the servers, unless the test process is killed.
func dieWithUs(*exec.Cmd) {}

// used returns an error: where to read it differs by system.
func (p *process) used() (time.Duration, error) {
	return 0, errors.New("the processor time of another process is only known on Linux")
}

// memory returns an error, as used does.
func (p *process) memory() (now, peak int64, err error) {
	return 0, 0, errors.New("the memory of another process is only known on Linux")
}
