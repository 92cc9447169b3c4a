package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// keptBody is how much of the body of a refusal is kept to find its code; longer bodies are read and dropped.
const keptBody = 2048

// conn is one connection.
type conn struct {
	net.Conn
	in   *bufio.Reader
	body []byte
}

func dial(addr string, until time.Time) (*conn, error) {
	c, err := (&net.Dialer{Deadline: until}).Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	if err := c.SetDeadline(until); err != nil {
		_ = c.Close()
		return nil, err
	}
	return &conn{Conn: c, in: bufio.NewReader(c), body: make([]byte, 0, keptBody)}, nil
}

// answer is the head of an answer.
type answer struct {
	status  int
	length  int
	chunked bool
	last    bool // the server closes the connection
}

var errAnswer = errors.New("the answer is not HTTP/1.1")

// head reads status and headers.
func (c *conn) head() (a answer, err error) {
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return a, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			return a, nil
		}
		if a.status == 0 { // HTTP/1.1 202 Accepted
			if len(line) < len("HTTP/1.1 200") {
				return a, errAnswer
			}
			if a.status, err = strconv.Atoi(string(line[9:12])); err != nil {
				return a, errAnswer
			}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch string(name) { // servers write these names
		case "Content-Length":
			if a.length, err = strconv.Atoi(string(value)); err != nil {
				return a, errAnswer
			}
		case "Transfer-Encoding":
			a.chunked = true
		case "Connection":
			a.last = string(value) == "close"
		}
	}
}

// read reads a body of known length and returns it, or its beginning.
func (c *conn) read(length int) ([]byte, error) {
	kept := c.body[:min(length, keptBody)]
	if _, err := io.ReadFull(c.in, kept); err != nil {
		return nil, err
	}
	_, err := c.in.Discard(length - len(kept))
	return kept, err
}

// follow reads a chunked body, such as an event stream, until it ends.
func (c *conn) follow() error {
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(string(bytes.TrimRight(line, "\r\n")), 16, 32)
		if err != nil {
			return fmt.Errorf("length of a chunk: %w", err)
		}
		if _, err := c.in.Discard(int(n) + len("\r\n")); err != nil || n == 0 {
			return err
		}
	}
}
