package web

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/problem"
)

const testSecret = "0123456789abcdef0123456789abcdef"

// clock is a time that tests set.
type clock struct{ ms atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.ms.Store(1767323045678)
	return c
}

func (c *clock) now() time.Time          { return time.UnixMilli(c.ms.Load()) }
func (c *clock) advance(d time.Duration) { c.ms.Add(d.Milliseconds()) }

func newTestAuth(tb testing.TB, cfg AuthConfig, c *clock) *Auth {
	tb.Helper()
	a, err := NewAuth(context.Background(), cfg, quiet(), c.now)
	require.NoError(tb, err)
	return a
}

// authApp has a route for buyers, one for operators and the one that gives tokens.
func authApp(t *testing.T, a *Auth) *fiber.App {
	t.Helper()
	app := newTestApp(t, Config{}, quiet())
	who := func(c *fiber.Ctx) error { return c.SendString(Who(c).User + " " + string(Who(c).Role)) }
	app.Get("/user", a.Require(RoleUser), who)
	app.Get("/admin", a.Require(RoleAdmin), who)
	app.Get("/open", who)
	app.Post("/dev/token", a.DevToken())
	return app
}

func bearerOf(token string) []string { return []string{"Authorization", "Bearer " + token} }

// signed makes a token with any claims and key.
func signed(tb testing.TB, method jwt.SigningMethod, key any, header map[string]any, said jwt.MapClaims) string {
	tb.Helper()
	token := jwt.NewWithClaims(method, said)
	for name, value := range header {
		token.Header[name] = value
	}
	text, err := token.SignedString(key)
	require.NoError(tb, err)
	return text
}

func goodClaims(c *clock) jwt.MapClaims {
	return jwt.MapClaims{"sub": "ada", "role": "user", "exp": c.now().Add(time.Hour).Unix()}
}

func TestTokensOpenTheRoutesOfTheirRole(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := newTestAuth(t, AuthConfig{Secret: testSecret}, c)
	app := authApp(t, a)
	user, err := a.Sign("ada", RoleUser, time.Hour)
	require.NoError(t, err)
	admin, err := a.Sign("root", RoleAdmin, time.Hour)
	require.NoError(t, err)
	for range 2 { // the second time from the cache
		assert.Equal(t, "ada user", askApp(t, app, "GET", "/user", "", bearerOf(user)...).Body)
		assert.Equal(t, "root admin", askApp(t, app, "GET", "/user", "", bearerOf(admin)...).Body)
		assert.Equal(t, "root admin", askApp(t, app, "GET", "/admin", "", bearerOf(admin)...).Body)
		got := askApp(t, app, "GET", "/admin", "", bearerOf(user)...)
		assert.Equal(t, 403, got.Status)
		assert.Equal(t, CodeForbidden.Name, got.problem(t).Code)
	}
	assert.Equal(t, "ada user", askApp(t, app, "GET", "/user", "", "Authorization", "bearer  "+user+" ").Body)
	assert.Equal(t, " ", askApp(t, app, "GET", "/open", "").Body)
}

// Each of two instances accepts what the other one signs in each step of a change; once a secret is dropped, its tokens
// are refused.
func TestTokensOfAllSecretsAreAccepted(t *testing.T) {
	t.Parallel()
	c := newClock()
	now, next, other := testSecret, strings.Repeat("n", 32), strings.Repeat("o", 32)
	before := AuthConfig{Secret: now}
	told := AuthConfig{Secret: now + ";" + next}
	changed := AuthConfig{Secret: next + "; " + now}
	after := AuthConfig{Secret: next}
	for name, step := range map[string]struct {
		signer, reader AuthConfig
		status         int
	}{
		"told by one that isn't":   {before, told, 200},
		"not told by one that is":  {told, before, 200},
		"told by one that changed": {changed, told, 200},
		"changed by one told":      {told, changed, 200},
		"changed by its like":      {changed, changed, 200},
		"after by one changed":     {changed, after, 200},
		"changed by one after":     {after, changed, 200},
		"not told by one changed":  {changed, before, 401},
		"after by one told":        {told, after, 401},
		"told by a stranger":       {AuthConfig{Secret: other}, told, 401},
		"changed by a stranger":    {AuthConfig{Secret: other}, changed, 401},
	} {
		signer, app := newTestAuth(t, step.signer, c), authApp(t, newTestAuth(t, step.reader, c))
		for _, role := range []Role{RoleUser, RoleAdmin} {
			token, err := signer.Sign("ada", role, time.Hour)
			require.NoError(t, err)
			assert.Equal(t, step.status, askApp(t, app, "GET", "/user", "", bearerOf(token)...).Status, name)
		}
	}
}

