package contract

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
)

func TestRoutesWithoutABodyRefuseOne(t *testing.T) {
	t.Parallel()
	inTurn(t)
	w := standing(t, kit.OnEmbedded(t))
	asked := 0
	for _, op := range w.operations {
		if op.op.RequestBody != nil {
			continue
		}
		asked++
		good, p := w.good(t, op), w.caller(op)
		for _, body := range []string{
			`{"amount":100}`, `{"":1}`, "[]", "null", "1", "x", "{", "{}{}", `{"a":{}}`, " ",
		} {
			a := p.send(t, good.with(func(r *request) {
				r.body = []byte(body)
				r.header.Set("Content-Type", "application/json")
			}))
			assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s with the body %s: %s", op.id, body, a.Body)
			assert.Equal(t, "invalid_request", a.Code(), op.id)
		}
	}
	assert.Greater(t, asked, 30)
	retry := w.op.send(t, w.good(t, w.byID["retryRefund"]).with(sent(object{"amount": 100})))
	assert.Contains(t, string(retry.Body), "amount")
	for _, body := range []string{"{}", " { } ", ""} {
		a := w.op.send(t, w.good(t, w.byID["pauseJob"]).with(func(r *request) { r.body = []byte(body) }))
		assert.Equal(t, http.StatusOK, a.Status, "%q: %s", body, a.Body)
	}
}
