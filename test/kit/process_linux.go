package kit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// dieWithUs makes the kernel kill the server when the test process ends, however it ends.
func dieWithUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// used returns the processor time that the process has had since its start, from /proc, in steps of 10 ms.
func (p *process) used() (time.Duration, error) {
	const tick = 10 * time.Millisecond
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.os.Pid))
	if err != nil {
		return 0, err
	}
	// The name of the program, in brackets, may contain spaces; the state follows it.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const user, system = 11, 12 // fields 14 and 15 of proc(5), counted from the state
	if len(fields) <= system {
		return 0, errors.New("the file stat of the process can't be read")
	}
	var ticks int64
	for _, field := range fields[user : system+1] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}
