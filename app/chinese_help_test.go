package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// operated are the commands that operators use, whose help must be in Chinese.
var operated = []string{
	"activities", "orders", "refund", "refunds", "queue", "dead", "skus", "jobs", "settings", "audit", "doctor",
	"instances", "payments", "changes",
}

// helpOf calls each with the texts of a command and of those below it, but for hidden flags.
func helpOf(node *kong.Node, each func(where, text string)) {
	each(node.FullPath(), node.Help)
	for _, flag := range node.Flags {
		if !flag.Hidden {
			each(node.FullPath()+" --"+flag.Name, flag.Help)
		}
	}
	for _, argument := range node.Positional {
		each(node.FullPath()+" <"+argument.Name+">", argument.Help)
	}
	for _, child := range node.Children {
		helpOf(child, each)
	}
}

func TestTheCommandsOfOperatorsHaveAHelpInChinese(t *testing.T) {
	t.Parallel()
	var cmd commands
	parser, err := newParser(&cmd)
	require.NoError(t, err)
	chinese, err := readChinese()
	require.NoError(t, err)
	used := map[string]bool{parser.Model.Help: true, parser.Model.HelpFlag.Help: true}
	found := 0
	for _, command := range parser.Model.Children {
		if !slices.Contains(operated, command.Name) {
			continue
		}
		found++
		helpOf(command, func(where, text string) {
			assert.NotEmpty(t, chinese[text], "%s: %s", where, text)
			used[text] = true
		})
	}
	assert.Len(t, operated, found)
	for text := range chinese {
		assert.True(t, used[text] || strings.HasPrefix(text, "File of settings"), "no command says %q", text)
	}
}

func TestTheHelpIsInTheLanguageOfTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		env        []string
		has, lacks string
	}{
		{[]string{"LANG=zh_CN.UTF-8"}, "用法：", "Usage:"},
		{[]string{"LANG=en_US.UTF-8", "LC_ALL=zh_CN.UTF-8"}, "暂停已发布的活动", "Stop selling"},
		{[]string{"LANG=zh_CN.UTF-8", "LC_ALL=C"}, "Usage:", "用法："},
		{nil, "Flags:", "选项："},
	} {
		out, _, code := run(t, row.env, "activities", "--help")
		require.Zero(t, code)
		assert.Contains(t, out, row.has, "%v", row.env)
		assert.NotContains(t, out, row.lacks, "%v", row.env)
	}
	out, _, _ := run(t, []string{"LANG=zh_CN.UTF-8"}, "refund", "--help")
	for _, english := range []string{"Usage:", "Arguments:", "Flags:", "[flags]", "Refund"} {
		assert.NotContains(t, out, english)
	}
}
