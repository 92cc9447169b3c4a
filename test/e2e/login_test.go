package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/issuer"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// signsInAt configures an instance whose operators sign in at an issuer.
func signsInAt(i *issuer.Issuer, more string) site.Option {
	return site.Configured(func(cfg *server.Config) {
		cfg.OIDC, cfg.OIDCSecret, cfg.Dev = i.Setting(more), issuer.ClientSecret, false
	})
}

// browser is an operator's browser: it keeps cookies, and follows no redirect by itself.
type browser struct {
	t       *testing.T
	at      *site.Site
	cookies map[string]string
	set     map[string]*http.Cookie // as they were set last
	header  http.Header             // of all requests
	now     *kit.Clock              // of the program, where a test moves it
}

func newBrowser(t *testing.T, at *site.Site) *browser {
	t.Helper()
	return &browser{t: t, at: at, cookies: map[string]string{}, set: map[string]*http.Cookie{}, header: http.Header{}}
}

// send sends a request to a path, and keeps the cookies of the answer.
func (b *browser) send(method, path string) (status int, location string, body []byte) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.at.URL+path, http.NoBody)
	require.NoError(b.t, err)
	req.Header = b.header.Clone()
	for name, value := range b.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	alone := http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       30 * time.Second,
	}
	resp, err := alone.Do(req)
	require.NoError(b.t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err = io.ReadAll(resp.Body)
	require.NoError(b.t, err)
	for _, c := range resp.Cookies() {
		b.set[c.Name] = c
		if b.cookies[c.Name] = c.Value; !c.Expires.IsZero() && c.Expires.Before(time.Now()) || c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return resp.StatusCode, resp.Header.Get("Location"), body
}

// begins begins a sign-in, and returns where the issuer is asked.
func (b *browser) begins(to string) string {
	b.t.Helper()
	status, at, body := b.send(http.MethodGet, "/admin/login?to="+url.QueryEscape(to))
	require.Equal(b.t, http.StatusSeeOther, status, string(body))
	return at
}

// returns goes from the issuer back to the program, and returns where that leads.
func (b *browser) returns(callback string) string {
	b.t.Helper()
	u, err := url.Parse(callback)
	require.NoError(b.t, err)
	status, at, body := b.send(http.MethodGet, u.RequestURI())
	require.Equal(b.t, http.StatusSeeOther, status, string(body))
	return at
}

// signsIn signs in, and returns where that leads.
func (b *browser) signsIn(i *issuer.Issuer) string {
	b.t.Helper()
	_, callback, err := i.Authorizes(b.begins("/money/orders?status=paid"))
	require.NoError(b.t, err)
	return b.returns(callback)
}

func (b *browser) me() (who client.Me, status int) {
	b.t.Helper()
	status, _, body := b.send(http.MethodGet, admin+"/me")
	if status == http.StatusOK {
		require.NoError(b.t, json.Unmarshal(body, &who))
	}
	return who, status
}

const session = "onrush-session" // by http

func TestAnOperatorSignsInAndOutOnAllInstances(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		i := issuer.Start(t, time.Now)
		here := site.Start(t, stores, site.Idle(), signsInAt(i, ""))
		// The other instance is a step ahead in a change of the secret.
		there := site.Start(t, stores, site.Idle(), signsInAt(i, ""), site.Configured(func(cfg *server.Config) {
			cfg.PathSecret = "another secret of more than 32 bytes;" + cfg.PathSecret
		}))
		b := newBrowser(t, here)
		_, callback, err := i.Authorizes(b.begins("/money/orders?status=paid"))
		require.NoError(t, err)
		assert.True(t, b.set["onrush-login"].HttpOnly)
		assert.Equal(t, http.SameSiteLaxMode, b.set["onrush-login"].SameSite)
		b.at = there
		assert.Equal(t, "/admin#/money/orders?status=paid", b.returns(callback))
		kept := b.set[session]
		assert.True(t, kept.HttpOnly)
		assert.Equal(t, http.SameSiteStrictMode, kept.SameSite)
		assert.Equal(t, 8*60*60, kept.MaxAge)
		assert.NotContains(t, b.cookies, "onrush-login")
		for _, b.at = range []*site.Site{here, there} {
			me, status := b.me()
			require.Equal(t, http.StatusOK, status)
			assert.Equal(t, []string{"olga", "admin", ""}, []string{me.Name, string(me.Scope), string(me.ShopID)})
			assert.WithinDuration(t, time.Now().Add(8*time.Hour), me.ExpiresAt, time.Minute)
		}
		listed := site.Read[client.KeyList](t, http.StatusOK, here.Operator(t).Call(t, http.MethodGet, keys, "", nil))
		require.Len(t, listed.Items, 1)
		assert.Equal(t, []string{"olga", "olga"}, []string{listed.Items[0].SignedIn, listed.Items[0].CreatedBy})

		// The cookie is no key, a key is no cookie, and neither is a buyer's.
		requireRefusal(t, here.Holder(kept.Value).Ask(http.MethodGet, admin+"/me", "", nil),
			http.StatusUnauthorized, "unauthorized")
		status, _, _ := b.send(http.MethodGet, "/api/v1/orders")
		assert.Equal(t, http.StatusUnauthorized, status)
		other := newBrowser(t, here)
		other.cookies[session] = makesKey(t, here.Operator(t), "reports", "read", time.Time{}).Secret
		_, status = other.me()
		assert.Equal(t, http.StatusUnauthorized, status)

		b.header.Set("Sec-Fetch-Site", "same-origin")
		status, _, body := b.send(http.MethodPost, "/admin/logout")
		require.Equal(t, http.StatusNoContent, status, string(body))
		assert.NotContains(t, b.cookies, session)
		b.cookies[session] = kept.Value // somebody kept it
		for _, b.at = range []*site.Site{there, here} {
			require.Eventually(t, func() bool { _, status := b.me(); return status == http.StatusUnauthorized },
				10*time.Second, 10*time.Millisecond)
		}
	})
}

