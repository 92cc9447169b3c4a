package web

import (
	"bytes"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// loggedAuth returns an Auth, and its log.
func loggedAuth(t *testing.T, cfg AuthConfig, c *clock) (*Auth, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	a, err := NewAuth(t.Context(), cfg, slog.New(slog.NewTextHandler(&log, nil)), c.now)
	require.NoError(t, err)
	return a, &log
}

func TestWhyATokenWasRefusedIsInTheLogAndNotInTheAnswer(t *testing.T) {
	t.Parallel()
	c, hs, secret := newClock(), jwt.SigningMethodHS256, []byte(testSecret)
	at := func(d time.Duration) int64 { return c.now().Add(d).Unix() }
	early, late := "exp=2026-01-02T03:02:05", "nbf=2026-01-02T03:06:05"
	for name, row := range map[string]struct {
		change map[string]any
		key    []byte
		claim  string
		also   string
	}{
		"expired":        {change: map[string]any{"exp": at(-2 * time.Minute)}, claim: "exp", also: early},
		"without exp":    {change: map[string]any{"exp": nil}, claim: "exp", also: "required"},
		"not valid yet":  {change: map[string]any{"nbf": at(2 * time.Minute)}, claim: "nbf", also: late},
		"of the future":  {change: map[string]any{"iat": at(2 * time.Minute)}, claim: "iat", also: "leeway=1m0s"},
		"other issuer":   {change: map[string]any{"iss": "eve"}, claim: "iss", also: "iss=eve"},
		"other audience": {change: map[string]any{"aud": []string{"a", "b"}}, claim: "aud", also: `aud="a b"`},
		"no user":        {change: map[string]any{"sub": ".."}, claim: "sub", also: "sub"},
		"a pseudonym":    {change: map[string]any{"sub": "erased-x"}, claim: "sub", also: "pseudonym"},
		"other secret":   {key: []byte(strings.Repeat("x", 32)), claim: "signature", also: "now=2026-01-02T03:04:05"},
		"a wrong role":   {change: map[string]any{"role": 5}, claim: "form", also: "role"},
		"wrong segments": {
			change: map[string]any{"segments": []string{"Gold"}}, claim: "form",
			also: "the name of a segment must be 1 to 32 lower-case letters",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, log := loggedAuth(t, AuthConfig{Secret: testSecret, Issuer: "idp", Audience: "onrush"}, c)
			said := goodClaims(c)
			said["iss"], said["aud"] = "idp", "onrush"
			for claim, value := range row.change {
				if said[claim] = value; value == nil {
					delete(said, claim)
				}
			}
			key := secret
			if row.key != nil {
				key = row.key
			}
			token := signed(t, hs, key, map[string]any{"kid": "key-1"}, said)
			got := askApp(t, authApp(t, a), "GET", "/user", "", bearerOf(token)...)
			require.Equal(t, 401, got.Status)
			line := log.String()
			assert.Equal(t, 1, strings.Count(line, "msg=refused what=token claim="+row.claim+" "), line)
			assert.Contains(t, line, row.also)
			if row.claim != "form" { // of which the library returns no header
				assert.Contains(t, line, "key-1")
			}
			assert.NotContains(t, line, token[strings.LastIndex(token, ".")+1:])
			for _, secret := range []string{"key-1", "iss", "aud", "signature", "2026"} {
				assert.NotContains(t, got.Body, secret)
			}
		})
	}
}

func TestAStrangerCannotFloodTheLogWithRefusedTokens(t *testing.T) {
	t.Parallel()
	c := newClock()
	a, log := loggedAuth(t, AuthConfig{Secret: testSecret}, c)
	try := func(kid string, key []byte, said jwt.MapClaims) {
		token := signed(t, jwt.SigningMethodHS256, key, map[string]any{"kid": kid}, said)
		_, err := a.verify(t.Context(), []byte(token))
		require.Error(t, err)
	}
	lines := func() int { return strings.Count(log.String(), "\n") }
	for i := range 1000 {
		try(strings.Repeat("long", 100)+strconv.Itoa(i), []byte("no secret"), goodClaims(c))
		try(strconv.Itoa(i), []byte("no secret"), goodClaims(c))
		_, err := a.verify(t.Context(), []byte(strings.Repeat(strconv.Itoa(i)+".", 3)))
		require.Error(t, err)
	}
	assert.LessOrEqual(t, lines(), 20, "ten for signatures, ten for texts that are no tokens")
	assert.Less(t, log.Len(), 20*1000)
	before := lines()
	expired := goodClaims(c)
	expired["exp"] = c.now().Add(-time.Hour).Unix()
	for range 3 {
		try("key-1", []byte(testSecret), expired)
	}
	assert.Equal(t, before+1, lines(), "other claims have lines of their own")
	c.advance(time.Minute)
	try("key-1", []byte(testSecret), expired)
	assert.Contains(t, log.String(), "omitted=2")
}

func TestClocksOfSignersMayBeAMinuteOff(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := newTestAuth(t, AuthConfig{Secret: testSecret}, c)
	for _, row := range []struct {
		claim string
		early bool
	}{{"exp", false}, {"nbf", true}, {"iat", true}} {
		for off, valid := range map[time.Duration]bool{58 * time.Second: true, 62 * time.Second: false} {
			said := goodClaims(c)
			if row.early {
				off = -off
			}
			said[row.claim] = c.now().Add(-off).Unix()
			token := signed(t, jwt.SigningMethodHS256, []byte(testSecret), nil, said)
			_, err := a.verify(t.Context(), []byte(token))
			assert.Equal(t, valid, err == nil, "%s %s off: %v", row.claim, off, err)
		}
	}
}

// The numbers are valid JSON, and too large for a time.
func TestTimesBeyondTheYear9999AreRefused(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := newTestAuth(t, AuthConfig{Secret: testSecret}, c)
	for _, claim := range []string{"exp", "nbf", "iat"} {
		for _, at := range []any{int64(math.MaxInt64), 1e18, 1e19, 1e308, -1e19, -5, 253_402_300_800} {
			said := goodClaims(c)
			said[claim] = at
			_, err := a.verify(t.Context(), []byte(signed(t, jwt.SigningMethodHS256, []byte(testSecret), nil, said)))
			require.Error(t, err, "%s %v", claim, at)
		}
	}
}
