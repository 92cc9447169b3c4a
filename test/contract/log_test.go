package contract

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/site"
	"onrush/web"
	"onrush/web/client"
)

func TestTheOperatorsLogAnswersAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		w.op.do(t, 200, "putSKU", param("sku_id", "unused"), sent(lampBody))
		w.op.do(t, 204, "deleteSKU", param("sku_id", "unused"))
		all := do[client.ChangeList](t, w.op, 200, "listChanges",
			query("actor=operator&page_size=2&from=2026-01-01T00:00:00Z"))
		require.Len(t, all.Items, 2)
		for _, item := range all.Items {
			assert.Equal(t, "operator", item.Actor)
			assert.Equal(t, "127.0.0.1", item.ClientIP)
		}
		next := do[client.ChangeList](t, w.op, 200, "listChanges", query("page_size=100&after="+all.NextCursor))
		assert.NotEmpty(t, next.Items)
		deleted := do[client.ChangeList](t, w.op, 200, "listChanges",
			query("on=sku:unused&action=sku.deleted&to=2100-01-01T00:00:00Z")).Items
		require.Len(t, deleted, 1)
		assert.Equal(t, "Lamp", deleted[0].Before["title"])
		assert.Nil(t, deleted[0].After)
		w.op.do(t, 422, "listChanges", query("from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z"))
	})
}

// changes counts the recorded changes, if they are watched.
func (s *shop) changes(t testing.TB) (n int) {
	t.Helper()
	if s.covered != nil {
		require.NoError(t, s.stores.DB.Read.GetContext(t.Context(), &n, `SELECT COUNT(*) FROM operator_log`))
	}
	return n
}

// records requires that a request of an operator recorded a change only if it made one.
func (s *shop) records(t testing.TB, r *request, a site.Answer, recorded int) {
	t.Helper()
	what := r.op.id + " " + clip(r.body) + " → " + clip(a.Body)
	switch {
	case s.covered == nil:
	case r.op.role() != web.RoleAdmin, r.op.method == http.MethodGet:
		assert.Zero(t, recorded, what)
	case a.Status >= 300 && r.op.id == "changeStock":
		// A lowering that Redis refuses was stored before: that it began and that it was refused are both recorded.
		assert.Contains(t, []int{0, 2}, recorded, what)
	case a.Status >= 300:
		assert.Zero(t, recorded, what)
	case recorded > 0:
		s.covered.record(r.op)
		several := strings.HasSuffix(r.op.path, ":batch") || r.op.id == "setSKUStocks" ||
			r.op.id == "putActivityFile" || r.op.id == "shipOrders"
		assert.True(t, recorded == 1 || several, "%d by %s", recorded, what)
	} // a repetition changes nothing
}
