package deadline

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestContextEndsLikeAContextWithATimer(t *testing.T) {
	t.Parallel()
	past, future := time.Now().Add(-time.Second), time.Now().Add(time.Hour)

	d := New(past, nil)
	require.ErrorIs(t, d.Err(), context.DeadlineExceeded, "before somebody waits")
	<-d.Done()
	require.ErrorIs(t, d.Err(), context.DeadlineExceeded)

	d = New(future, nil)
	require.NoError(t, d.Err())
	child, cancel := context.WithTimeout(d, 2*time.Hour)
	defer cancel()
	require.NoError(t, child.Err())
	at, ok := child.Deadline()
	assert.True(t, ok)
	assert.Equal(t, future, at)
	assert.Nil(t, d.Value("key"))
	d.End()
	<-child.Done()
	require.ErrorIs(t, child.Err(), context.Canceled)
	require.ErrorIs(t, d.Err(), context.Canceled)

	d = New(future, nil)
	d.End()
	require.ErrorIs(t, d.Err(), context.Canceled)
	<-d.Done()
	d.End()

	soon := New(time.Now().Add(10*time.Millisecond), nil)
	<-soon.Done()
	require.ErrorIs(t, soon.Err(), context.DeadlineExceeded)
}

func TestWithinEndsAtTheEarlierDeadline(t *testing.T) {
	t.Parallel()
	now := time.Now()
	outer := New(now.Add(time.Hour), nil)
	defer outer.End()
	inner, end := Within(outer, time.Minute)
	at, _ := inner.Deadline()
	assert.WithinDuration(t, now.Add(time.Minute), at, 10*time.Second)
	require.NoError(t, inner.Err())
	end()
	require.ErrorIs(t, inner.Err(), context.Canceled)
	require.NoError(t, outer.Err())

	later, end := Within(outer, 2*time.Hour)
	defer end()
	at, _ = later.Deadline()
	assert.Equal(t, now.Add(time.Hour), at)

	soon, end := Within(outer, 10*time.Millisecond)
	defer end()
	<-soon.Done()
	require.ErrorIs(t, soon.Err(), context.DeadlineExceeded)
	require.NoError(t, outer.Err())

	// Any other context ends the inner one.
	plain, cancel := context.WithCancel(t.Context())
	child, end := Within(plain, time.Hour)
	defer end()
	cancel()
	<-child.Done()
	require.ErrorIs(t, child.Err(), context.Canceled)
}
