package web

import (
	"fmt"
	"slices"
	"strings"
)

// Route is a route of buyers. The zero value is none.
type Route struct {
	method string
	parts  []string // of the path; "*" stands for any one
}

// NewRoute returns the route of a text such as POST /api/v1/seckill/*/submit.
func NewRoute(text string) (Route, error) {
	method, path, found := strings.Cut(text, " ")
	if !found || !slices.Contains(methods, method) || !strings.HasPrefix(path, "/api/v1/") {
		return Route{}, fmt.Errorf("a route is written as POST /api/v1/seckill/*/submit: %q", text)
	}
	return Route{method: method, parts: strings.Split(path, "/")}, nil
}

// matches reports whether a request is one to the route. It allocates nothing.
func (r *Route) matches(method, path string) bool {
	if method != r.method {
		return false
	}
	for i, want := range r.parts {
		part, rest, more := strings.Cut(path, "/")
		if want != "*" && part != want || more != (i < len(r.parts)-1) {
			return false
		}
		path = rest
	}
	return true
}
