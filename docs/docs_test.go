// Package docs_test compares the documents with the code that they name.
package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
)

// code is what a document writes as `code`.
var code = regexp.MustCompile("`([^`]+)`")

func codesOf(text string) (names []string) {
	for _, found := range code.FindAllStringSubmatch(text, -1) {
		names = append(names, found[1])
	}
	return names
}

// Of each row of the table, the files exist, the first of them (unless it is a script) declares the first
// name, and one of them each other name.
func TestDecisionsAreInTheFilesThatTheArchitectureNames(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("contributing/architecture.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(text), "## Where is it decided?\n")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := regexp.MustCompile(`(?m)^\| (.+?) \| (.+?) \| (.+?) \|$`).FindAllStringSubmatch(table, -1)
	require.Greater(t, len(rows), 10)
	for _, row := range rows[1:] { // the first one has the titles
		files := codesOf(row[2])
		require.NotEmpty(t, files, row[1])
		folder := path.Dir(files[0])
		var names []string
		for _, name := range codesOf(row[3]) {
			switch {
			case !isFile(name):
				names = append(names, name)
			case exists(name):
				files = append(files, name)
			default: // beside the first file
				files = append(files, path.Join(folder, name))
			}
		}
		var all []string
		for i, file := range files {
			declared := declaredIn(t, file)
			if i == 0 && len(names) > 0 && strings.HasSuffix(file, ".go") {
				assert.True(t, slices.Contains(declared, names[0]), "%s: %s is not in %s", row[1], names[0], file)
			}
			all = append(all, declared...)
		}
		for _, name := range names {
			assert.True(t, slices.Contains(all, name), "%s: %s is in none of %v", row[1], name, files)
		}
	}
}

// The table of packages has each package: by its path, or by its name in the row of its folder.
func TestTheArchitectureListsEachPackage(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(readDocument(t, "docs/contributing/architecture.md"), "| folder | contents |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	listed := map[string]bool{}
	for _, row := range strings.Split(table, "\n")[1:] {
		cells := strings.SplitN(row, "|", 3)
		for _, name := range codesOf(cells[1]) {
			for _, folder := range braced(name) {
				listed[folder] = true
				for _, inside := range codesOf(cells[2]) {
					listed[path.Join(folder, inside)], listed[inside] = true, true
				}
			}
		}
	}
	packages := map[string]bool{}
	for _, file := range files(t, ".go") {
		if folder := path.Dir(file); !strings.HasPrefix(folder, "docs") && !strings.Contains(folder, "testdata") {
			packages[folder] = true
		}
	}
	require.Greater(t, len(packages), 50)
	for folder := range packages {
		assert.True(t, listed[folder], "docs/contributing/architecture.md doesn't list %s", folder)
	}
}

func isFile(name string) bool {
	return strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".lua")
}

// exists reports whether a file is in the repository; its path begins at the root.
func exists(file string) bool {
	_, err := os.Stat(filepath.Join("..", file))
	return err == nil
}

// declaredIn lists the functions and methods of a Go file, as f and T.f, with the fields and methods of its
// types, or the words of a script.
func declaredIn(t *testing.T, file string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", file))
	require.NoError(t, err)
	if !strings.HasSuffix(file, ".go") {
		return regexp.MustCompile(`\w+`).FindAllString(string(text), -1)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			names = append(names, receiver(f)+f.Name.Name)
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			names = append(names, members(spec)...)
		}
		return true
	})
	return names
}

// receiver returns "T." of a method of T, *T or T[V], and "" of a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	switch generic := of.(type) {
	case *ast.IndexExpr:
		of = generic.X
	case *ast.IndexListExpr:
		of = generic.X
	}
	name, _ := of.(*ast.Ident)
	return name.Name + "."
}

// members returns the fields of a struct, or the methods of an interface, as T.f.
func members(spec *ast.TypeSpec) (names []string) {
	var list *ast.FieldList
	switch of := spec.Type.(type) {
	case *ast.StructType:
		list = of.Fields
	case *ast.InterfaceType:
		list = of.Methods
	default:
		return nil
	}
	for _, field := range list.List {
		for _, name := range field.Names {
			names = append(names, spec.Name.Name+"."+name.Name)
		}
	}
	return names
}

