package human

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
)

const captchaSecret = "0x4AAAAAAA-captcha-secret"

// service is a local double of a captcha service. It answers as the documents of Turnstile and hCaptcha say:
// each good token passes once.
type service struct {
	*httptest.Server
	calls  atomic.Int64
	answer atomic.Pointer[http.HandlerFunc] // replaces the usual one
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{}
	used := map[string]bool{}
	lock := make(chan struct{}, 1)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.calls.Add(1)
		if other := s.answer.Load(); other != nil {
			(*other)(w, r)
			return
		}
		lock <- struct{}{}
		defer func() { <-lock }()
		w.Header().Set("Content-Type", "application/json")
		verdict := `{"success":true,"error-codes":[],"challenge_ts":"2026-11-11T12:00:00.000Z",` +
			`"hostname":"shop.example"}`
		token := r.PostFormValue("response")
		switch {
		case r.Method != http.MethodPost || r.PostFormValue("secret") != captchaSecret:
			verdict = `{"success":false,"error-codes":["invalid-input-secret"]}`
		case !strings.HasPrefix(token, "good"):
			verdict = `{"success":false,"error-codes":["invalid-input-response"]}`
		case used[token]:
			verdict = `{"success":false,"error-codes":["timeout-or-duplicate"]}`
		case r.PostFormValue("remoteip") != "192.0.2.7":
			verdict = `{"success":false,"error-codes":["invalid-remoteip"]}`
		}
		used[token] = true
		_, _ = w.Write([]byte(verdict))
	}))
	t.Cleanup(s.Close)
	return s
}

// answers replaces the usual answers by one.
func (s *service) answers(status int, body string) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
	s.answer.Store(&handler)
}

func newCaptcha(t *testing.T, cfg CaptchaConfig, log *slog.Logger) *HostedCaptcha {
	t.Helper()
	if cfg.Secret == "" {
		cfg.Secret = captchaSecret
	}
	cfg.SiteKey = "site-key"
	h, err := NewHostedCaptcha(cfg, log)
	require.NoError(t, err)
	t.Cleanup(h.client.CloseIdleConnections)
	return h
}

var visitor = Subject{Activity: "sale", User: "alice", Address: "192.0.2.7"}

func TestCaptchaTokenPassesOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	h := newCaptcha(t, CaptchaConfig{URL: s.URL + "/siteverify"}, slog.New(slog.DiscardHandler))
	c, err := h.Challenge(t.Context(), visitor)
	require.NoError(t, err)
	assert.Equal(t, Challenge{Kind: Captcha, SiteKey: "site-key"}, c)

	require.NoError(t, h.Verify(t.Context(), visitor, "good-1"))
	assert.Equal(t, CodeFailed, problem.CodeOf(h.Verify(t.Context(), visitor, "good-1")), "used")
	assert.Equal(t, CodeFailed, problem.CodeOf(h.Verify(t.Context(), visitor, "bad")))
	elsewhere := visitor
	elsewhere.Address = ""
	assert.Equal(t, CodeFailed, problem.CodeOf(h.Verify(t.Context(), elsewhere, "good-2")))
	calls := s.calls.Load()
	for _, token := range []string{strings.Repeat("a", maxToken+1), "line\nbreak", "ütf"} {
		assert.Equal(t, CodeFailed, problem.CodeOf(h.Verify(t.Context(), visitor, token)))
	}
	assert.Equal(t, calls, s.calls.Load(), "such texts are not sent")
}

func TestCaptchaNeverPassesWithoutAClearYes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	h := newCaptcha(t, CaptchaConfig{URL: s.URL}, slog.New(slog.DiscardHandler))
	for _, tc := range []struct {
		status int
		body   string
		want   problem.Code
	}{
		{200, `{"success":false,"error-codes":["timeout-or-duplicate"]}`, CodeFailed},
		{200, `{"success":false,"error-codes":["expired-input-response"]}`, CodeFailed},
		{200, `{"success":false}`, CodeFailed},
		{200, `{}`, CodeFailed},
		{400, `{"success":false,"error-codes":["invalid-input-response"]}`, CodeFailed},
		{400, `{"success":true}`, CodeFailed},
		{200, `{"success":false,"error-codes":["internal-error"]}`, problem.CodeUnavailable},
		{200, `{"success":false,"error-codes":["sitekey-secret-mismatch"]}`, problem.CodeUnavailable},
		{200, `{"success":"true"}`, problem.CodeUnavailable},
		{200, ``, problem.CodeUnavailable},
		{200, `<html>`, problem.CodeUnavailable},
		{200, `{"success":true,"x":"` + strings.Repeat("a", maxVerdict) + `"}`, problem.CodeUnavailable},
		{500, `{"success":true}`, problem.CodeUnavailable},
		{503, ``, problem.CodeUnavailable},
		{429, ``, problem.CodeUnavailable},
	} {
		s.answers(tc.status, tc.body)
		assert.Equal(t, tc.want, problem.CodeOf(h.Verify(t.Context(), visitor, "good")), "%d %.60s", tc.status, tc.body)
	}
	s.Close()
	assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(h.Verify(t.Context(), visitor, "good")), "no service")
}

func TestCaptchaFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	other := newService(t)
	s := newService(t)
	redirect := http.RedirectHandler(other.URL, http.StatusTemporaryRedirect).ServeHTTP
	handler := http.HandlerFunc(redirect)
	s.answer.Store(&handler)
	h := newCaptcha(t, CaptchaConfig{URL: s.URL}, slog.New(slog.DiscardHandler))
	assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(h.Verify(t.Context(), visitor, "good")))
	assert.Zero(t, other.calls.Load(), "the secret goes to the configured address only")
}

func TestCaptchaServiceThatHangsHoldsNoMoreThanItsShare(t *testing.T) {
	t.Parallel()
	s := newService(t)
	arrived := make(chan struct{}, 4)
	handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm() // the server sees that the client has gone once the body is read
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	s.answer.Store(&handler)
	h := newCaptcha(t, CaptchaConfig{URL: s.URL, AtOnce: 4, Within: time.Hour}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, cap(arrived))
	for range cap(arrived) {
		go func() { done <- h.Verify(ctx, visitor, "good") }()
	}
	for range cap(arrived) {
		<-arrived
	}
	assert.Equal(t, problem.CodeOverloaded, problem.CodeOf(h.Verify(t.Context(), visitor, "good")))
	cancel()
	for range cap(arrived) {
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(<-done))
	}
	s.answer.Store(nil)
	require.NoError(t, h.Verify(t.Context(), visitor, "good"), "the slots are free again")

	s.answer.Store(&handler)
	impatient := newCaptcha(t, CaptchaConfig{URL: s.URL, Within: 50 * time.Millisecond}, slog.New(slog.DiscardHandler))
	err := impatient.Verify(t.Context(), visitor, "good")
	assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestCaptchaSecretIsNeverLogged(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var log bytes.Buffer
	h := newCaptcha(t, CaptchaConfig{URL: s.URL, Secret: "a-wrong-secret"}, slog.New(slog.NewTextHandler(&log, nil)))
	err := h.Verify(t.Context(), visitor, "good")
	assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err), "the buyer can't help it")
	assert.Contains(t, log.String(), "invalid-input-secret", "the operator must know")
	assert.NotContains(t, log.String()+err.Error(), "a-wrong-secret")
	s.Close()
	err = h.Verify(t.Context(), visitor, "good")
	require.Error(t, err)
	assert.NotContains(t, log.String()+err.Error(), "a-wrong-secret")
}

func TestCaptchaConfigIsChecked(t *testing.T) {
	t.Parallel()
	good := CaptchaConfig{URL: "https://captcha.example/siteverify", Secret: "s", SiteKey: "k"}
	_, err := NewHostedCaptcha(good, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	assert.True(t, CaptchaConfig{}.Off())
	for name, change := range map[string]func(c *CaptchaConfig){
		"no url":      func(c *CaptchaConfig) { c.URL = "" },
		"no secret":   func(c *CaptchaConfig) { c.Secret = "" },
		"no site key": func(c *CaptchaConfig) { c.SiteKey = "" },
		"plain http":  func(c *CaptchaConfig) { c.URL = "http://captcha.example" },
		"no host":     func(c *CaptchaConfig) { c.URL = "https://" },
		"no address":  func(c *CaptchaConfig) { c.URL = (&url.URL{Path: "siteverify"}).String() },
		"a password":  func(c *CaptchaConfig) { c.URL = "https://u:p@captcha.example" },
		"a bound":     func(c *CaptchaConfig) { c.AtOnce = -1 },
	} {
		cfg := good
		change(&cfg)
		_, err := NewHostedCaptcha(cfg, slog.New(slog.DiscardHandler))
		require.Error(t, err, name)
		assert.False(t, cfg.Off(), name)
	}
}
