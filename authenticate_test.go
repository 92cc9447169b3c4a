package onrush_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush"
	"onrush/onrushtest"
	"onrush/test/kit"
)

// byCookie is a login by a cookie of the host's: "ada", "operator:olga", or what makes it fail.
func byCookie(_ context.Context, header http.Header) (onrush.Caller, error) {
	request := http.Request{Header: header}
	session, err := request.Cookie("session")
	if err != nil {
		return onrush.Caller{}, onrush.ErrNoCaller
	}
	switch name, operator := strings.CutPrefix(session.Value, "operator:"); name {
	case "panic":
		panic("the sessions are broken")
	case "away":
		return onrush.Caller{}, errors.New("the sessions can't be read")
	default:
		return onrush.Caller{User: name, Operator: operator}, nil
	}
}

func TestTheHostsLoginDecidesWhoCalls(t *testing.T) {
	t.Parallel()
	p := onrushtest.New(t, onrush.Config{Authenticate: byCookie})
	sale := p.Sale(onrushtest.Sale{})
	call := func(method, path, cookie string, header ...string) int {
		body := ""
		if method == http.MethodPost {
			body = `{"activity_id":"` + sale.ID + `","sku_id":"` + sale.SKU + `"}`
		}
		req, err := http.NewRequestWithContext(t.Context(), method, p.URL+path, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		if cookie != "" {
			req.Header.Set("Cookie", "session="+cookie)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Add(header[i], header[i+1])
		}
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode
	}
	const orders, path, jobs = "/api/v1/orders", "/api/v1/seckill/path", "/admin/api/v1/jobs"
	assert.Equal(t, 401, call("GET", orders, ""), "nobody")
	assert.Equal(t, 200, call("GET", orders, "ada"))
	assert.Equal(t, 403, call("GET", jobs, "ada"), "a buyer is no operator")
	assert.Equal(t, 200, call("GET", jobs, "operator:olga"))
	assert.Equal(t, 503, call("GET", orders, "away"))
	assert.Equal(t, 503, call("GET", orders, "panic"))
	assert.Equal(t, 200, call("GET", "/api/v1/activities", "panic"), "a public route needs no caller")
	for _, user := range []string{"erased-1", "operator:key:1", strings.Repeat("x", 65)} {
		assert.Equal(t, 401, call("GET", jobs, user), user)
	}
	for _, own := range [][]string{
		{"Sec-Fetch-Site", "same-origin"}, {"Origin", p.URL}, {"Sec-Fetch-Site", "same-origin", "Origin", "null"},
	} {
		assert.Equal(t, 200, call("POST", path, "ada", own...), own)
	}
	for _, foreign := range [][]string{
		nil,
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
		{"Sec-Fetch-Site", "none"},
		{"Origin", "https://evil.example"},
		{"Origin", "null"},
		{"Origin", p.URL + ".evil.example"},
		{"Sec-Fetch-Site", "cross-site", "Origin", p.URL},
	} {
		assert.Equal(t, 403, call("POST", path, "ada", foreign...), foreign)
	}
	// A token goes on to name its caller where the login names none.
	eve := p.Buyer("eve")
	number := eve.Buy(sale, 1)
	p.Drain()
	assert.Equal(t, "eve", p.Order(number).User)
}

// An operator's key decides who calls, also in the browser of somebody whom the host knows as a buyer.
func TestAnOperatorsKeyCountsBesideTheHostsLogin(t *testing.T) {
	t.Parallel()
	p := onrushtest.New(t, onrush.Config{Authenticate: byCookie})
	var made struct {
		Secret string `json:"secret"`
	}
	key := map[string]any{"name": "shop", "scope": "read"}
	require.NoError(t, p.Call(t.Context(), http.MethodPost, "/admin/api/v1/keys", key, &made))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/admin/api/v1/jobs", http.NoBody)
	require.NoError(t, err)
	req.Header.Set("Cookie", "session=ada")
	req.Header.Set("Authorization", "Bearer "+made.Secret)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusOK, res.StatusCode)
}

// A login of the host's says in which segments its buyers are; segments that none may have are the host's fault.
func TestTheHostsLoginSaysInWhichSegmentsBuyersAre(t *testing.T) {
	t.Parallel()
	p := onrushtest.New(t, onrush.Config{
		Authenticate: func(_ context.Context, header http.Header) (onrush.Caller, error) {
			user, in, _ := strings.Cut(header.Get("X-User"), ":")
			return onrush.Caller{User: user, Segments: strings.Fields(in)}, nil
		},
	})
	sale := p.Sale(onrushtest.Sale{})
	change := map[string]any{"segments": []string{"members", "vip"}}
	require.NoError(t, p.Call(t.Context(), http.MethodPatch, "/admin/api/v1/activities/"+sale.ID, change, nil))
	ask := func(user string) (status int, body string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/api/v1/seckill/path",
			strings.NewReader(`{"activity_id":"`+sale.ID+`","sku_id":"`+sale.SKU+`"}`))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-User", user)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode, string(text)
	}
	for user, want := range map[string]int{
		"ada:vip": 200, "bob:new members": 200, "eve": 403, "joe:new": 403, "mia:Members": 503,
		"zoe:" + strings.Repeat(" vip", 33): 503,
	} {
		status, body := ask(user)
		assert.Equal(t, want, status, "%s: %s", user, body)
		assert.Equal(t, want == 403, strings.Contains(body, `"not_in_segment"`), body)
	}
}

func TestALoginOfTheHostNeedsNoTokens(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		cfg := on(t, stores, "")
		delete(cfg.Settings, "ONRUSH_JWT_SECRET") // embedded stores have a secret of their own
		cfg.Authenticate = func(_ context.Context, header http.Header) (onrush.Caller, error) {
			if user := header.Get("X-User"); user != "" {
				return onrush.Caller{User: user}, nil
			}
			return onrush.Caller{}, onrush.ErrNoCaller
		}
		p := onrushtest.New(t, cfg)
		for header, want := range map[string]int{"X-User": 200, "X-Other": 401} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/api/v1/orders", nil)
			require.NoError(t, err)
			req.Header.Set(header, "ada")
			res, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			assert.Equal(t, want, res.StatusCode, header)
		}
	})
}
