package lua

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheckRightsHasEachCommandOfTheOtherScripts(t *testing.T) {
	t.Parallel()
	word := regexp.MustCompile(`'([A-Z]{2,})'`)
	notCommands := []string{"BYSCORE", "LIMIT", "WITHSCORES", "PX", "WRONGTYPE", "OOM"}
	own, others := map[string]bool{}, map[string]bool{}
	for name, source := range sources(t) {
		_, body := split(source)
		for _, m := range word.FindAllStringSubmatch(body, -1) {
			switch {
			case slices.Contains(notCommands, m[1]), m[1] == "INFO": // readiness has a check of INFO
			case name == "check_rights.lua":
				own[m[1]] = true
			default:
				others[m[1]] = true
			}
		}
	}
	require.Greater(t, len(others), 30)
	assert.Equal(t, others, own)
}

func TestCheckRightsLeavesNothing(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	left, err := same(t, all, func(s *Scripts) (int64, error) {
		require.NoError(t, s.CheckRights(t.Context(), lane))
		return s.Redis.Exists(t.Context(), s.Keys.RightsCheck(lane)).Result()
	})
	require.NoError(t, err)
	assert.Zero(t, left)
}
