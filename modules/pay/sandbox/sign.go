package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"onrush/modules/order"
)

// The headers of Standard Webhooks (https://www.standardwebhooks.com). The signature is over
// the text <id>.<timestamp>.<body>, with the timestamp in seconds.
const (
	headerWebhookID        = "Webhook-Id"
	headerWebhookTimestamp = "Webhook-Timestamp"
	headerWebhookSignature = "Webhook-Signature"
)

const (
	secretPrefix  = "whsec_"
	secretLeast   = 24 // bytes of a secret, as in the standard
	secretMost    = 64
	maxAge        = 5 * time.Minute
	maxSignatures = 16  // per notification: several while a secret is being changed
	maxID         = 128 // the length of the column of payment_notifications
)

// Sign signs a notification like the sandbox, for tests, and returns the headers to send with the body. Of several
// secrets the first one signs. If a secret is invalid, the headers have no signature.
func Sign(secret, id string, at time.Time, body []byte) http.Header {
	header := http.Header{}
	timestamp := strconv.FormatInt(at.Unix(), 10)
	header.Set("Content-Type", "application/json")
	header.Set(headerWebhookID, id)
	header.Set(headerWebhookTimestamp, timestamp)
	if keys, err := parseSecrets(secret); err == nil {
		header.Set(headerWebhookSignature, webhookSignature(keys[0], id, timestamp, body))
	}
	return header
}

// CheckSecret returns why New refuses the secret, or the secrets, of a configuration.
func CheckSecret(secret string) error {
	_, err := parseSecrets(secret)
	return err
}

// parseSecrets decodes the secrets of a configuration, one at least.
func parseSecrets(text string) (keys [][]byte, err error) {
	for secret := range strings.SplitSeq(text, ";") {
		key, err := parseSecret(strings.TrimSpace(secret))
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// parseSecret decodes a secret; the error doesn't contain it.
func parseSecret(secret string) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < secretLeast || len(key) > secretMost {
		return nil, errors.New("the sandbox secret must be whsec_ and the base64 of 24 to 64 bytes")
	}
	return key, nil
}

func webhookSignature(key []byte, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// linkToken returns the token in the link to a payment's page, which is needed since pay numbers can be
// guessed. Its key is derived from the secret, so that no signature of a notification is a valid token.
func (g *Gateway) linkToken(n order.Number) string { return linkToken(g.keys[0], n) }

// isLink reports whether a token is of a payment.
func (g *Gateway) isLink(n order.Number, token string) bool {
	return slices.ContainsFunc(g.keys, func(key []byte) bool {
		return hmac.Equal([]byte(linkToken(key, n)), []byte(token))
	})
}

func linkToken(key []byte, n order.Number) string {
	return base64.RawURLEncoding.EncodeToString(keyed(keyed(key, "sandbox page"), n.String())[:16])
}

func keyed(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
