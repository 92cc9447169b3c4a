package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/web/client"
)

func TestSalesInWavesAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		body := saleBody()
		at := time.Now().Add(10 * time.Minute).UTC().Truncate(time.Millisecond)
		delete(body, "segments")
		body["skus"] = []object{{
			"sku_id": "lamp", "flash_price": 1900, "stock": []object{{"point_id": "0", "quantity": 2}},
			"waves": []object{{"at": at, "quantity": 2}},
		}}
		sku := body["skus"].([]object)[0] //nolint:forcetypeassert // as above
		for field, wrong := range map[string][]object{
			"skus[0].waves[0].quantity": {{"at": at, "quantity": 3}},
			"skus[0].waves[0].point_id": {{"at": at, "quantity": 1, "point_id": "north"}},
			"skus[0].waves[0].at":       {{"at": time.Now().Add(2 * time.Hour), "quantity": 1}},
			"skus[0].waves[1].at":       {{"at": at, "quantity": 1}, {"at": at, "quantity": 1}},
		} {
			sku["waves"] = wrong
			assert.Contains(t, string(w.op.do(t, 422, "createActivity", sent(body)).Body), `"`+field+`"`)
		}
		sku["waves"] = []object{{"at": at, "quantity": 2}}
		made := do[client.AdminActivity](t, w.op, 201, "createActivity", sent(body))
		assert.True(t, made.Skus[0].Waves[0].At.Equal(at))
		sale := param("activity_id", made.ActivityID)
		w.op.do(t, 200, "publishActivity", sale)
		shown := do[client.Activity](t, w.ada, 200, "getActivity", sale).Skus[0]
		assert.True(t, shown.SoldOut)
		assert.True(t, shown.NextWaveAt.Equal(at))
		refused := w.ada.do(t, 409, "takePath", sent(object{"activity_id": made.ActivityID, "sku_id": "lamp"}))
		assert.Equal(t, "sold_out_for_now", refused.Code())
		stats := do[client.Stats](t, w.op, 200, "getStats", sale).Stock[0]
		assert.EqualValues(t, 2, stats.Closed)
		found := map[string]bool{}
		for _, f := range do[client.ActivityChecks](t, w.op, 200, "checkActivity", sale).Items {
			found[string(f.Check)] = true
		}
		assert.True(t, found["waves"] && found["instances"])
	})
}

// laterWave is a change of the waves of a sale.
func laterWave() []object { return []object{{"at": time.Now().Add(50 * time.Minute), "quantity": 1}} }
