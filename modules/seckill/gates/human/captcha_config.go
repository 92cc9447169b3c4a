package human

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"
)

// CaptchaConfig configures a hosted captcha whose tokens are verified as those of Cloudflare Turnstile and
// hCaptcha are.
type CaptchaConfig struct {
	// URL verifies tokens, such as https://challenges.cloudflare.com/turnstile/v0/siteverify or
	// https://api.hcaptcha.com/siteverify.
	URL string `help:"Siteverify address of Turnstile or hCaptcha." env:"URL" log:"show"`
	// Secret is the secret key that belongs to the site key.
	Secret string `help:"Secret key of the hosted captcha." env:"SECRET"`
	// SiteKey is what a page shows the captcha with; clients see it.
	SiteKey string `help:"Site key of the hosted captcha, for pages." env:"SITE_KEY" log:"show"`

	// Within bounds one verification. Default 3 s.
	Within time.Duration `kong:"-"`
	// AtOnce bounds the verifications in progress, so that a captcha service that hangs holds no more of
	// this instance. Default 256.
	AtOnce int `kong:"-"`
}

// Off reports whether nothing is set, so that no activity may have a captcha.
func (c CaptchaConfig) Off() bool { return c.URL == "" && c.Secret == "" && c.SiteKey == "" }

func (c CaptchaConfig) check() error {
	switch {
	case c.URL == "" || c.Secret == "" || c.SiteKey == "":
		return errors.New("captcha: the url, the secret and the site key must be set together")
	case c.Within < 0 || c.AtOnce < 0:
		return errors.New("captcha: no bound may be below 0")
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.User != nil {
		return errors.New("captcha: the url is not the address of a server")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())) {
		return fmt.Errorf("captcha: the url must begin with https://, not %s://", u.Scheme)
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
