package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

func TestASaleIsClosedNowAndClonedForNextWeek(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, activity := s.Operator(t), s.Open(t, site.Sale{})
		at := admin + "/activities/" + activity
		for _, ends := range []time.Time{time.Now().Add(-time.Hour), time.Now().Add(-time.Minute)} {
			requireRefusal(t, op.Call(t, http.MethodPatch, at, "", map[string]any{"ends_at": ends}),
				http.StatusUnprocessableEntity, "invalid_request")
		}
		page := map[string]any{
			"description": "Half price.", "image_url": "https://shop.example/1.png",
			"images": []any{"https://shop.example/2.png"},
		}
		must(t, http.StatusOK, op.Call(t, http.MethodPatch, at, "", page))
		must(t, http.StatusOK, op.Call(t, http.MethodPatch, at, "", map[string]any{"ends_at": time.Now()}))
		require.Eventually(t, func() bool {
			body := map[string]any{"activity_id": activity, "sku_id": "sku"}
			return s.Buyer(t, "ada").Call(t, http.MethodPost, "/api/v1/seckill/path", "", body).Code() == "ended"
		}, 10*time.Second, 50*time.Millisecond)

		week := time.Now().Add(7 * 24 * time.Hour).UTC().Truncate(time.Millisecond)
		draft := must(t, http.StatusCreated, op.Call(t, http.MethodPost, at+"/clone", "",
			map[string]any{"starts_at": week, "ends_at": week.Add(time.Hour)}))
		original := must(t, http.StatusOK, op.Call(t, http.MethodGet, at, "", nil))
		assert.Equal(t, "draft", draft["state"])
		assert.Equal(t, original["skus"], draft["skus"])
		assert.Subset(t, draft, page)
		assert.NotEqual(t, activity, draft["activity_id"])
		publish := admin + "/activities/" + draft["activity_id"].(string) + "/publish"
		must(t, http.StatusOK, op.Call(t, http.MethodPost, publish, "", nil))

		changes := must(t, http.StatusOK, op.Call(t, http.MethodGet, admin+"/changes?on=activity:"+activity, "", nil))
		items := changes["items"].([]any)
		require.Len(t, items, 2, "the refused changes are not recorded")
		change := items[0].(map[string]any)
		assert.Equal(t, "activity.changed", change["action"])
		assert.NotEqual(t, change["before"].(map[string]any)["ends_at"], change["after"].(map[string]any)["ends_at"])
	})
}
