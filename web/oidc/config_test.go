package oidc

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/sign"
)

func TestAnIssuerIsReadFromItsSetting(t *testing.T) {
	t.Parallel()
	cfg, err := ParseConfig("https://login.example/realm/?client_id=console&role_claim=a.b&shop_claim=shop&scope=email",
		"secret", "https://shop.example/sales/")
	require.NoError(t, err)
	assert.Equal(t, []string{
		"https://login.example/realm/", "console", "secret", "a.b", "shop", "sub", "email", "login.example",
		"https://shop.example/sales/admin/login/callback", "https://shop.example",
	}, []string{
		cfg.Issuer, cfg.ClientID, cfg.Secret, cfg.RoleClaim, cfg.ShopClaim, cfg.UserClaim, cfg.Scope, cfg.Host(),
		cfg.redirectURI(), cfg.Origin(),
	})
	for _, bad := range []string{
		"", "console", "http://login.example?client_id=c", "https://login.example", "https://login.example?client_id=",
		"https://login.example?client_id=a&client_id=b", "https://login.example?client_id=a&secret=b",
		"https://u:p@login.example?client_id=a", "https://login.example?client_id=a#b",
		"https://login.example?client_id=a&console_url=http://shop.example",
		"https://login.example?client_id=a&console_url=javascript:x", "https://login.example?client_id=%zz",
	} {
		_, err := ParseConfig(bad, "", "https://shop.example")
		require.Error(t, err, bad)
	}
	_, err = ParseConfig("https://login.example?client_id=a", "", "http://shop.example")
	require.Error(t, err, "a code would come back by http")
}

func TestCookiesAreOfTheConsoleAlone(t *testing.T) {
	t.Parallel()
	for public, want := range map[string][]any{
		"https://shop.example":       {"__Host-onrush-session", "/", true},
		"https://shop.example/sales": {"__Host-onrush|sales-session", "/", true},
		"http://127.0.0.1:8080":      {"onrush-session", "/", false},
		"http://localhost:8080/a":    {"onrush|a-session", "/", false},
	} {
		cfg, err := ParseConfig("https://login.example?client_id=a", "", public)
		require.NoError(t, err)
		made := cfg.newCookie("session", "x", "Strict", time.Hour)
		assert.Equal(t, want, []any{made.Name, made.Path, made.Secure}, public)
		assert.True(t, made.HTTPOnly)
		assert.Empty(t, made.Domain)
	}
}

func TestABegunSignInIsSignedForAWhile(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	b := begun{State: "s", Nonce: "n", Verifier: "v", To: "/", Until: now.Unix() + 1}
	old, changed := sign.NewKeys("x", sign.Secrets{"old"}), sign.NewKeys("x", sign.Secrets{"new", "old"})
	text, err := seal(old, b)
	require.NoError(t, err)
	for _, keys := range []sign.Keys{old, changed} {
		got, ok := open(keys, text, now)
		assert.True(t, ok)
		assert.Equal(t, b, got)
	}
	for _, bad := range []string{"", ".", text + "A", "A" + text, text[:len(text)-1], text + "." + text} {
		_, ok := open(old, bad, now)
		assert.False(t, ok, bad)
	}
	_, ok := open(old, text, now.Add(time.Second))
	assert.False(t, ok)
	_, ok = open(sign.NewKeys("x", sign.Secrets{"new"}), text, now)
	assert.False(t, ok)
}
