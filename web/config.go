package web

import (
	"cmp"
	"fmt"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"onrush/modules/tracing"
)

// Config configures the HTTP server. A zero field has its default.
type Config struct {
	// BodyLimit is the largest request body in bytes; a larger one is 413. Default 64 KiB.
	BodyLimit int
	// ReadBuffer is the largest request line with its headers in bytes; more is 431. Default 16 KiB.
	ReadBuffer int
	// WriteBuffer is the buffer of an answer in bytes. Default 4 KiB.
	WriteBuffer int
	// ReadTimeout is how long reading one request may take. Default 10 s.
	ReadTimeout time.Duration
	// WriteTimeout is how long writing one answer may take; of a stream, one event. Default 10 s.
	WriteTimeout time.Duration
	// IdleTimeout is how long a connection may wait for its next request. Default 60 s.
	IdleTimeout time.Duration
	// Connections is how many connections are served at once. Default 65,536.
	Connections int
	// StreamsPerUser is how many event streams a user has open at once; another one is 429. Default 8.
	StreamsPerUser int
	// StreamsPerAddress is how many event streams a client address, or /64 network of IPv6, has open at once. It is
	// below the 10,000 of an app, so that nobody takes them all. Default 1000.
	StreamsPerAddress int
	// RequestDeadline is how long a handler may work; its context ends then. Default 2 s.
	RequestDeadline time.Duration
	// TrustedProxies are the addresses and networks (CIDR) whose ProxyHeader is trusted.
	// Default none: the client is the peer of the connection.
	TrustedProxies []string
	// ProxyHeader is the header in which a trusted proxy names the client: a list of addresses,
	// each proxy having appended the one it saw. Default X-Forwarded-For.
	ProxyHeader string
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
	c.WriteBuffer = cmp.Or(c.WriteBuffer, 4<<10)
	c.ReadTimeout = cmp.Or(c.ReadTimeout, 10*time.Second)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, 10*time.Second)
	c.IdleTimeout = cmp.Or(c.IdleTimeout, 60*time.Second)
	c.Connections = cmp.Or(c.Connections, 65_536)
	c.StreamsPerUser = cmp.Or(c.StreamsPerUser, 8)
	c.StreamsPerAddress = cmp.Or(c.StreamsPerAddress, 1000)
	c.RequestDeadline = cmp.Or(c.RequestDeadline, 2*time.Second)
	c.ProxyHeader = cmp.Or(c.ProxyHeader, "X-Forwarded-For")
	return c
}

// check refuses invalid values; NewApp calls it once.
func (c Config) check() error {
	for name, n := range map[string]int{
		"body limit": c.BodyLimit, "read buffer": c.ReadBuffer, "write buffer": c.WriteBuffer,
		"connections": c.Connections, "streams per user": c.StreamsPerUser,
		"streams per address": c.StreamsPerAddress,
	} {
		if n < 1 {
			return fmt.Errorf("web config: %s is %d, but must be above 0", name, n)
		}
	}
	for name, d := range map[string]time.Duration{
		"read timeout": c.ReadTimeout, "write timeout": c.WriteTimeout, "idle timeout": c.IdleTimeout,
		"request deadline": c.RequestDeadline,
	} {
		if d < 0 {
			return fmt.Errorf("web config: %s is %s, but must be above 0", name, d)
		}
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
