package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/web/client"
)

func TestSalesWithReservedUnitsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		until := time.Now().Add(10 * time.Minute).UTC().Truncate(time.Millisecond)
		body := saleBody()
		delete(body, "segments")
		sku := object{
			"sku_id": "lamp", "flash_price": 1900, "stock": []object{{"point_id": "0", "quantity": 3}},
			"reserved": []object{{"quantity": 3}},
		}
		body["skus"] = []object{sku}
		refused := func(field string) {
			t.Helper()
			assert.Contains(t, string(w.op.do(t, 422, "createActivity", sent(body)).Body), `"`+field+`"`)
		}
		refused("skus[0].reserved")
		body["reserved_for"] = object{"list": true, "until": time.Now().Add(-time.Hour * 3)}
		refused("reserved_for.until")
		for name, value := range map[string]any{"permit_ratio": 2, "offer_within_s": 60} {
			body["reserved_for"] = object{"list": true, "until": until}
			body[name] = value
			refused(name)
			delete(body, name)
		}
		for field, wrong := range map[string][]object{
			"skus[0].reserved[0].quantity": {{"quantity": 4}},
			"skus[0].reserved[0].point_id": {{"quantity": 1, "point_id": "north"}},
			"skus[0].reserved[1].point_id": {{"quantity": 1}, {"quantity": 1, "point_id": "0"}},
			"reserved_for":                 {},
		} {
			sku["reserved"] = wrong
			refused(field)
		}
		sku["reserved"] = []object{{"quantity": 3}}
		body["skus"] = []object{sku, {"sku_id": "set", "flash_price": 1900, "parts": []object{
			{"sku_id": "lamp", "quantity": 1}, {"sku_id": "mug", "quantity": 1},
		}}}
		body["reserved_for"] = object{"list": true, "until": until}
		refused("skus")
		body["skus"] = []object{sku}
		claim := object{"name": "tier", "values": []string{"gold"}}
		body["reserved_for"] = object{"list": true, "code": true, "claim": claim, "until": until}
		made := do[client.AdminActivity](t, w.op, 201, "createActivity", sent(body))
		assert.True(t, made.ReservedFor.Until.Equal(until))
		assert.Equal(t, client.ReservedUnits{{PointID: "0", Quantity: 3}}, made.Skus[0].Reserved)
		sale := param("activity_id", made.ActivityID)
		w.op.do(t, 200, "publishActivity", sale)
		shown := do[client.Activity](t, w.ada, 200, "getActivity", sale)
		assert.True(t, shown.ReservedFor.List && shown.ReservedFor.Code && shown.ReservedFor.Claim)
		assert.True(t, shown.Skus[0].SoldOut)
		assert.EqualValues(t, 3, shown.Skus[0].Reserved)
		take := object{"activity_id": made.ActivityID, "sku_id": "lamp"}
		assert.Equal(t, "sold_out_for_now", w.ada.do(t, 409, "takePath", sent(take)).Code())
		assert.EqualValues(t, 3, do[client.Stats](t, w.op, 200, "getStats", sale).Stock[0].Reserved)
		take["code"] = "wrong"
		assert.Equal(t, "code_invalid", w.ada.do(t, 403, "takePath", sent(take)).Code())
		take["code"] = do[client.MadeCodes](t, w.op, 201, "makeCodes", sale, sent(object{"count": 1})).Codes[0]
		w.ada.do(t, 200, "takePath", sent(take))
		changed := do[client.AdminActivity](t, w.op, 200, "changeActivity", sale, sent(object{
			"reserved_for": object{}, "skus": []object{{"sku_id": "lamp", "reserved": []object{}}},
		}))
		assert.Empty(t, changed.Skus[0].Reserved)
		assert.Empty(t, changed.ReservedFor)
		clone := do[client.AdminActivity](t, w.op, 201, "cloneActivity", sale)
		assert.Empty(t, clone.ReservedFor)
	})
}