// A changed byte of a valid token, whichever, is refused.
func TestAChangedTokenIsRefused(t *testing.T) {
	t.Parallel()
	a := newTestAuth(t, AuthConfig{Secret: testSecret}, newClock())
	good, err := a.Sign("ada", RoleUser, time.Hour)
	require.NoError(t, err)
	_, err = a.parse(t.Context(), good)
	require.NoError(t, err)
	for i := range len(good) {
		for _, with := range []byte{'A', 'B', '.', '=', '\n', 0} {
			token := []byte(good)
			if token[i] == with {
				continue
			}
			token[i] = with
			_, err := a.parse(t.Context(), string(token))
			require.Error(t, err, "byte %d is %q", i, with)
		}
		_, err := a.parse(t.Context(), good[:i])
		require.Error(t, err, "%d bytes", i)
	}
}

func TestTokensThatAreNotValidAreUnauthorized(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := newTestAuth(t, AuthConfig{Secret: testSecret, MaxToken: 2000}, c)
	app := authApp(t, a)
	secret := []byte(testSecret)
	with := func(name string, value any) jwt.MapClaims {
		said := goodClaims(c)
		if said[name] = value; value == nil {
			delete(said, name)
		}
		return said
	}
	hs := jwt.SigningMethodHS256
	good := signed(t, hs, secret, nil, goodClaims(c))
	parts := strings.Split(good, ".")
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	rows := map[string]string{
		"no token at all":   "",
		"not a token":       "abc",
		"two parts":         parts[0] + "." + parts[1],
		"another signature": parts[0] + "." + parts[1] + "." + parts[2][:len(parts[2])-4] + "AAAA",
		"no signature":      parts[0] + "." + parts[1] + ".",
		"another secret":    signed(t, hs, []byte(strings.Repeat("x", 32)), nil, goodClaims(c)),
		"algorithm none": signed(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil,
			goodClaims(c)),
		"a longer HMAC":          signed(t, jwt.SigningMethodHS512, secret, nil, goodClaims(c)),
		"RSA without keys":       signed(t, jwt.SigningMethodRS256, rsaKey, nil, goodClaims(c)),
		"expired":                signed(t, hs, secret, nil, with("exp", c.now().Add(-2*time.Minute).Unix())),
		"no expiry":              signed(t, hs, secret, nil, with("exp", nil)),
		"expiry as text":         signed(t, hs, secret, nil, with("exp", "tomorrow")),
		"not valid yet":          signed(t, hs, secret, nil, with("nbf", c.now().Add(2*time.Minute).Unix())),
		"issued in the future":   signed(t, hs, secret, nil, with("iat", c.now().Add(2*time.Minute).Unix())),
		"no user":                signed(t, hs, secret, nil, with("sub", nil)),
		"empty user":             signed(t, hs, secret, nil, with("sub", "")),
		"long user":              signed(t, hs, secret, nil, with("sub", strings.Repeat("u", 65))),
		"control in user":        signed(t, hs, secret, nil, with("sub", "a\nb")),
		"space after user":       signed(t, hs, secret, nil, with("sub", "bob ")),
		"a pseudonym":            signed(t, hs, secret, nil, with("sub", "erased-YRW4JPH6DVQ5EHPKQFH4QLF3VM")),
		"one dot as user":        signed(t, hs, secret, nil, with("sub", ".")),
		"two dots as user":       signed(t, hs, secret, nil, with("sub", "..")),
		"dots as a part of user": signed(t, hs, secret, nil, with("sub", "../ada")),
		"user as number":         signed(t, hs, secret, nil, with("sub", 5)),
		"an extension it needs":  signed(t, hs, secret, map[string]any{"crit": []string{"b64"}}, goodClaims(c)),
		"longer than is allowed": signed(t, hs, secret, nil, with("pad", strings.Repeat("x", 3000))),
	}
	for name, token := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := askApp(t, app, "GET", "/user", "", bearerOf(token)...)
			assert.Equal(t, 401, got.Status)
			assert.Equal(t, problem.CodeUnauthorized.Name, got.problem(t).Code)
			assert.Equal(t, "Bearer", got.Header.Get("WWW-Authenticate"))
		})
	}
	assert.Equal(t, 401, askApp(t, app, "GET", "/user", "").Status)
	assert.Equal(t, 401, askApp(t, app, "GET", "/user", "", "Authorization", "Basic "+good).Status)
	for _, role := range []any{nil, "", "root"} {
		got := askApp(t, app, "GET", "/user", "", bearerOf(signed(t, hs, secret, nil, with("role", role)))...)
		assert.Equal(t, CodeForbidden.Name, got.problem(t).Code)
	}
	longest := strings.Repeat("ü", 64)
	assert.Equal(t, longest+" user",
		askApp(t, app, "GET", "/user", "", bearerOf(signed(t, hs, secret, nil, with("sub", longest)))...).Body)
}

