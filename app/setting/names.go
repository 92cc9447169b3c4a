package setting

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

const (
	// Prefix begins the environment variables of the program.
	Prefix = "ONRUSH_"
	// testPrefix begins the environment variables of its tests, which the program ignores.
	testPrefix = "ONRUSH_TEST_"
)

// CheckEnvironment returns an error if environ, in the form of os.Environ, has an ONRUSH_ variable
// that no flag of any command reads. A misspelt name would otherwise leave its setting at the
// default: a run that was meant for real stores would start on embedded ones.
func CheckEnvironment(app *kong.Application, environ []string) error {
	known := Names(app.Node)
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, Prefix) || strings.HasPrefix(name, testPrefix) || slices.Contains(known, name) {
			continue
		}
		return unknown(name, known)
	}
	return nil
}

func unknown(name string, known []string) error {
	if near := nearest(name, known); near != "" {
		return fmt.Errorf("%s is not a setting; did you mean %s?", name, near)
	}
	return fmt.Errorf("%s is not a setting; onrush serve --help lists them", name)
}

// Names are the environment variables that the flags of a command and of those below it read.
func Names(node *kong.Node) []string {
	var names []string
	for _, flag := range Of(node) {
		names = append(names, flag.Envs...)
		if name := FromFile(flag); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// nearest is the name that differs least from a misspelt one, or "" if all differ in more than a
// third of its letters.
func nearest(name string, known []string) string {
	best, least := "", (len(name)-len(Prefix))/3+1
	for _, k := range known {
		if d := distance(name, k); d <= least && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}

// distance counts the letters to insert, remove or replace to turn a into b (Levenshtein distance).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
