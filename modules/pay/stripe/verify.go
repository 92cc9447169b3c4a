package stripe

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v84"
	"github.com/stripe/stripe-go/v84/webhook"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// Verify checks Stripe-Signature and reads the notification. It checks the age itself, since the library
// doesn't use our clock and accepts times in the future.
func (g *Gateway) Verify(header http.Header, body []byte) (pay.Notification, error) {
	signatures := header.Values("Stripe-Signature")
	if len(signatures) != 1 || len(body) > gateway.MaxNotification {
		return pay.Notification{}, fmt.Errorf("%w: it has not one Stripe-Signature, or is too long", pay.ErrSignature)
	}
	if err := g.checkSignedAt(signatures[0]); err != nil {
		return pay.Notification{}, err
	}
	var event stripe.Event
	err := error(webhook.ErrNoValidSignature)
	for _, secret := range g.cfg.webhookSecrets() {
		event, err = webhook.ConstructEventWithOptions(body, signatures[0], secret,
			// Only fields of all API versions are read.
			webhook.ConstructEventOptions{IgnoreTolerance: true, IgnoreAPIVersionMismatch: true})
		if !errors.Is(err, webhook.ErrNoValidSignature) {
			break
		}
	}
	switch {
	case errors.Is(err, webhook.ErrNoValidSignature), errors.Is(err, webhook.ErrInvalidHeader),
		errors.Is(err, webhook.ErrNotSigned), errors.Is(err, webhook.ErrTooOld):
		return pay.Notification{}, fmt.Errorf("%w: %w", pay.ErrSignature, err)
	case err != nil:
		return pay.Notification{}, pay.Unreadable("stripe: a notification is no event")
	}
	if err := gateway.CheckJSON(body); err != nil {
		return pay.Notification{}, fmt.Errorf("stripe: %w: %w", err, pay.ErrUnreadable)
	}
	if event.Account != "" || event.Data == nil {
		return pay.Notification{}, pay.ErrNotPayment // from an account that is connected to ours
	}
	if event.Livemode != g.live {
		return pay.Notification{}, pay.Unreadable("stripe: an event of the other livemode than the keys'")
	}
	return readEvent(event)
}

// checkSignedAt checks the age by the time in the header, which must have exactly one.
func (g *Gateway) checkSignedAt(header string) error {
	var times []string
	for part := range strings.SplitSeq(header, ",") {
		if text, ok := strings.CutPrefix(part, "t="); ok {
			times = append(times, text)
		}
	}
	if len(times) != 1 {
		return fmt.Errorf("%w: it must have exactly one time", pay.ErrSignature)
	}
	sec, err := strconv.ParseInt(times[0], 10, 64)
	if err != nil {
		return fmt.Errorf("%w: its time can't be read", pay.ErrSignature)
	}
	return gateway.CheckAge(g.now(), time.Unix(sec, 0))
}
