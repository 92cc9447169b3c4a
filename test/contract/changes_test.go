package contract

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/site"
	"onrush/web"
)

// changes counts the recorded changes, if they are watched.
func (s *shop) changes(t testing.TB) (n int) {
	t.Helper()
	if s.noted != nil {
		require.NoError(t, s.stores.DB.Read.GetContext(t.Context(), &n, `SELECT COUNT(*) FROM operator_log`))
	}
	return n
}

// notes requires that a request of an operator recorded a change only if it made one.
func (s *shop) notes(t testing.TB, r *request, a site.Answer, recorded int) {
	t.Helper()
	what := r.op.id + " " + clip(r.body) + " → " + clip(a.Body)
	switch {
	case s.noted == nil:
	case r.op.role() != web.RoleAdmin, r.op.method == http.MethodGet:
		assert.Zero(t, recorded, what)
	case a.Status >= 300 && r.op.id == "changeStock":
		// A lowering that Redis refuses was stored before: that it began and that it was refused are both recorded.
		assert.Contains(t, []int{0, 2}, recorded, what)
	case a.Status >= 300:
		assert.Zero(t, recorded, what)
	case strings.HasSuffix(r.op.path, ":batch"):
		s.noted[r.op.id] = s.noted[r.op.id] || recorded > 0
	default: // a repetition changes nothing
		assert.LessOrEqual(t, recorded, 1, what)
		s.noted[r.op.id] = s.noted[r.op.id] || recorded == 1
	}
}

// unnoted are operations that change nothing in the story, each with the reason.
var unnoted = map[string]string{
	"abandonChange": crash,
	"retryRefunds":  failure,
}

// looksAtChanges reads what the story recorded, and requires that each operation that changes something did.
func (w *world) looksAtChanges(t *testing.T) {
	t.Helper()
	for _, op := range w.operations {
		if op.role() == web.RoleAdmin && op.method != http.MethodGet {
			assert.NotEqual(t, unnoted[op.id] != "", w.noted[op.id], "%s: did it record a change?", op.id)
		}
	}
	w.noted = nil
	all := w.op.do(t, 200, "listChanges", query("actor=operator&page_size=2&from=2026-01-01T00:00:00Z")).JSON(t)
	require.Len(t, all["items"], 2)
	for _, item := range all["items"].([]any) {
		assert.Equal(t, "operator", item.(object)["actor"])
		assert.Equal(t, "127.0.0.1", item.(object)["client_ip"])
	}
	next := w.op.do(t, 200, "listChanges", query("page_size=100&before="+all["next_cursor"].(string))).JSON(t)
	assert.NotEmpty(t, next["items"])
	of := "on=sku:unused&action=sku.deleted&to=2100-01-01T00:00:00Z"
	deleted := w.op.do(t, 200, "listChanges", query(of)).JSON(t)["items"].([]any)
	require.Len(t, deleted, 1)
	assert.Equal(t, "Lamp", deleted[0].(object)["before"].(object)["title"])
	assert.NotContains(t, deleted[0], "after")
	w.op.do(t, 422, "listChanges", query("from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z"))
}
