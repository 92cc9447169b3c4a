package lua

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNodeReportsItsMemoryAndEvictionPolicy(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	for i, s := range all {
		node, err := s.NodeOf(t.Context(), lane)
		require.NoError(t, err)
		m, err := node.Memory(t.Context())
		require.NoError(t, err)
		if i == 0 {
			assert.Equal(t, Memory{}, m, "miniredis doesn't say")
			continue
		}
		assert.Positive(t, m.Used)
		assert.Zero(t, m.Max)
		assert.Equal(t, "noeviction", m.Policy)
		assert.False(t, m.Evicts())
	}
}
