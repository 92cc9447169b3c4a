package loop_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/loop"
)

func TestWorkRepeatsUntilTheEndAndItsFirstFailureOfSeveralIsLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lines bytes.Buffer
		away := errors.New("away")
		failures := loop.NewFailures(slog.New(slog.NewTextHandler(&lines, nil)), "it fails",
			func(err error) bool { return errors.Is(err, away) })
		ctx, cancel := context.WithCancel(t.Context())
		var at []time.Duration
		began := time.Now()
		loop.Run(ctx, time.Second, failures, func(context.Context) error {
			at = append(at, time.Since(began))
			switch len(at) {
			case 1:
				return away
			case 2, 3:
				return errors.New("broken")
			case 4:
				return nil
			case 5:
				panic("at the disco")
			}
			cancel()
			return errors.New("ended")
		})
		assert.Equal(t, []time.Duration{0, 1e9, 2e9, 3e9, 4e9, 5e9}, at)
		assert.Equal(t, 2, strings.Count(lines.String(), "it fails"), lines.String())
		assert.Contains(t, lines.String(), "at the disco")
		assert.NotContains(t, lines.String(), "away")
		assert.NotContains(t, lines.String(), "ended")
	})
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		require.NoError(t, loop.Wait(ctx, time.Second/2))
		require.ErrorIs(t, loop.Wait(ctx, time.Minute), context.DeadlineExceeded)
		assert.Equal(t, time.Second, time.Since(began))
	})
}
