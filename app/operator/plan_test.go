package operator

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestANewSaleThatTheProgramDoesNotPublishLeavesNoDraft has a sku that is deleted after the draft was created.
func TestANewSaleThatTheProgramDoesNotPublishLeavesNoDraft(t *testing.T) {
	t.Parallel()
	var calls []string
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls = append(calls, r.Method+" "+r.URL.Path)
		status, body := http.StatusOK, `{}`
		switch call := calls[len(calls)-1]; {
		case call == "GET /openapi.json":
			body = `{"components":{"schemas":{"ActivityRequest":{"properties":{"title":{}}}}}}`
		case strings.HasSuffix(call, "/publish"):
			status, body = http.StatusConflict, `{"code":"conflict","detail":"sku lamp no longer exists"}`
		case strings.HasPrefix(call, "GET /admin/api/v1/activities/"):
			status, body = http.StatusNotFound, `{"code":"not_found"}`
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(program.Close)
	client := NewClient("token", program.URL)
	file := &SaleFile{ID: "noon", Publish: true, Fields: object{"title": "Lamps at noon"}}
	plan, err := client.Plan(t.Context(), file)
	require.NoError(t, err)
	calls = nil
	require.ErrorContains(t, client.Apply(t.Context(), plan), "sku lamp no longer exists")
	const sale = "/admin/api/v1/activities/noon"
	assert.Equal(t, []string{"PUT " + sale, "POST " + sale + "/publish", "DELETE " + sale}, calls)
}
