package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

const (
	// ownPrefix begins the environment variables of the program.
	ownPrefix = "ONRUSH_"
	// testPrefix begins the environment variables of its tests, which the program ignores.
	testPrefix = "ONRUSH_TEST_"
)

// checkEnvironment returns an error if environ, in the form of os.Environ, has an ONRUSH_ variable
// that no flag of any command reads. A misspelt name would otherwise leave its setting at the
// default: a run that was meant for real stores would start on embedded ones.
func checkEnvironment(app *kong.Application, environ []string) error {
	known := settingNames(app.Node)
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, ownPrefix) || strings.HasPrefix(name, testPrefix) || slices.Contains(known, name) {
			continue
		}
		if near := nearest(name, known); near != "" {
			return fmt.Errorf("%s is not a setting; did you mean %s?", name, near)
		}
		return fmt.Errorf("%s is not a setting; onrush serve --help lists them", name)
	}
	return nil
}

// settingNames are the environment variables that the flags of a command and of those below it read.
func settingNames(node *kong.Node) []string {
	var names []string
	for _, flag := range settingsOf(node) {
		names = append(names, flag.Envs...)
		if name := fromFile(flag); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// nearest is the name that differs least from a misspelt one, or "" if all differ in more than a
// third of its letters.
func nearest(name string, known []string) string {
	best, least := "", (len(name)-len(ownPrefix))/3+1
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
