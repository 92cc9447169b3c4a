package limit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Policy is a number of requests per period; the zero value means no limit. A client may send all of
// them at once; the next ones are then allowed at equal intervals.
type Policy struct {
	Requests int
	Period   time.Duration
}

// Bounds of a policy. A longer period would keep refusing a client long after its flood.
const (
	maxRequests = 1_000_000
	maxPeriod   = 24 * time.Hour
)

// ErrPolicy says that a text is not a policy.
var ErrPolicy = errors.New("a limit is written as 100/1s: requests, a slash, and a time from 1ms to 24h")

// ParsePolicy reads a policy such as 100/1s or 5/1m; "" and none are no limit.
func ParsePolicy(text string) (Policy, error) {
	if text == "" || text == "none" {
		return Policy{}, nil
	}
	requests, period, ok := strings.Cut(text, "/")
	n, err := strconv.Atoi(requests)
	if !ok || err != nil || n < 1 || n > maxRequests {
		return Policy{}, fmt.Errorf("%w: %q", ErrPolicy, text)
	}
	d, err := time.ParseDuration(period)
	if err != nil || d < time.Millisecond || d > maxPeriod {
		return Policy{}, fmt.Errorf("%w: %q", ErrPolicy, text)
	}
	return Policy{Requests: n, Period: d}, nil
}

// None reports whether the policy allows everything.
func (p Policy) None() bool { return p.Requests == 0 }

// String returns the policy as ParsePolicy reads it.
func (p Policy) String() string {
	if p.None() {
		return "none"
	}
	return fmt.Sprintf("%d/%s", p.Requests, p.Period)
}

// Times returns the policy with n times as many requests.
func (p Policy) Times(n int) Policy {
	p.Requests *= n
	return p
}

// interval is the time in which one request is allowed again.
func (p Policy) interval() time.Duration { return max(p.Period/time.Duration(p.Requests), 1) }

// span is the time in which all requests are allowed again: the period, but for the rounding of the interval.
func (p Policy) span() time.Duration { return time.Duration(p.Requests) * p.interval() }

func detailOf(p Policy) string {
	return fmt.Sprintf("The limit of requests is %d per %s.", p.Requests, p.Period)
}
