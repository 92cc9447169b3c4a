package mixin

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func TestTheFilesAreThoseOfTheRules(t *testing.T) {
	t.Parallel()
	alerts, err := Alerts(1, Docs)
	require.NoError(t, err)
	dashboard, err := Dashboard()
	require.NoError(t, err)
	for name, want := range map[string][]byte{
		"alerts.yaml": alerts, "../helm/onrush/alerts.yaml": alerts,
		"dashboard.json": dashboard, "../helm/onrush/dashboard.json": dashboard,
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
	described := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(string(text), -1) {
		described["https://onrush.example/docs/operating/alerts.md#"+anchor(heading[1])] = true
	}
	raw, err := Alerts(1, Docs)
	require.NoError(t, err)
	var file alertFile
	require.NoError(t, yaml.Unmarshal(raw, &file))
	require.NotEmpty(t, file.Groups[0].Rules)
	named := maps.Clone(commands)
	for _, r := range file.Groups[0].Rules {
		if r.Record != "" {
			continue
		}
		assert.True(t, described[r.Annotations["runbook_url"]], "%s: %s", r.Alert, r.Annotations["runbook_url"])
		assert.Contains(t, string(text), "`"+r.Alert+"`")
		assert.True(t, strings.HasSuffix(r.Annotations["summary"], "."), r.Annotations["summary"])
		assert.NotEmpty(t, r.Annotations["command"], r.Alert)
		delete(named, r.Alert)
		assert.Len(t, r.Annotations, 3)
	}
	assert.Empty(t, named, "commands of alerts that there are not")
}

func TestEachPanelSaysWhatItMeans(t *testing.T) {
	t.Parallel()
	var titles []string
	for _, r := range rows {
		for _, p := range r.panels {
			titles = append(titles, p.title)
		}
	}
	assert.ElementsMatch(t, titles, slices.Collect(maps.Keys(meanings)))
	for title, meaning := range meanings {
		assert.True(t, strings.HasSuffix(meaning, "."), title)
	}
}

// A series that nobody writes gives an alert that never fires, and an empty panel.
func TestAlertsAndPanelsReadRecordsThatAreWritten(t *testing.T) {
	t.Parallel()
	written := map[string]bool{}
	var read []string
	name := regexp.MustCompile(`\bjob(?:_[a-z]+)*:[a-z0-9_]+:[a-z0-9_]+`)
	for _, r := range Records(1) {
		read = append(read, name.FindAllString(r.Expr, -1)...)
		assert.False(t, written[r.Name], "%s is written twice", r.Name)
		assert.Regexp(t, "^"+name.String()+"$", r.Name)
		written[r.Name] = true
	}
	for _, r := range Rules(1) {
		read = append(read, name.FindAllString(r.Expr, -1)...)
	}
	dashboard, err := Dashboard()
	require.NoError(t, err)
	read = append(read, name.FindAllString(string(dashboard), -1)...)
	for _, r := range read {
		assert.True(t, written[r], "%s is read and not written", r)
	}
	for r := range written {
		assert.Contains(t, read, r, "nobody reads it")
	}
}
