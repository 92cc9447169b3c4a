package buyer

import (
	"context"
	"net"
	"time"

	"github.com/valyala/fasthttp"
)

// Program is what buyers send their requests to.
type Program interface {
	// Send sends a request of a client at an address, and reads the answer. The error says that there was none.
	Send(ctx context.Context, from net.Addr, req *fasthttp.Request, res *fasthttp.Response) error
}

// Shared is what the buyers of one program have in common.
type Shared struct {
	Program Program
	Now     func() time.Time
	Random  func() uint64 // safe for concurrent use
	// Answered is told of each answer, with the name of the call.
	Answered func(call string, a Answer)
	// Requests has a slot for each request in progress; nil has no bound.
	Requests chan struct{}
	// Proofs has a slot for each proof of work in progress.
	Proofs chan struct{}
}

// Buyer is one client of a program. One goroutine at a time may use it.
type Buyer struct {
	*Shared

	Name    string
	Token   string
	Address net.Addr
	// Due is when the next request should be sent, from where its latency is measured. Zero: when it is sent.
	Due time.Time
}
