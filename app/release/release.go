// Package release says which version of the program runs.
package release

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// version is set by the build of a release: -ldflags "-X onrush/app/release.version=1.2.3". Otherwise it is empty.
var version string

// Version returns the version of the release, or else of the module, and the commit that it was built from, as far as
// the build knows them: such as "1.2.3 0f3c59e" or "(devel)".
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return describe(version, info)
}

func describe(version string, info *debug.BuildInfo) string {
	words := []string{cmp.Or(version, info.Main.Version, "(devel)")}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			words = append(words, s.Value)
		case s.Key == "vcs.modified" && s.Value == "true":
			words = append(words, "(modified)")
		}
	}
	return strings.Join(words, " ")
}
