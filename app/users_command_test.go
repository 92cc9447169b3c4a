package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

func TestABuyersDataIsExportedAndErasedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newConsole(t, stores)
		alice := c.site.Buyer(t, "alice")
		alice.Address(t, "shanghai")
		alice.Call(t, http.MethodGet, "/api/v1/orders/7", "", nil)
		assert.Regexp(t, `GET +/api/v1/orders/7 +not_found +1 `, c.must(t, "", "users", "trail", "alice"))
		assert.Contains(t, c.must(t, "", "users", "trail", "-o", "json", "alice"), `"count": 1`)
		assert.Contains(t, c.must(t, "", "users", "export", "alice"), `"receiver"`)
		_, logged, err := c.do(t.Context(), "", "users", "erase", "alice", "--confirm=bob")
		require.Error(t, err)
		assert.Contains(t, logged, "confirm")
		assert.Contains(t, c.must(t, "", "users", "erase", "alice", "--confirm=alice"), "belong to erased-")
		assert.Contains(t, c.must(t, "", "users", "erase", "alice", "--confirm=alice"), "Nothing is stored")
		assert.NotContains(t, c.must(t, "", "users", "export", "alice"), `"receiver"`)
	})
}
