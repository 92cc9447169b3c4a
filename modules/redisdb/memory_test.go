package redisdb_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/redisdb"
	"onrush/test/kit"
)

func TestNodeReportsItsMemoryAndEvictionPolicy(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		node, err := redisdb.NodeOf(t.Context(), s.Redis, s.Keys.Queue(3))
		require.NoError(t, err)
		m, err := node.Memory(t.Context())
		require.NoError(t, err)
		if s.Name == kit.Embedded {
			assert.Equal(t, redisdb.Memory{}, m, "miniredis doesn't say")
			return
		}
		assert.Positive(t, m.Used)
		assert.Zero(t, m.Max)
		assert.Equal(t, "noeviction", m.Policy)
		assert.False(t, m.Evicts())
	})
}
