package sandbox

import (
	"crypto/hmac"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"onrush/modules/pay"
	"onrush/modules/problem"
)

// maxBody is the largest notification that is read, in bytes.
const maxBody = 64 << 10

// Verify checks and reads a notification.
func (g *Gateway) Verify(header http.Header, body []byte) (pay.Notification, error) {
	if len(body) > maxBody {
		return pay.Notification{},
			fmt.Errorf("%w: %d bytes are more than a notification has", pay.ErrSignature, len(body))
	}
	id, err := g.checkSignature(header, body)
	if err != nil {
		return pay.Notification{}, err
	}
	var event eventBody
	if err := json.Unmarshal(body, &event); err != nil {
		return pay.Notification{}, pay.Unreadable("sandbox: a notification is not JSON as it should be")
	}
	if event.Type != succeeded {
		return pay.Notification{}, pay.ErrNotPayment
	}
	var data eventData
	if err := json.Unmarshal(event.Data, &data); err != nil {
		return pay.Notification{}, pay.Unreadable("sandbox: a notification is not JSON as it should be")
	}
	if data.PayNumber <= 0 || !isEventID(data.TransactionID) || data.Amount == nil || *data.Amount < 0 ||
		!problem.IsCurrency(data.Currency) {
		return pay.Notification{}, pay.Unreadable("sandbox: a notification lacks a field, or has one that can't be")
	}
	return pay.Notification{
		EventID: id, TransactionID: data.TransactionID, PayNumber: data.PayNumber, Amount: *data.Amount,
		Currency: data.Currency,
	}, nil
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
	given := strings.SplitN(signatures, " ", maxSignatures+1)
	given = given[:min(len(given), maxSignatures)]
	for _, key := range g.keys {
		want := []byte(webhookSignature(key, id, timestamp, body))
		for _, signature := range given {
			if hmac.Equal([]byte(signature), want) {
				return id, nil
			}
		}
	}
	return "", pay.ErrSignature
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
