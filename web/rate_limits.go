package web

import (
	"log/slog"
	"net/netip"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/limit"
	"onrush/modules/problem"
)

// Headers of routes with a limit, in requests and seconds, in the canonical form of the HTTP server.
var (
	headerLimit     = []byte("Ratelimit-Limit")
	headerRemaining = []byte("Ratelimit-Remaining")
	headerReset     = []byte("Ratelimit-Reset")
)

// RateLimits are the limits of the buyers' routes. A nil limiter is no limit. The name of a limiter is also the
// name of its gate in the metrics.
type RateLimits struct {
	User   *limit.Limiter // by user
	Polls  *limit.Limiter // by user, of the routes that are polled
	Routes []RouteLimit   // by user and route, beside User
	// Address is by client address. An IPv6 client is counted by its /64, and by its /48 with limit.SiteTimes as many
	// requests. Loopback addresses and trusted proxies don't count.
	Address  *limit.Limiter
	Network  *limit.Limiter // by /24 of IPv4, or /48 of IPv6
	Instance *limit.Limiter // of this instance
	// Strangers is by client address, as Address, and only for requests without a token. Here loopback addresses and
	// trusted proxies count as well: strangers behind a proxy that is not trusted share the limit of its address.
	Strangers *limit.Limiter
	// Submit is the route whose handler calls RateLimited.
	Submit Route
	// Polled are the routes whose paths count under Polls instead of User, whatever the method.
	Polled []Route
	// DryRun counts and logs requests over a limit, and refuses none.
	DryRun bool
	Log    *slog.Logger

	warned atomic.Int64 // when a refusal was logged last, in seconds
}

// RouteLimit is a limit of the requests of a user to one route.
type RouteLimit struct {
	Route   Route
	Limiter *limit.Limiter
}

// overLimit is the key in a request's locals of the error that Handle left to the handler.
type overLimit struct{}

// refusedNew is the key in a request's locals of the error of RefuseNew.
type refusedNew struct{}

// refusal is the answer to a request over a limit, and by how much it is delayed.
type refusal struct {
	err  *problem.Error
	hold time.Duration
}

// ByName returns the limiters by their names; none if l is nil.
func (l *RateLimits) ByName() map[string]*limit.Limiter {
	if l == nil {
		return nil
	}
	all := []*limit.Limiter{l.User, l.Polls, l.Address, l.Network, l.Instance, l.Strangers}
	for i := range l.Routes {
		all = append(all, l.Routes[i].Limiter)
	}
	named := make(map[string]*limit.Limiter, len(all))
	for _, limiter := range all {
		if limiter != nil {
			named[limiter.Name()] = limiter
		}
	}
	return named
}

// Handle is the middleware. It runs after the middleware that identifies the user.
func (l *RateLimits) Handle(c *fiber.Ctx) error {
	over := l.check(c)
	if over == nil {
		return c.Next()
	}
	if l.Submit.matches(c.Method(), c.Path()) {
		lookups := l.over(c, l.Polls, Who(c).User)
		if lookups == nil {
			c.Locals(overLimit{}, over.err)
			return c.Next()
		}
		over.hold = lookups.hold
	}
	delay(c, over.hold)
	return over.err
}

// delay waits before a refusal is answered, so that a client that doesn't wait itself is slowed down. It costs
// a timer; the connection would be open without it as well.
func delay(c *fiber.Ctx, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	var stop <-chan struct{}
	if f := floorOf(c); f != nil {
		stop = f.stop.Done()
	}
	select {
	case <-timer.C:
	case <-stop:
	}
}

// RateLimited returns the error of a submit that is over a limit; nil if it is within all. The handler of submits
// returns it, unless the request repeats one that was carried out: a limit must not hide an order.
func RateLimited(c *fiber.Ctx) error { return errorAt(c, overLimit{}) }

// RefuseNew refuses the request unless it repeats a submit that was carried out; the handler learns it from Refused.
func RefuseNew(c *fiber.Ctx, err *problem.Error) { c.Locals(refusedNew{}, err) }

// Refused returns the error that RefuseNew was given, else nil.
func Refused(c *fiber.Ctx) error { return errorAt(c, refusedNew{}) }

func errorAt(c *fiber.Ctx, key any) error {
	if err, ok := c.Locals(key).(*problem.Error); ok {
		return err
	}
	return nil
}

