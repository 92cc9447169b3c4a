package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
)

// addDead adds entries without a record to the queue of the first lane.
func (c *console) addDead(t *testing.T, n uint32) {
	t.Helper()
	now := time.Now()
	for i := range n {
		entry := order.FormatEntry(order.NewNumber(now, 1, 4711+i), now.UnixMilli(), "noon", "ada")
		require.NoError(t, c.site.Stores.Redis.RPush(t.Context(), c.site.Stores.Keys.Queue(1), entry).Err())
	}
	c.site.Drain(t)
}

func TestDeadEntriesAreListedShownRetriedAndDropped(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	assert.Equal(t, "[]\n", c.must(t, "", "dead", "-o", "json"))
	c.addDead(t, 3)
	var all []struct {
		ID     string `json:"dead_id"`
		Reason string `json:"reason"`
	}
	list := func(args ...string) int {
		require.NoError(t, json.Unmarshal([]byte(c.must(t, "", append(args, "-o", "json")...)), &all))
		return len(all)
	}
	require.Equal(t, 3, list("dead", "list", "--reason=no_record", "--activity=noon"))
	id := all[0].ID
	assert.Regexp(t, `(?m)^`+id+` +\S+Z +no_record +\d+ +noon +ada`, c.must(t, "", "dead"))
	assert.Len(t, strings.Split(c.must(t, "", "dead", "--limit=2"), "\n"), 4)
	assert.NotContains(t, c.must(t, "", "dead", "--reason=other"), id)
	assert.JSONEq(t, `"no_record"`, jsonField(t, c.must(t, "", "dead", "show", id), "reason"))
	assert.Contains(t, c.refused(t, "", "dead", "show", "1-404"), "there is no dead entry 1-404")

	assert.Equal(t, id+" is in the queue again.\n", c.must(t, "", "dead", "replay", id))
	c.site.Drain(t) // it is dead again
	assert.Contains(t, c.refused(t, "", "dead", "replay"), "pass the id of an entry, or --reason")
	assert.Contains(t, c.refused(t, "", "dead", "replay", id, "--activity=noon"), "--activity needs --reason")
	assert.Contains(t, c.refused(t, "", "dead", "replay", "1-404"), "404 Not Found not_found")
	assert.Contains(t, c.must(t, "", "dead", "replay", "--reason=no_record", "--activity=noon"),
		"Entries in the queue again: 3. Remaining: 0.")
	c.site.Drain(t)

	assert.Contains(t, c.refused(t, "n\n", "dead", "discard", id), "nothing was changed")
	assert.Contains(t, c.refused(t, "", "dead", "discard", id, "-o", "json"), "nothing was changed")
	assert.Contains(t, c.must(t, "y\n", "dead", "discard", id), id+" is discarded.\n")
	assert.Contains(t, c.refused(t, "", "dead", "discard", id, "-y"), "404 Not Found not_found")
	assert.Equal(t, 2, list("dead"))
}
