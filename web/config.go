package web

import (
	"cmp"
	"fmt"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"onrush/modules/tracing"
)

const (
	// writeBuffer is the buffer of an answer in bytes.
	writeBuffer = 4 << 10
	// readTimeout is how long reading one request may take, and writeTimeout writing one answer; of a stream, one
	// event.
	readTimeout, writeTimeout = 10 * time.Second, 10 * time.Second
	// idleTimeout is how long a connection may wait for its next request.
	idleTimeout = 60 * time.Second
	// proxyHeader is the header in which a trusted proxy names the client: a list of addresses, each proxy having
	// appended the one it saw.
	proxyHeader = "X-Forwarded-For"
)

// Config configures the HTTP server. A zero field has its default.
type Config struct {
	// BodyLimit is the largest request body in bytes; a larger one is 413. Default 64 KiB.
	BodyLimit int
	// ReadBuffer is the largest request line with its headers in bytes; more is 431. Default 16 KiB.
	ReadBuffer int
	// Connections is how many connections are served at once. Default 65,536.
	Connections int
	// StreamsPerUser is how many event streams a user has open at once; another one is 429. Default 8.
	StreamsPerUser int
	// StreamsPerAddress is how many event streams a client address, or /64 network of IPv6, has open at once. It is
	// below the 10,000 of an app, so that nobody takes them all. Default 1000.
	StreamsPerAddress int
	// RequestDeadline is how long a handler may work; its context ends then. Default 2 s.
	RequestDeadline time.Duration
	// TrustedProxies are the addresses and networks (CIDR) whose X-Forwarded-For is trusted.
	// Default none: the client is the peer of the connection.
	TrustedProxies []string
	// Origins are those whose pages may call routes. Default none.
	Origins Origins
	// Problem turns an error of a store, which a handler returned as it is, into a problem, and returns any other
	// unchanged. Default none.
	Problem func(error) error
	// Refused is told once a second how many requests were answered with a problem, by its code. Default nobody.
	Refused func(code string, requests int)
	// Refusal is told each request of a buyer that was answered with a problem. It must not keep the texts that a
	// Refusal says are its caller's. Default nobody.
	Refusal func(r Refusal)
	// Metrics gets the metrics of requests. Default nobody.
	Metrics prometheus.Registerer
	// Tracer begins a span for each request. Default none.
	Tracer *tracing.Tracer
}

func (c Config) withDefaults() Config {
	c.BodyLimit = cmp.Or(c.BodyLimit, 64<<10)
	c.ReadBuffer = cmp.Or(c.ReadBuffer, 16<<10)
	c.Connections = cmp.Or(c.Connections, 65_536)
	c.StreamsPerUser = cmp.Or(c.StreamsPerUser, 8)
	c.StreamsPerAddress = cmp.Or(c.StreamsPerAddress, 1000)
	c.RequestDeadline = cmp.Or(c.RequestDeadline, 2*time.Second)
	return c
}

// check refuses invalid values; NewApp calls it once.
func (c Config) check() error {
	for name, n := range map[string]int{
		"body limit": c.BodyLimit, "read buffer": c.ReadBuffer,
		"connections": c.Connections, "streams per user": c.StreamsPerUser,
		"streams per address": c.StreamsPerAddress,
	} {
		if n < 1 {
			return fmt.Errorf("web config: %s is %d, but must be above 0", name, n)
		}
	}
	if c.RequestDeadline < 0 {
		return fmt.Errorf("web config: request deadline is %s, but must be above 0", c.RequestDeadline)
	}
	_, err := c.Proxies()
	return err
}

// Proxies returns TrustedProxies as networks; a single address is a network with one address.
func (c Config) Proxies() ([]netip.Prefix, error) {
	nets := make([]netip.Prefix, 0, len(c.TrustedProxies))
	for _, text := range c.TrustedProxies {
		if addr, err := netip.ParseAddr(text); err == nil {
			addr = addr.Unmap()
			nets = append(nets, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("web config: trusted proxy %q is neither an address nor a network: %w", text, err)
		}
		nets = append(nets, network.Masked())
	}
	return nets, nil
}
