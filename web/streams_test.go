package web

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
)

func TestAUserHasABoundedNumberOfStreams(t *testing.T) {
	t.Parallel()
	var s streams
	var ends []func()
	for range 3 {
		end, err := s.add("ann", 3)
		require.NoError(t, err)
		ends = append(ends, end)
	}
	_, err := s.add("ann", 3)
	var e *problem.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, problem.CodeRateLimited, e.Code)
	assert.Contains(t, e.Detail, "poll instead")
	assert.Positive(t, e.RetryAfter)
	_, err = s.add("bob", 3)
	require.NoError(t, err, "another user")

	ends[0]()
	_, err = s.add("ann", 3)
	require.NoError(t, err, "one of them has ended")
}

func TestTooManyStreamsAreRefused(t *testing.T) {
	t.Parallel()
	var s streams
	ends := make([]func(), maxStreams)
	for i := range ends {
		var err error
		ends[i], err = s.add(fmt.Sprintf("\xff%d", i), 8)
		require.NoError(t, err)
	}
	_, err := s.add("one more", 8)
	assert.Equal(t, problem.CodeOverloaded, problem.CodeOf(err))
	assert.Len(t, s.byUser, maxStreams)
	for _, end := range ends {
		end()
	}
	assert.Zero(t, s.count())
	assert.Empty(t, s.byUser, "a user without a stream has no entry")
}
