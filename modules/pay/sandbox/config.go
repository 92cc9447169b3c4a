package sandbox

import (
	"cmp"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Config configures the sandbox gateway. Zero fields have their default.
type Config struct {
	// Secret signs notifications and the links to the page: whsec_ and the base64 of 24 to 64
	// bytes. Without it the channel is off. Of several, separated by semicolons, the first signs and all are accepted.
	Secret string
	// BaseURL is the address of the program for browsers, such as http://127.0.0.1:8080. An empty or
	// unspecified host (0.0.0.0, ::) means 127.0.0.1.
	BaseURL string
	// WebhookURL is where notifications are sent. Default BaseURL and /webhooks/pay/sandbox.
	WebhookURL string
	// Attempts is how often a notification that is not acknowledged is sent. Default 8.
	Attempts int
	// Wait is the wait after the first attempt; it doubles up to WaitMax. Default 500 ms.
	Wait time.Duration
	// WaitMax is the longest wait. Default 30 s.
	WaitMax time.Duration
	// Sending is the maximum number of notifications that are sent concurrently. Default 256.
	Sending int
	// Waiting is how many late notifications wait at most until they are due. Default 1024.
	Waiting int
	// Notices is how many notifications one payment may have. Default 50.
	Notices int
}

// callWithin bounds one attempt: more than the deadline of the webhook itself.
const callWithin = 15 * time.Second

// Off reports whether the secret is not set, so that the channel is off.
func (c Config) Off() bool { return c.Secret == "" }

func (c Config) withDefaults() (Config, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" || base.RawQuery != "" ||
		base.Fragment != "" || base.User != nil {
		return c, errors.New("sandbox: the base URL must be http://host:port or https://host")
	}
	if ip, err := netip.ParseAddr(base.Hostname()); base.Hostname() == "" || err == nil && ip.IsUnspecified() {
		base.Host = net.JoinHostPort("127.0.0.1", base.Port())
	}
	c.BaseURL = strings.TrimRight(base.String(), "/")
	c.WebhookURL = cmp.Or(c.WebhookURL, c.BaseURL+"/webhooks/pay/"+Channel)
	c.Attempts = cmp.Or(c.Attempts, 8)
	c.Wait = cmp.Or(c.Wait, 500*time.Millisecond)
	c.WaitMax = cmp.Or(c.WaitMax, 30*time.Second)
	c.Sending = cmp.Or(c.Sending, 256)
	c.Waiting = cmp.Or(c.Waiting, 1024)
	c.Notices = cmp.Or(c.Notices, 50)
	if hook, err := url.Parse(c.WebhookURL); err != nil || (hook.Scheme != "http" && hook.Scheme != "https") ||
		hook.Host == "" {
		return c, errors.New("sandbox: the webhook URL must be an http or https URL")
	}
	if c.Attempts < 1 || c.Wait < 0 || c.WaitMax < c.Wait || c.Sending < 1 || c.Waiting < 1 ||
		c.Notices < 1 {
		return c, errors.New("sandbox: sizes and times must be above 0, the longest wait not below the first")
	}
	return c, nil
}
