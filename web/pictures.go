package web

import (
	"net/url"
	"slices"
	"strings"

	"onrush/modules/problem"
)

// Pictures says where the pictures of goods and sales may be. The zero value allows every host.
type Pictures struct {
	only  bool
	own   []string // origins of this program
	other func() []string
}

// OnlyPicturesOf allows pictures at a path of this program, at its own origins, and at other origins: a page with a
// Content-Security-Policy shows no other pictures. other returns these origins; it is called for each check.
func OnlyPicturesOf(own []string, other func() []string) Pictures {
	return Pictures{only: true, own: own, other: other}
}

// Check records a field whose picture is at a host that isn't allowed.
func (p Pictures) Check(c *problem.Checks, field, picture string) {
	if !p.only || picture == "" || isPath(picture) {
		return
	}
	other := p.other()
	origin, ok := problem.OriginOf(picture)
	if ok && (slices.Contains(p.own, origin) || slices.Contains(other, origin)) {
		return
	}
	allowed := "a path on this host, such as /assets/lamp.jpg"
	if len(other) > 0 {
		allowed += ", or a URL of " + strings.Join(other, ", ")
	}
	c.That(false, field,
		"must be %s: the shop shows pictures of no other host (the setting image_hosts, or ONRUSH_IMAGE_HOSTS)",
		allowed)
}

// isPicture reports whether s is a link, or an absolute path on this host.
func isPicture(s string) bool { return isLink(s) || isPath(s) }

// isPath reports whether s is an absolute path on this host. Browsers read two slashes as the beginning of a host.
func isPath(s string) bool {
	if !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//") || !isPlainURL(s) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.Host == ""
}
