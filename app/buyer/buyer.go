package buyer

import (
	"context"
	"encoding/binary"
	"net"
	"time"

	"onrush/web/client"
)

// Program is what buyers send their requests to.
type Program interface {
	// Send sends a request of a client at an address. The error says that there is no answer.
	Send(ctx context.Context, from net.Addr, r client.Request) (client.Answer, error)
}

// Shared is what the buyers of one program have in common.
type Shared struct {
	Program Program
	Now     func() time.Time
	Random  func() uint64 // safe for concurrent use
	// Answered is told of each answer, with the name of the call.
	Answered func(call string, a Answer)
	// Requests, Proofs and Addresses have a slot for each request, for each proof of work, and for each address that is
	// being stored. A nil channel has no bound.
	Requests, Proofs, Addresses chan struct{}
}

// Buyer is one client of a program. One goroutine at a time may use it.
type Buyer struct {
	*Shared

	Name    string
	Token   string
	Address net.Addr
	// Due is when the next request should be sent, from where its latency is measured. Zero: when it is sent.
	Due time.Time

	// home is the id of the stored address, in a region; "" without one.
	home, region string
}

// AddressOf returns the client address of buyer n, in 198.18.0.0/15, which no client on the Internet has (RFC 2544).
func AddressOf(n int) net.Addr {
	const first, addresses = 198<<24 | 18<<16, 1 << 17
	ip := make(net.IP, net.IPv4len)
	binary.BigEndian.PutUint32(ip, first+uint32(n%addresses)) //nolint:gosec // below 2^32
	return &net.TCPAddr{IP: ip, Port: 1024 + n%addresses%60_000}
}

// take takes a slot, which free gives back, unless ctx ends first.
func take(ctx context.Context, slots chan struct{}) (free func(), taken bool) {
	if slots == nil {
		return func() {}, ctx.Err() == nil
	}
	select {
	case slots <- struct{}{}:
		free = func() { <-slots }
	case <-ctx.Done():
		return nil, false
	}
	if ctx.Err() != nil { // both were ready
		free()
		return nil, false
	}
	return free, true
}
