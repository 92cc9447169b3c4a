package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"onrush/modules/pay"
	"onrush/modules/problem"
	"onrush/modules/sign"
)

const (
	// MaxNotification is the length of the longest notification that is read, in bytes.
	MaxNotification = 256 << 10
	// MaxAnswer is the length of the longest answer that is read, in bytes after decompression.
	MaxAnswer = 1 << 20
)

// NewClient returns the HTTP client of a channel, with a timeout and bounds of its calls and answers; it leaves a
// gateway that doesn't answer alone for a moment. It follows no redirects, since a signed request is for one address.
func NewClient(now func() time.Time) *http.Client {
	return &http.Client{
		Timeout: 20 * time.Second,
		Transport: newBoundTransport(&http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			TLSHandshakeTimeout:    5 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			MaxIdleConnsPerHost:    16,
			IdleConnTimeout:        time.Minute,
			ForceAttemptHTTP2:      true,
		}, now),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Send sends a request and reads the whole answer, with any status. Without an answer, the error wraps
// pay.ErrUnavailable.
func Send(client *http.Client, req *http.Request) (status int, header http.Header, body []byte, err error) {
	resp, err := client.Do(req) //nolint:gosec // the address is from the configuration
	if err != nil {
		return 0, nil, nil, fmt.Errorf("%w: %w", pay.ErrUnavailable, err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	if body, err = io.ReadAll(resp.Body); err != nil {
		return 0, nil, nil, fmt.Errorf("%w: read answer: %w", pay.ErrUnavailable, err)
	}
	return resp.StatusCode, resp.Header, body, nil
}

// InTrouble reports whether an answer's status says that the gateway has a problem or is called too often.
func InTrouble(status int) bool {
	return status >= http.StatusInternalServerError || status == http.StatusTooManyRequests
}

// ReadJSON unmarshals a body of a gateway, if CheckJSON accepts it.
func ReadJSON(body []byte, into any) error {
	if err := CheckJSON(body); err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// CheckJSON refuses JSON that violates RFC 7493, such as an object with a duplicate key, since parsers
// read it differently.
func CheckJSON(body []byte) error {
	if !jsontext.Value(body).IsValid() {
		return errors.New("JSON is malformed, or an object has a key twice")
	}
	return nil
}

// CheckBaseURL checks that text is an address without a query, with https unless it is on this machine.
func CheckBaseURL(name, text string) error {
	if err := sign.CheckURL(text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// CheckNotifyURL checks that text is a full address without a query, as the gateways require.
func CheckNotifyURL(name, text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return fmt.Errorf("%s: must be a full address without a query", name)
	}
	return nil
}

// Setting is a value of a config that must be set, and its name in errors.
type Setting struct{ Name, Value string }

// Missing returns an error that names the settings without a value; nil if there are none.
func Missing(channel string, settings ...Setting) error {
	var names []string
	for _, s := range settings {
		if s.Value == "" {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%s config: %s must be set", channel, strings.Join(names, ", "))
}

// Visible returns an error that names the settings with a space or a character beyond visible ASCII, which no id has.
func Visible(channel string, settings ...Setting) error {
	for _, s := range settings {
		if !problem.IsVisible(strings.TrimSpace(s.Value)) {
			return fmt.Errorf("%s config: %s must have no space, and visible ASCII characters only", channel, s.Name)
		}
	}
	return nil
}

// CodeOnly returns the part of a gateway's text that may be a code, so that errors contain no other data.
func CodeOnly(text string) string {
	keep := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return -1
	}
	text = strings.Map(keep, text)
	return text[:min(len(text), 64)]
}
