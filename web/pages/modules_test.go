package pages

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	moduleImport  = regexp.MustCompile(`(?m)^(?:import|export) (?:[^'";]* from )?'([^']+\.js)'`)
	dynamicImport = regexp.MustCompile(`\bimport\('([^']+)'\)`)
)

// sources are the scripts and the stylesheets that the pages are bundled from, by their names below the folder of the
// pages.
func sources(t *testing.T) (all []file) {
	t.Helper()
	names := []string{"../client/onrush.js"}
	for _, folder := range []string{"shared", "shop", "console", "design", "vendor"} {
		for _, kind := range []string{".js", ".css"} {
			found, err := filepath.Glob(folder + "/*" + kind)
			require.NoError(t, err)
			names = append(names, found...)
		}
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		all = append(all, file{filepath.ToSlash(name), data})
	}
	return all
}

// modules are the pages' modules, by name, each with the modules of the pages that it imports.
type modules map[string][]string

// readModules reads the modules. lazy is whether modules that are loaded when they are needed count too.
func readModules(t *testing.T, lazy bool) modules {
	t.Helper()
	found := modules{}
	for _, file := range sources(t) {
		if path.Ext(file.name) != ".js" {
			continue
		}
		imports := moduleImport.FindAllSubmatch(file.data, -1)
		if lazy {
			imports = append(imports, dynamicImport.FindAllSubmatch(file.data, -1)...)
		}
		found[file.name] = []string{}
		for _, m := range imports {
			if name := string(m[1]); strings.HasPrefix(name, ".") { // others are served beside the pages
				found[file.name] = append(found[file.name], path.Join(path.Dir(file.name), name))
			}
		}
	}
	return found
}

// circle returns the modules of a circle of imports that begins at the end of way, or nothing.
func (m modules) circle(way []string, done map[string]bool) []string {
	at := way[len(way)-1]
	if first := slices.Index(way, at); first < len(way)-1 {
		return way[first:]
	}
	if done[at] {
		return nil
	}
	for _, next := range m[at] {
		if found := m.circle(append(slices.Clone(way), next), done); found != nil {
			return found
		}
	}
	done[at] = true
	return nil
}

// reached adds the module at a name, and all that it imports, to those that were reached.
func (m modules) reached(at string, by map[string]bool) {
	if by[at] {
		return
	}
	by[at] = true
	for _, next := range m[at] {
		m.reached(next, by)
	}
}

func TestNoModulesImportEachOtherInACircle(t *testing.T) {
	t.Parallel()
	all, done := readModules(t, true), map[string]bool{}
	for name := range all {
		assert.Empty(t, all.circle([]string{name}, done), "imports")
	}
	imports := 0
	for _, names := range all {
		imports += len(names)
	}
	assert.Greater(t, imports, 200)
}

// A circle is found from each module from which it is reached.
func TestACircleOfImportsIsFound(t *testing.T) {
	t.Parallel()
	all := modules{"main": {"parts", "live"}, "live": {"parts", "today"}, "today": {"parts", "live"}, "parts": {}}
	assert.Equal(t, []string{"live", "today", "live"}, all.circle([]string{"main"}, map[string]bool{}))
	all["today"] = []string{"parts"}
	assert.Empty(t, all.circle([]string{"main"}, map[string]bool{}))
}

// Both pages together use all modules, and every import exists.
func TestEveryModuleIsUsedAndEveryImportExists(t *testing.T) {
	t.Parallel()
	all, used := readModules(t, true), map[string]bool{}
	for name, imports := range all {
		for _, imported := range imports {
			assert.Contains(t, all, imported, "%s imports it", name)
		}
	}
	for _, page := range allFolders {
		all.reached(page+"/main.js", used)
	}
	for name := range all {
		assert.True(t, used[name], "%s is used by no page", name)
	}
}

// A page loads no module and no rule of the other page.
func TestAPageLoadsNothingOfTheOther(t *testing.T) {
	t.Parallel()
	all := readModules(t, true)
	for i, page := range pageFolders {
		other, loaded := pageFolders[1-i], map[string]bool{}
		all.reached(page+"/main.js", loaded)
		for name := range loaded {
			assert.NotEqual(t, other, path.Dir(name), "the %s loads %s", page, name)
		}
		data, err := os.ReadFile(page + "/index.html")
		require.NoError(t, err)
		assert.NotContains(t, string(data), "/"+other+"/", "the page of the %s", page)
	}
}

// Lines are read side by side with others, so none is longer than 120 characters. Other people's code stays as it is.
func TestNoLineOfAPageIsLongerThan120Characters(t *testing.T) {
	t.Parallel()
	const longest = 120
	read := 0
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (name == "vendor" || name == "built") {
			return filepath.SkipDir
		}
		if entry.IsDir() || path.Ext(name) == ".go" {
			return nil
		}
		read++
		data, err := os.ReadFile(name)
		for i, line := range strings.Split(string(data), "\n") {
			assert.LessOrEqual(t, utf8.RuneCountInString(line), longest, "%s:%d", name, i+1)
		}
		return err
	})
	require.NoError(t, err)
	assert.Greater(t, read, 60)
}
