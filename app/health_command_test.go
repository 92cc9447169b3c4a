package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHealthFailsUnlessTheInstanceIsReady(t *testing.T) {
	t.Parallel()
	for status, body := range map[int]string{
		http.StatusOK:                 `{"status":"degraded","unavailable":["sql"]}`,
		http.StatusServiceUnavailable: `{"status":"stopping","unavailable":[]}`,
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/livez" {
				_, _ = w.Write([]byte(`{"status":"ok"}`))
				return
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		defer s.Close()
		var out strings.Builder
		ready := healthCommand{Addr: strings.TrimPrefix(s.URL, "http://")}
		err := ready.Run(t.Context(), &out)
		if status == http.StatusOK {
			require.NoError(t, err)
			assert.Equal(t, "degraded sql\n", out.String())
		} else {
			require.ErrorContains(t, err, "not ready: stopping")
		}
		live := healthCommand{Addr: ready.Addr, Live: true}
		require.NoError(t, live.Run(t.Context(), &out))
		s.Close()
		require.ErrorContains(t, ready.Run(t.Context(), &out), "doesn't answer")
	}
	for addr, want := range map[string]string{
		":8080": "http://127.0.0.1:8080/readyz", "0.0.0.0:80": "http://127.0.0.1:80/readyz",
		"[::]:80": "http://127.0.0.1:80/readyz", "10.0.0.1:80": "http://10.0.0.1:80/readyz",
	} {
		url, err := (&healthCommand{Addr: addr}).url()
		require.NoError(t, err)
		assert.Equal(t, want, url)
	}
}
