package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

// limitsBody are limits that no test reaches.
func limitsBody() object {
	return object{
		"item": object{"requests": 1000000, "seconds": 1}, "user": object{"requests": 1000000, "seconds": 1},
		"ip": object{"requests": 1000000, "seconds": 1},
	}
}

// comingSale returns a published sale that starts later.
func (w *world) comingSale(t testing.TB) string {
	t.Helper()
	if w.coming == "" {
		sale := saleBody()
		sale["starts_at"] = time.Now().Add(30 * time.Minute)
		w.coming = do[client.AdminActivity](t, w.op, 201, "createActivity", sent(sale)).ActivityID
		w.op.do(t, 200, "publishActivity", param("activity_id", w.coming))
	}
	return w.coming
}

// The sale has every gate before its start.
func TestChangesOfPublishedSalesAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		body := saleBody()
		body["starts_at"] = time.Now().Add(time.Minute)
		body["human_check"], body["limits"], body["waiting_room"] = "pow", limitsBody(), object{"paths_per_second": 2.5}
		id := do[client.AdminActivity](t, w.op, 201, "createActivity", sent(body)).ActivityID
		sale := param("activity_id", id)
		w.op.do(t, 409, "changeActivity", sale, sent(object{"title": "Later"}))
		w.op.do(t, 200, "publishActivity", sale)
		w.ada.do(t, 200, "joinLine", sent(object{"activity_id": id}))
		assert.Equal(t, "pow",
			do[client.Challenge](t, w.ada, 200, "getChallenge", query("activity_id="+id)).HumanCheck)
		answer := w.ada.do(t, 200, "getChallenge", query("activity_id="+w.activity))
		assert.JSONEq(t, `{"human_check": "none"}`, string(answer.Body))
		take := object{"activity_id": id, "sku_id": "lamp"}
		assert.Equal(t, "not_started", w.ada.do(t, 409, "takePath", sent(take)).Code())
		w.op.do(t, 200, "changeActivity", sale, sent(object{"segments": []string{"vip", "staff"}}))
		known := func() bool {
			return len(do[client.Activity](t, w.ada, 200, "getActivity", sale).Segments) == 2
		}
		require.Eventually(t, known, time.Minute, 10*time.Millisecond)
		assert.Equal(t, "not_in_segment", w.ada.do(t, 403, "joinLine", sent(object{"activity_id": id})).Code())
		assert.Equal(t, "not_in_segment", w.ada.do(t, 403, "takePath", sent(take)).Code())

		w.changesAllFields(t, sale)
		assert.Equal(t, "human_check_required", w.ada.do(t, 403, "takePath", sent(take)).Code())
		take["human_check"] = "bm90IGFuIGFuc3dlcg"
		assert.Equal(t, "human_check_failed", w.ada.do(t, 403, "takePath", sent(take)).Code())
		for _, wrong := range []object{
			{"purchase_limit": 4},
			{"starts_at": time.Now()},
			{"skus": []object{{"sku_id": "desk"}}},
			{"human_check": "captcha"},
		} {
			w.op.do(t, 422, "changeActivity", sale, sent(wrong))
		}
		w.op.do(t, 200, "takeActivityOffline", sale)
		w.op.do(t, 409, "changeActivity", sale, sent(object{"title": "Too late"}))
	})
}

// changesAllFields changes every field that may change, so that the sale begins.
func (w *world) changesAllFields(t *testing.T, sale part) {
	t.Helper()
	changed := w.op.do(t, 200, "changeActivity", sale, sent(object{
		"title": "Lamps now", "starts_at": time.Now().Add(-time.Second), "ends_at": time.Now().Add(2 * time.Hour),
		"purchase_limit": 5, "permit_ratio": 2, "human_check": "pow", "limits": object{"user": object{"requests": -1}},
		"waiting_room": object{"paths_per_second": -1},
		"description":  "Now", "image_url": "", "images": []any{}, "segments": []any{},
		"skus": []object{{"sku_id": "lamp", "flash_price": 1800, "purchase_limit": 5}},
	})).JSON(t)
	assert.Equal(t, "Lamps now", changed["title"])
	assert.Equal(t, "Now", changed["description"])
	for _, removed := range []string{"waiting_room", "image_url", "images", "segments"} {
		assert.NotContains(t, changed, removed)
	}
	assert.NotContains(t, changed["limits"], "user")
}
