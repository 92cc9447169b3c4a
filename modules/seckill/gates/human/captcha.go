package human

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"onrush/modules/problem"
)

const (
	// maxToken is the length of the longest token that is sent on, in bytes. Turnstile's tokens have up to
	// 2,048, hCaptcha's more.
	maxToken = 8 << 10
	// maxVerdict is the length of the longest answer of the service that is read, in bytes.
	maxVerdict = 16 << 10
)

// HostedCaptcha is the check by a hosted captcha. The page shows the captcha and gets a token from the
// service, which accepts each token once, within minutes.
type HostedCaptcha struct {
	cfg    CaptchaConfig
	client *http.Client
	slots  chan struct{} // one element per verification in progress
	log    *slog.Logger
}

var _ Check = (*HostedCaptcha)(nil)

// NewHostedCaptcha checks cfg and returns a HostedCaptcha.
func NewHostedCaptcha(cfg CaptchaConfig, log *slog.Logger) (*HostedCaptcha, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	cfg.Within, cfg.AtOnce = cmp.Or(cfg.Within, 3*time.Second), cmp.Or(cfg.AtOnce, 256)
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: 64 << 10, MaxConnsPerHost: cfg.AtOnce,
		MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
	}
	return &HostedCaptcha{
		cfg: cfg, slots: make(chan struct{}, cfg.AtOnce), log: log,
		client: &http.Client{
			Transport:     transport, // a redirect would carry the secret to another address
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Challenge returns the site key.
func (h *HostedCaptcha) Challenge(context.Context, Subject) (Challenge, error) {
	return Challenge{Kind: Captcha, SiteKey: h.cfg.SiteKey}, nil
}

// Verify implements Check. It refuses a token that the service doesn't accept. If the service is unavailable
// or refuses our requests, the error is unavailable.
func (h *HostedCaptcha) Verify(ctx context.Context, s Subject, token string) error {
	if len(token) > maxToken || !problem.IsVisible(token) {
		return failed("can't be read")
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	default:
		return problem.Errorf(problem.CodeOverloaded, "Too many human checks at once.").After(time.Second)
	}
	ctx, cancel := context.WithTimeout(ctx, h.cfg.Within)
	defer cancel()
	v, err := h.ask(ctx, s, token)
	if err != nil {
		return problem.Unavailable(fmt.Errorf("verify a captcha: %w", err), "The captcha can't be verified right now.")
	}
	switch {
	case v.Success:
		return nil
	case slices.ContainsFunc(v.ErrorCodes, isOurs):
		h.log.ErrorContext(ctx, "the captcha service refuses our requests", slog.Any("error_codes", v.ErrorCodes))
		return problem.Unavailable(nil, "The captcha can't be verified right now.")
	}
	return failed("was not accepted by the captcha service")
}

// verdict is an answer of the service.
type verdict struct {
	Success    bool     `json:"success"`
	ErrorCodes []string `json:"error-codes"`
}

// isOurs reports whether an error code is about the service or our settings, and says nothing of the token.
func isOurs(code string) bool {
	switch code {
	case "missing-input-secret", "invalid-input-secret", "sitekey-secret-mismatch", "bad-request", "internal-error":
		return true
	}
	return false
}

// ask sends a token to the service. No error contains the secret.
func (h *HostedCaptcha) ask(ctx context.Context, s Subject, token string) (v verdict, err error) {
	form := url.Values{"secret": {h.cfg.Secret}, "response": {token}}
	if s.Address != "" {
		form.Set("remoteip", s.Address)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.cfg.URL, strings.NewReader(form.Encode()))
	if err != nil {
		return v, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := h.client.Do(req)
	if err != nil {
		return v, err
	}
	defer res.Body.Close() //nolint:errcheck // it was only read
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusBadRequest {
		return v, fmt.Errorf("the service answered %s", res.Status)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxVerdict+1))
	if err != nil {
		return v, fmt.Errorf("read the answer: %w", err)
	}
	if len(body) > maxVerdict {
		return v, errors.New("the answer of the service is too long")
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return v, fmt.Errorf("read the answer: %w", err)
	}
	v.Success = v.Success && res.StatusCode == http.StatusOK
	return v, nil
}
