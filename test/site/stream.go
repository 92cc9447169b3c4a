package site

import (
	"bufio"
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
	res := p.Open(t, path) //nolint:bodyclose // Open closes it at the end of the test
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
