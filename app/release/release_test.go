package release

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheVersionIsTheReleasesOrElseTheModules(t *testing.T) {
	t.Parallel()
	commit := []debug.BuildSetting{{Key: "vcs.revision", Value: "0f3c59e"}, {Key: "vcs.modified", Value: "true"}}
	for want, row := range map[string]struct {
		version string
		info    debug.BuildInfo
	}{
		"(devel)":                    {},
		"v0.1.0":                     {"", debug.BuildInfo{Main: debug.Module{Version: "v0.1.0"}}},
		"1.2.3":                      {"1.2.3", debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}},
		"1.2.3 0f3c59e (modified)":   {"1.2.3", debug.BuildInfo{Settings: commit}},
		"(devel) 0f3c59e (modified)": {"", debug.BuildInfo{Settings: commit}},
		"(devel) 0f3c59e":            {"", debug.BuildInfo{Settings: commit[:1]}},
	} {
		assert.Equal(t, want, describe(row.version, &row.info))
	}
}
