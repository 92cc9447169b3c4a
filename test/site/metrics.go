package site

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Metrics returns the metrics of the instance as Prometheus reads them.
func (s *Site) Metrics(t testing.TB) string {
	t.Helper()
	return Scrape(t, s.MetricsAddr(t))
}

// MetricsAddr returns the address at which the instance serves its metrics until it stops.
func (s *Site) MetricsAddr(t testing.TB) string {
	t.Helper()
	s.metrics.Do(func() {
		own, err := s.Server.ListenMetrics(t.Context())
		require.NoError(t, err)
		s.stopMetrics, s.metricsAddr = own.Close, own.Addr().String()
	})
	return s.metricsAddr
}

// Scrape returns the metrics at an address.
func Scrape(t testing.TB, addr string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+"/metrics", http.NoBody)
	require.NoError(t, err)
	a, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = a.Body.Close() }()
	text, err := io.ReadAll(a.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.StatusCode)
	return string(text)
}
