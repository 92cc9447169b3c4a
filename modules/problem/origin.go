package problem

import (
	"net"
	"net/url"
	"strings"
)

// OriginOf returns the origin of an http or https URL, as browsers send it (RFC 6454): scheme, host and port, in
// lower case and without the scheme's own port. ok is false for any other text, and for a URL that a browser might
// read in another way: one with a user name, a backslash, or a host that is not plain ASCII.
func OriginOf(link string) (origin string, ok bool) {
	if !IsVisible(link) || strings.ContainsAny(link, "\\<>\"") {
		return "", false
	}
	u, err := url.Parse(link)
	if err != nil || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "", false
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if host == "" || strings.ContainsFunc(host, notOfHosts) {
		return "", false
	}
	switch {
	case port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme]:
		host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	return u.Scheme + "://" + host, true
}

// notOfHosts reports whether a character is in no name and no address of a host.
func notOfHosts(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '.' && r != '-' && r != '_' && r != ':'
}