func TestASessionEndsByItself(t *testing.T) {
	t.Parallel()
	now := kit.NewClock(time.Now().Truncate(time.Millisecond))
	i := issuer.Start(t, now.Now)
	b := newBrowser(t, site.Start(t, kit.OnEmbedded(t), site.Idle(), site.Time(now.Now), signsInAt(i, "")))
	b.signsIn(i)
	now.Advance(8*time.Hour - time.Second)
	_, status := b.me()
	assert.Equal(t, http.StatusOK, status)
	now.Advance(time.Second)
	_, status = b.me()
	assert.Equal(t, http.StatusUnauthorized, status)
}

// attack changes one thing about a sign-in that is good otherwise. An outcome of "" is that the operator is signed in.
type attack struct {
	outcome string
	issuer  func(i *issuer.Issuer)
	browser func(b *browser, callback string) string
}

// tried signs in with an attack, by the clock.
func (a attack) tried(t *testing.T, name string, now *kit.Clock) {
	t.Helper()
	i := issuer.Start(t, now.Now)
	if a.issuer != nil {
		a.issuer(i)
	}
	b := newBrowser(t, site.Start(t, kit.OnEmbedded(t), site.Idle(), site.Now(now.Now), signsInAt(i, "")))
	b.now = now
	_, callback, err := i.Authorizes(b.begins("/"))
	require.NoError(t, err)
	at := ""
	if a.browser != nil {
		at = a.browser(b, callback)
	} else {
		at = b.returns(callback)
	}
	if a.outcome == "" {
		assert.Equal(t, "/admin#/", at, name)
		assert.NotEmpty(t, b.cookies[session], name)
		return
	}
	assert.Equal(t, "/admin?login="+a.outcome+"#/", at, name)
	assert.Empty(t, b.cookies[session], name)
}

