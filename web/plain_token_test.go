package web

import (
	"encoding/base64"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// requireSameVerdict requires that a token is verified in one pass only as the library has verified it, which is nil if
// it has refused it. It reports whether the pass says yes.
func requireSameVerdict(t require.TestingT, a *Auth, token string, library *verified) bool {
	a.plain.Learn(base64.RawURLEncoding.EncodeToString([]byte(plainHeader)) + ".")
	plain, ok := a.plain.Verify([]byte(token), a.now())
	if !ok {
		return false
	}
	require.NotNil(t, library, "the library refuses %s", token)
	require.Equal(t, Identity{User: plain.User, Role: RoleUser}, library.identity)
	require.True(t, library.until.Equal(plain.Until), "%s and %s", library.until, plain.Until)
	return true
}

// Random claims, valid, broken and hostile, get the library's verdict.
func TestPlainTokensAreVerifiedAsTheLibraryDoes(t *testing.T) {
	t.Parallel()
	c := newClock()
	now := c.now().Unix()
	for name, cfg := range map[string]AuthConfig{
		"any": {Secret: testSecret},
		"of three secrets": {
			Secret: strings.Repeat("o", 32), NextSecret: strings.Repeat("n", 32), PreviousSecret: testSecret,
		},
		"of an issuer":     {Secret: testSecret, Issuer: "shop", Audience: "onrush"},
		"a path of a role": {Secret: testSecret, RoleClaim: "realm.role"},
	} {
		a := newTestAuth(t, cfg, c)
		instant := rapid.OneOf(
			rapid.Map(rapid.Int64Range(now-20, now+20), func(n int64) string { return strconv.FormatInt(n, 10) }),
			rapid.SampledFrom([]string{
				"0", "-1", "1e10", "1.5", "01", "null", "true", `"5"`, "99999999999", "9999999999999999999", "[1]", "",
			}),
		)
		text := rapid.OneOf(
			rapid.SampledFrom([]string{
				`"user"`, `"user"`, `"user"`, `"shop"`, `"onrush"`, `"admin"`, `"ada"`, `"ad a "`, `""`, `"\u0061da"`,
				`"a\"b"`, `["user"]`, `["onrush","x"]`, "{}", "5", "null", `{"role":"user"}`,
				"\"\xff\"", "\"\x00\"", `"`,
				`"key:x"`, `"漢字"`, `"erased-x"`, `"."`, `".."`, `"a/.."`,
			}),
			rapid.Map(rapid.StringN(0, 80, -1), strconv.Quote),
		)
		member := rapid.Custom(func(t *rapid.T) string {
			name := rapid.SampledFrom([]string{
				"sub", "sub", "sub", "role", "role", "exp", "exp", "nbf", "iat", "iss", "aud", "jti", "Sub",
				"r\\u006fle",
				"realm", "realm.role", "x", "",
			}).Draw(t, "name")
			value := text
			if name == "exp" || name == "nbf" || name == "iat" {
				value = instant
			}
			return `"` + name + `":` + value.Draw(t, "value")
		})
		good := `"sub":"ada","role":"user","realm.role":"user","iss":"shop","aud":"onrush","exp":` +
			strconv.FormatInt(now+9, 10)
		token := signRaw(t, plainHeader, "{"+good+"}")
		library, err := a.parse(t.Context(), token)
		require.NoError(t, err, name)
		require.True(t, requireSameVerdict(t, a, token, library), name)
		rapid.Check(t, func(r *rapid.T) {
			members := rapid.SliceOfN(member, 0, 5).Draw(r, "members")
			if rapid.Bool().Draw(r, "with good ones") {
				members = append(members, rapid.Permutation(strings.Split(good, ",")).Draw(r, "good")...)
			}
			space := rapid.SampledFrom([]string{"", "", "", " "}).Draw(r, "space")
			begin := rapid.SampledFrom([]string{"{", "{", "{", "{", ""}).Draw(r, "begin")
			end := rapid.SampledFrom([]string{"}", "}", "}", "}}", ""}).Draw(r, "end")
			said := begin + strings.Join(members, space+","+space) + end
			token := signRaw(t, plainHeader, said)
			library, err := a.parse(t.Context(), token)
			if err != nil {
				library = nil
			}
			requireSameVerdict(r, a, token, library)
		})
	}
}

// The times of a token count to the second, with the leeway.
func TestTimesOfAPlainTokenAreCheckedAsTheLibraryDoes(t *testing.T) {
	t.Parallel()
	c := newClock()
	a, yes, now := newTestAuth(t, AuthConfig{Secret: testSecret, Leeway: 5 * time.Second}, c), 0, c.now().Unix()
	for _, name := range []string{"exp", "nbf", "iat"} {
		for at := now - 8; at <= now+8; at++ {
			said := `{"sub":"ada","role":"user","` + name + `":` + strconv.FormatInt(at, 10)
			if name != "exp" {
				said += `,"exp":` + strconv.FormatInt(now+60, 10)
			}
			token := signRaw(t, plainHeader, said+"}")
			library, err := a.parse(t.Context(), token)
			says := requireSameVerdict(t, a, token, library)
			require.Equal(t, err == nil, says, said)
			if says {
				yes++
			}
		}
	}
	require.Equal(t, 13+2*14, yes)
}

// A changed byte of a valid token, whichever, is refused by both.
func TestAChangedPlainTokenIsRefused(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := newTestAuth(t, AuthConfig{Secret: testSecret}, c)
	good, err := a.Sign("ada", RoleUser, time.Hour)
	require.NoError(t, err)
	_, err = a.parse(t.Context(), good)
	require.NoError(t, err)
	says := func(a *Auth, token []byte) bool {
		_, yes := a.plain.Verify(token, c.now())
		return yes
	}
	require.True(t, says(a, []byte(good)), "the header is known")
	for i := range len(good) {
		for _, with := range []byte{'A', 'B', '.', '=', '\n', 0} {
			token := []byte(good)
			if token[i] == with {
				continue
			}
			token[i] = with
			require.False(t, says(a, token), "byte %d is %q", i, with)
		}
		require.False(t, says(a, []byte(good[:i])))
	}
	c.advance(time.Hour + time.Minute)
	require.False(t, says(a, []byte(good)), "it has expired")
	without := newTestAuth(t, AuthConfig{JWKSURL: "http://127.0.0.1:1", Audience: "x"}, c)
	require.False(t, says(without, []byte(good)))
}

// BenchmarkVerifyNewToken is the first request of a buyer, in one pass and by the library.
func BenchmarkVerifyNewToken(b *testing.B) {
	a := newTestAuth(b, AuthConfig{Secret: testSecret}, newClock())
	text, err := a.Sign("ada", RoleUser, time.Hour)
	require.NoError(b, err)
	token := []byte(text)
	b.Run("library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := a.parse(b.Context(), string(token)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := a.read(b.Context(), token); err != nil {
				b.Fatal(err)
			}
		}
	})
}
