package onrush_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// surface is what go doc says of the package.
func surface(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "doc", "-all", ".").Output()
	require.NoError(t, err)
	return string(out)
}

func TestTheSurfaceIsTheOneThatIsWrittenDown(t *testing.T) {
	t.Parallel()
	written, err := os.ReadFile("docs/api/onrush.txt")
	require.NoError(t, err)
	assert.Equal(t, string(written), surface(t),
		"what programs import has changed: run go generate . and say in CHANGELOG.md what they have to do")
}

// TestTheSurfaceNamesNoTypeOfOtherPackages allows the standard library, and the libraries that a host meets anyway.
func TestTheSurfaceNamesNoTypeOfOtherPackages(t *testing.T) {
	t.Parallel()
	allowed := []string{"context", "fiber", "http", "json", "prometheus", "slog", "sql", "trace"}
	for _, line := range strings.Split(surface(t), "\n") {
		code, _, _ := strings.Cut(line, "//")
		if !regexp.MustCompile(`^(func |type |\t)`).MatchString(code) {
			continue
		}
		for _, found := range regexp.MustCompile(`\b([a-z]+)\.[A-Z]`).FindAllStringSubmatch(code, -1) {
			if strings.Contains(line, `"`) || strings.Contains(line, " := ") || strings.Contains(line, "onrush.") {
				continue // an example
			}
			assert.Contains(t, allowed, found[1], line)
		}
	}
}
