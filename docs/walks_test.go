package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The walks of the architecture name functions of their files, each of which the file or one before it calls, and don't
// become longer.
func TestTheWalksLeadThroughTheCode(t *testing.T) {
	t.Parallel()
	_, section, found := strings.Cut(readDocument(t, "docs/contributing/architecture.md"), "\n## Three walks\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	walks := strings.Split(section, "\n### ")[1:]
	require.Len(t, walks, 3)
	for i, most := range []struct{ files, again int }{{16, 0}, {12, 0}, {12, 0}} {
		name, _, _ := strings.Cut(walks[i], "\n")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, again := walk(t, walks[i])
			assert.LessOrEqual(t, files, most.files, "files")
			assert.LessOrEqual(t, again, most.again, "files that one comes back to")
		})
	}
}

// walk follows the lines of a walk, and returns how many files it visits, and how often it comes back to one.
func walk(t *testing.T, text string) (files, again int) {
	t.Helper()
	code := regexp.MustCompile("`([^`]+)`")
	visited := map[string]bool{}
	called := map[string]bool{} // by the files until now
	for _, line := range regexp.MustCompile(`(?m)^\d+\. .*(\n   .*)*`).FindAllString(text, -1) {
		names := code.FindAllStringSubmatch(line, -1)
		file := names[0][1]
		first := len(visited) == 0
		if visited[file] {
			again++
		}
		visited[file] = true
		if path.Ext(file) == ".lua" {
			assert.True(t, called[camel(strings.TrimSuffix(path.Base(file), ".lua"))], "nothing runs %s", file)
			continue
		}
		addCalled(t, file, called)
		declared := declaredIn(t, file)
		require.Greater(t, len(names), 1, line)
		for k, name := range names[1:] {
			assert.True(t, slices.Contains(declared, name[1]), "%s is not in %s", name[1], file)
			last := name[1][strings.LastIndex(name[1], ".")+1:]
			assert.True(t, called[last] || first && k == 0, "nothing before %s calls %s", file, name[1])
		}
	}
	return len(visited), again
}

// addCalled adds the names that a file of Go uses.
func addCalled(t *testing.T, file string, called map[string]bool) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", file), nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	declares := map[*ast.Ident]bool{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			declares[n.Name] = true
		case *ast.Ident:
			called[n.Name] = called[n.Name] || !declares[n]
		}
		return true
	})
}

// camel returns the name in Go of a script, such as ackMoved of ack_moved.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}
