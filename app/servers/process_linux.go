package servers

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

// dieWithUs makes the kernel kill the server when this process ends, however it ends.
func dieWithUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// memoryDir returns the folder of the system that is kept in memory, or that for temporary files if it has less than
// 4 GB left or TMPDIR names another one.
func memoryDir() string {
	const shared, enough = "/dev/shm", 4 << 30
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(shared, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < enough {
		return os.TempDir()
	}
	return shared
}

// Used returns the processor time that the process has had since its start, from /proc, in steps of 10 ms.
func (p *Process) Used() (time.Duration, error) {
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

// Memory returns how much memory of the process is resident now, and was at most since its start, in bytes.
func (p *Process) Memory() (now, peak int64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.os.Pid))
	if err != nil {
		return 0, 0, err
	}
	if now, err = statusKB(status, "VmRSS:"); err != nil {
		return 0, 0, err
	}
	peak, err = statusKB(status, "VmHWM:")
	return now << 10, peak << 10, err
}

// statusKB returns a size in kB from the file status of a process.
func statusKB(status []byte, name string) (int64, error) {
	for line := range bytes.Lines(status) {
		fields := bytes.Fields(line)
		if len(fields) == 3 && string(fields[0]) == name {
			return strconv.ParseInt(string(fields[1]), 10, 64)
		}
	}
	return 0, fmt.Errorf("the file status of the process has no %s", name)
}
