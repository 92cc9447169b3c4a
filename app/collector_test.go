package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

func TestMemoryIsBoundedByTheContainerOrTheMachine(t *testing.T) {
	t.Parallel()
	const (
		v2, v1  = "sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"
		meminfo = "MemTotal:       1000000 kB\nMemFree:        24000 kB\n"
	)
	for name, row := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"unknown":     {nil, math.MaxInt64},
		"a machine":   {map[string]string{"proc/meminfo": meminfo}, 256_000_000},
		"a container": {map[string]string{"proc/meminfo": meminfo, v2: "500000000\n"}, 400_000_000},
		"a unit of systemd": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/system.slice/onrush.service\n",
			"sys/fs/cgroup/system.slice/onrush.service/memory.max": "300000000\n",
		}, 240_000_000},
		"one of version 1":     {map[string]string{"proc/meminfo": meminfo, v1: "500000000\n"}, 400_000_000},
		"one without a limit":  {map[string]string{"proc/meminfo": meminfo, v2: "max\n"}, 256_000_000},
		"v1 without a limit":   {map[string]string{"proc/meminfo": meminfo, v1: "9223372036854771712\n"}, 256_000_000},
		"one without meminfo":  {map[string]string{v2: "500000000\n"}, 400_000_000},
		"nonsense":             {map[string]string{"proc/meminfo": "MemTotal: x kB", v2: "-5"}, math.MaxInt64},
		"too large for a size": {map[string]string{"proc/meminfo": "MemTotal: 9223372036854771712 kB"}, math.MaxInt64},
	} {
		root := t.TempDir()
		for file, text := range row.files {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(text), 0o600))
		}
		assert.InDelta(t, row.want, memoryLimit(root), 1000, name)
	}
}

func TestTheCollectorsTargetIsTheProgramsUnlessTheEnvironmentHasOne(t *testing.T) {
	t.Parallel()
	if memoryLimit("/") < leastMemory {
		t.Skip("this machine has too little memory")
	}
	for _, row := range []struct {
		env  []string
		want []string
	}{
		{nil, []string{"go_gc_gogc_percent 400"}},
		{
			[]string{"GOGC=150", "GOMEMLIMIT=1GiB"},
			[]string{"go_gc_gogc_percent 150", "go_gc_gomemlimit_bytes 1.073741824e+09"},
		},
		{[]string{"GOMEMLIMIT=100MiB"}, []string{"go_gc_gogc_percent 100", "go_gc_gomemlimit_bytes 1.048576e+08"}},
	} {
		addr := fmt.Sprintf("127.0.0.1:%d", kit.FreePort(t))
		env := append(site.Env(), "ONRUSH_ADDR=127.0.0.1:0", "ONRUSH_DATA_DIR="+t.TempDir(),
			"ONRUSH_METRICS_ADDR="+addr, "GOGC=") // none of this program's
		kit.Run(t, built, append(env, row.env...)...)
		metrics := site.Scrape(t, addr)
		for _, line := range row.want {
			assert.Contains(t, metrics, "\n"+line+"\n", "%v", row.env)
		}
	}
}
