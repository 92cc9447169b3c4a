// Package load sends HTTP requests to a server on the same machine and measures the answers. It costs little:
// connections are kept alive, requests are prepared bytes, and of an answer only status, length and problem
// code are read. The program in the folder generator runs it in a process of its own, so that the load and
// the server don't share a garbage collector and goroutines.
package load

import (
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// Bounds of a plan. A load must not outlive its test or reach another machine.
const (
	maxConnections = 2000
	maxRequests    = 100_000
	maxSeconds     = 120
)

// Plan is what to send, and how fast.
type Plan struct {
	// Addr is a loopback address with a port, such as 127.0.0.1:8080.
	Addr        string `json:"addr"`
	Connections int    `json:"connections"`
	// Rate is how many requests are due per second, on all connections together; the latency of an answer counts
	// from the moment at which its request was due. At 0 each connection sends its next request when it has
	// the answer to the last one (a closed loop).
	Rate    float64 `json:"rate"`
	Seconds float64 `json:"seconds"`
	// Most is how many requests are sent at most; the load ends when all are answered. 0: as many as fit into Seconds.
	Most int64 `json:"most,omitempty"`
	// Requests are sent in turn, over and over again.
	Requests []Request `json:"requests"`
}

// Request is a template. Number in its path or body is replaced by twelve digits that no other request of the
// load has.
type Request struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Token  string `json:"token,omitempty"`
	Body   string `json:"body,omitempty"`
	// NewKey sends a new Idempotency-Key each time.
	NewKey bool `json:"new_key,omitempty"`
}

// Number is the placeholder in a Request.
const Number = "{number}"

func (p *Plan) check() error {
	addr, err := netip.ParseAddrPort(p.Addr)
	switch {
	case err != nil:
		return fmt.Errorf("plan: %w", err)
	case !addr.Addr().IsLoopback():
		return fmt.Errorf("plan: %s is not a loopback address", p.Addr)
	case p.Connections < 1 || p.Connections > maxConnections:
		return fmt.Errorf("plan: %d connections, but must be 1 to %d", p.Connections, maxConnections)
	case p.Rate < 0:
		return errors.New("plan: the rate is below 0")
	case p.Seconds <= 0 || p.Seconds > maxSeconds:
		return fmt.Errorf("plan: %g seconds, but must be above 0 and at most %d", p.Seconds, maxSeconds)
	case p.Most < 0:
		return errors.New("plan: most is below 0")
	case len(p.Requests) < 1 || len(p.Requests) > maxRequests:
		return fmt.Errorf("plan: %d requests, but must be 1 to %d", len(p.Requests), maxRequests)
	}
	return nil
}

// due returns when request i of a fixed rate is due, counted from the start.
func (p *Plan) due(i int64) time.Duration {
	return time.Duration(float64(i) / p.Rate * float64(time.Second))
}

// lasts returns how long requests are sent.
func (p *Plan) lasts() time.Duration { return time.Duration(p.Seconds * float64(time.Second)) }
