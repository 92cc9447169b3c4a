package apikey

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mrand "math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/test/kit"
)

var noon = time.Date(2026, 11, 11, 12, 0, 0, 0, time.UTC)

// world is the keys on two instances.
type world struct {
	*Service
	here, there *Verifier
	clock       *kit.Clock
}

func newWorld(s *kit.Stores) *world {
	w := &world{clock: kit.NewClock(noon)}
	d := Deps{
		DB: s.DB, Clock: w.clock.Now, Now: w.clock.Now, Random: mrand.Uint32, Secrets: rand.Reader,
		Log: slog.New(slog.DiscardHandler),
	}
	w.here, w.there = NewVerifier(d), NewVerifier(d)
	w.Service = NewService(d, w.here)
	return w
}

// makes makes a key with the scope till.
func (w *world) makes(t *testing.T, name string, expires api.Millis) Key {
	t.Helper()
	key, err := w.Create(t.Context(), Request{Name: name, Scope: api.ScopeTill, ExpiresAt: expires, By: "ada"})
	require.NoError(t, err)
	return key
}

// codeOf returns the code of a problem, "" without one.
func codeOf(err error) string {
	if e, ok := errors.AsType[*problem.Error](err); ok {
		return e.Code.Name
	}
	return ""
}

func TestOneOfManyCreatesAtOnceGetsTheName(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		made := 0
		for _, err := range kit.AtOnce(48, func(int) error {
			_, err := w.Create(t.Context(), Request{Name: "till", Scope: api.ScopeRead, By: "ada"})
			return err
		}) {
			if err == nil {
				made++
				continue
			}
			assert.Equal(t, "conflict", codeOf(err), "%v", err)
		}
		assert.Equal(t, 1, made)
		list, err := w.List(t.Context(), 0, 10)
		require.NoError(t, err)
		assert.Len(t, list.Items, 1)
	})
}

func TestKeysAreBoundedAndDontOutliveTheirMaker(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		until := api.Millis(noon.Add(time.Hour).UnixMilli())
		for expires, refused := range map[api.Millis]bool{
			0: true, until + 1: true, until: false, api.Millis(noon.UnixMilli()): true,
		} {
			_, err := w.Create(t.Context(), Request{
				Name: expires.String(), Scope: api.ScopeAdmin, ExpiresAt: expires, By: "key:boss", Until: until,
			})
			if refused {
				assert.Equal(t, "invalid_request", codeOf(err), expires)
			} else {
				require.NoError(t, err)
			}
		}
		w.maxKeys = 2
		last := w.makes(t, "second", 0)
		_, err := w.Create(t.Context(), Request{Name: "third", Scope: api.ScopeTill, By: "ada"})
		require.Equal(t, "conflict", codeOf(err))
		require.NoError(t, w.Revoke(t.Context(), last.ID, "ada"))
		w.makes(t, "third", 0)
	})
}

func TestASignInTooManyEndsTheOldestOfItsOperator(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		var secrets []string
		signsIn := func(user string) {
			secret, err := w.SignIn(t.Context(), Session{
				User: user, Scope: api.ScopeRead, ExpiresAt: api.Millis(noon.Add(time.Hour).UnixMilli()),
			})
			require.NoError(t, err)
			secrets = append(secrets, secret)
			w.clock.Advance(time.Millisecond)
		}
		signsIn("ben")
		for range maxSessions + 1 {
			signsIn("ada")
		}
		w.clock.Advance(time.Minute) // so that no copy of a key is in use
		for i, secret := range secrets {
			_, err := w.there.Verify(t.Context(), secret)
			if i == 1 { // ada's first
				assert.Equal(t, "unauthorized", codeOf(err))
			} else {
				require.NoError(t, err, i)
			}
		}
	})
}

func TestSQLHasOnlyTheHashOfAKey(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		key := w.makes(t, "till 3", 0)
		rows, err := s.DB.Read.QueryxContext(t.Context(), `SELECT * FROM operator_keys`)
		require.NoError(t, err)
		defer func() { _ = rows.Close() }()
		require.True(t, rows.Next())
		values, err := rows.SliceScan()
		require.NoError(t, err)
		text := fmt.Sprintf("%s", values)
		assert.Contains(t, text, hashOf(key.Secret))
		assert.NotContains(t, text, strings.TrimPrefix(key.Secret, api.KeyPrefix)[:8])
		require.NoError(t, rows.Err())
	})
}

func TestFinishedKeysAreForgottenWithTheLog(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		revoked, _ := w.makes(t, "revoked", 0), w.makes(t, "expires", api.Millis(noon.Add(time.Hour).UnixMilli()))
		w.makes(t, "stays", 0)
		require.NoError(t, w.Revoke(t.Context(), revoked.ID, "ada"))
		for _, c := range []struct {
			before time.Time
			left   int
		}{{noon, 3}, {noon.Add(time.Minute), 2}, {noon.Add(2 * time.Hour), 1}} {
			for _, which := range Expiries(c.before) {
				_, err := s.DB.Expire(t.Context(), which)
				require.NoError(t, err)
			}
			list, err := w.List(t.Context(), 0, 10)
			require.NoError(t, err)
			assert.Len(t, list.Items, c.left, c.before)
		}
	})
}
