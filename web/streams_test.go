package web

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
)

func TestAUserHasABoundedNumberOfStreams(t *testing.T) {
	t.Parallel()
	s := newStreams(Config{StreamsPerUser: 3, StreamsPerAddress: maxStreams})
	var ends []func()
	for range 3 {
		end, err := s.add("ann", netip.Addr{})
		require.NoError(t, err)
		ends = append(ends, end)
	}
	_, err := s.add("ann", netip.Addr{})
	var e *problem.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, problem.CodeRateLimited, e.Code)
	assert.Contains(t, e.Detail, "poll instead")
	assert.Positive(t, e.RetryAfter)
	_, err = s.add("bob", netip.Addr{})
	require.NoError(t, err, "another user")

	ends[0]()
	_, err = s.add("ann", netip.Addr{})
	require.NoError(t, err, "one of them has ended")
}

func TestTooManyStreamsAreRefused(t *testing.T) {
	t.Parallel()
	s := newStreams(Config{StreamsPerUser: 8, StreamsPerAddress: 8})
	ends := make([]func(), maxStreams)
	for i := range ends {
		var err error
		ends[i], err = s.add(fmt.Sprintf("\xff%d", i), netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}))
		require.NoError(t, err)
	}
	_, err := s.add("one more", netip.Addr{})
	assert.Equal(t, problem.CodeOverloaded, problem.CodeOf(err))
	assert.Len(t, s.byUser, maxStreams)
	for _, end := range ends {
		end()
	}
	assert.Zero(t, s.count())
	assert.Empty(t, s.byUser, "a user without a stream has no entry")
	assert.Empty(t, s.byAddress, "nor has an address")
}

func TestManyUsersOfOneAddressLeaveStreamsForOthers(t *testing.T) {
	t.Parallel()
	s := newStreams(Config{}.withDefaults())
	at, neighbour := netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::ffff:1")
	var first func()
	for i := range 1000 {
		end, err := s.add(fmt.Sprint("user-", i), []netip.Addr{at, neighbour}[i%2])
		require.NoError(t, err)
		if first == nil {
			first = end
		}
	}
	_, err := s.add("one more", neighbour)
	var e *problem.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, problem.CodeRateLimited, e.Code)
	assert.Contains(t, e.Detail, "network address")
	assert.Positive(t, e.RetryAfter)
	for _, other := range []netip.Addr{netip.MustParseAddr("2001:db8:0:1::1"), {}} {
		_, err = s.add("one more", other)
		require.NoError(t, err, "of %s", other)
	}
	first()
	_, err = s.add("yet another", at)
	require.NoError(t, err, "one of them has ended")
}
