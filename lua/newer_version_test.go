package lua

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAVersionThatOlderBuildsCantReadIsANumberToScripts(t *testing.T) {
	t.Parallel()
	for _, v := range []int64{0, 7, NewerVersion - 1, NewerVersion, NewerVersion + 7} {
		text := FormatVersion(v)
		assert.Equal(t, v, ParseVersion(text))
		_, err := strconv.ParseInt(text, 10, 64)
		assert.Equal(t, v >= NewerVersion, err != nil, text)
	}
	assert.Zero(t, ParseVersion(""))
	all := newStores(t)
	sale(t, all, "version", "3")
	change := func(version int64) {
		_, err := same(t, all, func(s *Scripts) (bool, error) {
			return s.ChangeActivity(t.Context(), lane, activity, version, map[string]string{"ends_ms": farAway})
		})
		require.NoError(t, err)
	}
	change(NewerVersion + 4)
	change(5)
	assert.Equal(t, "1099511627780.0", all.hash(t, all.keys().Meta(lane, activity))["version"])
	at := func(version int64) PlaceResult {
		return placeCall(t, all, &PlaceCall{
			Lane: lane, Activity: activity, Version: version, Orders: []PlaceOrder{buy("1", "ann", 1)},
		})[0]
	}
	assert.Equal(t, PlaceResult{Code: Outdated, Version: NewerVersion + 4}, at(5))
	assert.Equal(t, Behind, at(NewerVersion+5).Code)
	assert.Equal(t, Placed, at(NewerVersion+4).Code)
}
