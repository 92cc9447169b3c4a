package web

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/segments"
)

// signRaw makes an HS256 token of a header and claims as they are written.
func signRaw(tb testing.TB, header, said string) string {
	tb.Helper()
	text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." +
		base64.RawURLEncoding.EncodeToString([]byte(said))
	signature, err := jwt.SigningMethodHS256.Sign(text, []byte(testSecret))
	require.NoError(tb, err)
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

const plainHeader = `{"alg":"HS256","typ":"JWT"}`

func TestClaimsAreReadCaseSensitivelyAndOnlyOnce(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := newTestAuth(t, AuthConfig{Secret: testSecret}, c)
	exp := strconv.FormatInt(c.now().Unix()+3600, 10)
	roles := map[string]Role{
		`{"sub":"ada","role":"admin","exp":` + exp + `}`:                         RoleAdmin,
		`{"sub":"ada","role":"user","Role":"admin","exp":` + exp + `}`:           RoleUser,
		`{"sub":"ada","Role":"admin","exp":` + exp + `}`:                         "",
		`{"sub":"ada","role":"Admin","exp":` + exp + `}`:                         "",
		`{"sub":"ada","role":["user","admin"],"exp":` + exp + `}`:                RoleAdmin,
		`{"sub":"ada","role":["shopper","user"],"exp":` + exp + `}`:              RoleUser,
		`{"sub":"ada","role":[],"exp":` + exp + `}`:                              "",
		`{"sub":"ada","role":null,"exp":` + exp + `}`:                            "",
		`{"sub":"ada","exp":` + exp + `}`:                                        "",
		`{"sub":"ada","role":"user","other":{"role":"admin"},"exp":` + exp + `}`: RoleUser,
	}
	for said, want := range roles {
		v, err := a.parse(t.Context(), signRaw(t, plainHeader, said))
		require.NoError(t, err, said)
		assert.Equal(t, want, v.identity.Role, said)
		assert.Equal(t, want == RoleAdmin, v.identity.Scope == api.ScopeAdmin, said)
	}
	for _, said := range []string{
		`{"Sub":"ada","role":"user","exp":` + exp + `}`, `{"sub":"ada","role":"user","Exp":` + exp + `}`,
		`{"sub":"ada","role":"user","EXP":` + exp + `}`, `{"sub":"ada","role":"user","role":"admin","exp":` + exp + `}`,
		`{"sub":"ada","sub":"bob","role":"user","exp":` + exp + `}`,
		`{"sub":"ada","role":"user","exp":1,"exp":` + exp + `}`,
		`{"sub":"ada","role":"user","exp":` + exp + `,"x":{"a":1,"a":2}}`,
		`{"sub":"ada","role":"user","ro\u006ce":"admin","exp":` + exp + `}`, `{"sub":"ada","role":5,"exp":` + exp + `}`,
		`{"sub":"ada","role":{},"exp":` + exp + `}`, `{"sub":"ada","role":["user",5],"exp":` + exp + `}`,
		`{"sub":["ada"],"role":"user","exp":` + exp + `}`, `{"sub":"ada","role":"user","exp":null}`,
		"{\"sub\":\"a\xff\",\"role\":\"user\",\"exp\":" + exp + "}", "null", "[]", `"x"`, "1", "{}", "",
		`{"sub":"ada","role":"user","exp":1e400}`, `{"sub":"ada ","role":"user","exp":` + exp + `}`,
	} {
		_, err := a.parse(t.Context(), signRaw(t, plainHeader, said))
		assert.Equal(t, problem.CodeUnauthorized, problem.CodeOf(err), said)
	}
	good := `{"sub":"ada","role":"user","exp":` + exp + `}`
	for _, header := range []string{
		`{"alg":"HS256","alg":"HS256"}`, `{"alg":"none","alg":"HS256"}`, `{"alg":"HS256","kid":"a","kid":"b"}`,
		`{"Alg":"HS256"}`, `{"alg":"HS256","x":{"a":1,"a":1}}`, "null", "[]",
	} {
		_, err := a.parse(t.Context(), signRaw(t, header, good))
		assert.Equal(t, problem.CodeUnauthorized, problem.CodeOf(err), header)
	}
}

func TestSegmentsAreReadWithTheOtherClaims(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := newTestAuth(t, AuthConfig{Secret: testSecret}, c)
	end := `"sub":"ada","role":"user","exp":` + strconv.FormatInt(c.now().Unix()+3600, 10) + `}`
	for said, want := range map[string]segments.Set{
		`{`: "", `{"segments":null,`: "", `{"segments":[],`: "", `{"Segments":["gold"],`: "",
		`{"segments":"gold",`: "gold", `{"segments":["gold"],"Segments":["vip"],`: "gold",
		`{"segments":["vip","gold","vip"],`: "gold vip", `{"other":{"segments":["gold"]},`: "",
	} {
		v, err := a.parse(t.Context(), signRaw(t, plainHeader, said+end))
		require.NoError(t, err, said)
		assert.Equal(t, Identity{User: "ada", Role: RoleUser, Segments: want}, v.identity, said)
	}
	many := `"a"` + strings.Repeat(`,"a"`, segments.MaxOfBuyer)
	for _, said := range []string{
		`{"segments":5,`, `{"segments":{},`, `{"segments":"",`, `{"segments":"gold vip",`, `{"segments":["gold",5],`,
		`{"segments":["Gold"],`, `{"segments":[[]],`, `{"segments":[` + many + `],`,
		`{"segments":["` + strings.Repeat("a", 33) + `"],`,
	} {
		v, err := a.parse(t.Context(), signRaw(t, plainHeader, said+end))
		require.NoError(t, err, said)
		assert.Equal(t, Identity{User: "ada", Role: RoleUser}, v.identity, "another form names none: %s", said)
	}
	_, err := a.parse(t.Context(), signRaw(t, plainHeader, `{"segments":["gold"],"segments":["vip"],`+end))
	assert.Equal(t, problem.CodeUnauthorized, problem.CodeOf(err))
	own, err := a.Sign("ada", RoleUser, DevTokenTTL, "vip", "gold")
	require.NoError(t, err)
	for range 2 { // the second time from the cache
		v, err := a.verify(t.Context(), []byte(own))
		require.NoError(t, err)
		assert.Equal(t, segments.Set("gold vip"), v.identity.Segments)
	}
}

func TestRoleIsReadFromTheConfiguredClaim(t *testing.T) {
	t.Parallel()
	c := newClock()
	end := `,"sub":"ada","exp":` + strconv.FormatInt(c.now().Unix()+3600, 10) + `}`
	for _, row := range []struct {
		claim, said string
		want        Role
	}{
		{"realm_access.roles", `{"realm_access":{"roles":["offline","admin"]},"role":"user"`, RoleAdmin},
		{"realm_access.roles", `{"realm_access":{"roles":"user"},"role":"admin"`, RoleUser},
		{"realm_access.roles", `{"realm_access":"admin"`, ""},
		{"realm_access.roles", `{"realm_access":{"Roles":["admin"]}`, ""},
		{"realm_access.roles", `{"realm_access.roles":"admin"`, RoleAdmin},
		{"https://shop.example/role", `{"https://shop.example/role":"admin"`, RoleAdmin},
		{"a.b.c", `{"a":{"b.c":["user"]}`, RoleUser},
		{"aud", `{"aud":["shop","admin"],"role":"user"`, RoleAdmin},
		{"shop_id.role", `{"shop_id":{"role":"user"}`, RoleUser},
	} {
		a := newTestAuth(t, AuthConfig{Secret: testSecret, RoleClaim: row.claim}, c)
		v, err := a.parse(t.Context(), signRaw(t, plainHeader, row.said+end))
		require.NoError(t, err, row.said)
		assert.Equal(t, row.want, v.identity.Role, row.said)
	}
}

func TestTokensAreOfTheIssuerAndForTheAudience(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := newTestAuth(t,
		AuthConfig{Secret: testSecret, Issuer: "https://id.example", Audience: "shop", RoleClaim: "a.role"}, c)
	end := `,"sub":"ada","a":{"role":"user"},"exp":` + strconv.FormatInt(c.now().Unix()+3600, 10) + `}`
	for said, ok := range map[string]bool{
		`{"iss":"https://id.example","aud":"shop"`:           true,
		`{"iss":"https://id.example","aud":["other","shop"]`: true,
		`{"iss":"https://id.example"`:                        false,
		`{"iss":"https://id.example","aud":"other"`:          false,
		`{"iss":"https://id.example","aud":[]`:               false,
		`{"iss":"https://id.example","Aud":"shop"`:           false,
		`{"iss":"https://id.example/","aud":"shop"`:          false,
		`{"aud":"shop"`: false,
		`{"iss":"https://other.example","aud":"shop"`:        false,
		`{"iss":"https://id.example","aud":"shop","aud":"x"`: false,
		`{"iss":"https://id.example","aud":{"shop":"shop"}`:  false,
	} {
		_, err := a.parse(t.Context(), signRaw(t, plainHeader, said+end))
		assert.Equal(t, ok, err == nil, "%s: %v", said, err)
	}
	own, err := a.Sign("ada", RoleAdmin, DevTokenTTL)
	require.NoError(t, err)
	v, err := a.parse(t.Context(), own)
	require.NoError(t, err)
	assert.Equal(t, Identity{User: "ada", Role: RoleAdmin, Scope: api.ScopeAdmin}, v.identity)
}

// FuzzClaimsAreAcceptedOnlyAsTheyAreWritten signs whatever claims: those that are believed say the
// same to a reader that is case-sensitive and counts names.
func FuzzClaimsAreAcceptedOnlyAsTheyAreWritten(f *testing.F) {
	c := newClock()
	a := newTestAuth(f, AuthConfig{Secret: testSecret}, c)
	for _, seed := range []string{
		`{"sub":"ada","role":"admin","exp":1767330000}`, `{"sub":"ada","Role":"admin","exp":1767330000}`,
		`{"sub":"ada","role":["admin"],"exp":1767330000}`,
		`{"sub":"ada","role":"user","role":"admin","exp":1767330000}`,
		`{"sub":"ada","exp":1767330000.5,"nbf":1,"iat":2,"aud":["x"]}`, "null", "{}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		token := signRaw(t, plainHeader, string(said))
		v, err := a.parse(t.Context(), token)
		if err != nil {
			require.Equal(t, problem.CodeUnauthorized, problem.CodeOf(err), "%v", err)
			return
		}
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(said, &members))
		var sub string
		require.NoError(t, json.Unmarshal(members["sub"], &sub))
		require.Equal(t, sub, v.identity.User)
		require.Contains(t, members, "exp")
		if v.identity.Role != "" {
			require.Contains(t, string(members["role"]), `"`)
		}
		require.Equal(t, len(members), countMembers(t, said), "a name is there twice")
		require.False(t, strings.HasSuffix(v.identity.User, " "))
	})
}

