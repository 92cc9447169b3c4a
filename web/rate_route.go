package web

import (
	"fmt"
	"slices"
	"strings"

	"onrush/web/limit"
)

// RouteLimit is a limit of the requests of a user to one route.
type RouteLimit struct {
	Limiter *limit.Limiter

	method string
	parts  []string // of the path; "*" stands for any one
}

// NewRouteLimit returns the limit of a route, such as POST /api/v1/seckill/*/submit.
func NewRouteLimit(route string, limiter *limit.Limiter) (RouteLimit, error) {
	method, path, found := strings.Cut(route, " ")
	if !found || !slices.Contains(methods, method) || !strings.HasPrefix(path, "/api/v1/") {
		return RouteLimit{}, fmt.Errorf("a route is written as POST /api/v1/seckill/*/submit: %q", route)
	}
	return RouteLimit{Limiter: limiter, method: method, parts: strings.Split(path, "/")}, nil
}

// matches reports whether a request is one to the route. It allocates nothing.
func (r *RouteLimit) matches(method, path string) bool {
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
