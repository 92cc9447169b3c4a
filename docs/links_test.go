package docs_test

import (
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
)

var (
	fence   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Each relative link of a document leads to a file, and its anchor to a heading of that file.
func TestLinksOfTheDocumentsResolve(t *testing.T) {
	t.Parallel()
	links := 0
	for _, file := range files(t, ".md") {
		for _, found := range link.FindAllStringSubmatch(readDocument(t, file), -1) {
			if strings.Contains(found[1], "://") || strings.HasPrefix(found[1], "mailto:") {
				continue
			}
			links++
			name, anchor, anchored := strings.Cut(found[1], "#")
			target := file
			if name != "" {
				target = path.Join(path.Dir(file), name)
			}
			if assert.True(t, exists(target), "%s: %s is no file", file, target) && anchored {
				assert.True(t, slices.Contains(anchors(t, target), anchor), "%s: %s has no heading #%s", file, target,
					anchor)
			}
		}
	}
	require.Greater(t, links, 15)
}

// Comments, messages and documents name a document by its path from the root of the repository.
func TestDocumentsThatFilesNameExist(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`\bdocs/[a-z/-]+\.md\b`)
	kinds := []string{".go", ".js", ".ts", ".md", ".yml", ".yaml", ".html"}
	found := 0
	for _, file := range files(t, kinds...) {
		text, err := os.ReadFile(filepath.Join("..", file))
		require.NoError(t, err)
		for _, name := range named.FindAllString(string(text), -1) {
			found++
			assert.True(t, exists(name), "%s names %s, which is no file", file, name)
		}
	}
	require.Greater(t, found, 15)
}

// files lists the files of the repository, or those with one of the endings; their paths begin at its root.
func files(t *testing.T, endings ...string) (names []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(os.DirFS(".."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case !d.IsDir() && (len(endings) == 0 || slices.Contains(endings, path.Ext(name))):
			names = append(names, name)
		}
		return nil
	}))
	return names
}

// readDocument returns a document without its blocks of code.
func readDocument(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", file))
	require.NoError(t, err)
	return fence.ReplaceAllString(string(text), "")
}

// anchors returns the anchors that the hosts of repositories give to the headings of a document.
func anchors(t *testing.T, file string) (names []string) {
	t.Helper()
	for _, found := range heading.FindAllStringSubmatch(readDocument(t, file), -1) {
		names = append(names, strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(found[1]), ""), " ", "-"))
	}
	return names
}
