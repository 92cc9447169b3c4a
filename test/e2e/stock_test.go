package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// changeStock raises or lowers the stock of a sale at a point.
func changeStock(p *site.Person, activity, key, point string, delta int64) site.Answer {
	return p.Insist(http.MethodPost, admin+"/activities/"+activity+"/stock", key,
		client.StockRequest{SKUID: "sku", PointID: point, Delta: delta})
}

func TestStockIsRaisedAndLoweredWhileASaleRuns(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		activity := s.Open(t, eastSale())
		left := func() map[string]string { return site.Stock(t, stores, activity) }

		raised := changeStock(op, activity, "c1", "east", 5)
		assert.Equal(t, "done", site.Read[client.StockChange](t, http.StatusOK, raised).Status)
		assert.Equal(t, map[string]string{"sku": "9", "sku~east": "8", "sku~west": "1"}, left())
		assert.Equal(t, raised.Kept(t), changeStock(op, activity, "c1", "east", 5).Kept(t), "the same change again")
		assert.Equal(t, "9", left()["sku"])

		must(t, http.StatusOK, changeStock(op, activity, "c2", "east", -7))
		assert.Equal(t, map[string]string{"sku": "2", "sku~east": "1", "sku~west": "1"}, left())
		must(t, http.StatusOK, changeStock(op, activity, "c2", "east", -7))
		assert.Equal(t, "2", left()["sku"])

		requireRefusal(t, changeStock(op, activity, "c3", "east", -2), http.StatusConflict, "conflict")
		must(t, http.StatusOK, changeStock(op, activity, "c4", "east", 12))
		for range 2 {
			must(t, http.StatusOK, changeStock(op, activity, "c3", "east", -2))
			assert.Equal(t, map[string]string{"sku": "12", "sku~east": "11", "sku~west": "1"}, left(),
				"a refusal is not remembered, what was accepted is")
		}

		for name, a := range map[string]site.Answer{
			"another delta": changeStock(op, activity, "c1", "east", 6),
			"another point": changeStock(op, activity, "c1", "west", 5),
		} {
			assert.Equal(t, "idempotency_key_reused", a.Code(), name)
		}
		requireRefusal(t, changeStock(op, activity, "c5", "moon", 1), http.StatusNotFound, "not_found")
		requireRefusal(t, changeStock(op, "nothing", "c6", "east", 1), http.StatusNotFound, "not_found")
		requireRefusal(t, changeStock(op, activity, "", "east", 1), http.StatusUnprocessableEntity,
			"idempotency_key_required")
		requireRefusal(t, changeStock(op, activity, "c7", "east", 0), http.StatusUnprocessableEntity, "invalid_request")
		assert.Equal(t, "12", left()["sku"])
		assert.Empty(t, s.Audit(t, activity))

		// What was raised is really sold, and what was sold can't be taken away.
		for i := range 11 {
			must(t, http.StatusAccepted, buyEast(t, s.Buyer(t, fmt.Sprintf("buyer-%d", i)), activity, "k1", 1))
		}
		requireRefusal(t, buyEast(t, s.Buyer(t, "late"), activity, "k1", 1), http.StatusConflict,
			"sold_out_unpaid_pending")
		requireRefusal(t, changeStock(op, activity, "c8", "east", -1), http.StatusConflict, "conflict")
		s.Drain(t)
		assert.Equal(t, int64(11), soldAt(t, stores, activity, "east"))
		assert.Empty(t, s.Audit(t, activity))

		op.TakeActivityOffline(t, activity)
		requireRefusal(t, changeStock(op, activity, "c9", "east", 1), http.StatusConflict, "conflict")
		must(t, http.StatusOK, changeStock(op, activity, "c1", "east", 5))
		assert.Equal(t, "1", left()["sku"], "it was made before")
	})
}
