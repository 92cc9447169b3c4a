package web

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// ClientIP returns ClientAddr as a string, "" if there is none. The string may be kept.
func ClientIP(c *fiber.Ctx) string {
	if addr := ClientAddr(c); addr.IsValid() {
		return addr.String()
	}
	return ""
}

// Client is the address of a caller.
type Client struct {
	IP string // as ClientIP
	// Counted is the address for limits. It is invalid for addresses that don't count: loopback addresses and
	// trusted proxies, unless a proxy's header can't be read.
	Counted netip.Addr
}

// ClientOf returns the address of the caller, which it looks up once.
func ClientOf(c *fiber.Ctx) Client {
	addr, counted := addresses(c)
	if !addr.IsValid() {
		return Client{}
	}
	return Client{IP: addr.String(), Counted: counted}
}

// ClientAddr returns the address of the caller: the peer of the connection or, if the peer is a trusted
// proxy, the last address in its header that is not a trusted proxy. A client can forge the addresses
// before that one. Without an address, as in tests without a connection, the result is not valid.
func ClientAddr(c *fiber.Ctx) netip.Addr {
	addr, _ := addresses(c)
	return addr
}

// addresses returns ClientAddr and Client.Counted. If the header has something else where the client's address was
// expected, both are the peer's: whoever sends garbage would have no limit. Empty elements of the list are no addresses
// (RFC 9110, section 5.6.1.2).
func addresses(c *fiber.Ctx) (client, counted netip.Addr) {
	peer, _ := netip.AddrFromSlice(c.Context().RemoteIP())
	peer = peer.Unmap()
	f := floorOf(c)
	if f == nil || len(f.proxies) == 0 || !f.trusts(peer) {
		return peer, f.counted(peer)
	}
	hops := make([]string, 0, 4)
	for _, value := range c.Request().Header.PeekAll(proxyHeader) {
		if len(value) > 0 {
			hops = append(hops, strings.Split(string(value), ",")...)
		}
	}
	client = peer
	for _, hop := range slices.Backward(hops) {
		if hop = strings.TrimSpace(hop); hop == "" {
			continue
		}
		addr, err := parseHop(hop)
		if err != nil {
			return peer, peer
		}
		client = addr
		if !f.trusts(addr) {
			break
		}
	}
	return client, f.counted(client)
}

// parseHop parses one address of a proxy header, which may have a port.
func parseHop(s string) (netip.Addr, error) {
	if withPort, err := netip.ParseAddrPort(s); err == nil {
		return withPort.Addr().Unmap().WithZone(""), nil
	}
	addr, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return addr.Unmap().WithZone(""), err
}

// counted returns the address of a client for limits that count by it.
func (f *floor) counted(addr netip.Addr) netip.Addr {
	if addr.IsLoopback() || f != nil && f.trusts(addr) {
		return netip.Addr{}
	}
	return addr
}

func (f *floor) trusts(addr netip.Addr) bool {
	return slices.ContainsFunc(f.proxies, func(network netip.Prefix) bool { return network.Contains(addr) })
}