// Each problem code that the program declares has a section, with its status, and no section is left over.
func TestEachProblemCodeIsExplained(t *testing.T) {
	t.Parallel()
	declaration := regexp.MustCompile(`Code\{Name: "([a-z_]+)", Status: http\.(Status\w+)\}`)
	declared := map[string]string{}
	for _, folder := range []string{"modules", "web", "jobs"} {
		require.NoError(t, filepath.WalkDir(path.Join("..", folder), func(file string, _ fs.DirEntry, err error) error {
			if err != nil || path.Base(file) != "codes.go" {
				return err
			}
			text, err := os.ReadFile(file)
			for _, found := range declaration.FindAllStringSubmatch(string(text), -1) {
				declared[found[1]] = found[2]
			}
			return err
		}))
	}
	require.Greater(t, len(declared), 30)
	text, err := os.ReadFile("shop/errors.md")
	require.NoError(t, err)
	explained := map[string]string{}
	section := regexp.MustCompile("(?m)^### `([a-z_]+)` \\((\\d+)\\)$")
	for _, found := range section.FindAllStringSubmatch(string(text), -1) {
		explained[found[1]] = found[2]
	}
	for name, status := range declared {
		assert.Contains(t, explained, name)
		assert.Equal(t, statusNumbers[status], explained[name], name)
	}
	assert.Len(t, explained, len(declared))
	for _, section := range strings.Split(string(text), "\n### ")[1:] {
		assert.Regexp(t, `(?s)- \*\*Cause\*\*: .+- \*\*Show\*\*: .+- \*\*Again\*\*: (Yes|No)`, section)
	}
}

// docs/zh/errors.md has the sections of docs/shop/errors.md, and shows what a buyer reads in Chinese.
func TestEveryCodeIsExplainedInChinese(t *testing.T) {
	t.Parallel()
	section := regexp.MustCompile("(?m)^### `([a-z_]+)` \\((\\d+)\\)$")
	english, err := os.ReadFile("shop/errors.md")
	require.NoError(t, err)
	chinese, err := os.ReadFile("zh/errors.md")
	require.NoError(t, err)
	assert.Equal(t, section.FindAllString(string(english), -1), section.FindAllString(string(chinese), -1))
	for _, section := range strings.Split(string(chinese), "\n### ")[1:] {
		code := strings.Split(section, "`")[1]
		require.NotEmpty(t, problem.Chinese(code), code)
		assert.Contains(t, section, "- **显示**：“"+problem.Chinese(code)+"”", code)
		assert.Regexp(t, `(?s)- \*\*原因\*\*：.+- \*\*重试\*\*：(是|否)`, section)
	}
}

// A document in Chinese has all that the English one has: the headings, the rows of tables, the points of lists and the
// commands, one for one.
func TestTheDocumentsInChineseHaveWhatTheEnglishOnesHave(t *testing.T) {
	t.Parallel()
	parts := regexp.MustCompile("(?m)^ *(#+ |\\| |- |\\d+\\. |```)")
	commands := regexp.MustCompile("(?s)```sh\n.*?```")
	english := map[string]string{
		"errors.md": "shop/errors.md", "integrate.md": "shop/integrate.md", "run-a-sale.md": "operating/run-a-sale.md",
	}
	files, err := filepath.Glob("zh/*.md")
	require.NoError(t, err)
	require.Len(t, files, len(english))
	for _, file := range files {
		from, to := readDocument(t, "docs/"+english[filepath.Base(file)]), readDocument(t, "docs/"+file)
		assert.Equal(t, parts.FindAllString(from, -1), parts.FindAllString(to, -1), file)
		assert.Equal(t, commands.FindAllString(from, -1), commands.FindAllString(to, -1), file)
	}
}

var statusNumbers = map[string]string{
	"StatusBadRequest": "400", "StatusUnauthorized": "401", "StatusForbidden": "403", "StatusNotFound": "404",
	"StatusMethodNotAllowed": "405", "StatusRequestTimeout": "408", "StatusConflict": "409",
	"StatusRequestEntityTooLarge": "413", "StatusUnsupportedMediaType": "415", "StatusUnprocessableEntity": "422",
	"StatusTooManyRequests": "429", "StatusRequestHeaderFieldsTooLarge": "431", "StatusInternalServerError": "500",
	"StatusBadGateway": "502", "StatusServiceUnavailable": "503",
}
