package web

import (
	"bytes"
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/aged"
	"onrush/test/kit"
)

func TestKeysAreReadAgainEveryFiveMinutes(t *testing.T) {
	t.Parallel()
	text := newKeyring().jwks(t, "")
	synctest.Test(t, func(t *testing.T) {
		var read int
		var first *keys
		s := &keySet{log: quiet(), aged: aged.Config{Now: time.Now, Within: keysTimeout, Pause: keysOnDemand}}
		s.open = func(context.Context) (io.ReadCloser, error) {
			if read++; read == 2 {
				first = s.current()
			}
			return io.NopCloser(bytes.NewReader(text)), nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); s.run(ctx) }()
		kit.Pass(16 * time.Minute)
		cancel()
		<-done
		require.Equal(t, 3, read)
		require.NotNil(t, first)
		require.Same(t, first, s.current(), "the same keys again are no change")
	})
}

func TestReadingKeysEndsAfterThreeSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &keySet{log: quiet(), aged: aged.Config{Now: time.Now, Within: keysTimeout, Pause: keysOnDemand}}
		s.open = func(ctx context.Context) (io.ReadCloser, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		began := time.Now()
		require.ErrorIs(t, s.refresh(t.Context(), 0), context.DeadlineExceeded)
		require.Equal(t, 3*time.Second, time.Since(began))
	})
}
