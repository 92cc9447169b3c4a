package contract

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

func TestListsAndCodesOfSalesAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		body := saleBody()
		body["starts_at"], body["ends_at"] = time.Now().Add(time.Hour), time.Now().Add(2*time.Hour)
		delete(body["skus"].([]object)[0], "waves") // it opens before the start
		body["eligibility"] = object{
			"list": true, "code": true, "claim": object{"name": "tier", "values": []string{"gold"}}, "early_s": 7200,
		}
		body["limit_key"] = "household"
		made := do[client.AdminActivity](t, w.op, 201, "createActivity", sent(body))
		assert.Equal(t, "household", made.LimitKey)
		assert.Equal(t, []string{"gold"}, made.Eligibility.Claim.Values)
		sale := param("activity_id", made.ActivityID)
		added := do[client.AddedBuyers](t, w.op, 200, "addBuyers", sale, key("b1"),
			sent(object{"user_ids": []string{"ada", "bob", "ada"}}))
		assert.Equal(t, 2, added.Added)
		assert.True(t, do[client.AddedBuyers](t, w.op, 200, "addBuyers", sale, key("b1"),
			sent(object{"user_ids": []string{"ada", "bob", "ada"}})).Replayed)
		w.op.do(t, 422, "addBuyers", sale, sent(object{"user_ids": []string{"a\nb"}}))
		codes := do[client.MadeCodes](t, w.op, 201, "makeCodes", sale, key("c1"), sent(object{"count": 2}))
		require.Len(t, codes.Codes, 2)
		assert.Equal(t, codes.Codes,
			do[client.MadeCodes](t, w.op, 201, "makeCodes", sale, key("c1"), sent(object{"count": 2})).Codes)
		assert.Equal(t, client.BuyersSummary{Buyers: 2, Codes: 2, Uses: 2},
			do[client.BuyersSummary](t, w.op, 200, "getBuyers", sale))

		w.op.do(t, 200, "publishActivity", sale)
		cid := w.buyer(t, "cid")
		w.op.do(t, 422, "changeActivity", sale, sent(object{"eligibility": object{"early_s": 60}}))
		shown := do[client.Activity](t, w.ada, 200, "getActivity", sale)
		assert.True(t, shown.Eligibility.List && shown.Eligibility.Code && shown.Eligibility.Claim)
		assert.NotZero(t, shown.Eligibility.EarlyAt)
		take := object{"activity_id": made.ActivityID, "sku_id": "lamp", "code": "wrong"}
		w.site.Job(t, "fill_buyers")
		assert.Equal(t, "code_invalid", cid.do(t, 403, "takePath", sent(take)).Code())
		take["code"] = codes.Codes[0]
		assert.Equal(t, "limit_key_missing", cid.do(t, 403, "takePath", sent(take)).Code())
		assert.Equal(t, 1, do[client.RevokedCodes](t, w.op, 200, "revokeCodes", sale, sent(object{
			"codes": []string{" " + strings.ToLower(codes.Codes[1]), codes.Codes[1], "AAAA-AAAA-AAAA-AAAA"},
		})).Revoked)
		take["code"] = codes.Codes[1]
		dan := w.buyer(t, "dan")
		assert.Equal(t, "code_invalid", dan.do(t, 403, "takePath", sent(take)).Code())
		assert.Equal(t, client.BuyersSummary{Buyers: 2, Codes: 2, Uses: 1, Used: 1},
			do[client.BuyersSummary](t, w.op, 200, "getBuyers", sale))
		for user, by := range map[string]string{"bob": "the list", "cid": "a code"} {
			sales := do[client.UserExport](t, w.op, 200, "exportUser", param("user_id", user)).EligibleSales
			assert.Len(t, sales, 1, "by %s", by)
		}
		w.op.do(t, 204, "removeBuyers", sale)
		assert.Zero(t, do[client.BuyersSummary](t, w.op, 200, "getBuyers", sale).Buyers)
		w.op.do(t, 200, "takeActivityOffline", sale)
		w.op.do(t, 409, "addBuyers", sale, sent(object{"user_ids": []string{"ada"}}))
		w.op.do(t, 409, "removeBuyers", sale)
		w.op.do(t, 409, "makeCodes", sale, sent(object{"count": 1}))
	})
}
