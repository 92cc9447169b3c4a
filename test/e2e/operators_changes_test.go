package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func TestASaleIsClosedNowAndClonedForNextWeek(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, activity := s.Operator(t), s.Open(t, site.Sale{})
		at := admin + "/activities/" + activity
		for _, ends := range []time.Time{time.Now().Add(-time.Hour), time.Now().Add(-time.Minute)} {
			requireRefusal(t, op.Call(t, http.MethodPatch, at, "", client.ActivityChange{EndsAt: ends}),
				http.StatusUnprocessableEntity, "invalid_request")
		}
		page := client.ActivityChange{
			Description: "Half price.", ImageURL: "https://shop.example/1.png",
			Images: []string{"https://shop.example/2.png"},
		}
		op.ChangeActivity(t, activity, page)
		op.ChangeActivity(t, activity, client.ActivityChange{EndsAt: time.Now()})
		ada := s.Buyer(t, "ada")
		require.Eventually(t, func() bool { return askPath(ada, activity).Code() == "ended" }, eventually, soon)

		week := time.Now().Add(7 * 24 * time.Hour).UTC().Truncate(time.Millisecond)
		draft := site.Read[client.AdminActivity](t, http.StatusCreated, op.Call(t, http.MethodPost, at+"/clone", "",
			client.CloneRequest{StartsAt: week, EndsAt: week.Add(time.Hour)}))
		assert.Equal(t, "draft", draft.State)
		assert.Equal(t, op.GetAdminActivity(t, activity).Skus, draft.Skus)
		cloned := client.ActivityChange{Description: draft.Description, ImageURL: draft.ImageURL, Images: draft.Images}
		assert.Equal(t, page, cloned)
		assert.NotEqual(t, activity, draft.ActivityID)
		op.PublishActivity(t, draft.ActivityID)

		changes := op.ListChanges(t, "activity:"+activity)
		require.Len(t, changes, 2, "the refused changes are not recorded")
		assert.Equal(t, "activity.changed", changes[0].Action)
		assert.NotEqual(t, changes[0].Before["ends_at"], changes[0].After["ends_at"])
	})
}

// recorded returns what the operator did to a thing, newest first: action, before and after.
func recorded(t *testing.T, op *site.Person, on string) (found []client.Change) {
	t.Helper()
	for _, c := range op.ListChanges(t, on) {
		assert.Equal(t, "operator", c.Actor)
		assert.NotEmpty(t, c.ClientIP)
		found = append(found, client.Change{Action: c.Action, Before: c.Before, After: c.After})
	}
	return found
}

func TestAbandonedStockChangeIsInTheRecordOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, activity := s.Operator(t), s.Open(t, site.Sale{})
		stores.LoseRedis(t)
		at := admin + "/activities/" + activity + "/stock"
		begun := site.Read[client.StockChange](t, http.StatusOK,
			op.Call(t, http.MethodPost, at, "k", client.StockRequest{SKUID: "sku", PointID: "0", Delta: 5}))
		require.Equal(t, "pending", begun.Status)
		id := begun.ChangeID
		for range 2 { // the second one changes nothing
			abandoned := site.Read[client.ClosedChange](t, http.StatusOK,
				op.Call(t, http.MethodPost, at+"/"+id+"/abandon", "", nil))
			assert.Equal(t, "abandoned", abandoned.Status)
		}
		assert.Equal(t, http.StatusNotFound, op.Call(t, http.MethodPost, at+"/nothing/abandon", "", nil).Status)

		found := recorded(t, op, "activity:"+activity)
		require.Len(t, found, 2)
		for _, value := range []map[string]any{found[1].Before, found[1].After} {
			assert.NotEmpty(t, value["version"])
			delete(value, "version")
		}
		state := func(s string) map[string]any { return map[string]any{"change_id": id, "status": s} }
		assert.Contains(t, found, client.Change{
			Action: "activity.stock_change_abandoned", Before: state("pending"), After: state("abandoned"),
		})
		assert.Contains(t, found, client.Change{
			Action: "activity.stock_changed",
			Before: map[string]any{"sku_id": "sku", "point_id": "0", "total": 100.0},
			After:  map[string]any{"sku_id": "sku", "point_id": "0", "total": 105.0, "change_id": id},
		})
	})
}

func TestRefundsThatAreRetriedTogetherAreInTheRecord(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, _ := withRefundGivenUp(t, stores)
		op, retry := w.Operator(t), admin+"/refunds:retry"
		for i, status := range []string{"pending", "failed", "failed"} { // only the second one selects a refund
			answer := site.Read[client.RetryRefunds200JSONResponseBody](t, http.StatusOK,
				op.Call(t, http.MethodPost, retry, "", client.RetryRefunds{Status: status}))
			require.Equal(t, i == 1, answer.Retried == 1, "%d: %v", i, answer)
		}
		found := recorded(t, op, "refunds")
		require.Len(t, found, 1, "those that retried nothing are not recorded")
		assert.Equal(t, "refund.retried", found[0].Action)
		assert.Equal(t, "failed", found[0].Before["status"])
		assert.EqualValues(t, 1, found[0].After["retried"])
	})
}
