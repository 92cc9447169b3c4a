package channels

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChannelsRunConcurrentlyAndNameThoseThatFailed(t *testing.T) {
	t.Parallel()
	second := make(chan struct{})
	errAway := errors.New("no answer")
	done, err := Each(t.Context(),
		[]string{"one", "two", "three"}, func(ctx context.Context, channel string) (int, error) {
			switch channel {
			case "one": // waits for one that comes after it
				select {
				case <-second:
				case <-ctx.Done():
				}
				return 2, nil
			case "two":
				close(second)
				return 3, nil
			}
			return 1, errAway
		})
	require.Equal(t, 6, done)
	require.ErrorIs(t, err, errAway)
	require.EqualError(t, err, "channel three: no answer")

	done, err = Each(t.Context(), nil, nil)
	require.NoError(t, err)
	require.Zero(t, done)
}
