package site

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Stream is an open stream of server-sent events.
type Stream struct {
	lines *bufio.Scanner
}

// Follow opens an event stream, until the test ends.
func (p *Person) Follow(t testing.TB, path string) *Stream {
	t.Helper()
	req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, p.site.URL+path, nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+p.token)
	res, err := p.site.client.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
	return &Stream{lines: bufio.NewScanner(res.Body)}
}

// Next waits for an event and returns its name and data, a type of package client; more is false where the stream has
// ended.
func Next[T any](t testing.TB, s *Stream) (name string, data T, more bool) {
	t.Helper()
	read := false
	for s.lines.Scan() {
		line := s.lines.Text()
		switch {
		case strings.HasPrefix(line, "event: "):
			name = strings.TrimPrefix(line, "event: ")
		case strings.HasPrefix(line, "data: "):
			require.NoError(t, decode([]byte(strings.TrimPrefix(line, "data: ")), &data), line)
			read = true
		case line == "" && read:
			return name, data, true
		}
	}
	require.NoError(t, s.lines.Err())
	return "", data, false
}
