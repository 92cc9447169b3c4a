package blocked

import (
	"net/netip"
	"strings"

	"onrush/modules/problem"
)

// Kind says what a subject is.
type Kind string

// The kinds of subjects.
const (
	User    Kind = "user"
	Address Kind = "address" // or a network
)

// Subject is a user, or an address or network in its usual form, that a block refuses.
type Subject struct {
	Kind Kind   `db:"kind"`
	Name string `db:"subject"`
}

const field = "subject" // in problems

// ParseSubject reads a subject as it is in the path of a route: user:<id> or address:<address or network>. Without
// such a prefix, what can be read as an address or a network is one, and anything else is a user id.
func ParseSubject(text string) (Subject, error) {
	if id, ok := strings.CutPrefix(text, string(User)+":"); ok {
		return parseUser(id)
	}
	if address, ok := strings.CutPrefix(text, string(Address)+":"); ok {
		return parseAddress(address)
	}
	if _, err := parseNetwork(text); err == nil {
		return parseAddress(text)
	}
	return parseUser(text)
}

func parseUser(id string) (Subject, error) {
	if !problem.IsUser(id) {
		return Subject{}, problem.Invalid(field, "must be a user id, an address or a network")
	}
	return Subject{Kind: User, Name: id}, nil
}

func parseAddress(text string) (Subject, error) {
	network, err := parseNetwork(text)
	switch {
	case err != nil:
		return Subject{}, problem.Invalid(field, "must be an address, or a network such as 192.0.2.0/24")
	case network != network.Masked():
		return Subject{}, problem.Invalid(field, "has bits behind its network; the network is %s", network.Masked())
	case network.Addr().Is4In6():
		return Subject{}, problem.Invalid(field, "must not be IPv4 written as IPv6")
	case network.IsSingleIP():
		return Subject{Kind: Address, Name: network.Addr().String()}, nil
	}
	return Subject{Kind: Address, Name: network.String()}, nil
}

// parseNetwork reads an address or a network; an address is a network of one.
func parseNetwork(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	return netip.ParsePrefix(text)
}

// loopback are the addresses of this machine, which can't be blocked.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// overlap returns the first of several networks that has addresses of network.
func overlap(network netip.Prefix, several []netip.Prefix) (netip.Prefix, bool) {
	for _, other := range several {
		if network.Overlaps(other) {
			return other, true
		}
	}
	return netip.Prefix{}, false
}
