package bucket

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A connection of HTTP/2 would outlive the calls that get no answer over it.
func TestAConnectionHasOneCallAtATime(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	client := newClient()
	at, ok := client.Transport.(*http.Transport)
	require.True(t, ok)
	at.TLSClientConfig = &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	answer, err := client.Get(server.URL)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	assert.Equal(t, 1, answer.ProtoMajor)
}
