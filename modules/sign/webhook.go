package sign

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// The bounds of a secret of WebhookKeys, in bytes, as in the standard, and of how many there are: each request has a
// signature of each.
const (
	leastWebhookSecret = 24
	mostWebhookSecret  = 64
	maxWebhookSecrets  = 4
)

// WebhookKeys sign HTTP requests as Standard Webhooks (https://www.standardwebhooks.com). Each signs, and the
// signatures of all are accepted, so that one side may change its secrets before the other.
type WebhookKeys []*webhooks.Webhook

// NewWebhookKeys returns the keys of secrets, whsec_ and base64. Errors don't have the secrets.
func NewWebhookKeys(secrets Secrets) (WebhookKeys, error) {
	if len(secrets) == 0 || len(secrets) > maxWebhookSecrets {
		return nil, fmt.Errorf("there are %d secrets, but must be 1 to %d", len(secrets), maxWebhookSecrets)
	}
	keys := make(WebhookKeys, 0, len(secrets))
	for i, secret := range secrets {
		text, prefixed := strings.CutPrefix(secret, "whsec_")
		raw, err := base64.StdEncoding.DecodeString(text)
		if !prefixed || err != nil || len(raw) < leastWebhookSecret || len(raw) > mostWebhookSecret {
			return nil, fmt.Errorf("secret %d must be whsec_ and the base64 of 24 to 64 bytes", i+1)
		}
		key, err := webhooks.NewWebhook(secret)
		if err != nil {
			return nil, errors.New("a secret can't be used")
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// Sign sets the headers of a request. A request that is repeated has the same id.
func (ks WebhookKeys) Sign(header http.Header, id string, at time.Time, body []byte) error {
	signatures := make([]string, len(ks))
	for i, key := range ks {
		var err error
		if signatures[i], err = key.Sign(id, at, body); err != nil {
			return errors.New("the request can't be signed")
		}
	}
	header.Set("Content-Type", "application/json")
	header.Set(webhooks.HeaderWebhookID, id)
	header.Set(webhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	header.Set(webhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return nil
}

// Accepts reports whether one of the keys has signed a body. The time of the signature is not looked at.
func (ks WebhookKeys) Accepts(header http.Header, body []byte) bool {
	for _, key := range ks {
		if key.VerifyIgnoringTimestamp(body, header) == nil {
			return true
		}
	}
	return false
}

// CheckURL checks the address of a server that signed requests are sent to: without a query, and with https unless it
// is on this machine.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("is not the address of a server")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	}
	return errors.New("must begin with https://")
}

func isLoopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }
