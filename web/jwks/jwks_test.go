package jwks

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/aged"
	"onrush/test/kit"
)

func TestKeysAreReadAgainEveryFiveMinutes(t *testing.T) {
	t.Parallel()
	text := []byte(`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`)
	synctest.Test(t, func(t *testing.T) {
		var read int
		var first *Keys
		s := &Set{log: slog.New(slog.DiscardHandler), aged: aged.Config{Now: time.Now, Within: within, Pause: OnDemand}}
		s.open = func(context.Context) (io.ReadCloser, error) {
			if read++; read == 2 {
				first = s.Current()
			}
			return io.NopCloser(bytes.NewReader(text)), nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); s.Run(ctx) }()
		kit.Pass(16 * time.Minute)
		cancel()
		<-done
		require.Equal(t, 3, read)
		require.NotNil(t, first)
		require.Same(t, first, s.Current(), "the same keys again are no change")
	})
}

func TestReadingKeysEndsAfterThreeSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Set{log: slog.New(slog.DiscardHandler), aged: aged.Config{Now: time.Now, Within: within, Pause: OnDemand}}
		s.open = func(ctx context.Context) (io.ReadCloser, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		began := time.Now()
		require.ErrorIs(t, s.Refresh(t.Context(), 0), context.DeadlineExceeded)
		require.Equal(t, 3*time.Second, time.Since(began))
	})
}
