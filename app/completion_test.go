package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryCommandIsCompletedAndInTheManual(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{})
	require.NoError(t, err)
	manual, logged, code := run(t, nil, "man")
	require.Zero(t, code, logged)
	manual = strings.ReplaceAll(manual, `\&`, "")
	var check func(node *kong.Node, line string)
	check = func(node *kong.Node, line string) {
		completed, logged, code := run(t, []string{"COMP_LINE=" + line + " "})
		require.Zero(t, code, logged)
		words := strings.Fields(completed)
		for _, child := range node.Children {
			if child.Type == kong.CommandNode && !child.Hidden {
				assert.Contains(t, words, child.Name, line)
				if !strings.Contains(manual, child.Help) {
					t.Errorf("the manual lacks %s %s", line, child.Name)
				}
				check(child, line+" "+child.Name)
			}
		}
	}
	check(parser.Model.Node, "onrush")
}
