package web

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

func TestKeysAreReadAgainEveryFiveMinutes(t *testing.T) {
	t.Parallel()
	keys := newKeyring().jwks(t, "")
	synctest.Test(t, func(t *testing.T) {
		read, changed := 0, 0
		s := &keySet{
			log: quiet(), now: time.Now, turn: make(chan struct{}, 1),
			read:    func(context.Context) ([]byte, error) { read++; return keys, nil },
			changed: func() { changed++ },
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); s.run(ctx) }()
		kit.Pass(16 * time.Minute)
		cancel()
		<-done
		require.Equal(t, 3, read)
		require.Equal(t, 1, changed, "the same keys again are no change")
	})
}
