package contract

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/test/site"
	"onrush/web/client"
)

func TestACrowdOfDevelopmentAnswersAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		anybody := &person{shop: w.shop}
		anybody.do(t, 404, "startCrowd", sent(object{"activity_id": "nothing"}))
		anybody.do(t, 202, "startCrowd", sent(object{"activity_id": w.activity, "buyers": 2}))
		require.Positive(t, do[client.Crowd](t, anybody, 200, "getCrowd").Requests)
	})
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
		asked := s.site.Stranger().Ask(http.MethodGet, "/dev/crowd", "", nil)
		return !site.Read[client.Crowd](t, http.StatusOK, asked).Running
	}, 2*time.Minute, 20*time.Millisecond)
}
