package limit

import "net/netip"

// AddressKey returns what a limit of addresses counts by: an IPv4 address, or the /64 network of an IPv6
// address, since one client has all of it.
func AddressKey(addr netip.Addr) string {
	if addr.Is4() {
		return addr.String()
	}
	return NetworkKey(addr)
}

// NetworkKey returns what a limit of networks counts by: the /24 network of an IPv4 address, or the /64 network
// of an IPv6 address.
func NetworkKey(addr netip.Addr) string {
	bits := 64
	if addr.Is4() {
		bits = 24
	}
	network, err := addr.Prefix(bits)
	if err != nil {
		return addr.String()
	}
	return network.String()
}
