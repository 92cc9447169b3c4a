//go:build large

package onrush_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A job without a network builds a program around a platform from its vendor folder, which has no module of browsers,
// compose files or test engines.
func TestAProgramIsBuiltFromItsVendorFolderAlone(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	require.NoError(t, err)
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "main.go"} {
		text, err := os.ReadFile(filepath.Join("examples", "shop", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	run := func(more []string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), "go", args...)
		command.Dir, command.Env = dir, append(os.Environ(), more...)
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	run(nil, "mod", "edit", "-replace=onrush="+here)
	run(nil, "mod", "vendor")
	alone := []string{"GOPROXY=off", "GOFLAGS=-mod=vendor", "GOMODCACHE=" + t.TempDir(), "GOTOOLCHAIN=local"}
	packages := run(alone, "list", "-deps", ".")
	assert.Contains(t, packages, "\nonrush\n")
	vendored, err := os.ReadFile(filepath.Join(dir, "vendor", "modules.txt"))
	require.NoError(t, err)
	for _, module := range []string{
		"chromedp", "compose-spec", "prometheus/prometheus", "goja", "testify", "rapid", "kin-openapi", "jsonschema",
	} {
		assert.NotContains(t, string(vendored), module)
	}
}
