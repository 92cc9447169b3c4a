package server

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestIDsAreRandomInEveryLetter(t *testing.T) {
	t.Parallel()
	const ids = 1000
	seen := map[string]bool{}
	var letters [26]map[byte]bool
	for range ids {
		id := NewID()
		require.Regexp(t, `^[a-z2-7]{26}$`, id)
		seen[id] = true
		for i := range letters {
			if letters[i] == nil {
				letters[i] = map[byte]bool{}
			}
			letters[i][id[i]] = true
		}
	}
	assert.Len(t, seen, ids)
	for i := range letters {
		assert.Len(t, letters[i], 32, "letter %d", i)
	}
}
