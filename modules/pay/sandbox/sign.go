package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"onrush/modules/order"
	"onrush/modules/pay"
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

// Sign signs a notification like the sandbox, for tests, and returns the headers to send with the body. If
// the secret is invalid, the headers have no signature.
func Sign(secret, id string, at time.Time, body []byte) http.Header {
	header := http.Header{}
	timestamp := strconv.FormatInt(at.Unix(), 10)
	header.Set("Content-Type", "application/json")
	header.Set(headerWebhookID, id)
	header.Set(headerWebhookTimestamp, timestamp)
	if key, err := parseSecret(secret); err == nil {
		header.Set(headerWebhookSignature, webhookSignature(key, id, timestamp, body))
	}
	return header
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

// checkSignature checks the signature and the age of a notification, and returns its id. The error is
// ErrSignature.
func (g *Gateway) checkSignature(header http.Header, body []byte) (id string, err error) {
	var values [3]string
	for i, name := range []string{headerWebhookID, headerWebhookTimestamp, headerWebhookSignature} {
		if len(header.Values(name)) != 1 { // of two values, another parser might use the other
			return "", pay.ErrSignature
		}
		values[i] = header.Get(name)
	}
	id, timestamp, signatures := values[0], values[1], values[2]
	if !isEventID(id) || !isFresh(timestamp, g.now()) {
		return "", pay.ErrSignature
	}
	want := []byte(webhookSignature(g.key, id, timestamp, body))
	right := false
	for i, signature := range strings.SplitN(signatures, " ", maxSignatures+1) {
		if i < maxSignatures && hmac.Equal([]byte(signature), want) {
			right = true
		}
	}
	if !right {
		return "", pay.ErrSignature
	}
	return id, nil
}

// isEventID reports whether an id has only visible ASCII, which every store keeps unchanged, and no full
// stop, which would make the signed text ambiguous.
func isEventID(id string) bool {
	if id == "" || len(id) > maxID {
		return false
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' || id[i] == '.' {
			return false
		}
	}
	return true
}

// isFresh reports whether a timestamp, in decimal seconds, is within maxAge of now.
func isFresh(timestamp string, now time.Time) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || seconds < 0 || strconv.FormatInt(seconds, 10) != timestamp {
		return false
	}
	at := now.Unix()
	tolerance := int64(maxAge / time.Second)
	return seconds >= at-tolerance && seconds <= at+tolerance
}

// linkToken returns the token in the link to a payment's page, which is needed since pay numbers can be
// guessed. Its key is derived from the secret, so that no signature of a notification is a valid token.
func (g *Gateway) linkToken(n order.Number) string {
	return base64.RawURLEncoding.EncodeToString(keyed(keyed(g.key, "sandbox page"), n.String())[:16])
}

func keyed(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
