package inventory

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/lua"
	"onrush/modules/needs"
)

// A build that knows of needs, but of no reserved units, loads a sale without them.
func TestASaleThatABuildWithoutItsAbilitiesLoadedIsLoadedAgain(t *testing.T) {
	t.Parallel()
	versionOf := func(needed needs.Set, inRedis int64) int64 {
		a := candidate{Version: 3, Applied: 3, Epoch: 1, Needs: needed}
		return stateOf(a, []any{"open", nil, "1", lua.FormatVersion(inRedis)}).version
	}
	assert.EqualValues(t, 3, versionOf("", 3))
	for _, needed := range []needs.Set{"waves", "reserved waves"} {
		assert.EqualValues(t, 3, versionOf(needed, needed.Version(3)))
		assert.EqualValues(t, -1, versionOf(needed, 3))
	}
	assert.EqualValues(t, -1, versionOf("reserved waves", needs.Set("waves").Version(3)))
}
