package web

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDeadlineEndsLikeAContextWithATimer(t *testing.T) {
	t.Parallel()
	past, future := time.Now().Add(-time.Second), time.Now().Add(time.Hour)

	d := &deadline{at: past}
	require.ErrorIs(t, d.Err(), context.DeadlineExceeded, "before somebody waits")
	<-d.Done()
	require.ErrorIs(t, d.Err(), context.DeadlineExceeded)

	d = &deadline{at: future}
	require.NoError(t, d.Err())
	child, cancel := context.WithTimeout(d, 2*time.Hour)
	defer cancel()
	require.NoError(t, child.Err())
	at, ok := child.Deadline()
	assert.True(t, ok)
	assert.Equal(t, future, at)
	assert.Nil(t, d.Value("key"))
	d.end()
	<-child.Done()
	require.ErrorIs(t, child.Err(), context.Canceled)
	require.ErrorIs(t, d.Err(), context.Canceled)

	d = &deadline{at: future}
	d.end()
	require.ErrorIs(t, d.Err(), context.Canceled)
	<-d.Done()
	d.end()

	soon := &deadline{at: time.Now().Add(10 * time.Millisecond)}
	<-soon.Done()
	require.ErrorIs(t, soon.Err(), context.DeadlineExceeded)
}
