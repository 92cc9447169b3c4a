package statements_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// root is the folder of the module, and modulePath its name.
const (
	root       = "../.."
	modulePath = "onrush"
)

// program is the source of the program without its tests, with the types of its own packages. Packages of others are
// not read: what only they know has no type.
type program struct {
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
	known map[string]*types.Package
}

// source returns the program, which is read once per test process.
var source = sync.OnceValues(func() (*program, error) {
	p := &program{fset: token.NewFileSet(), known: map[string]*types.Package{}, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Instances: map[*ast.Ident]types.Instance{},
	}}
	for _, top := range []string{"app", "jobs", "modules", "lua", "web"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.IsDir() || entry.Name() == "testdata" {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			_, err = p.Import(modulePath + "/" + filepath.ToSlash(name))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(p.files) == 0 {
		return nil, errors.New("no source was found")
	}
	return p, nil
})

// Import implements types.Importer.
func (p *program) Import(path string) (*types.Package, error) {
	if known := p.known[path]; known != nil {
		return known, nil
	}
	name, ours := strings.CutPrefix(path, modulePath+"/")
	if !ours {
		p.known[path] = types.NewPackage(path, nameOf(path))
		p.known[path].MarkComplete()
		return p.known[path], nil
	}
	files, err := p.parse(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	config := types.Config{Importer: p, Error: func(error) {}} // what other packages declare is unknown
	pkg, _ := config.Check(path, p.fset, files, p.info)
	p.known[path], p.files = pkg, append(p.files, files...)
	return pkg, nil
}

// nameOf returns the name by which a package is usually called: without its version.
func nameOf(path string) string {
	parts := strings.Split(path, "/")
	last := parts[len(parts)-1]
	if len(parts) > 1 && len(last) > 1 && last[0] == 'v' && last[1] >= '0' && last[1] <= '9' {
		last = parts[len(parts)-2]
	}
	return strings.TrimPrefix(last, "go-")
}

func (p *program) parse(dir string) (files []*ast.File, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(p.fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("read the source: %w", err)
		}
		files = append(files, file)
	}
	return files, nil
}

// at returns where a node is, for messages.
func (p *program) at(node ast.Node) string {
	position := p.fset.Position(node.Pos())
	name, err := filepath.Rel(root, position.Filename)
	if err != nil {
		name = position.Filename
	}
	return fmt.Sprintf("%s:%d", name, position.Line)
}
