package kit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// EarlierVariable names the program of an earlier build, for tests that let two builds run beside each other.
const EarlierVariable = "ONRUSH_TEST_EARLIER"

// Earlier returns the program as it was at a commit, or the one that the variable names. The test is skipped where the
// repository doesn't have the commit, as in a copy without its history.
func Earlier(t testing.TB, commit string) string {
	t.Helper()
	if file := os.Getenv(EarlierVariable); file != "" {
		return file
	}
	root, err := exec.CommandContext(t.Context(), "git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		t.Skipf("this is no repository of git; set %s to the program of an earlier build", EarlierVariable)
	}
	top := strings.TrimSpace(string(root))
	if out, err := git(t, top, "cat-file", "-e", commit+"^{commit}"); err != nil {
		t.Skipf("the history lacks the commit %s (fetch it, or set %s): %s", commit, EarlierVariable, out)
	}
	dir := t.TempDir()
	archive, source := filepath.Join(dir, "source.tar"), filepath.Join(dir, "source")
	out, err := git(t, top, "archive", "--output", archive, commit)
	require.NoError(t, err, out)
	require.NoError(t, os.Mkdir(source, 0o750))
	text, err := exec.CommandContext(t.Context(), "tar", "-xf", archive, "-C", source).CombinedOutput()
	require.NoError(t, err, string(text))
	program := filepath.Join(dir, "earlier")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", program, "./app")
	build.Dir = source
	text, err = build.CombinedOutput()
	require.NoError(t, err, string(text))
	return program
}

func git(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("git %s: %w", args[0], err)
	}
	return string(out), nil
}
