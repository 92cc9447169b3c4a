package main

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// gcPercent is by how many percent the heap grows until the garbage collector runs, instead of Go's 100. The live
	// heap of an instance is some ten MB, so that in a crowd it would run several times a second.
	gcPercent = 400
	// leastMemory is the memory with which the collector's target is changed.
	leastMemory = 256 << 20
	// ofContainer and ofMachine are the parts of a container's or a machine's memory, in percent, above which the
	// collector runs more often.
	ofContainer, ofMachine = 80, 25
)

// tuneCollector lets the heap grow more where memory is plenty, and bounds it. GOGC and GOMEMLIMIT, if they are set,
// stay what they are.
func tuneCollector(ctx context.Context, log *slog.Logger) {
	limit := debug.SetMemoryLimit(-1)
	if os.Getenv("GOMEMLIMIT") == "" {
		if limit = memoryLimit("/"); limit < math.MaxInt64 {
			debug.SetMemoryLimit(limit)
		}
	}
	percent := "GOGC"
	if os.Getenv("GOGC") == "" && limit >= leastMemory {
		debug.SetGCPercent(gcPercent)
		percent = strconv.Itoa(gcPercent)
	}
	log.DebugContext(ctx, "the garbage collector's target", "percent", percent, "limit_bytes", limit)
}

// memoryLimit returns how many bytes the program may take: a part of the memory of its container, or else of the
// machine. It is math.MaxInt64 where neither is known. root is "/" but in tests.
func memoryLimit(root string) int64 {
	machine := fileSize(root, "proc/meminfo")
	files := []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"}
	if text, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup")); err == nil { //nolint:gosec // G304
		if path, found := strings.CutPrefix(strings.TrimSpace(string(text)), "0::"); found { // of a unit of systemd
			files = append([]string{filepath.Join("sys/fs/cgroup", path, "memory.max")}, files...)
		}
	}
	for _, file := range files {
		// Without a limit the file says max, or a number larger than any machine's memory.
		if n := fileSize(root, file); n < machine {
			return n / 100 * ofContainer
		}
	}
	if machine == math.MaxInt64 {
		return machine
	}
	return machine / 100 * ofMachine
}

// fileSize reads a number of bytes from a file, of meminfo the machine's memory; math.MaxInt64 if it has none.
func fileSize(root, name string) int64 {
	text, err := os.ReadFile(filepath.Join(root, name)) //nolint:gosec // G304: root is "/" but in tests
	if err != nil {
		return math.MaxInt64
	}
	unit := int64(1)
	if rest, found := bytes.CutPrefix(text, []byte("MemTotal:")); found {
		text, _, _ = bytes.Cut(rest, []byte("kB"))
		unit = 1 << 10
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return math.MaxInt64
	}
	return n * unit
}
