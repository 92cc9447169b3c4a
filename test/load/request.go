package load

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// digits is the length of a request's number; numbers from firstNumber to ten times as much have it.
const (
	digits      = 12
	firstNumber = 100_000_000_000
)

// prepared is a request as bytes, cut where its number belongs.
type prepared [][]byte

func prepare(r Request) prepared {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s %s HTTP/1.1\r\nHost: load\r\n", r.Method, r.Path)
	if r.Token != "" {
		fmt.Fprintf(&text, "Authorization: Bearer %s\r\n", r.Token)
	}
	if r.NewKey {
		fmt.Fprintf(&text, "Idempotency-Key: key-%s\r\n", Number)
	}
	if r.Body != "" {
		length := len(r.Body) + strings.Count(r.Body, Number)*(digits-len(Number))
		fmt.Fprintf(&text, "Content-Type: application/json\r\nContent-Length: %d\r\n", length)
	}
	fmt.Fprintf(&text, "\r\n%s", r.Body)
	return bytes.Split(text.Bytes(), []byte(Number))
}

// appendTo appends the request with a number to buf.
func (p prepared) appendTo(buf []byte, number int64) []byte {
	for i, part := range p {
		if i > 0 {
			buf = strconv.AppendInt(buf, number, 10)
		}
		buf = append(buf, part...)
	}
	return buf
}
