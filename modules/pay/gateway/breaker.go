package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"onrush/modules/pay"
)

const (
	// maxCalls is how many calls of one channel may be under way, each of which holds a connection. It is above what
	// buyers may have under way (maxBegins of pay), so that some are left for the jobs.
	maxCalls = 64
	// callWait is how long a call waits for another call to end if too many are under way.
	callWait = time.Second
	// restAfter is how many calls in a row remain without an answer before the gateway is left alone.
	restAfter = 8
	// restFor is how long it is left alone. Then one call is sent, whose answer ends the rest.
	restFor = 5 * time.Second
)

var errTooManyCalls = fmt.Errorf("%w: too many calls are under way", pay.ErrUnavailable)

// boundTransport bounds the calls under way, refuses calls while the gateway answers none, and bounds the length of
// answers: reading one that is longer than MaxAnswer is an error. A call ends when its answer has been read.
type boundTransport struct {
	next  http.RoundTripper
	now   func() time.Time
	calls chan struct{}

	mu         sync.Mutex
	unanswered int // calls in a row
	restUntil  time.Time
	probing    bool // the call that may end the rest is under way
}

func newBoundTransport(next http.RoundTripper, now func() time.Time) *boundTransport {
	return &boundTransport{next: next, now: now, calls: make(chan struct{}, maxCalls)}
}

// RoundTrip sends a request. The error wraps pay.ErrResting if the gateway is left alone.
func (t *boundTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.take(req.Context()); err != nil {
		return nil, err
	}
	probe, err := t.enter() // after the wait, in which the gateway may have begun to rest
	if err != nil {
		<-t.calls
		return nil, err
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		t.end(probe, outcomeOf(err))
		return nil, err
	}
	resp.Body = &boundBody{ReadCloser: http.MaxBytesReader(nil, resp.Body, MaxAnswer), end: func(err error) {
		t.end(probe, outcomeOf(err))
	}}
	return resp, nil
}

// outcome is what a call says of the gateway.
type outcome int

const (
	answered outcome = iota
	silent
	undecided // the caller ended the call
)

func outcomeOf(err error) outcome {
	_, tooLong := errors.AsType[*http.MaxBytesError](err)
	switch {
	case err == nil, errors.Is(err, io.EOF), tooLong:
		return answered
	case errors.Is(err, context.Canceled):
		return undecided
	}
	return silent
}

// enter refuses a call while the gateway rests, and reports whether the call may end the rest.
func (t *boundTransport) enter() (probe bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.unanswered < restAfter:
		return false, nil
	case t.probing || t.now().Before(t.restUntil):
		return false, pay.ErrResting
	}
	t.probing = true
	return true, nil
}

// take takes a place among the calls under way.
func (t *boundTransport) take(ctx context.Context) error {
	select {
	case t.calls <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(callWait)
	defer timer.Stop()
	select {
	case t.calls <- struct{}{}:
		return nil
	case <-timer.C:
		return errTooManyCalls
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", errTooManyCalls, ctx.Err())
	}
}

// end counts the outcome of a call, and then gives its place back.
func (t *boundTransport) end(probe bool, what outcome) {
	defer func() { <-t.calls }()
	t.mu.Lock()
	defer t.mu.Unlock()
	if probe {
		t.probing = false
	}
	switch what {
	case answered:
		t.unanswered = 0
	case silent:
		t.unanswered++
		t.restUntil = t.now().Add(restFor)
	case undecided:
	}
}

// CloseIdleConnections lets http.Client close the connections of the transport below.
func (t *boundTransport) CloseIdleConnections() {
	if below, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		below.CloseIdleConnections()
	}
}

// boundBody calls end once, with the error that reading ended with, or nil.
type boundBody struct {
	io.ReadCloser

	end  func(error)
	once sync.Once
}

func (b *boundBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.once.Do(func() { b.end(err) })
	}
	return n, err
}

func (b *boundBody) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(func() { b.end(nil) })
	return err
}
