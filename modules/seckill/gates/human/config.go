package human

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"onrush/modules/sign"
)

// PowConfig configures proof of work. Fields that are zero have their defaults.
type PowConfig struct {
	// Secrets sign challenges.
	Secrets sign.Secrets
	// Difficulty is how many hashes a client needs on average while few challenges are solved, 1,000 to
	// 10,000,000. Default 50,000: a phone takes a few tenths of a second.
	Difficulty int64
	// CalmRate is the number of solved challenges of an activity per second up to which this instance asks for no more
	// than Difficulty. Above it the difficulty grows with the rate, up to 16 times. Default 1,000.
	CalmRate float64
	// ValidFor is how long a challenge may be answered. It bounds how many answers a robot can collect
	// before a sale starts. Default 2 minutes.
	ValidFor time.Duration
}

const (
	minDifficulty = 1_000
	maxDifficulty = 10_000_000
)

func (c PowConfig) withDefaults() PowConfig {
	c.Difficulty = cmp.Or(c.Difficulty, 50_000)
	c.CalmRate = cmp.Or(c.CalmRate, 1_000)
	c.ValidFor = cmp.Or(c.ValidFor, 2*time.Minute)
	return c
}

func (c PowConfig) check() error {
	switch {
	case len(c.Secrets.First()) < sign.MinSecret:
		return fmt.Errorf("proof of work: the secret must have at least %d bytes", sign.MinSecret)
	case c.Difficulty < minDifficulty || c.Difficulty > maxDifficulty:
		return fmt.Errorf("proof of work: the difficulty is %d, but must be %d to %d",
			c.Difficulty, minDifficulty, maxDifficulty)
	case c.CalmRate < 0 || c.ValidFor < time.Second:
		return errors.New("proof of work: a challenge must be valid for at least a second, and no rate is below 0")
	}
	return nil
}

// CaptchaConfig configures a hosted captcha whose tokens are verified by the same protocol as Cloudflare
// Turnstile's and hCaptcha's.
type CaptchaConfig struct {
	// URL verifies tokens, such as https://challenges.cloudflare.com/turnstile/v0/siteverify or
	// https://api.hcaptcha.com/siteverify.
	URL string `help:"Siteverify address of Turnstile or hCaptcha." env:"URL" log:"show"`
	// Secret is the secret key that belongs to the site key.
	Secret string `help:"Secret key of the hosted captcha." env:"SECRET" log:"digest"`
	// SiteKey is what a page shows the captcha with; clients see it.
	SiteKey string `help:"Site key of the hosted captcha, for pages." env:"SITE_KEY" log:"show"`

	// Within bounds one verification. Default 3 s.
	Within time.Duration `kong:"-"`
	// AtOnce bounds the verifications in progress, and so how many requests a captcha service that hangs can
	// hold up. Default 256.
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
