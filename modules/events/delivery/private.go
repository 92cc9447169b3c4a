package delivery

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// Private is what events may be sent to although it isn't public: private networks, this machine, and http.
type Private struct {
	// All allows every target, for development.
	All bool
	// Hosts are names in lower case, without a dot at the end; what they resolve to doesn't matter.
	Hosts []string
	// Networks are the networks of addresses, whatever name has them.
	Networks []netip.Prefix
}

// hostName matches the names of hosts.
var hostName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,62})(\.[a-z0-9]([a-z0-9-]{0,62}))*$`)

// ParsePrivate reads names of hosts, addresses and networks such as erp.internal, 10.1.2.3 and fd00:1::/32; true alone
// is All, and false alone nothing.
func ParsePrivate(texts []string) (p Private, err error) {
	for _, text := range texts {
		text = strings.ToLower(strings.TrimSpace(text))
		switch {
		case text == "true" && len(texts) == 1:
			return Private{All: true}, nil
		case text == "false" && len(texts) == 1, text == "":
			continue
		case text == "true", text == "false":
			return Private{}, fmt.Errorf("%q can't be combined with hosts and networks", text)
		}
		if network, err := netip.ParsePrefix(text); err == nil {
			p.Networks = append(p.Networks, network.Masked())
			continue
		}
		if ip, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil && ip.Zone() == "" {
			ip = ip.Unmap()
			p.Networks = append(p.Networks, netip.PrefixFrom(ip, ip.BitLen()))
			continue
		}
		name := strings.TrimSuffix(text, ".")
		if !hostName.MatchString(name) || number.MatchString(name[strings.LastIndexByte(name, '.')+1:]) {
			return Private{}, fmt.Errorf("%q is neither a host such as erp.internal nor an address nor a network such "+
				"as 10.1.0.0/16", text)
		}
		p.Hosts = append(p.Hosts, name)
	}
	return p, nil
}

// hasHost reports whether a host of a URL is allowed by its name.
func (p Private) hasHost(host string) bool {
	return p.All || slices.Contains(p.Hosts, strings.TrimSuffix(strings.ToLower(host), "."))
}

// hasAddr reports whether an address is allowed, under whatever name.
func (p Private) hasAddr(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return p.All || slices.ContainsFunc(p.Networks, func(n netip.Prefix) bool { return n.Contains(ip) })
}

// namesHost reports whether a host of a URL is allowed as it is written there, before it is resolved.
func (p Private) namesHost(host string) bool {
	ip, err := netip.ParseAddr(host)
	return p.hasHost(host) || err == nil && p.hasAddr(ip)
}
