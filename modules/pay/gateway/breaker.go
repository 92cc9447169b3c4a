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

// Calls bounds the calls of one channel that are under way, and refuses calls while the gateway answers none.
type Calls struct {
	now   func() time.Time
	calls chan struct{}

	mu         sync.Mutex
	unanswered int // calls in a row
	restUntil  time.Time
	probing    bool // the call that may end the rest is under way
}

// NewCalls returns the calls of a channel, none of which is under way.
func NewCalls(now func() time.Time) *Calls {
	return &Calls{now: now, calls: make(chan struct{}, maxCalls)}
}

// Called is a gateway with Calls.
type Called interface {
	// Calls reports whether the gateway is left alone, since it answers no calls, and how many calls are under way.
	Calls() (resting bool, underWay int)
}

// CallsOf is what Called says of the client of a channel, which NewClient returned.
func CallsOf(client *http.Client) (resting bool, underWay int) {
	return client.Transport.(*boundTransport).calls.State() //nolint:forcetypeassert // it is the program's own
}

// State is what Called says.
func (c *Calls) State() (resting bool, underWay int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unanswered >= restAfter, len(c.calls)
}

// Call is a call that is under way.
type Call struct {
	of    *Calls
	probe bool
	ended sync.Once
}

// Begin waits a moment for a place among the calls under way. The error wraps pay.ErrUnavailable; it is pay.ErrResting
// if the gateway is left alone. The caller calls End and Leave.
func (c *Calls) Begin(ctx context.Context) (*Call, error) {
	if err := c.take(ctx); err != nil {
		return nil, err
	}
	probe, err := c.enter() // after the wait, in which the gateway may have begun to rest
	if err != nil {
		<-c.calls
		return nil, err
	}
	return &Call{of: c, probe: probe}, nil
}

// End tells what a call says of the gateway: nil that it answered, context.Canceled nothing, another error that it is
// silent. Only the first End counts.
func (c *Call) End(err error) { c.ended.Do(func() { c.of.count(c.probe, outcomeOf(err)) }) }

// Leave gives the place of a call back. It is called once, when nothing of the call goes on, after End.
func (c *Call) Leave() { <-c.of.calls }

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
func (c *Calls) enter() (probe bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.unanswered < restAfter:
		return false, nil
	case c.probing || c.now().Before(c.restUntil):
		return false, pay.ErrResting
	}
	c.probing = true
	return true, nil
}

// take takes a place among the calls under way.
func (c *Calls) take(ctx context.Context) error {
	select {
	case c.calls <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(callWait)
	defer timer.Stop()
	select {
	case c.calls <- struct{}{}:
		return nil
	case <-timer.C:
		return errTooManyCalls
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", errTooManyCalls, ctx.Err())
	}
}

// count counts the outcome of a call.
func (c *Calls) count(probe bool, what outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if probe {
		c.probing = false
	}
	switch what {
	case answered:
		c.unanswered = 0
	case silent:
		c.unanswered++
		c.restUntil = c.now().Add(restFor)
	case undecided:
	}
}

// boundTransport sends requests as Calls allows, and bounds the length of answers: reading one that is longer than
// MaxAnswer is an error. A call ends when its answer has been read.
type boundTransport struct {
	next  http.RoundTripper
	calls *Calls
}

func newBoundTransport(next http.RoundTripper, now func() time.Time) *boundTransport {
	return &boundTransport{next: next, calls: NewCalls(now)}
}

// RoundTrip sends a request. The error wraps pay.ErrResting if the gateway is left alone.
func (t *boundTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	call, err := t.calls.Begin(req.Context())
	if err != nil {
		return nil, err
	}
	end := func(err error) {
		call.End(err)
		call.Leave()
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		end(err)
		return nil, err
	}
	resp.Body = &boundBody{ReadCloser: http.MaxBytesReader(nil, resp.Body, MaxAnswer), end: end}
	return resp, nil
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