func TestNobodyIsSignedInByAnIDTokenThatIsNotTheirs(t *testing.T) {
	t.Parallel()
	start := time.Now().Truncate(time.Second)
	claim := func(name string, value any) func(i *issuer.Issuer) {
		return func(i *issuer.Issuer) { i.Change = func(_, claims map[string]any) { claims[name] = value } }
	}
	for name, a := range map[string]attack{
		"another nonce":          {outcome: "failed", issuer: claim("nonce", "x")},
		"no nonce":               {outcome: "failed", issuer: claim("nonce", "")},
		"another audience":       {outcome: "failed", issuer: claim("aud", "shop")},
		"two audiences":          {outcome: "failed", issuer: claim("aud", []string{"shop", issuer.ClientID})},
		"another party":          {outcome: "failed", issuer: claim("azp", "shop")},
		"another issuer's token": {outcome: "failed", issuer: claim("iss", "https://evil.example")},
		"expired":                {outcome: "failed", issuer: claim("exp", start.Add(-2*time.Minute).Unix())},
		"from the future":        {outcome: "failed", issuer: claim("iat", start.Add(2*time.Minute).Unix())},
		"without an end":         {outcome: "failed", issuer: claim("exp", nil)},
		"no role":                {outcome: "refused", issuer: claim("role", nil)},
		"a role of its own":      {outcome: "refused", issuer: claim("role", "Admin")},
		"a name of a key":        {outcome: "refused", issuer: claim("sub", "key:till")},
		"no algorithm": {outcome: "failed", issuer: func(i *issuer.Issuer) {
			i.Forge = func(token string) string {
				_, rest, _ := strings.Cut(token, ".")
				said, _, _ := strings.Cut(rest, ".")
				return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + said + "."
			}
		}},
		"another signature": {outcome: "failed", issuer: func(i *issuer.Issuer) {
			i.Forge = func(token string) string {
				return token[:strings.LastIndexByte(token, '.')+1] + strings.Repeat("A", 342)
			}
		}},
		"nothing, so that each row can fail": {},
		"a clock that is a little off":       {issuer: claim("iat", start.Add(50*time.Second).Unix())},
	} {
		a.tried(t, name, kit.NewClock(start))
	}
}

func TestNobodyIsSignedInByAnAnswerThatIsNotTheirs(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]attack{
		"another state": {outcome: "expired", browser: func(b *browser, callback string) string {
			return b.returns(strings.Replace(callback, "state=", "state=x", 1))
		}},
		"no state": {outcome: "expired", browser: func(b *browser, callback string) string {
			return b.returns(strings.Replace(callback, "state=", "was=", 1))
		}},
		"another issuer's answer": {outcome: "failed", browser: func(b *browser, callback string) string {
			return b.returns(strings.Replace(callback, "iss=", "iss=https%3A%2F%2Fevil.example", 1))
		}},
		"the answer to another browser": {outcome: "expired", browser: func(b *browser, callback string) string {
			b.cookies = map[string]string{}
			return b.returns(callback)
		}},
		"the answer to another browser, which began a sign-in too": {
			outcome: "expired", browser: func(b *browser, callback string) string {
				b.cookies = map[string]string{}
				b.begins("/")
				return b.returns(callback)
			},
		},
		"a cookie that was changed": {outcome: "expired", browser: func(b *browser, callback string) string {
			b.cookies["onrush-login"] = "A" + b.cookies["onrush-login"]
			return b.returns(callback)
		}},
		"another code": {outcome: "failed", browser: func(b *browser, callback string) string {
			return b.returns(strings.Replace(callback, "code=", "code=x", 1))
		}},
		"a code that was used": {outcome: "failed", browser: func(b *browser, callback string) string {
			login := b.cookies["onrush-login"]
			assert.Equal(b.t, "/admin#/", b.returns(callback))
			b.cookies = map[string]string{"onrush-login": login}
			return b.returns(callback)
		}},
		"the same answer again": {outcome: "expired", browser: func(b *browser, callback string) string {
			assert.Equal(b.t, "/admin#/", b.returns(callback))
			delete(b.cookies, session)
			return b.returns(callback)
		}},
		"too late": {outcome: "expired", browser: func(b *browser, callback string) string {
			b.now.Advance(10 * time.Minute)
			return b.returns(callback)
		}},
		"an operator who refused": {outcome: "failed", browser: func(b *browser, callback string) string {
			return b.returns(strings.Replace(callback, "code=", "error=access_denied&was=", 1))
		}},
	} {
		a.tried(t, name, kit.NewClock(time.Now()))
	}
}

