package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// draftBody is a sale whose every field that can differ is made of n.
func draftBody(n int64) client.ActivityRequest {
	return client.ActivityRequest{
		Title: fmt.Sprint("Sale ", n), ShopID: "shop", StartsAt: time.UnixMilli(4e12 + n),
		EndsAt: time.UnixMilli(5e12 + n), PayWithinS: 900 + n, PurchaseLimit: 1 + n,
		Description: fmt.Sprint("About ", n),
		Skus: []client.ActivityRequestSKU{{
			SKUID: "sku", FlashPrice: n, Stock: []client.PointStock{
				{PointID: "0", Quantity: n}, {PointID: fmt.Sprint("p", n%3), Quantity: n},
			},
		}},
	}
}

// draftOf reads which draftBody a sale is, and checks that it has no field of another one.
func draftOf(t *testing.T, sale client.AdminActivity) (n int64) {
	t.Helper()
	_, err := fmt.Sscanf(sale.Title, "Sale %d", &n)
	require.NoError(t, err)
	want := draftBody(n)
	assert.Equal(t, []any{want.Description, want.PayWithinS, want.PurchaseLimit},
		[]any{sale.Description, sale.PayWithinS, sale.PurchaseLimit})
	assert.Equal(t, want.StartsAt.UnixMilli(), sale.StartsAt.UnixMilli())
	assert.Equal(t, want.EndsAt.UnixMilli(), sale.EndsAt.UnixMilli())
	require.Len(t, sale.Skus, 1)
	assert.Equal(t, n, sale.Skus[0].FlashPrice)
	assert.ElementsMatch(t, want.Skus[0].Stock, sale.Skus[0].Stock)
	return n
}

// recordedDraft is draftOf of a draft in the operators' log.
func recordedDraft(t *testing.T, recorded map[string]any) int64 {
	t.Helper()
	text, err := json.Marshal(recorded)
	require.NoError(t, err)
	var sale client.AdminActivity
	require.NoError(t, json.Unmarshal(text, &sale))
	return draftOf(t, sale)
}

// Each of the 48 sees the whole draft of one other, or none: the records of their changes are a chain.
func TestANewDraftOf48OperatorsAtOnceIsCreatedOnceAndIsOneOfTheirs(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const crowd = 48
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		// Puts the sku and the points.
		s.Open(t, site.Sale{Kind: catalogue.Physical, Stock: map[string]int64{"0": 1, "p0": 1, "p1": 1, "p2": 1}})
		answers := kit.AtOnce(crowd, func(i int) site.Answer {
			return op.Ask(http.MethodPut, admin+"/activities/new", "", draftBody(int64(i)))
		})
		for _, a := range answers {
			assert.Equal(t, http.StatusOK, a.Status, string(a.Body))
		}

		now := draftOf(t, op.GetAdminActivity(t, "new"))
		drafts := site.Read[client.AdminActivityList](t, http.StatusOK,
			op.Call(t, http.MethodGet, admin+"/activities?state=draft", "", nil))
		assert.Len(t, drafts.Items, 1)
		changes := op.ListChanges(t, "activity:new&page_size=100")
		require.Len(t, changes, crowd)
		next, first := map[int64]int64{}, []int64{}
		for _, change := range changes {
			after := recordedDraft(t, change.After)
			if change.Action == "activity.created" {
				assert.Nil(t, change.Before)
				first = append(first, after)
				continue
			}
			assert.Equal(t, "activity.changed", change.Action)
			before := recordedDraft(t, change.Before)
			assert.NotContains(t, next, before, "two have replaced the same draft")
			next[before] = after
		}
		require.Len(t, first, 1, "it was created once")
		last := first[0]
		for range len(next) {
			last = next[last]
		}
		assert.Equal(t, now, last, "the draft is as the last change made it")
	})
}
