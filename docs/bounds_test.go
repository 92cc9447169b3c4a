package docs_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The bounds of the code, so that each part of it can be read at once.
const (
	maxPackageLines  = 4350 // without tests
	maxExportedTypes = 48   // of a package of modules
	maxMedianLines   = 119  // of a file, without tests
	maxFuncLines     = 70   // tests too
)

// sizes are the measured sizes of the code; packages are named by their folders.
type sizes struct {
	packageLines  map[string]int
	exportedTypes map[string]int
	fileLines     []int
	longFuncs     []string
}

func TestCodeStaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	s := sizes{packageLines: map[string]int{}, exportedTypes: map[string]int{}}
	root := os.DirFS("..")
	require.NoError(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".go" {
			return err
		}
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		return s.add(name, source)
	}))
	require.Greater(t, len(s.fileLines), 200, "the code was not found")
	for folder, lines := range s.packageLines {
		assert.LessOrEqual(t, lines, maxPackageLines, "lines of package %s", folder)
	}
	for folder, types := range s.exportedTypes {
		assert.LessOrEqual(t, types, maxExportedTypes, "exported types of package %s", folder)
	}
	slices.Sort(s.fileLines)
	assert.LessOrEqual(t, s.fileLines[len(s.fileLines)/2], maxMedianLines, "lines of the median file")
	assert.Empty(t, s.longFuncs, "functions of more than %d lines", maxFuncLines)
}

// add counts one file, unless it is generated.
func (s *sizes) add(name string, source []byte) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return err
	}
	line := func(p token.Pos) int { return files.Position(p).Line }
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && line(f.End())-line(f.Pos())+1 > maxFuncLines {
			s.longFuncs = append(s.longFuncs, name+": "+f.Name.Name)
		}
	}
	if strings.HasSuffix(name, "_test.go") {
		return nil
	}
	folder := path.Dir(name)
	lines := bytes.Count(source, []byte("\n"))
	s.packageLines[folder] += lines
	s.fileLines = append(s.fileLines, lines)
	if strings.HasPrefix(folder, "modules/") {
		s.exportedTypes[folder] += exportedTypes(file)
	}
	return nil
}

func exportedTypes(file *ast.File) (count int) {
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			if typ, ok := spec.(*ast.TypeSpec); ok && typ.Name.IsExported() {
				count++
			}
		}
	}
	return count
}