func TestASignInLeadsToNoOtherSite(t *testing.T) {
	t.Parallel()
	i := issuer.Start(t, time.Now)
	s := site.Start(t, kit.OnEmbedded(t), site.Idle(), signsInAt(i, ""))
	for to, want := range map[string]string{
		"/jobs": "/admin#/jobs", "": "/admin#/", "https://evil.example": "/admin#/",
		"//evil.example":  "/admin#//evil.example",
		"/\\evil.example": "/admin#/", "/x\r\nSet-Cookie: a=b": "/admin#/", "/<script>": "/admin#/",
		"/" + strings.Repeat("x", 501): "/admin#/",
	} {
		b := newBrowser(t, s)
		_, callback, err := i.Authorizes(b.begins(to))
		require.NoError(t, err)
		assert.Equal(t, want, b.returns(callback), to)
	}
}

func TestClaimsSayWhatAnOperatorMayAndWhere(t *testing.T) {
	t.Parallel()
	now := kit.NewClock(time.Now().Truncate(time.Second))
	i := issuer.Start(t, now.Now)
	s := site.Start(t, kit.OnEmbedded(t), site.Idle(),
		signsInAt(i, "&role_claim=realm.roles&shop_claim=shops&user_claim=email"))
	for _, row := range []struct {
		said string
		want []string // name, scope, shop; nil: refused
	}{
		{
			`{"sub":"1","email":"o@x.example","email_verified":true,"realm":{"roles":["staff","read","support"]},
				"shops":"lamps"}`,
			[]string{"o@x.example", "support", "lamps"},
		},
		{
			`{"sub":"1","email":"o@x.example","email_verified":true,"realm":{"roles":"admin"},"shops":["*"]}`,
			[]string{"o@x.example", "admin", ""},
		},
		{`{"sub":"1","email":"o@x.example","email_verified":true,"realm":{"roles":"admin"}}`, nil},
		{`{"sub":"1","email":"o@x.example","email_verified":true,"realm":{"roles":"admin"},"shops":""}`, nil},
		{
			`{"sub":"1","email":"o@x.example","email_verified":true,"realm":{"roles":"admin"},
				"shops":["lamps","vases"]}`, nil,
		},
		{`{"sub":"1","email":"o@x.example","email_verified":true,"realm":{"roles":"admin"},"shops":[]}`, nil},
		{`{"sub":"1","email":"o@x.example","email_verified":true,"realm":{"roles":"events"},"shops":"lamps"}`, nil},
		{`{"sub":"1","email":"o@x.example","email_verified":true,"realm":{"roles":[]},"shops":"lamps"}`, nil},
		{`{"sub":"1","email":"o@x.example","email_verified":true,"role":"admin","shops":"lamps"}`, nil},
		{`{"sub":"1","realm":{"roles":"admin"},"shops":"lamps"}`, nil},
		{`{"sub":"1","email":"o@x.example","realm":{"roles":"admin"},"shops":"*"}`, nil},
		{`{"sub":"1","email":"o@x.example","email_verified":false,"realm":{"roles":"admin"},"shops":"*"}`, nil},
		{
			`{"sub":"1","email":"o@x.example","email_verified":"true","realm":{"roles":"admin"},"shops":"*"}`,
			[]string{"o@x.example", "admin", ""},
		},
	} {
		claims := map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(row.said), &claims))
		i.Claims = claims
		b := newBrowser(t, s)
		at := b.signsIn(i)
		if row.want == nil {
			assert.True(t, strings.HasPrefix(at, "/admin?login=refused#"), "%s: %s", row.said, at)
			continue
		}
		me, _ := b.me()
		assert.Equal(t, row.want, []string{me.Name, string(me.Scope), string(me.ShopID)}, row.said)
	}
}

