package kit

import (
	"os/exec"
	"syscall"
)

// dieWithUs makes the kernel kill the server when the test process ends, however it ends.
func dieWithUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
