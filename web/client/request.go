package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// maxAnswer bounds the body of an answer, in bytes.
const maxAnswer = 16 << 20

// Request is a request to a running program.
type Request struct {
	Method, Path string
	Token, Key   string      // Key is the Idempotency-Key; "" sends none
	Header       http.Header // other headers, none if nil
	Body         any         // sent as JSON, a []byte as it is; nil sends none
}

// Answer is the answer to a request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// To returns the request for the program at a URL.
func (r *Request) To(ctx context.Context, base string) (*http.Request, error) {
	data, raw := r.Body.([]byte)
	if r.Body != nil && !raw {
		var err error
		if data, err = json.Marshal(r.Body); err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, base+r.Path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if r.Header != nil {
		req.Header = r.Header.Clone()
	}
	if r.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.Token != "" {
		req.Header.Set("Authorization", "Bearer "+r.Token)
	}
	if r.Key != "" {
		req.Header.Set("Idempotency-Key", r.Key)
	}
	return req, nil
}

// Do sends a request and reads its answer.
func Do(c *http.Client, req *http.Request) (a Answer, err error) {
	res, err := c.Do(req) //nolint:gosec // the caller names the program
	if err != nil {
		return a, err
	}
	defer func() { _ = res.Body.Close() }()
	a.Status, a.Header = res.StatusCode, res.Header
	if a.Body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer)); err != nil {
		return a, fmt.Errorf("read the answer: %w", err)
	}
	return a, nil
}

// KeepRedirects is a http.Client's CheckRedirect that returns an answer with a redirect as it is.
func KeepRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