func TestTokenInTheCacheStillExpires(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := newTestAuth(t, AuthConfig{Secret: testSecret}, c)
	app := authApp(t, a)
	token, err := a.Sign("ada", RoleUser, time.Minute)
	require.NoError(t, err)
	require.Equal(t, 200, askApp(t, app, "GET", "/user", "", bearerOf(token)...).Status)
	c.advance(119 * time.Second) // within the leeway
	require.Equal(t, 200, askApp(t, app, "GET", "/user", "", bearerOf(token)...).Status)
	c.advance(2 * time.Second)
	p := askApp(t, app, "GET", "/user", "", bearerOf(token)...).problem(t)
	assert.Equal(t, problem.CodeUnauthorized.Name, p.Code)
	assert.Equal(t, "The token has expired.", p.Detail)
}

func TestDevTokenWorks(t *testing.T) {
	t.Parallel()
	c := newClock()
	app := authApp(t, newTestAuth(t, AuthConfig{Secret: testSecret}, c))
	var got struct {
		Token     string `json:"token"`
		ExpiresAt string `json:"expires_at"`
	}
	for body, want := range map[string]string{
		`{"user_id":"ada"}`: "ada user", `{"user_id":"eve","role":"admin"}`: "eve admin",
	} {
		a := askApp(t, app, "POST", "/dev/token", body, "Content-Type", "application/json")
		require.NoError(t, json.Unmarshal([]byte(a.Body), &got))
		assert.Equal(t, want, askApp(t, app, "GET", "/user", "", bearerOf(got.Token)...).Body)
		assert.Equal(t, api.FormatMS(c.now().Add(DevTokenTTL).UnixMilli()), got.ExpiresAt)
	}
	for _, body := range []string{
		"", "{}", `{"user_id":""}`, `{"user_id":"a","role":"root"}`, `{"user_id":"` + strings.Repeat("a", 65) + `"}`,
		`{"user_id":".."}`, `{"user_id":"erased-x"}`,
	} {
		assert.Equal(t, 422, askApp(t, app, "POST", "/dev/token", body, "Content-Type", "application/json").Status,
			body)
	}
}

func TestSignRefusesWhatNoTokenMaySay(t *testing.T) {
	t.Parallel()
	a := newTestAuth(t, AuthConfig{Secret: testSecret}, newClock())
	_, err := a.Sign("", RoleUser, time.Hour)
	require.Error(t, err)
	for _, user := range []string{".", "..", "erased-x"} {
		_, err = a.Sign(user, RoleUser, time.Hour)
		require.Error(t, err, user)
	}
	_, err = a.Sign("ada", "root", time.Hour)
	require.Error(t, err)
	_, err = a.Sign("ada", RoleUser, 0)
	require.Error(t, err)
}

