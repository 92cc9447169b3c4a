package limits

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/limit"
)

var addr = netip.MustParseAddr("192.0.2.1")

var start = time.Date(2026, 11, 11, 20, 0, 0, 0, time.UTC)

// sharedJudge allows a number of requests of each client, for all gates, and counts its calls.
type sharedJudge struct {
	mu    sync.Mutex
	left  map[string]int
	calls int
	err   error
}

func (j *sharedJudge) Take(
	_ context.Context, client string, requests int, _ time.Duration, n int,
) (allowed int, retry time.Duration, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.calls++
	if j.err != nil {
		return 0, 0, j.err
	}
	if _, known := j.left[client]; !known {
		j.left[client] = requests
	}
	allowed = min(n, j.left[client])
	j.left[client] -= allowed
	return allowed, time.Second, nil
}

func (j *sharedJudge) Instances() int { return 0 }

func newGates(n int, judge *sharedJudge, mode Mode) []*Gate {
	gates := make([]*Gate, n)
	for i := range gates {
		gates[i] = NewGate(judge, func() time.Time { return start }, slog.New(slog.DiscardHandler))
		gates[i].SetMode(mode)
	}
	return gates
}

func TestRequestsOfAUserAndAnAddressAreCountedPerActivity(t *testing.T) {
	t.Parallel()
	gate := newGates(1, &sharedJudge{left: map[string]int{}}, On)[0]
	s := Settings{User: Limit{Requests: 3, Seconds: 60}, IP: Limit{Requests: 5, Seconds: 60}}
	for range 3 {
		require.NoError(t, gate.Request(t.Context(), s, "sale", "alice", addr))
	}
	require.Error(t, gate.Request(t.Context(), s, "sale", "alice", addr), "the user's limit")
	require.NoError(t, gate.Request(t.Context(), s, "other", "alice", addr))
	for range 2 {
		require.NoError(t, gate.Request(t.Context(), s, "sale", "bob", addr))
	}
	require.Error(t, gate.Request(t.Context(), s, "sale", "carol", addr), "the address's limit")
	require.NoError(t, gate.Request(t.Context(), s, "sale", "dave", netip.Addr{}), "an address that doesn't count")
}

// A site with a /48 has 65,536 networks of IPv6, each of which has the limit of an address.
func TestASiteOfIPv6HasABoundInASale(t *testing.T) {
	t.Parallel()
	gate := newGates(1, &sharedJudge{left: map[string]int{}}, On)[0]
	s := Settings{IP: Limit{Requests: 2, Seconds: 60}}
	passed := func(activity, network string) (n int) {
		for i := range 200 {
			a := netip.MustParseAddr(fmt.Sprintf(network, i))
			if gate.Request(t.Context(), s, activity, "alice", a) == nil {
				n++
			}
		}
		return n
	}
	assert.Equal(t, 2*limit.SiteTimes, passed("sale", "2001:db8:1:%x::1"))
	assert.Equal(t, 2*limit.SiteTimes, passed("sale", "2001:db8:2:%x::1"), "another site")
	assert.Equal(t, 2*limit.SiteTimes, passed("other", "2001:db8:1:%x::1"), "another sale")
	assert.Equal(t, 2, passed("sale", "2001:db8:3::%x"), "a network has no more than an address")
	assert.Equal(t, 200, passed("sale", "192.0.%d.1"), "of IPv4, a site is one address")
}

func TestADryRunAndNoGateRefuseNothing(t *testing.T) {
	t.Parallel()
	dry := newGates(1, &sharedJudge{left: map[string]int{}}, DryRun)[0]
	s := Settings{User: Limit{Requests: 1, Seconds: 60}}
	for _, gate := range []*Gate{dry, nil} {
		for range 5 {
			require.NoError(t, gate.Request(t.Context(), s, "sale", "alice", addr))
		}
	}
	assert.Positive(t, dry.users.Refused(), "it counts what it would have refused")
}

func TestSettingsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	for _, s := range []Settings{{}, {Item: Limit{100, 1}}, {Item: Limit{1, 2}, User: Limit{3, 4}, IP: Limit{5, 6}}} {
		text, err := s.Value()
		require.NoError(t, err)
		read := Settings{User: Limit{9, 9}}
		require.NoError(t, read.Scan(text))
		assert.Equal(t, s, read)
	}
	require.Error(t, new(Settings).Scan(5))
	require.Error(t, new(Settings).Scan("{"))
}

func TestABodyChangesTheLimitsThatItHas(t *testing.T) {
	t.Parallel()
	before := Settings{Item: Limit{100, 1}, User: Limit{3, 4}}
	body := &Body{User: &LimitBody{Requests: -1}, IP: &LimitBody{Requests: 7, Seconds: 60}}
	assert.Equal(t, Settings{Item: Limit{100, 1}, IP: Limit{7, 60}}, body.Apply(before))
	assert.Equal(t, before, (*Body)(nil).Apply(before))
}
