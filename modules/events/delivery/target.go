package delivery

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"onrush/modules/problem"
)

const (
	maxURL       = 2000
	lookupWithin = 3 * time.Second
)

// unicast has all public IPv6 addresses: https://www.iana.org/assignments/ipv6-address-space. So the forms that contain
// an IPv4 address are outside of it: ::/96, ::ffff:0:0:0/96, 64:ff9b::/96 and 64:ff9b:1::/48, all but 6to4 and Teredo,
// which are special, and ISATAP.
var unicast = netip.MustParsePrefix("2000::/3")

// special are networks without public servers that the methods of netip.Addr don't recognize; for IPv6, only networks
// of unicast addresses: https://www.iana.org/assignments/iana-ipv4-special-registry and its IPv6 counterpart.
var special = func() []netip.Prefix {
	var all []netip.Prefix
	for _, text := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"168.63.129.16/32",                                     // the metadata and wire server of Azure
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", // the first has Teredo, 2002::/16 is 6to4
	} {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}()

// number is the last part of an IPv4 address in any of its forms: https://url.spec.whatwg.org/#ends-in-a-number.
var number = regexp.MustCompile(`^(\d+|0x[0-9a-f]*)$`)

// isPublic reports whether a server on the Internet may have an address.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && (ip.Is4() || unicast.Contains(ip) && !isISATAP(ip)) &&
		!slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// isISATAP reports whether the second half of an IPv6 address has an IPv4 address by RFC 5214.
func isISATAP(ip netip.Addr) bool {
	b := ip.As16()
	return b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

// targets decides where events may be sent.
type targets struct {
	private  Private
	resolver *net.Resolver
}

const privateRule = "must not be in a private network (ONRUSH_EVENTS_ALLOW_PRIVATE names the hosts and networks that " +
	"may)"

// check returns a problem with an URL to which nothing may be sent. A name that can't be resolved now is accepted: the
// addresses are checked again whenever a connection is made.
func (t *targets) check(ctx context.Context, text string) error {
	if len(text) > maxURL || !problem.IsVisible(text) {
		return problem.Invalid("url", "must have at most %d characters, visible ones of ASCII only", maxURL)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Opaque != "" || u.Scheme != "https" && u.Scheme != "http":
		return problem.Invalid("url", "must be an address such as https://shop.example/events")
	case u.Scheme == "http" && !t.private.namesHost(u.Hostname()):
		return problem.Invalid("url", "must begin with https://")
	case u.User != nil:
		return problem.Invalid("url", "must not contain a user or a password")
	case u.Fragment != "" || strings.HasSuffix(text, "#"):
		return problem.Invalid("url", "must not have a fragment")
	case t.private.hasHost(u.Hostname()):
		return nil
	}
	return t.checkHost(ctx, u.Hostname())
}

func (t *targets) checkHost(ctx context.Context, host string) error {
	if ip, err := netip.ParseAddr(host); err == nil {
		if !t.allows(ip) {
			return problem.Invalid("url", privateRule)
		}
		return nil
	}
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	last := name[strings.LastIndexByte(name, '.')+1:]
	if (last == "localhost" || last == "internal") && len(t.private.Networks) == 0 {
		return problem.Invalid("url", privateRule)
	}
	if number.MatchString(last) { // some resolvers take 2130706433 and 0x7f.1 for 127.0.0.1
		return problem.Invalid("url", "must have a name or an address in its usual form as its host")
	}
	ctx, cancel := context.WithTimeout(ctx, lookupWithin)
	defer cancel()
	found, err := t.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil // it may exist later
	}
	if slices.ContainsFunc(found, func(ip netip.Addr) bool { return !t.allows(ip) }) {
		return problem.Invalid("url", privateRule)
	}
	return nil
}

// errPrivate is the error of a connection to an address that is not public.
var errPrivate = errors.New("the address is in a private network")

// allows reports whether events may be sent to an address.
func (t *targets) allows(ip netip.Addr) bool { return isPublic(ip) || t.private.hasAddr(ip) }

// dialer returns the function that makes connections. A host that is allowed by its name may have any address.
func (t *targets) dialer(within time.Duration) func(ctx context.Context, network, address string) (net.Conn, error) {
	checked := &net.Dialer{Timeout: within, Resolver: t.resolver, Control: t.control}
	allowed := &net.Dialer{Timeout: within, Resolver: t.resolver}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, _, err := net.SplitHostPort(address); err == nil && t.private.hasHost(host) {
			return allowed.DialContext(ctx, network, address)
		}
		return checked.DialContext(ctx, network, address)
	}
}

// control refuses a connection to an address that is not allowed. It sees the address that the name was resolved to,
// so a name that has changed since it was checked is refused as well.
func (t *targets) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !t.allows(to.Addr()) {
		return errPrivate
	}
	return nil
}
