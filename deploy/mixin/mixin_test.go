package mixin

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheFilesAreThoseOfTheRules(t *testing.T) {
	t.Parallel()
	alerts, err := Alerts(1)
	require.NoError(t, err)
	dashboard, err := Dashboard()
	require.NoError(t, err)
	for name, want := range map[string][]byte{
		"alerts.yaml": alerts, "../helm/onrush/alerts.yaml": alerts, "dashboard.json": dashboard,
	} {
		written, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(written), "run go generate ./deploy/mixin")
	}
}

func TestEachAlertHasASectionThatSaysWhatToDo(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../" + page)
	require.NoError(t, err)
	sections := regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(string(text), -1)
	described := map[string]bool{}
	for _, s := range sections {
		described[s[1]] = true
	}
	for _, r := range Rules(1) {
		assert.True(t, described[r.Section], "%s: %s has no section %q", r.Name, page, r.Section)
		assert.Contains(t, string(text), "`"+r.Name+"`")
		assert.True(t, strings.HasSuffix(r.Summary, "."), r.Summary)
		delete(described, "")
	}
}
