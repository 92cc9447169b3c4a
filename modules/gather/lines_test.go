package gather

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLinesThatAreOverAreForgotten sends requests of many lines, one after the other, while a key always has a call:
// half of them in calls, the other half with callers that leave.
func TestLinesThatAreOverAreForgotten(t *testing.T) {
	t.Parallel()
	const first, many = 0, 1000
	began, end := make(chan struct{}), make(chan struct{})
	g := New(Config[string, int, int]{
		Call: func(_ string, requests []int, _ []int) error {
			if requests[0] == first {
				close(began)
				<-end
			}
			return nil
		},
		Line: func(n *int) string { return strconv.Itoa(*n) }, MaxCall: 10, SecondFrom: 1,
	})
	done := make(chan error, 1)
	go func() {
		_, err := g.Do(context.WithoutCancel(t.Context()), "a", first)
		done <- err
	}()
	<-began
	gone, leave := context.WithCancel(t.Context())
	leave()
	for n := range many {
		_, err := g.Do(t.Context(), "a", 1+2*n)
		require.NoError(t, err)
		_, _ = g.Do(gone, "a", 2+2*n)
	}
	_, err := g.Do(t.Context(), "a", -1)
	require.NoError(t, err)
	g.mu.Lock()
	assert.LessOrEqual(t, len(g.queues["a"].lines), 2, "the line of the first call, and the last line")
	g.mu.Unlock()
	close(end)
	require.NoError(t, <-done)
	require.NoError(t, g.Stop(t.Context()))
}
