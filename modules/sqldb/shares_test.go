package sqldb_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// A turn that a panic doesn't end would be taken for good: the fourth panic would hang all who use the key.
func TestATurnEndsWithAPanicOrAnError(t *testing.T) {
	t.Parallel()
	db := kit.OnEmbedded(t).DB
	failed := errors.New("failed")
	for range 10 {
		assert.Panics(t, func() {
			_ = db.Share(t.Context(), []string{"a", "b"}, func() error { panic("broken") })
		})
		require.ErrorIs(t, db.Share(t.Context(), []string{"b", "a", "b"}, func() error { return failed }), failed)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	ctx := t.Context()
	require.NoError(t, db.Share(ctx, []string{"a"}, func() error {
		return db.Share(ctx, []string{"a"}, func() error {
			return db.Share(ctx, []string{"a"}, func() error {
				for range 10 {
					require.ErrorIs(t, db.Share(ended, []string{"0", "a", "b"}, func() error {
						t.Error("a fourth caller has a turn")
						return nil
					}), context.Canceled)
				}
				return nil
			})
		})
	}))
}
