package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/web/client"
)

func TestDeadEntriesAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		list := func(filter string) []client.Dead {
			return do[client.DeadList](t, w.op, 200, "listDead", query(filter)).Items
		}
		id := param("dead_id", w.addDeadEntry(t))
		w.op.do(t, 200, "replayDead", id)
		assert.Empty(t, list(""))
		w.op.do(t, 404, "replayDead", id)
		w.site.Drain(t) // it is dead again
		assert.Len(t, list("reason=no_record&page_size=1"), 1)
		assert.Empty(t, list("reason=other"))
		replayed := do[client.ReplayedDead](t, w.op, 200, "replayAllDead", sent(object{"reason": "no_record"}))
		assert.Equal(t, client.ReplayedDead{Replayed: 1}, replayed)
		w.site.Drain(t)
		w.op.do(t, 200, "discardDead", id)
		w.op.do(t, 404, "discardDead", id)
	})
}

// addDeadEntry adds an entry without a record to the queue, which is dead then, and returns its id.
func (w *world) addDeadEntry(t testing.TB) string {
	t.Helper()
	number := order.NewNumber(time.Now(), w.lane, 4711)
	entry := order.FormatEntry(number, time.Now().UnixMilli(), w.activity, "ada")
	require.NoError(t, w.stores.Redis.RPush(t.Context(), w.stores.Keys.Queue(w.lane), entry).Err())
	move := param("name", "move_orders")
	require.True(t, do[client.Job](t, w.op, 200, "pauseJob", move).Paused)
	assert.NotEmpty(t, do[client.GetQueue200JSONResponseBody](t, w.op, 200, "getQueue").Items[0].PausedBy)
	w.op.do(t, 200, "resumeJob", move)
	w.op.do(t, 200, "getQueue")
	w.site.Drain(t)
	dead := do[client.DeadList](t, w.op, 200, "listDead", query("page=1&page_size=10")).Items
	require.Len(t, dead, 1)
	return dead[0].DeadID
}
