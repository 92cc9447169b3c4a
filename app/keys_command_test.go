package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

func TestKeysAreMadeListedUsedAndRevoked(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	secret := strings.TrimSpace(c.must(t, "", "keys", "create", "till 3", "till"))
	assert.Regexp(t, `^onrush_[a-z2-7]{39}$`, secret)
	assert.Contains(t, c.refused(t, "", "keys", "create", "till 3", "read"), "There is a key with this name")
	assert.Contains(t, c.refused(t, "", "keys", "create", "till 4", "everything"), "must be one of")
	assert.Contains(t, c.refused(t, "", "keys", "create", "till 4", "till", "--for=-1h"), "--for must be 0 or more")
	keeper := strings.TrimSpace(c.must(t, "", "keys", "create", "lamps", "read", "--shop=lamps"))
	assert.Contains(t, c.refused(t, "", "queue", "--token="+keeper), "belongs to the shop lamps")
	c.must(t, "", "skus", "--token="+keeper)
	var made, listed struct {
		ID      string `json:"key_id"`
		Secret  string `json:"secret"`
		Expires string `json:"expires_at"`
	}
	require.NoError(t, json.Unmarshal(
		[]byte(c.must(t, "", "keys", "create", "reports", "read", "--for=24h", "-o", "json")), &made))
	assert.NotEmpty(t, made.Expires)
	c.must(t, "", "queue", "--token="+made.Secret)
	assert.Contains(t, c.refused(t, "", "orders", "--token="+made.Secret), "the route needs support or admin")

	table := c.must(t, "", "keys")
	assert.Contains(t, table, "SHOP")
	assert.Contains(t, table, "till 3")
	assert.NotContains(t, table, secret)
	c.must(t, "", "keys", "revoke", made.ID)
	assert.Contains(t, c.refused(t, "", "queue", "--token="+made.Secret), "was revoked")
	var all []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(c.must(t, "", "keys", "list", "-o", "json", "--limit=1")), &all))
	require.Len(t, all, 1)
	require.NoError(t, json.Unmarshal(all[0], &listed))
	assert.Equal(t, made.ID, listed.ID)
	assert.Contains(t, c.refused(t, "", "keys", "revoke", "4711"), "not_found")
}