func TestAuthConfigIsChecked(t *testing.T) {
	t.Parallel()
	for _, cfg := range []AuthConfig{
		{},
		{Secret: "short"},
		{Secret: testSecret + ";" + testSecret},
		{Secret: ";" + testSecret},
		{JWKS: "/nowhere/keys.json"},
		{JWKS: "http://keys.example/jwks"},
		{JWKS: "file:///etc/keys"},
	} {
		_, err := NewAuth(t.Context(), cfg, quiet(), time.Now)
		require.Error(t, err, "%+v", cfg)
	}
}

// keyring holds one private key per algorithm.
type keyring struct {
	rsa *rsa.PrivateKey
	ec  *ecdsa.PrivateKey
	ed  ed25519.PrivateKey
}

var newKeyring = sync.OnceValue(func() keyring {
	var k keyring
	var err error
	if k.rsa, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		panic(err)
	}
	if k.ec, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		panic(err)
	}
	if _, k.ed, err = ed25519.GenerateKey(rand.Reader); err != nil {
		panic(err)
	}
	return k
})

func b64(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// jwks writes the public keys under ids that begin with prefix.
func (k keyring) jwks(tb testing.TB, prefix string) []byte {
	tb.Helper()
	point, err := k.ec.PublicKey.Bytes()
	require.NoError(tb, err)
	text, err := json.Marshal(map[string]any{"keys": []map[string]any{
		{
			"kty": "RSA", "kid": prefix + "rsa", "use": "sig", "alg": "RS256", "n": b64(k.rsa.N.Bytes()),
			"e": b64(big.NewInt(int64(k.rsa.E)).Bytes()),
		},
		{"kty": "EC", "kid": prefix + "ec", "crv": "P-256", "x": b64(point[1:33]), "y": b64(point[33:])},
		{
			"kty": "OKP", "kid": prefix + "ed", "crv": "Ed25519", "alg": "EdDSA",
			"x": b64(k.ed.Public().(ed25519.PublicKey)),
		},
		{
			"kty": "OKP", "kid": prefix + "ed25519", "crv": "Ed25519", "alg": "Ed25519",
			"x": b64(k.ed.Public().(ed25519.PublicKey)),
		},
		{"kty": "RSA", "kid": prefix + "enc", "use": "enc", "n": b64(k.rsa.N.Bytes()), "e": "AQAB"},
		{"kty": "RSA", "kid": prefix + "pss", "alg": "PS256", "n": b64(k.rsa.N.Bytes()), "e": "AQAB"},
		{"kty": "oct", "kid": prefix + "oct", "k": b64([]byte(testSecret))},
		{"kty": "quantum", "kid": prefix + "q"},
	}})
	require.NoError(tb, err)
	return text
}

func TestKeysOfAFileVerifyTheirAlgorithmOnly(t *testing.T) {
	t.Parallel()
	c, k := newClock(), newKeyring()
	file := filepath.Join(t.TempDir(), "jwks.json")
	require.NoError(t, os.WriteFile(file, k.jwks(t, ""), 0o600))
	app := authApp(t, newTestAuth(t, AuthConfig{JWKS: file}, c))
	kid := func(id string) map[string]any { return map[string]any{"kid": id} }
	ed25519Of := func(id string) map[string]any { return map[string]any{"kid": id, "alg": "Ed25519"} }
	for name, token := range map[string]string{
		"RS256":              signed(t, jwt.SigningMethodRS256, k.rsa, kid("rsa"), goodClaims(c)),
		"ES256":              signed(t, jwt.SigningMethodES256, k.ec, kid("ec"), goodClaims(c)),
		"EdDSA":              signed(t, jwt.SigningMethodEdDSA, k.ed, kid("ed"), goodClaims(c)),
		"EdDSA, no kid":      signed(t, jwt.SigningMethodEdDSA, k.ed, nil, goodClaims(c)),
		"Ed25519":            signed(t, jwt.SigningMethodEdDSA, k.ed, ed25519Of("ed"), goodClaims(c)),
		"Ed25519 of its set": signed(t, jwt.SigningMethodEdDSA, k.ed, ed25519Of("ed25519"), goodClaims(c)),
		"EdDSA of that set":  signed(t, jwt.SigningMethodEdDSA, k.ed, kid("ed25519"), goodClaims(c)),
		"RS256, no kid":      signed(t, jwt.SigningMethodRS256, k.rsa, nil, goodClaims(c)),
		"ES256 empty kid":    signed(t, jwt.SigningMethodES256, k.ec, kid(""), goodClaims(c)),
	} {
		assert.Equal(t, "ada user", askApp(t, app, "GET", "/user", "", bearerOf(token)...).Body, name)
	}
	public := b64(k.rsa.N.Bytes())
	for name, token := range map[string]string{
		"HS256 with the public key": signed(t, jwt.SigningMethodHS256, []byte(public), kid("rsa"), goodClaims(c)),
		"HS256 with the listed oct": signed(t, jwt.SigningMethodHS256, []byte(testSecret), kid("oct"),
			goodClaims(c)),
		"PS256":                         signed(t, jwt.SigningMethodPS256, k.rsa, kid("pss"), goodClaims(c)),
		"Ed25519 with another key's id": signed(t, jwt.SigningMethodEdDSA, k.ed, ed25519Of("rsa"), goodClaims(c)),
		"RS512":                         signed(t, jwt.SigningMethodRS512, k.rsa, kid("rsa"), goodClaims(c)),
		"a key for encryption":          signed(t, jwt.SigningMethodRS256, k.rsa, kid("enc"), goodClaims(c)),
		"a key for another algorithm":   signed(t, jwt.SigningMethodRS256, k.rsa, kid("pss"), goodClaims(c)),
		"another key's id":              signed(t, jwt.SigningMethodRS256, k.rsa, kid("ec"), goodClaims(c)),
		"an unknown key":                signed(t, jwt.SigningMethodRS256, k.rsa, kid("none"), goodClaims(c)),
	} {
		assert.Equal(t, 401, askApp(t, app, "GET", "/user", "", bearerOf(token)...).Status, name)
	}
	_, err := newTestAuth(t, AuthConfig{JWKS: file}, c).Sign("ada", RoleUser, time.Hour)
	require.Error(t, err)
}

func TestKeysWithoutOneThatVerifiesAreRefused(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no JSON": "keys", "no keys": `{"keys":[]}`, "only a secret": `{"keys":[{"kty":"oct","k":"AAAA"}]}`,
		"a short RSA key": `{"keys":[{"kty":"RSA","n":"` + b64(make([]byte, 64)) + `","e":"AQAB"}]}`,
	} {
		file := filepath.Join(t.TempDir(), "jwks.json")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := NewAuth(t.Context(), AuthConfig{JWKS: file}, quiet(), time.Now)
		require.Error(t, err, name)
	}
}