func TestWhoSignedOutIsAskedWhoTheyAre(t *testing.T) {
	t.Parallel()
	i := issuer.Start(t, time.Now)
	b := newBrowser(t, site.Start(t, kit.OnEmbedded(t), site.Idle(), signsInAt(i, "")))
	b.header.Set("Sec-Fetch-Site", "same-origin")
	assert.NotContains(t, b.begins("/"), "prompt=")
	b.signsIn(i)
	status, _, body := b.send(http.MethodPost, "/admin/logout")
	require.Equal(t, http.StatusNoContent, status, string(body))
	assert.Contains(t, b.begins("/"), "prompt=login")
	b.signsIn(i)
	assert.NotContains(t, b.begins("/"), "prompt=")
}

func TestANetworkEndsABoundedNumberOfSignIns(t *testing.T) {
	t.Parallel()
	now := kit.NewClock(time.Now())
	i := issuer.Start(t, now.Now)
	b := newBrowser(t, site.Start(t, kit.OnEmbedded(t), site.Idle(), site.Now(now.Now), signsInAt(i, ""),
		site.Configured(func(cfg *server.Config) { cfg.Proxies = []string{"127.0.0.1"} })))
	callback := "/admin/login/callback?code=guessed&state=" + stateOf(t, b.begins("/"))
	login := b.cookies["onrush-login"]
	tries := func(address string) string {
		b.header.Set("X-Forwarded-For", address)
		b.cookies["onrush-login"] = login
		return b.returns(callback)
	}
	for n := range 30 {
		assert.Equal(t, "/admin?login=failed#/", tries(fmt.Sprintf("2001:db8:0:%d::1", n)))
	}
	assert.Equal(t, "/admin?login=unavailable#/", tries("2001:db8:0:ff::1"))
	b.header.Set("X-Forwarded-For", "192.0.2.1")
	assert.Equal(t, "/admin#/money/orders?status=paid", b.signsIn(i), "of another network")
	now.Advance(time.Minute)
	assert.Equal(t, "/admin?login=failed#/", tries("2001:db8:0:ff::1"))
}

// stateOf returns the state that an address at the issuer has.
func stateOf(t *testing.T, at string) string {
	t.Helper()
	u, err := url.Parse(at)
	require.NoError(t, err)
	return u.Query().Get("state")
}

// TestASessionSendsALargeBody writes a sale of 64 KiB and more, as the console does.
func TestASessionSendsALargeBody(t *testing.T) {
	t.Parallel()
	i := issuer.Start(t, time.Now)
	s := site.Start(t, kit.OnEmbedded(t), site.Idle(), signsInAt(i, ""))
	b := newBrowser(t, s)
	large := func() int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.URL+admin+"/skus:batch",
			strings.NewReader(`{"items":[],"x":"`+strings.Repeat("x", 100_000)+`"}`))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", "large")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
		for name, value := range b.cookies {
			req.AddCookie(&http.Cookie{Name: name, Value: value})
		}
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp.StatusCode
	}
	b.cookies[session] = "onrush_guessed"
	assert.Equal(t, http.StatusRequestEntityTooLarge, large())
	delete(b.cookies, session)
	b.signsIn(i)
	assert.Equal(t, http.StatusUnprocessableEntity, large(), "the body was read, and refused for what it says")
}

