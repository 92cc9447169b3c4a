package operator

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// programOf starts a program with a description of its interface, and with an answer to each request after it.
func programOf(t *testing.T, description string, answer http.HandlerFunc) *Client {
	t.Helper()
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/openapi.json" {
			_, _ = w.Write([]byte(description))
			return
		}
		answer(w, r)
	}))
	t.Cleanup(program.Close)
	return NewClient("token", program.URL)
}

var noon = &SaleFile{ID: "noon", Publish: true, Fields: object{"title": "Lamps at noon"}}

// The program can't answer the first time. The second request is the same, and for the sale that was shown.
func TestAPlanIsAppliedToTheSaleThatItWasMadeFor(t *testing.T) {
	t.Parallel()
	const description = `{"components":{"schemas":{"ActivityFile":{"properties":{"title":{}}}}}}`
	var versions []string
	client := programOf(t, description, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "PUT /admin/api/v1/activities/noon/file", r.Method+" "+r.URL.Path)
		if r.URL.RawQuery == "dry_run=true" {
			_, _ = w.Write([]byte(`{"activity_id":"noon","state":"draft","version":7,"differences":[
				{"field":"skus[lamp].flash_price","from":100,"to":90},{"field":"title","to":"Lamps at noon"},
				{"field":"state","from":"draft","to":"published"}]}`))
			return
		}
		if versions = append(versions, r.Header.Get("If-Match")); len(versions) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = w.Write([]byte(`{}`))
	})
	plan, err := client.Plan(t.Context(), noon)
	require.NoError(t, err)
	var lines []string
	for _, d := range plan.Differences {
		lines = append(lines, d.String())
	}
	assert.Equal(t, []string{
		"~ skus[lamp].flash_price: 100 -> 90", `+ title: "Lamps at noon"`, "~ state: draft -> published",
	}, lines)
	require.NoError(t, client.Apply(t.Context(), plan))
	assert.Equal(t, []string{`"7"`, `"7"`}, versions)
}

func TestAnOlderProgramIsNotSentAFile(t *testing.T) {
	t.Parallel()
	client := programOf(t, `{}`, func(http.ResponseWriter, *http.Request) { t.Error("it was sent a file") })
	_, err := client.Plan(t.Context(), noon)
	assert.ErrorContains(t, err, "is it older than this command?")
}