// keyServer serves a set of keys that tests change, and counts how often it is asked.
type keyServer struct {
	*httptest.Server
	keys  atomic.Pointer[[]byte] // nil: 500
	asked atomic.Int64
}

func newKeyServer(t *testing.T, keys []byte) *keyServer {
	t.Helper()
	s := &keyServer{}
	s.set(keys)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.asked.Add(1)
		keys := s.keys.Load()
		if keys == nil {
			http.Error(w, "away", http.StatusInternalServerError)
			return
		}
		_, _ = w.Write(*keys)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *keyServer) set(keys []byte) {
	if keys == nil {
		s.keys.Store(nil)
		return
	}
	s.keys.Store(&keys)
}

func TestUnknownKeyIsFetchedAtMostEveryHalfMinute(t *testing.T) {
	t.Parallel()
	c, k := newClock(), newKeyring()
	server := newKeyServer(t, k.jwks(t, "old-"))
	app := authApp(t, newTestAuth(t, AuthConfig{JWKS: server.URL}, c))
	old := signed(t, jwt.SigningMethodEdDSA, k.ed, map[string]any{"kid": "old-ed"}, goodClaims(c))
	fresh := signed(t, jwt.SigningMethodEdDSA, k.ed, map[string]any{"kid": "new-ed"}, goodClaims(c))
	require.Equal(t, 200, askApp(t, app, "GET", "/user", "", bearerOf(old)...).Status)
	require.EqualValues(t, 1, server.asked.Load())

	for range 3 {
		require.Equal(t, 401, askApp(t, app, "GET", "/user", "", bearerOf(fresh)...).Status)
	}
	require.EqualValues(t, 1, server.asked.Load(), "asked again within 30 seconds")
	server.set(k.jwks(t, "new-"))
	c.advance(31 * time.Second)
	require.Equal(t, 200, askApp(t, app, "GET", "/user", "", bearerOf(fresh)...).Status)
	require.EqualValues(t, 2, server.asked.Load())
	require.Equal(t, 401, askApp(t, app, "GET", "/user", "", bearerOf(old)...).Status,
		"a removed key verifies nothing, not even from the cache")
}

