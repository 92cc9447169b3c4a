package contract

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/test/site"
)

// rushes sends a crowd into the sale.
func (w *world) rushes(t *testing.T) {
	t.Helper()
	anybody := &person{shop: w.shop}
	anybody.do(t, 404, "startCrowd", sent(object{"activity_id": "nothing"}))
	anybody.do(t, 202, "startCrowd", sent(object{"activity_id": w.activity, "buyers": 2}))
	require.Positive(t, anybody.do(t, 200, "getCrowd").JSON(t)["requests"])
}

// sellsOut takes the only unit of a sale, and looks at the sale until it says within which time the unit may come back.
func (w *world) sellsOut(t *testing.T) {
	t.Helper()
	sale := w.site.Open(t, site.Sale{SKU: "scarce", Stock: map[string]int64{"0": 1}})
	path := w.ada.do(t, 200, "takePath", sent(object{"activity_id": sale, "sku_id": "scarce"})).JSON(t)["path"].(string)
	w.ada.do(t, 202, "submit", param("path", path), key("scarce")) // without a body it is one unit
	require.Eventually(t, func() bool {
		shown := w.ada.send(t, w.request(t, "getActivity", param("activity_id", sale))).JSON(t)
		within, ok := shown["skus"].([]any)[0].(object)["back_within_s"].(float64)
		return ok && within <= 900
	}, time.Minute, 20*time.Millisecond)
}

// closeSale makes a sale that refuses each buyer at once, so that a crowd takes nothing from the others.
func (w *world) closeSale(t testing.TB) {
	t.Helper()
	if w.closed != "" {
		return
	}
	w.closed = w.site.Open(t, site.Sale{SKU: "closed"})
	_, err := w.site.Server.Activities.Offline(t.Context(), w.closed)
	require.NoError(t, err)
}

// crowdEnds waits until no crowd runs.
func (s *shop) crowdEnds(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool {
		return s.site.Stranger().Ask(http.MethodGet, "/dev/crowd", "", nil).JSON(t)["running"] == false
	}, 2*time.Minute, 20*time.Millisecond)
}
