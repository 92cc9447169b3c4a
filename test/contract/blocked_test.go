package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/web/client"
)

func TestBlocksAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		list := func(filter string) client.BlockList {
			return do[client.BlockList](t, w.op, 200, "listBlocked", query(filter))
		}
		w.op.do(t, 404, "getBlocked", param("subject", "mallory"))
		w.op.do(t, 200, "putBlocked", param("subject", "mallory"),
			sent(object{"reason": "resells", "until": time.Now().Add(time.Hour)}))
		w.op.do(t, 200, "putBlocked", param("subject", "192.0.2.0/24"), sent(object{"reason": "robots"}))
		w.op.do(t, 422, "putBlocked", param("subject", "0.0.0.0/0"), sent(object{"reason": "typo"}))
		w.op.do(t, 200, "getBlocked", param("subject", "user:mallory"))
		assert.Len(t, list("page=1&page_size=5").Items, 2)
		first := list("page_size=1&from=2026-01-01T00:00:00Z")
		assert.Equal(t, "mallory", list("page_size=1&after=" + first.NextCursor).Items[0].Subject)
		assert.Len(t, list("kind=user").Items, 1)
		for _, subject := range []string{"mallory", "address:192.0.2.0/24"} {
			w.op.do(t, 204, "deleteBlocked", param("subject", subject))
			w.op.do(t, 404, "deleteBlocked", param("subject", subject))
		}
	})
}
