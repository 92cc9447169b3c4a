package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// identifier is a name, or several with dots: setStatus, order.setStatus, orders.content.
	identifier = regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$`)
	// filePath is a path in the repository or the end of one, also with {a,b} or *.
	filePath = regexp.MustCompile(`^\.?\w[\w./{},*-]*$`)
	fileEnd  = regexp.MustCompile(`\.(go|lua|sql|md|js|ts|json|yaml|yml|svg|html|css)$`)
)

// elsewhere are names that the code doesn't use.
var elsewhere = []string{"BLPOP", "BLMOVE"}

// Each path and each name of the code in these two documents exists, and each test that any document names. A path may
// leave out its first folders.
func TestPathsAndNamesOfTheDocumentsExist(t *testing.T) {
	t.Parallel()
	source := readSource(t)
	paths, names := 0, 0
	for _, document := range []string{"CONTRIBUTING.md", "docs/contributing/architecture.md"} {
		for _, name := range codesOf(readDocument(t, document)) {
			switch {
			case fileEnd.MatchString(name) && filePath.MatchString(name),
				strings.Contains(name, "/") && filePath.MatchString(name):
				paths++
				for _, file := range braced(name) {
					assert.True(t, source.hasPath(file), "%s: there is no %s", document, file)
				}
			case identifier.MatchString(name) && !slices.Contains(elsewhere, name):
				names++
				assert.True(t, source.hasName(name), "%s: nothing is called %s", document, name)
			}
		}
	}
	test := regexp.MustCompile(`^(Test|Benchmark|Fuzz|Example)[A-Z]\w+$`)
	tests := 0
	for _, document := range files(t, ".md") {
		for _, name := range codesOf(readDocument(t, document)) {
			if test.MatchString(name) {
				tests++
				assert.True(t, source.declared[name], "%s: there is no %s", document, name)
			}
		}
	}
	require.Greater(t, paths, 100)
	require.Greater(t, names, 200)
	require.Greater(t, tests, 300)
}

// braced returns the paths that a/{b,c} stands for.
func braced(name string) []string {
	before, rest, found := strings.Cut(name, "{")
	list, after, closed := strings.Cut(rest, "}")
	if !found || !closed {
		return []string{name}
	}
	var all []string
	for part := range strings.SplitSeq(list, ",") {
		all = append(all, braced(before+part+after)...)
	}
	return all
}

// source is what documents may name.
type source struct {
	paths    []string        // of files and folders, with a slash before and behind
	declared map[string]bool // f, T, T.f and package.f of Go
	words    map[string]bool // all words of the files
}

func readSource(t *testing.T) (s source) {
	t.Helper()
	s = source{declared: map[string]bool{}, words: map[string]bool{}}
	schema := regexp.MustCompile(`(?m)^    ([A-Z]\w+):$|^      operationId: (\w+)$`) // of openapi.yaml
	for _, file := range files(t) {
		for dir := file; dir != "."; dir = path.Dir(dir) {
			s.paths = append(s.paths, "/"+dir+"/")
		}
		if !fileEnd.MatchString(file) || strings.HasPrefix(file, "docs/") || path.Ext(file) == ".md" {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", file))
		require.NoError(t, err)
		for word := range strings.FieldsFuncSeq(string(text), isBetweenWords) {
			s.words[word] = true
		}
		if path.Ext(file) == ".yaml" {
			for _, found := range schema.FindAllStringSubmatch(string(text), -1) {
				s.declared[found[1]+found[2]] = true
			}
		}
		if path.Ext(file) == ".go" {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
			require.NoError(t, err)
			s.declare(parsed)
		}
	}
	slices.Sort(s.paths)
	s.paths = slices.Compact(s.paths)
	return s
}

func isBetweenWords(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// declare adds what a file declares.
func (s *source) declare(file *ast.File) {
	add := func(name string) { s.declared[name], s.declared[file.Name.Name+"."+name] = true, true }
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			add(receiver(f) + f.Name.Name)
			add(f.Name.Name)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch spec := n.(type) {
		case *ast.TypeSpec:
			add(spec.Name.Name)
			for _, member := range members(spec) {
				add(member)
				_, field, _ := strings.Cut(member, ".")
				add(field)
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				add(name.Name)
			}
		}
		return true
	})
}

func (s *source) hasPath(name string) bool {
	name = "/" + strings.Trim(name, "/") + "/"
	return slices.ContainsFunc(s.paths, func(p string) bool {
		if strings.Contains(name, "*") {
			fits, err := path.Match(name[1:], strings.TrimPrefix(p, path.Dir(path.Clean(p))+"/"))
			return err == nil && fits
		}
		return strings.HasSuffix(p, name)
	})
}

// hasName reports whether Go declares a name, or the words of one in lower or upper case, such as a column, exist.
func (s *source) hasName(name string) bool {
	if s.declared[name] {
		return true
	}
	mixed := strings.ToLower(name) != name && strings.ToUpper(name) != name
	return !mixed && !slices.ContainsFunc(strings.Split(name, "."), func(word string) bool { return !s.words[word] })
}

// Each -run of a document selects tests: each of its alternatives, and in each of its packages.
func TestRunsOfTheDocumentsSelectTests(t *testing.T) {
	t.Parallel()
	command := regexp.MustCompile("go test ([^`\n]+)") // <name> stands for any
	flag := regexp.MustCompile(`-run '?([^' ]+)'?`)
	found := 0
	for _, document := range files(t, ".md") {
		text, err := os.ReadFile(filepath.Join("..", document))
		require.NoError(t, err)
		for _, args := range command.FindAllStringSubmatch(string(text), -1) {
			pattern := flag.FindStringSubmatch(args[1])
			if pattern == nil || strings.Contains(pattern[1], "<") {
				continue
			}
			found++
			for _, problem := range unselected(t, pattern[1], args[1]) {
				assert.Fail(t, document+": -run "+pattern[1]+" "+problem)
			}
		}
	}
	require.Greater(t, found, 3)
}

// unselected says what the pattern of go test doesn't select with these arguments.
func unselected(t *testing.T, pattern, args string) (problems []string) {
	t.Helper()
	var packages [][]string
	for _, arg := range strings.Fields(args) {
		if !strings.HasPrefix(arg, "./") {
			continue
		}
		tests := testsIn(t, strings.TrimPrefix(arg, "./"))
		packages = append(packages, tests)
		if !slices.ContainsFunc(tests, regexp.MustCompile(pattern).MatchString) {
			problems = append(problems, "selects no test of "+arg)
		}
	}
	for alternative := range strings.SplitSeq(pattern, "|") {
		if !slices.ContainsFunc(slices.Concat(packages...), regexp.MustCompile(alternative).MatchString) {
			problems = append(problems, "has no test for "+alternative)
		}
	}
	return problems
}

// testsIn lists the tests of a package, or of a folder that ends in "/...".
func testsIn(t *testing.T, pkg string) (tests []string) {
	t.Helper()
	folder, all := strings.CutSuffix(pkg, "/...")
	declaration := regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz)\w*)\(`)
	for _, file := range files(t, ".go") {
		in := path.Dir(file) == folder || all && strings.HasPrefix(file, folder+"/")
		if !in || !strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", file))
		require.NoError(t, err)
		for _, found := range declaration.FindAllStringSubmatch(string(text), -1) {
			tests = append(tests, found[1])
		}
	}
	return tests
}