// countMembers counts the members of a JSON object, each time that a name is repeated as well.
func countMembers(t *testing.T, object []byte) int {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(object)))
	_, err := d.Token()
	require.NoError(t, err)
	n := 0
	for ; d.More(); n++ {
		_, err := d.Token()
		require.NoError(t, err)
		var value json.RawMessage
		require.NoError(t, d.Decode(&value))
	}
	return n
}

func TestAnOperatorsShopIsReadFromItsClaim(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := newTestAuth(t, AuthConfig{Secret: testSecret}, c)
	end := `"sub":"ada","exp":` + strconv.FormatInt(c.now().Unix()+3600, 10) + `}`
	for said, want := range map[string]string{
		`{"role":"admin",`: "", `{"role":"admin","shop_id":"lamps",`: "lamps", `{"role":"admin","Shop_id":"lamps",`: "",
		`{"role":"user","shop_id":"lamps",`: "", `{"role":"user","shop_id":17,`: "",
	} {
		v, err := a.parse(t.Context(), signRaw(t, plainHeader, said+end))
		require.NoError(t, err, said)
		assert.Equal(t, want, v.identity.Shop, said)
	}
	for _, shop := range []string{`""`, `null`, `17`, `["lamps"]`, `"la mps"`, `{}`, `".."`, `true`} {
		_, err := a.parse(t.Context(), signRaw(t, plainHeader, `{"role":"admin","shop_id":`+shop+`,`+end))
		assert.Equal(t, problem.CodeUnauthorized, problem.CodeOf(err), "it must not open all shops: %s", shop)
	}
}
