package contract

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/journal"
	"onrush/web/client"
)

// registers makes the endpoint erp and delivers one event to it. The receiver answers with the status that is returned.
func (w *world) registers(t testing.TB, answer int) *atomic.Int64 {
	t.Helper()
	var status atomic.Int64
	status.Store(int64(answer))
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(status.Load()))
		_, _ = w.Write([]byte("heard"))
	}))
	t.Cleanup(receiver.Close)
	made := do[client.Endpoint](t, w.op, 201, "putEndpoint", param("endpoint_id", "erp"),
		sent(object{"url": receiver.URL, "types": []string{"payment.flagged"}}))
	assert.NotEmpty(t, made.Secret)
	w.flags(t)
	log := do[client.EventDeliveryList](t, w.op, 200, "listDeliveries", param("endpoint_id", "erp")).Items
	require.Len(t, log, 1)
	w.delivery = log[0].DeliveryID
	return &status
}

// flaggedData is the content of an event of a payment as the file describes it.
const flaggedData = `{"payment":{"pay_number":"4711","amount":1,"currency":"CNY","status":"paid","channel":"sandbox",
	"refunded_amount":0,"order_numbers":[],"created_at":"2026-01-01T00:00:00.000Z","user_id":"ada",
	"flag":"wrong_amount"}}`

// flags writes an event and delivers the due events.
func (w *world) flags(t testing.TB) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	require.NoError(t, w.stores.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		return journal.Write(ctx, tx, journal.Event{
			Type: journal.PaymentFlagged, Subject: "4711", AtMS: time.Now().UnixMilli(), Data: flaggedData,
		})
	}))
	_, err := w.site.Server.Sequencer.RunOnce(ctx)
	require.NoError(t, err)
	_, err = w.site.Server.Deliverer.RunOnce(ctx)
	require.NoError(t, err)
}

func TestEndpointsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		erp := param("endpoint_id", "erp")
		for _, id := range []string{"getEndpoint", "listDeliveries", "rotateEndpoint"} {
			w.op.do(t, 404, id, erp)
		}
		w.op.do(t, 404, "resendEvents", erp, sent(object{"after": "0"}))
		status := w.registers(t, http.StatusTeapot)
		failing := w.op.do(t, 200, "getEndpoint", erp).JSON(t)
		assert.NotEmpty(t, failing["failing_since"])
		assert.EqualValues(t, 1, failing["waiting"])
		assert.NotContains(t, failing, "secret")
		status.Store(http.StatusOK)
		w.op.do(t, 202, "resendDelivery", param("delivery_id", w.delivery))
		w.flags(t)
		found := do[client.EventDeliveryList](t, w.op, 200, "listDeliveries", erp,
			query("status=delivered&page_size=1"))
		require.Len(t, found.Items, 1)
		assert.Equal(t, "heard", found.Items[0].Answer)
		w.op.do(t, 200, "listDeliveries", erp, query("page_size=1&after="+found.NextCursor))
		detail := do[client.EventDelivery](t, w.op, 200, "getDelivery", param("delivery_id", w.delivery))
		assert.Equal(t, "payment.flagged", string(detail.Type))
		assert.NotNil(t, detail.Event)
		tested := do[client.EndpointTest](t, w.op, 200, "testEndpoint", erp)
		assert.True(t, tested.Accepted)
		assert.Equal(t, "heard", tested.Answer)
		w.op.do(t, 202, "resendEvents", erp, sent(object{"from": time.Now().Add(-time.Hour)}))
		w.op.do(t, 409, "resendEvents", erp, sent(object{"after": "0"}))
		w.flags(t)

		assert.NotEmpty(t, do[client.Endpoint](t, w.op, 200, "rotateEndpoint", erp).Secret)
		w.op.do(t, 200, "putEndpoint", erp, sent(object{"url": "http://127.0.0.1:1", "enabled": false}))
		w.op.do(t, 422, "putEndpoint", erp, sent(object{"url": "https://user@shop.example"}))
		assert.Len(t, do[client.EndpointList](t, w.op, 200, "listEndpoints", query("page=1&page_size=5")).Items, 1)
		w.op.do(t, 204, "deleteEndpoint", erp)
		w.op.do(t, 404, "deleteEndpoint", erp)
		w.op.do(t, 404, "testEndpoint", erp)
		w.op.do(t, 404, "resendDelivery", param("delivery_id", w.delivery))
	})
}
