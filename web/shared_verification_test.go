package web

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
)

// TestAVerificationIsNotSharedAfterTheKeysChanged holds the verification of a token while its key is removed.
func TestAVerificationIsNotSharedAfterTheKeysChanged(t *testing.T) {
	t.Parallel()
	k := newKeyring()
	file := filepath.Join(t.TempDir(), "jwks.json")
	require.NoError(t, os.WriteFile(file, k.jwks(t, ""), 0o600))
	var looks, holdAt atomic.Int64
	began, goOn := make(chan struct{}), make(chan struct{})
	a, err := NewAuth(t.Context(), AuthConfig{JWKS: file}, quiet(), func() time.Time {
		if looks.Add(1) == holdAt.Load() {
			close(began)
			<-goOn
		}
		return time.Now()
	})
	require.NoError(t, err)
	said := jwt.MapClaims{"sub": "bob", "role": "user", "exp": time.Now().Add(time.Hour).Unix()}
	looks.Store(0)
	_, err = a.verify(t.Context(), []byte(signed(t, jwt.SigningMethodES256, k.ec, map[string]any{"kid": "ec"}, said)))
	require.NoError(t, err)
	holdAt.Store(looks.Swap(0)) // after the signature
	said["sub"] = "ada"
	token := []byte(signed(t, jwt.SigningMethodES256, k.ec, map[string]any{"kid": "ec"}, said))
	first, second := make(chan error, 1), make(chan error, 1)
	verify := func(done chan error) {
		_, err := a.verify(t.Context(), token)
		done <- err
	}
	go verify(first)
	<-began
	require.NoError(t, os.WriteFile(file, k.jwks(t, "new-"), 0o600))
	require.NoError(t, a.ReloadKeys(t.Context()))
	go verify(second)
	answered := assert.Eventually(t, func() bool { return len(second) > 0 }, 10*time.Second, time.Millisecond,
		"it waits for the first")
	close(goOn)
	if answered {
		assert.Equal(t, problem.CodeUnauthorized, problem.CodeOf(<-second))
	}
	require.NoError(t, <-first)
}

// TestRequestsShareAVerificationThatRuns holds the first verification of a token until all other requests with the
// token have arrived. It counts verifications by how often they look at the clock: the requests themselves do so
// once each.
func TestRequestsShareAVerificationThatRuns(t *testing.T) {
	t.Parallel()
	const crowd, perRequest = 48, 1
	k := newKeyring()
	file := filepath.Join(t.TempDir(), "jwks.json")
	require.NoError(t, os.WriteFile(file, k.jwks(t, ""), 0o600))
	synctest.Test(t, func(t *testing.T) {
		var looks, holdAt atomic.Int64
		began, goOn := make(chan struct{}), make(chan struct{})
		a, err := NewAuth(t.Context(), AuthConfig{JWKS: file}, quiet(), func() time.Time {
			if looks.Add(1) == holdAt.Load() {
				close(began)
				<-goOn
			}
			return time.Now()
		})
		require.NoError(t, err)
		tokenOf := func(user string) []byte {
			said := jwt.MapClaims{"sub": user, "role": "user", "exp": time.Now().Add(time.Hour).Unix()}
			return []byte(signed(t, jwt.SigningMethodES256, k.ec, map[string]any{"kid": "ec"}, said))
		}
		looks.Store(0)
		_, err = a.verify(t.Context(), tokenOf("bob"))
		require.NoError(t, err)
		verification := looks.Swap(0) - perRequest
		require.Positive(t, verification)

		token := tokenOf("ada")
		holdAt.Store(perRequest + 1) // in the verification
		var all sync.WaitGroup
		first, leave := context.WithCancel(t.Context())
		all.Go(func() {
			_, err := a.verify(first, token)
			assert.Error(t, err, "it ended before the verification")
		})
		<-began
		leave() // the others need not begin again
		for range crowd {
			all.Go(func() {
				v, err := a.verify(t.Context(), token)
				if assert.NoError(t, err) {
					assert.Equal(t, "ada", v.identity.User)
				}
			})
		}
		synctest.Wait()
		close(goOn)
		all.Wait()
		require.Equal(t, (1+crowd)*perRequest+verification, looks.Load())
	})
}
