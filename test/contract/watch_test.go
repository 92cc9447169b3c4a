package contract

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// watches reads the history of the sale, and checks it and a draft with a price above the sku's.
func (w *world) watches(t *testing.T) {
	t.Helper()
	sale := param("activity_id", w.activity)
	_, err := w.site.Server.History.RunOnce(t.Context())
	require.NoError(t, err)
	points := w.op.do(t, http.StatusOK, "getHistory", sale).JSON(t)["items"].([]any)
	require.NotEmpty(t, points)
	last := points[len(points)-1].(object)
	assert.NotZero(t, last["accepted"])
	assert.NotZero(t, last["refused"])
	assert.Empty(t, w.op.do(t, http.StatusOK, "getHistory", param("activity_id", w.draft)).JSON(t)["items"])
	w.op.do(t, http.StatusNotFound, "getHistory", param("activity_id", "nothing"))

	assert.Equal(t, "ok", w.level(t, w.activity, "times"))
	assert.Equal(t, "ok", w.level(t, w.activity, "prices"))
	dear := saleBody()
	dear["skus"].([]object)[0]["flash_price"] = 4901
	w.op.do(t, http.StatusOK, "putActivity", param("activity_id", "dear"), sent(dear))
	assert.Equal(t, "warning", w.level(t, "dear", "prices"))
	assert.Equal(t, "warning", w.level(t, "dear", "times"), "it starts in the past")
	w.op.do(t, http.StatusNoContent, "deleteActivity", param("activity_id", "dear"))
	w.op.do(t, http.StatusNotFound, "checkActivity", param("activity_id", "dear"))
}

// level returns the level of the only item of a check.
func (w *world) level(t *testing.T, activity, check string) (level string) {
	t.Helper()
	for _, item := range w.op.do(t, http.StatusOK, "checkActivity",
		param("activity_id", activity)).JSON(t)["items"].([]any) {
		if item.(object)["check"] == check {
			require.Empty(t, level, "%s of %s has more than one item", check, activity)
			level = item.(object)["level"].(string)
		}
	}
	return level
}
