package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// frozen are the folders of the versions that made promises.
const frozen = "../test/upgrade"

// TestACommandLineOfAnOlderVersionRuns compares the commands, their flags, the settings and the exit codes with the
// lists of each older version. ONRUSH_TEST_FREEZE names the version whose lists are written.
func TestACommandLineOfAnOlderVersionRuns(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{})
	require.NoError(t, err)
	var has []string
	listCommand(parser.Model.Node, &has)
	slices.Sort(has)
	has = slices.Compact(has)
	if version := os.Getenv("ONRUSH_TEST_FREEZE"); version != "" {
		require.NoError(t, os.WriteFile(filepath.Join(frozen, version, "settings.txt"),
			[]byte(strings.Join(has, "\n")+"\n"), 0o600))
	}
	files, err := filepath.Glob(frozen + "/*/settings.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r == '\n' }) {
			assert.Contains(t, has, line, file)
		}
	}
}

// listCommand lists a command with its arguments, flags and their variables.
func listCommand(node *kong.Node, lines *[]string) {
	path := "onrush"
	if node.Type == kong.CommandNode {
		path = node.FullPath()
	}
	*lines = append(*lines, path)
	for _, arg := range node.Positional {
		*lines = append(*lines, path+" "+arg.Summary())
	}
	for _, flag := range node.Flags {
		if flag.Hidden {
			continue
		}
		*lines = append(*lines, path+" --"+flag.Name)
		*lines = append(*lines, flag.Envs...)
	}
	for _, child := range node.Children {
		listCommand(child, lines)
	}
}
