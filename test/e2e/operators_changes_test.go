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

// recorded returns the changes of a thing by the operator, newest first: action, before and after.
func recorded(t *testing.T, op *site.Person, on string) (found [][]any) {
	t.Helper()
	list := must(t, http.StatusOK, op.Call(t, http.MethodGet, admin+"/changes?on="+on, "", nil))
	for _, item := range list["items"].([]any) {
		change := item.(map[string]any)
		assert.Equal(t, "operator", change["actor"])
		assert.NotEmpty(t, change["client_ip"])
		found = append(found, []any{change["action"], change["before"], change["after"]})
	}
	return found
}

func TestAbandonedStockChangeIsInTheRecordOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, activity := s.Operator(t), s.Open(t, site.Sale{})
		require.NoError(t, stores.Redis.FlushDB(t.Context()).Err(), "the sale is lost")
		at := admin + "/activities/" + activity + "/stock"
		begun := must(t, http.StatusOK, op.Call(t, http.MethodPost, at, "k",
			map[string]any{"sku_id": "sku", "point_id": "0", "delta": 5}))
		require.Equal(t, "pending", begun["status"])
		id := begun["change_id"].(string)
		for range 2 { // the second one changes nothing
			abandoned := must(t, http.StatusOK, op.Call(t, http.MethodPost, at+"/"+id+"/abandon", "", nil))
			assert.Equal(t, "abandoned", abandoned["status"])
		}
		assert.Equal(t, http.StatusNotFound, op.Call(t, http.MethodPost, at+"/nothing/abandon", "", nil).Status)

		found := recorded(t, op, "activity:"+activity)
		require.Len(t, found, 2)
		for _, value := range found[1][1:] {
			assert.NotEmpty(t, value.(map[string]any)["version"])
			delete(value.(map[string]any), "version")
		}
		state := func(s string) any { return map[string]any{"change_id": id, "status": s} }
		assert.Contains(t, found, []any{"activity.stock_change_abandoned", state("pending"), state("abandoned")})
		assert.Contains(t, found, []any{
			"activity.stock_changed",
			map[string]any{"sku_id": "sku", "point_id": "0", "total": 100.0},
			map[string]any{"sku_id": "sku", "point_id": "0", "total": 105.0, "change_id": id},
		})
	})
}

func TestRefundsThatAreRetriedTogetherAreInTheRecord(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, _ := withRefundGivenUp(t, stores)
		op, retry := w.Operator(t), admin+"/refunds/retry"
		for i, status := range []string{"pending", "failed", "failed"} { // only the second one selects a refund
			answer := must(t, http.StatusOK, op.Call(t, http.MethodPost, retry, "", map[string]any{"status": status}))
			require.Equal(t, i == 1, answer["retried"] == 1.0, "%d: %v", i, answer)
		}
		found := recorded(t, op, "refunds")
		require.Len(t, found, 1, "those that retried nothing are not recorded")
		assert.Equal(t, "refund.retried", found[0][0])
		assert.Equal(t, "failed", found[0][1].(map[string]any)["status"])
		assert.Equal(t, 1.0, found[0][2].(map[string]any)["retried"]) //nolint:testifylint // a count as JSON
	})
}
