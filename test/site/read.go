package site

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

// Read requires a status and returns the body as a type of package client. A field that web/openapi.yaml doesn't have
// fails the test.
func Read[T any](t testing.TB, status int, a Answer) (body T) {
	t.Helper()
	require.Equal(t, status, a.Status, string(a.Body))
	require.NoError(t, decode(a.Body, &body), string(a.Body))
	return body
}

func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// Poll reads a resource until it is as the test expects, and returns it. The read is repeated as clients do it, also
// after a 503.
func Poll[T any](t testing.TB, p *Person, path string, expected func(body T) bool) (body T) {
	t.Helper()
	var last Answer
	require.Eventually(t, func() bool {
		last = p.Insist(http.MethodGet, path, "", nil)
		var read T
		if last.Status != http.StatusOK || decode(last.Body, &read) != nil || !expected(read) {
			return false
		}
		body = read
		return true
	}, 20*time.Second, 20*time.Millisecond, "%s: %s", path, &last)
	return body
}

func get[T any](t testing.TB, p *Person, path string) T {
	t.Helper()
	return Read[T](t, http.StatusOK, p.Call(t, http.MethodGet, path, "", nil))
}

// Placed requires that a submit was accepted, and returns its task and order.
func (a Answer) Placed(t testing.TB) client.Submitted {
	t.Helper()
	return Read[client.Submitted](t, http.StatusAccepted, a)
}
