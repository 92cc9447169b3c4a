package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/site"
)

// draftBody is a sale whose every field that can differ is made of n.
func draftBody(n int64) map[string]any {
	return map[string]any{
		"title": fmt.Sprint("Sale ", n), "shop_id": "shop", "starts_at": time.UnixMilli(4e12 + n),
		"ends_at": time.UnixMilli(5e12 + n), "pay_within_s": 900 + n, "purchase_limit": 1 + n,
		"description": fmt.Sprint("About ", n),
		"skus": []map[string]any{{
			"sku_id": "sku", "flash_price": n, "stock": []map[string]any{
				{"point_id": "0", "quantity": n}, {"point_id": fmt.Sprint("p", n%3), "quantity": n},
			},
		}},
	}
}

// draftOf reads which draftBody a sale is, and checks that it has no field of another one.
func draftOf(t *testing.T, sale map[string]any) (n int64) {
	t.Helper()
	require.NotNil(t, sale)
	_, err := fmt.Sscanf(sale["title"].(string), "Sale %d", &n)
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprint("About ", n), sale["description"])
	assert.EqualValues(t, 900+n, sale["pay_within_s"])
	assert.EqualValues(t, 1+n, sale["purchase_limit"])
	for field, ms := range map[string]int64{"starts_at": 4e12 + n, "ends_at": 5e12 + n} {
		at, err := time.Parse(time.RFC3339Nano, sale[field].(string))
		require.NoError(t, err)
		assert.Equal(t, ms, at.UnixMilli(), field)
	}
	require.Len(t, sale["skus"], 1)
	sku := sale["skus"].([]any)[0].(map[string]any)
	assert.EqualValues(t, n, sku["flash_price"])
	stock := map[string]int64{}
	for _, row := range sku["stock"].([]any) {
		row := row.(map[string]any)
		stock[row["point_id"].(string)] = int64(row["quantity"].(float64))
	}
	assert.Equal(t, map[string]int64{"0": n, fmt.Sprint("p", n%3): n}, stock)
	assert.Equal(t, "draft", sale["state"])
	return n
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

		now := draftOf(t, must(t, http.StatusOK, op.Call(t, http.MethodGet, admin+"/activities/new", "", nil)))
		list := must(t, http.StatusOK, op.Call(t, http.MethodGet, admin+"/activities?state=draft", "", nil))
		assert.Len(t, list["items"], 1)
		changes := must(t, http.StatusOK,
			op.Call(t, http.MethodGet, admin+"/changes?on=activity:new&page_size=100", "", nil))
		require.Len(t, changes["items"], crowd)
		next, first := map[int64]int64{}, []int64{}
		for _, item := range changes["items"].([]any) {
			change := item.(map[string]any)
			after := draftOf(t, change["after"].(map[string]any))
			if change["action"] == "activity.created" {
				assert.Nil(t, change["before"])
				first = append(first, after)
				continue
			}
			assert.Equal(t, "activity.changed", change["action"])
			before := draftOf(t, change["before"].(map[string]any))
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
