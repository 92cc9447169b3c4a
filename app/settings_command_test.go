package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

func TestSettingsAreShownSetAndUnset(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	assert.Regexp(t, `sales_stopped +false +environment`, c.must(t, "", "settings"))
	shown := c.must(t, "", "settings", "set", "sales_stopped=true", "log=warn",
		"limit_routes=POST /api/v1/seckill/path=5/1s,GET /api/v1/orders=9/1m", "--version=1")
	assert.Regexp(t, `sales_stopped +true +operators`, shown)
	assert.Regexp(t, `log +warn +operators`, shown)
	assert.Contains(t, c.refused(t, "", "settings", "set", "log=info", "--version=1"), "its version is 2")
	assert.Contains(t, c.refused(t, "", "settings", "set", "limit_user=fast"), "limit_user")
	assert.Contains(t, c.refused(t, "", "settings", "set", "log"), "such as log=debug")
	assert.Regexp(t, `log +info +environment`, c.must(t, "", "settings", "set", "log="))
	changes := c.must(t, "", "changes", "--on", "settings")
	assert.Regexp(t, `(?m)^20\S+Z +operator +127.0.0.1 +settings.changed +settings +.*sales_stopped: .*true`, changes)
	assert.Equal(t, 2, strings.Count(c.must(t, "", "changes", "--actor=operator", "--limit=1"), "\n"))
	assert.JSONEq(t, `[]`, c.must(t, "", "changes", "--on=sku:none", "-o", "json"))
	assert.JSONEq(t, `true`, jsonField(t, c.must(t, "", "settings", "get", "-o", "json"), "set", "sales_stopped"))
}

// jsonField returns a value in a JSON text by the names of its fields.
func jsonField(t *testing.T, text string, names ...string) string {
	t.Helper()
	value := json.RawMessage(text)
	for _, name := range names {
		var fields map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(value, &fields))
		value = fields[name]
	}
	return string(value)
}
