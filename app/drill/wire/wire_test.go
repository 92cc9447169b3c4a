package wire

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

func TestACutRequestArrivesAndItsAnswerDoesNot(t *testing.T) {
	t.Parallel()
	for _, start := range []func(http.Handler) *httptest.Server{httptest.NewServer, httptest.NewTLSServer} {
		came, gone := make(chan string, 1), make(chan error, 1)
		server := start(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			came <- string(body)
			<-r.Context().Done()
			gone <- r.Context().Err()
		}))
		t.Cleanup(server.Close)
		w, err := New([]string{server.URL})
		require.NoError(t, err)
		if server.TLS != nil {
			w.tls = server.Client().Transport.(*http.Transport).TLSClientConfig
		}
		req := client.Request{Method: http.MethodPost, Path: "/", Body: map[string]int{"quantity": 1}}
		require.NoError(t, w.Cut(t.Context(), nil, req, 20*time.Millisecond))
		assert.JSONEq(t, `{"quantity":1}`, <-came)
		require.Error(t, <-gone)
	}
}
