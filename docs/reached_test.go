package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The rounds that make faults happen judge only what they reach; docs/guarantees.md says what reaches each rare path.
func TestTheGuaranteesListEveryRarePath(t *testing.T) {
	t.Parallel()
	var paths []string
	for _, file := range files(t, ".go") {
		if !strings.HasSuffix(file, "_test.go") && path.Dir(file) != "modules/reached" {
			paths = append(paths, pathsOf(t, file)...)
		}
	}
	require.Greater(t, len(paths), 50, "the paths were not found")
	slices.Sort(paths)
	_, section, found := strings.Cut(readDocument(t, "docs/guarantees.md"), "\n## 19. Rare paths\n")
	require.True(t, found)
	var listed []string
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if name, isRow := strings.CutPrefix(cells[0], "| "); isRow && strings.Contains(name, ": ") {
			listed = append(listed, name)
			assert.Len(t, cells, 2, "%s", line)
		}
	}
	assert.Equal(t, paths, listed)
}

// pathsOf returns the names that a file passes to reached.At.
func pathsOf(t *testing.T, name string) (paths []string) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", name))
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		at, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || at.Sel.Name != "At" {
			return true
		}
		if pkg, ok := at.X.(*ast.Ident); ok && pkg.Name == "reached" {
			text, isText := call.Args[0].(*ast.BasicLit)
			require.True(t, isText, "%s: the name of a path is no literal", name)
			path, err := strconv.Unquote(text.Value)
			require.NoError(t, err)
			paths = append(paths, path)
		}
		return true
	})
	return paths
}