// check takes the request from the limits that apply to it, the cheapest first.
func (l *RateLimits) check(c *fiber.Ctx) *refusal {
	if l.Instance != nil {
		if r := l.Instance.Take(c.UserContext(), ""); !r.Allowed && !l.dry(c, l.Instance) {
			e := problem.Errorf(problem.CodeOverloaded, "Too many requests for this instance.").After(r.Retry)
			e.Gate = l.Instance.Name()
			return &refusal{err: e}
		}
	}
	if isStranger(c) { // all strangers are no user
		return l.ofAddress(c, l.Strangers)
	}
	if over := l.ofUser(c, Who(c).User); over != nil {
		return over
	}
	return l.ofAddress(c, nil)
}

// ofUser takes the request from the limits of a user.
func (l *RateLimits) ofUser(c *fiber.Ctx, user string) *refusal {
	byUser := l.User
	for i := range l.Polled {
		if l.Polled[i].matches(fiber.MethodGet, c.Path()) {
			byUser = l.Polls
		}
	}
	if over := l.over(c, byUser, user); over != nil {
		return over
	}
	for i := range l.Routes {
		if r := &l.Routes[i]; r.Route.matches(c.Method(), c.Path()) {
			if over := l.over(c, r.Limiter, user); over != nil {
				return over
			}
		}
	}
	return nil
}

// ofAddress takes the request from the limits by address, and from a further limit by address unless that is nil.
func (l *RateLimits) ofAddress(c *fiber.Ctx, another *limit.Limiter) *refusal {
	if l.Address == nil && l.Network == nil && another == nil {
		return nil
	}
	client, addr := addresses(c)
	if !client.IsValid() {
		return nil
	}
	if over := l.overAddress(c, another, client); over != nil {
		return over
	}
	if !addr.IsValid() {
		return nil
	}
	if over := l.overAddress(c, l.Address, addr); over != nil {
		return over
	}
	if l.Network != nil {
		return l.over(c, l.Network, limit.NetworkKey(addr))
	}
	return nil
}

// overAddress takes the request from a limit of addresses, which may be nil.
func (l *RateLimits) overAddress(c *fiber.Ctx, by *limit.Limiter, addr netip.Addr) *refusal {
	if by == nil {
		return nil
	}
	if over := l.over(c, by, limit.AddressKey(addr)); over != nil || addr.Is4() {
		return over
	}
	r := by.TakeUnder(c.UserContext(), by.Policy().Times(limit.SiteTimes), limit.NetworkKey(addr))
	if r.Allowed || l.dry(c, by) {
		return nil
	}
	return refusalBy(by, r)
}

// refusalBy returns the refusal of a limit.
func refusalBy(by *limit.Limiter, r limit.Result) *refusal {
	return &refusal{
		err:  (&problem.Error{Code: problem.CodeRateLimited, Detail: by.Detail(), Gate: by.Name()}).After(r.Retry),
		hold: r.Hold,
	}
}

// over takes the request from one limit and writes its headers; the result is nil if it is allowed.
func (l *RateLimits) over(c *fiber.Ctx, by *limit.Limiter, client string) *refusal {
	if by == nil {
		return nil
	}
	r := by.Take(c.UserContext(), client)
	if l.DryRun {
		if !r.Allowed {
			l.dry(c, by)
		}
		return nil
	}
	var digits [20]byte
	header := &c.Response().Header
	header.SetCanonical(headerLimit, strconv.AppendInt(digits[:0], int64(by.Policy().Requests), 10))
	header.SetCanonical(headerRemaining, strconv.AppendInt(digits[:0], int64(r.Remaining), 10))
	header.SetCanonical(headerReset, strconv.AppendInt(digits[:0], int64(seconds(r.Reset)), 10))
	if r.Allowed {
		return nil
	}
	return refusalBy(by, r)
}

// dryEvery is the interval at which a dry run logs that requests are over a limit.
const dryEvery = 10

// dry reports whether this is a dry run, and logs that it would have refused requests.
func (l *RateLimits) dry(c *fiber.Ctx, by *limit.Limiter) bool {
	if !l.DryRun {
		return false
	}
	if f := floorOf(c); f != nil {
		f.refused.pass(by.Name())
	}
	now := time.Now().Unix()
	if last := l.warned.Load(); now-last >= dryEvery && l.warned.CompareAndSwap(last, now) {
		l.Log.WarnContext(c.UserContext(), "dry run: requests are over a limit",
			"limit", by.Name(), "policy", by.Policy(), "requests", by.Refused())
	}
	return true
}

// seconds returns a time in whole seconds, rounded up.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
