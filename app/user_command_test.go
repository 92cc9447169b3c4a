package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

func TestABuyersDataIsExportedAndErasedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newConsole(t, stores)
		c.site.Buyer(t, "alice").Address(t, "shanghai")
		assert.Contains(t, c.must(t, "", "user", "export", "alice"), `"receiver"`)
		_, logged, err := c.do(t.Context(), "", "user", "erase", "alice", "--confirm=bob")
		require.Error(t, err)
		assert.Contains(t, logged, "confirm")
		assert.Contains(t, c.must(t, "", "user", "erase", "alice", "--confirm=alice"), "belong to erased-")
		assert.Contains(t, c.must(t, "", "user", "erase", "alice", "--confirm=alice"), "Nothing is stored")
		assert.NotContains(t, c.must(t, "", "user", "export", "alice"), `"receiver"`)
	})
}
