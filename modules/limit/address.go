package limit

import "net/netip"

// SiteTimes is the limit of a whole /48 network of IPv6, as a multiple of the limit of one of its 65,536 /64 networks.
// Providers give whole /48 networks to one customer.
const SiteTimes = 16

// AddressKey returns the key by which a limit of addresses counts: an IPv4 address, or the /64 network of an IPv6
// address, since one client has all of it.
func AddressKey(addr netip.Addr) string {
	if addr.Is4() {
		return addr.String()
	}
	return networkOf(addr, 64)
}

// NetworkKey returns the key by which a limit of networks counts: the /24 network of an IPv4 address, or the /48
// network of an IPv6 address.
func NetworkKey(addr netip.Addr) string {
	if addr.Is4() {
		return networkOf(addr, 24)
	}
	return networkOf(addr, 48)
}

func networkOf(addr netip.Addr, bits int) string {
	network, err := addr.Prefix(bits)
	if err != nil {
		return addr.String()
	}
	return network.String()
}