func TestOtherSitesChangeNothingBySomeonesSession(t *testing.T) {
	t.Parallel()
	i := issuer.Start(t, time.Now)
	s := site.Start(t, kit.OnEmbedded(t), site.Idle(), site.Reachable(), signsInAt(i, ""))
	b := newBrowser(t, s)
	b.signsIn(i)
	for name, row := range map[string]struct {
		header map[string]string
		want   int
	}{
		"another site":          {map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": s.URL}, 403},
		"a host beside it":      {map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		"no page":               {nil, 403},
		"an old browser":        {map[string]string{"Origin": s.URL}, 404},
		"an old one, elsewhere": {map[string]string{"Origin": "https://evil.example"}, 403},
		"its own page":          {map[string]string{"Sec-Fetch-Site": "same-origin"}, 404},
	} {
		b.header = http.Header{}
		for field, value := range row.header {
			b.header.Set(field, value)
		}
		status, _, body := b.send(http.MethodPost, admin+"/jobs/nothing/run")
		assert.Equal(t, row.want, status, "%s: %s", name, body)
		status, _, _ = b.send(http.MethodPost, "/admin/logout")
		if row.want == http.StatusForbidden {
			assert.Equal(t, http.StatusForbidden, status, name)
			continue
		}
		assert.Equal(t, http.StatusNoContent, status, name)
		b.signsIn(i)
	}
}

func TestKeysWorkWhileTheIssuerIsAway(t *testing.T) {
	t.Parallel()
	now := kit.NewClock(time.Now().Truncate(time.Second))
	i := issuer.Start(t, now.Now)
	i.Status = http.StatusServiceUnavailable
	s := site.Start(t, kit.OnEmbedded(t), site.Idle(), site.Now(now.Now), signsInAt(i, ""))
	b := newBrowser(t, s)
	assert.Equal(t, "/admin?login=unavailable#/", b.begins("/"))
	assert.Equal(t, "/admin?login=unavailable#/", b.begins("/"))
	assert.Equal(t, 1, i.Calls("/.well-known/openid-configuration"), "a crowd doesn't reach it")
	key := makesKey(t, s.Operator(t), "till 3", "till", time.Time{})
	must(t, http.StatusOK, s.Holder(key.Secret).Ask(http.MethodGet, admin+"/me", "", nil))

	i.Status = 0
	now.Advance(time.Minute)
	for range 3 {
		assert.Equal(t, "/admin#/money/orders?status=paid", b.signsIn(i))
	}
	assert.Equal(t, 2, i.Calls("/.well-known/openid-configuration"))
	assert.Equal(t, 1, i.Calls("/keys"))

	_, callback, err := i.Authorizes(b.begins("/"))
	require.NoError(t, err)
	i.Status = http.StatusBadGateway
	delete(b.cookies, session)
	assert.Equal(t, "/admin?login=unavailable#/", b.returns(callback))
	now.Advance(2 * time.Hour)
	assert.Contains(t, b.begins("/"), i.URL, "what it said before is used while it is away")
}

// What an issuer says of itself must be what the settings name.
func TestAnotherIssuersMetadataAreRefused(t *testing.T) {
	t.Parallel()
	for _, change := range []func(map[string]any){
		func(m map[string]any) { m["issuer"] = "https://evil.example" },
		func(m map[string]any) { m["token_endpoint"] = "http://evil.example/token" },
		func(m map[string]any) { m["jwks_uri"] = "http://evil.example/keys" },
		func(m map[string]any) { m["authorization_endpoint"] = "javascript:alert(1)" },
		func(m map[string]any) { m["padding"] = strings.Repeat("x", 300_000) },
	} {
		i := issuer.Start(t, time.Now)
		i.Metadata = change
		b := newBrowser(t, site.Start(t, kit.OnEmbedded(t), site.Idle(), signsInAt(i, "")))
		assert.Equal(t, "/admin?login=unavailable#/", b.begins("/"))
	}
}
