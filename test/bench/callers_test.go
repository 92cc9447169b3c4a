package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// connections is how many keep-alive connections call at once.
const connections = 64

// callers send requests over keep-alive connections. They run in the process and on the processors
// of what it measures, so they do as little as they can: requests are bytes that were made before.
type callers struct{ conns []*conn }

type conn struct {
	net.Conn
	in   *bufio.Reader
	body []byte
}

// answerWithin bounds one turn of a load.
const answerWithin = time.Minute

func newCallers(b *testing.B, url string) *callers {
	b.Helper()
	l := &callers{}
	for range connections {
		c, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", strings.TrimPrefix(url, "http://"))
		require.NoError(b, err)
		b.Cleanup(func() { _ = c.Close() })
		l.conns = append(l.conns, &conn{Conn: c, in: bufio.NewReader(c)})
	}
	return l
}

// send sends all requests, each connection one after the other, and gives each answer's body to
// got; a status other than want is an error.
func (l *callers) send(requests [][]byte, want int, got func(i int, body []byte)) error {
	var next atomic.Int64
	var senders sync.WaitGroup
	errs := make([]error, len(l.conns))
	for k, c := range l.conns {
		senders.Go(func() {
			if errs[k] = c.SetDeadline(time.Now().Add(answerWithin)); errs[k] != nil {
				return
			}
			for {
				i := int(next.Add(1)) - 1
				if i >= len(requests) {
					return
				}
				status, body, err := c.call(requests[i])
				if err == nil && status != want {
					err = fmt.Errorf("status %d: %s", status, body)
				}
				if err != nil {
					errs[k] = err
					return
				}
				got(i, body)
			}
		})
	}
	senders.Wait()
	return errors.Join(errs...)
}

// call sends one request and reads its answer; the body is good until the next call.
func (c *conn) call(request []byte) (status int, body []byte, err error) {
	if _, err := c.Write(request); err != nil {
		return 0, nil, err
	}
	length := 0
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, nil, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if status == 0 { // HTTP/1.1 202 Accepted
			if status, err = strconv.Atoi(string(line[9:12])); err != nil {
				return 0, nil, err
			}
		} else if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, nil, err
			}
		}
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	_, err = io.ReadFull(c.in, c.body)
	return status, c.body, err
}

// post writes a request.
func post(path, token, key, body string) []byte {
	var r bytes.Buffer
	fmt.Fprintf(&r, "POST %s HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer %s\r\n", path, token)
	if key != "" {
		fmt.Fprintf(&r, "Idempotency-Key: %s\r\n", key)
	}
	fmt.Fprintf(&r, "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	return r.Bytes()
}
