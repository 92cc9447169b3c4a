//go:build large

package planted

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/drill"
	"onrush/test/kit"
)

// root is the folder of the module.
const root = "../.."

// overlay writes the changed files of a bug to a folder and returns the file that tells go build of them.
func (b bug) overlay(t *testing.T, dir string) string {
	t.Helper()
	changed := map[string]string{}
	for _, e := range append([]edit{{b.file, b.from, b.to}}, b.more...) {
		text, has := changed[e.file]
		if !has {
			data, err := os.ReadFile(filepath.Join(root, e.file))
			require.NoError(t, err)
			text = string(data)
		}
		require.Equal(t, 1, strings.Count(text, e.from), "%s must have once: %s", e.file, e.from)
		changed[e.file] = strings.Replace(text, e.from, e.to, 1)
	}
	replaced := map[string]string{}
	for file, text := range changed {
		copied := filepath.Join(dir, filepath.Base(file))
		require.NoError(t, os.WriteFile(copied, []byte(text), 0o600))
		original, err := filepath.Abs(filepath.Join(root, file))
		require.NoError(t, err)
		replaced[original] = copied
	}
	data, err := json.Marshal(map[string]any{"Replace": replaced})
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	return file
}

// build builds the program with the changes of an overlay, if any.
func build(t *testing.T, dir, overlay string) string {
	t.Helper()
	program := filepath.Join(dir, "onrush")
	args := []string{"build", "-ldflags=-s -w", "-o", program} // links in half of the time
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	out, err := exec.Command("go", append(args, "onrush/app")...).CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

// rehearse runs a drill and returns its report and exit code.
func rehearse(t *testing.T, program string, flags ...string) (r drill.Report, code int) {
	t.Helper()
	args := []string{"drill", "--json", "--buyers=400", "--over=2s", "--pay-within=3s", "--settle=15s"}
	args = append(args, flags...)
	var errs strings.Builder
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Stderr = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, &errs
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		require.NoError(t, err)
	}
	require.NoError(t, json.Unmarshal(out, &r), "%s\n%s", out, errs.String())
	return r, code
}

// requireFails runs the test of a bug with the bug's changes.
func requireFails(t *testing.T, b bug, overlay string) {
	t.Helper()
	cmd := exec.Command("go", "test", "-count=1", "-vet=off", "-overlay", overlay, "-run", "^"+b.run+"$", b.pkg)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "--- FAIL: "+b.run)
}

func TestTheDrillFindsEachPlantedBug(t *testing.T) {
	t.Parallel()
	all := bugs
	if os.Getenv("ONRUSH_PLANTED") == "all" {
		all = append(all, moreBugs...)
	}
	for _, b := range all {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			for _, flag := range b.flags {
				if flag == "--real" && !kit.Real() {
					t.Skip(kit.Describe())
				}
			}
			dir := t.TempDir()
			if b.pkg != "" {
				requireFails(t, b, b.overlay(t, dir))
				return
			}
			r, code := rehearse(t, build(t, dir, b.overlay(t, dir)), append(b.flags, "--seed=1")...)
			assert.Equal(t, 1, code)
			seen := false
			for _, c := range r.Checks {
				t.Log(c)
				seen = seen || c.Verdict == drill.Broken && (c.Name == b.check || c.Name == b.or)
			}
			assert.True(t, seen, "%s must be broken", b.check)
		})
	}
}

// Most bugs are planted only now and then; a change of the code must not wait for that to be seen.
func TestEachPlantedBugFitsTheCode(t *testing.T) {
	t.Parallel()
	for _, b := range append(append([]bug{}, bugs...), moreBugs...) {
		b.overlay(t, t.TempDir())
	}
}

func TestTheDrillFindsSabotage(t *testing.T) {
	t.Parallel()
	program := build(t, t.TempDir(), "")
	for what, check := range map[string]string{"unit": "drift", "event": "events", "pay": "money"} {
		r, code := rehearse(t, program, "--sabotage="+what)
		assert.Equal(t, 1, code, what)
		for _, c := range r.Checks {
			assert.Equal(t, c.Name == check, c.Verdict == drill.Broken, "%s: %s", what, c)
		}
	}
}
