package kit

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/app/servers"
)

// Tool returns the path of a program that a test needs beside the stores, such as haproxy. Where it isn't installed,
// the test is skipped, or fails if ONRUSH_TEST_REQUIRE_TOOLS is 1.
func Tool(t testing.TB, name string) string {
	t.Helper()
	for _, candidate := range []string{name, "/usr/sbin/" + name} {
		if path, err := exec.LookPath(candidate); err == nil {
			return path
		}
	}
	if os.Getenv("ONRUSH_TEST_REQUIRE_TOOLS") == "1" {
		require.Fail(t, name+" is not installed, but ONRUSH_TEST_REQUIRE_TOOLS is 1")
	}
	t.Skip(name + " is not installed")
	return ""
}

// RunTool runs a program in dir until the test ends, and waits until ready returns nil.
func RunTool(t testing.TB, dir string, ready func(context.Context) error, name string, args ...string) {
	t.Helper()
	p, err := servers.Start(dir, ready, name, args...)
	require.NoError(t, err)
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("%s said:\n%s", name, p.Tail())
		}
	})
}

// FreePort returns a TCP port of this machine that was free a moment ago.
func FreePort(t testing.TB) int {
	t.Helper()
	port, err := servers.FreePort()
	require.NoError(t, err)
	return port
}
