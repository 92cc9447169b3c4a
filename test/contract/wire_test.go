package contract

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// wire sends bytes over one connection and reads answers until the server closes it.
func (s *shop) wire(t *testing.T, text string) (statuses []int, rest string) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.site.URL, "http://"))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	_, err = io.WriteString(conn, text)
	require.NoError(t, err)
	reader := bufio.NewReader(conn)
	for {
		res, err := http.ReadResponse(reader, nil)
		if err != nil {
			require.NotErrorIs(t, err, io.ErrNoProgress)
			return statuses, rest
		}
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		statuses, rest = append(statuses, res.StatusCode), rest+string(body)
	}
}

func TestRequestsThatCanBeReadInTwoWaysAreRefusedAndTheConnectionClosed(t *testing.T) {
	t.Parallel()
	s := open(t, kit.OnEmbedded(t))
	head := "POST /api/v1/addresses HTTP/1.1\r\nContent-Type: application/json\r\nAuthorization: Bearer " +
		s.buyer(t, "ada").token + "\r\n"
	const hidden = "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	for name, request := range map[string]string{
		"two lengths":             head + "Host: x\r\nContent-Length: 2\r\nContent-Length: 58\r\n\r\n{}",
		"the same length twice":   head + "Host: x\r\nContent-Length: 2\r\ncontent-length: 2\r\n\r\n{}",
		"the longer length first": head + "Host: x\r\nContent-Length: 58\r\nContent-Length: 2\r\n\r\n{}",
		"a length and chunks": head +
			"Host: x\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"chunks and a length": head +
			"Host: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"chunks twice": head +
			"Host: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"another transfer encoding":   head + "Host: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"identity and a length":       head + "Host: x\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}",
		"two hosts":                   head + "Host: x\r\nHost: y\r\nContent-Length: 2\r\n\r\n{}",
		"a header of two lines":       head + "Host: x\r\nX-A: b\r\n Content-Length: 58\r\nContent-Length: 2\r\n\r\n{}",
		"a length with a sign":        head + "Host: x\r\nContent-Length: +2\r\n\r\n{}",
		"a length that is a list":     head + "Host: x\r\nContent-Length: 2, 2\r\n\r\n{}",
		"a space before the colon":    head + "Host: x\r\nContent-Length : 2\r\n\r\n{}",
		"dots":                        "GET /api/v1/../../livez HTTP/1.1\r\nHost: x\r\n\r\n",
		"dots at the end":             "GET /api/v1/.. HTTP/1.1\r\nHost: x\r\n\r\n",
		"dots in percent":             "GET /api/%2e%2e/livez HTTP/1.1\r\nHost: x\r\n\r\n",
		"dots, one in percent":        "GET /api/.%2E/livez HTTP/1.1\r\nHost: x\r\n\r\n",
		"dots and a slash in percent": "GET /api/v1%2f..%2flivez HTTP/1.1\r\nHost: x\r\n\r\n",
		"dots and backslashes":        "GET /api\\..\\livez HTTP/1.1\r\nHost: x\r\n\r\n",
		"dots and hidden backslashes": "GET /api%5C%2e%2e%5clivez?a=b HTTP/1.1\r\nHost: x\r\n\r\n",
		"dots behind a host":          "GET http://x/api/../livez HTTP/1.1\r\nHost: x\r\n\r\n",
		"dots with a path parameter":  "GET /api/..;a=b/livez HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		statuses, body := s.wire(t, request+hidden)
		assert.Equal(t, []int{http.StatusBadRequest}, statuses, "%s: %s", name, body)
		assert.Contains(t, body, `"code":"bad_request"`, name)
	}
	for name, path := range map[string]string{
		"a name with dots": "/livez..", "three dots": "/.../livez", "in the query": "/livez?a=../b&c=%2e%2e",
	} {
		statuses, body := s.wire(t, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"+hidden)
		require.Len(t, statuses, 2, name)
		assert.Equal(t, http.StatusOK, statuses[1], "%s: the connection stays open", name)
		assert.NotContains(t, body, "bad_request", name)
	}
	chunked := head + "Host: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
	statuses, _ := s.wire(t, chunked+hidden)
	assert.Equal(t, []int{http.StatusUnprocessableEntity, http.StatusOK}, statuses)
}