func TestKeysThatWereNeverReadAreUnavailable(t *testing.T) {
	t.Parallel()
	c, k := newClock(), newKeyring()
	server := newKeyServer(t, nil)
	a := newTestAuth(t, AuthConfig{JWKS: server.URL}, c)
	app := authApp(t, a)
	token := signed(t, jwt.SigningMethodES256, k.ec, map[string]any{"kid": "ec"}, goodClaims(c))
	assert.Equal(t, problem.CodeUnavailable.Name,
		askApp(t, app, "GET", "/user", "", bearerOf(token)...).problem(t).Code)
	huge := append(k.jwks(t, ""), strings.Repeat(" ", 1<<20)...)
	server.set(huge)
	c.advance(31 * time.Second)
	require.ErrorContains(t, a.keys.Refresh(t.Context(), 0), "too large")
	server.set(k.jwks(t, ""))
	c.advance(31 * time.Second)
	assert.Equal(t, 200, askApp(t, app, "GET", "/user", "", bearerOf(token)...).Status)
	server.set(nil)
	require.ErrorContains(t, a.keys.Refresh(t.Context(), 0), "500")
	assert.Equal(t, 200, askApp(t, app, "GET", "/user", "", bearerOf(token)...).Status,
		"keys that were read stay valid while their server is unavailable")
}

func TestKeysAreNotReadFromWhereTheirServerRedirects(t *testing.T) {
	t.Parallel()
	c, k := newClock(), newKeyring()
	elsewhere := newKeyServer(t, k.jwks(t, ""))
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	t.Cleanup(server.Close)
	a := newTestAuth(t, AuthConfig{JWKS: server.URL}, c)
	require.Nil(t, a.keys.Current())
	require.Zero(t, elsewhere.asked.Load())
}

func FuzzTokensNeverPassUnsigned(f *testing.F) {
	c := newClock()
	a := newTestAuth(f, AuthConfig{Secret: testSecret}, c)
	good, err := a.Sign("ada", RoleUser, time.Hour)
	require.NoError(f, err)
	f.Add([]byte("Bearer " + good))
	f.Add([]byte("Bearer " + signed(f, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil, goodClaims(c))))
	f.Add([]byte("bearer a.b.c"))
	f.Add([]byte("Bearer " + good[:len(good)-9] + "\n" + good[len(good)-9:]))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, header []byte) {
		v, err := a.verify(t.Context(), bearer(header))
		if err != nil {
			require.Equal(t, problem.CodeUnauthorized, problem.CodeOf(err))
			return
		}
		require.Equal(t, good, string(bearer(header)), "only what was signed here is valid")
		require.Equal(t, Identity{User: "ada", Role: RoleUser}, v.identity)
	})
}

func BenchmarkVerifyKnownToken(b *testing.B) {
	a := newTestAuth(b, AuthConfig{Secret: testSecret}, newClock())
	text, err := a.Sign("ada", RoleUser, time.Hour)
	require.NoError(b, err)
	token := []byte(text)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.verify(b.Context(), token); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkVerifyNewToken is the first request of a buyer.
func BenchmarkVerifyNewToken(b *testing.B) {
	a := newTestAuth(b, AuthConfig{Secret: testSecret}, newClock())
	token, err := a.Sign("ada", RoleUser, time.Hour)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.read(b.Context(), []byte(token)); err != nil {
			b.Fatal(err)
		}
	}
}
