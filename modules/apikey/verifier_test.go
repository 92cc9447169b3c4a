package apikey

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/test/kit"
)

func TestRevokedKeyIsRefusedByOtherInstancesWithinASecond(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		key := w.makes(t, "till 3", 0)
		for _, v := range []*Verifier{w.here, w.there} {
			got, err := v.Verify(t.Context(), key.Secret)
			require.NoError(t, err)
			assert.Equal(t, "key:till 3", got.Actor())
		}
		require.NoError(t, w.Revoke(t.Context(), key.ID, "bob"))
		_, err := w.here.Verify(t.Context(), key.Secret)
		assert.Equal(t, "unauthorized", codeOf(err))
		w.clock.Advance(time.Second)
		_, err = w.there.Verify(t.Context(), key.Secret)
		assert.Equal(t, "unauthorized", codeOf(err))
		assert.ErrorContains(t, err, "revoked")
	})
}

func TestKeyExpiresByTheClockOfTheStores(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		key := w.makes(t, "till 3", api.Millis(noon.Add(time.Hour).UnixMilli()))
		w.clock.Advance(time.Hour - time.Millisecond)
		_, err := w.here.Verify(t.Context(), key.Secret)
		require.NoError(t, err)
		w.clock.Advance(time.Millisecond) // the copy is fresh
		_, err = w.here.Verify(t.Context(), key.Secret)
		assert.Equal(t, "unauthorized", codeOf(err))
	})
}

func TestHostileKeysDontReachSQL(t *testing.T) {
	t.Parallel()
	s := kit.OnEmbedded(t, kit.Breakable())
	w := newWorld(s)
	key := w.makes(t, "till 3", 0)
	_, err := w.here.Verify(t.Context(), key.Secret)
	require.NoError(t, err)

	before := s.SQLCalls(t)
	kit.Crowd(64, func(int) {
		for range 100 {
			forged, _ := newSecret(rand.Reader)
			_, err := w.here.Verify(t.Context(), forged[:len(forged)-sumLen]+"aaaaaaa")
			assert.Equal(t, "unauthorized", codeOf(err))
		}
	})
	assert.Zero(t, s.SQLCalls(t)-before, "without a checksum")

	// Anybody can compute a checksum. Then the reads are shared, and keys that are known don't wait for them.
	kit.Crowd(64, func(int) {
		for range 25 {
			forged, _ := newSecret(rand.Reader)
			for range 2 {
				_, err := w.here.Verify(t.Context(), forged)
				assert.Equal(t, "unauthorized", codeOf(err))
			}
			_, err := w.here.Verify(t.Context(), key.Secret)
			assert.Empty(t, codeOf(err))
		}
	})
	assert.Less(t, s.SQLCalls(t)-before, int64(200), "of 1,600 forged keys, each sent twice")
}

func TestKnownKeysAreValidForAMinuteWithoutSQL(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		key, unknown := w.makes(t, "till 3", 0), w.makes(t, "till 4", 0)
		_, err := w.here.Verify(t.Context(), key.Secret)
		require.NoError(t, err)
		s.SQLAway(t)
		_, err = w.here.Verify(t.Context(), unknown.Secret)
		assert.Equal(t, "unavailable", codeOf(err), "it may be valid")
		w.clock.Advance(time.Minute)
		_, err = w.here.Verify(t.Context(), key.Secret)
		require.NoError(t, err)
		w.clock.Advance(time.Millisecond)
		_, err = w.here.Verify(t.Context(), key.Secret)
		assert.Equal(t, "unavailable", codeOf(err), "it may be revoked")
		s.SQLBack(t)
		require.Eventually(t, func() bool {
			w.clock.Advance(time.Second)
			_, err = w.here.Verify(t.Context(), key.Secret)
			return err == nil
		}, 30*time.Second, 20*time.Millisecond)
	}, kit.Breakable())
}

func TestLastUseIsWrittenOnceAMinute(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		key := w.makes(t, "till 3", 0)
		uses := func() (written int) {
			for _, v := range []*Verifier{w.here, w.there} {
				for range 3 {
					_, err := v.Verify(t.Context(), key.Secret)
					require.NoError(t, err)
				}
				n, err := v.RunOnce(t.Context())
				require.NoError(t, err)
				written += n
			}
			return written
		}
		assert.Equal(t, 1, uses())
		w.clock.Advance(59 * time.Second)
		assert.Zero(t, uses())
		w.clock.Advance(time.Second)
		assert.Equal(t, 1, uses())
		list, err := w.List(t.Context(), 0, 1)
		require.NoError(t, err)
		assert.Equal(t, noon.Add(time.Minute), list.Items[0].UsedAt.Time())
	})
}

// An older instance, which doesn't read the shop, must not take the key for one of all shops.
func TestAKeyOfAShopHasAScopeThatOlderVersionsDontKnow(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		key, err := w.Create(t.Context(), Request{
			Name: "lamps", Scope: api.ScopeCatalogue, Shop: "lamps", By: "ada",
		})
		require.NoError(t, err)
		var stored string
		require.NoError(t, s.DB.Write.GetContext(t.Context(), &stored, `SELECT scope FROM operator_keys`))
		assert.Equal(t, "shop catalogue", stored)
		got, err := w.there.Verify(t.Context(), key.Secret)
		require.NoError(t, err)
		assert.Equal(t, []string{"lamps", "catalogue"}, []string{got.Shop, string(got.Scope)})
	})
}
