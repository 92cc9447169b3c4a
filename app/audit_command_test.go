package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

func TestAuditComparesAndRepairsASaleOfARunningProgram(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t), site.Idle())
	sale := c.site.Open(t, site.Sale{})
	assert.JSONEq(t, "true", jsonField(t, c.must(t, "", "audit", sale), "ok"))

	var lane int
	require.NoError(t, c.site.Stores.DB.Read.GetContext(t.Context(), &lane,
		`SELECT lane FROM activities WHERE activity_id = ?`, sale))
	stock := c.site.Stores.Keys.Stock(lane, sale)
	require.NoError(t, c.site.Stores.Redis.HIncrBy(t.Context(), stock, "sku", 5).Err())
	said := c.refused(t, "", "audit", sale)
	assert.Contains(t, said, `"ok": false`)
	assert.Contains(t, said, "sale "+sale+" has drifted")
	assert.JSONEq(t, "true", jsonField(t, c.must(t, "", "audit", "--repair", sale), "ok"))
	assert.JSONEq(t, "true", jsonField(t, c.must(t, "", "audit", sale), "ok"))
	assert.Contains(t, c.refused(t, "", "audit", "nothing"), "404 Not Found not_found")
}
