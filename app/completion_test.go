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

// The commands that take the settings of the server don't repeat its flags: the one they have would be hard to find.
func TestTheHelpOfACommandHasItsOwnFlagsOnly(t *testing.T) {
	t.Parallel()
	parser, err := newParser(&commands{})
	require.NoError(t, err)
	const settings = "The command uses the stores and all settings of the server"
	for _, command := range parser.Model.Children {
		help, logged, code := run(t, nil, command.Name, "--help")
		require.Zero(t, code, logged)
		if command.Name == "serve" {
			assert.Contains(t, help, "--stripe-secret-key", "serve lists them")
			continue
		}
		foreign := []string{"--stripe-secret-key", "--limits", "--path-secret"}
		if command.Name != "schema" { // which asks Redis what site the tables are of
			foreign = append(foreign, "--redis-url")
		}
		for _, flag := range foreign {
			assert.NotContains(t, help, flag, command.Name)
		}
		if command.Name == "restore" || command.Name == "doctor" {
			assert.Contains(t, strings.Join(strings.Fields(help), " "), settings, command.Name)
			completed, _, _ := run(t, []string{"COMP_LINE=onrush " + command.Name + " --"})
			assert.NotContains(t, completed, "--redis-url", command.Name)
		} else {
			assert.NotContains(t, help, settings, command.Name)
		}
	}
	manual, _, _ := run(t, nil, "man")
	assert.Equal(t, 1, strings.Count(manual, "stripe-secret-key"), "in the manual of serve")
	out, _, _ := run(t, nil, "doctor", "--lanes=0", "--redis-url=redis://127.0.0.1:1")
	assert.Contains(t, out, "ONRUSH_LANES is 0", "they are flags all the same")
}
