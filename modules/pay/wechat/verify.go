package wechat

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// Verify checks a notification and decrypts its resource with the API v3 key.
func (g *Gateway) Verify(header http.Header, body []byte) (pay.Notification, error) {
	if len(body) > gateway.MaxNotification {
		return pay.Notification{}, fmt.Errorf("%w: it is too long", pay.ErrSignature)
	}
	if err := g.checkSignature(header, body); err != nil {
		return pay.Notification{}, err
	}
	return g.readNotification(body)
}

// checkSignature checks the signature in the headers of an answer or a notification. WeChat Pay sometimes
// sends wrong signatures to test that they are refused.
func (g *Gateway) checkSignature(header http.Header, body []byte) error {
	var values [4]string
	for i, name := range []string{"Wechatpay-Timestamp", "Wechatpay-Nonce", "Wechatpay-Serial", "Wechatpay-Signature"} {
		had := header.Values(name)
		if len(had) != 1 || had[0] == "" {
			return fmt.Errorf("%w: it has not one %s", pay.ErrSignature, name)
		}
		values[i] = had[0]
	}
	at, nonce, serial, signature := values[0], values[1], values[2], values[3]
	sec, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: its time can't be read", pay.ErrSignature)
	}
	now, name := g.now(), gateway.CodeOnly(serial)
	if err := gateway.CheckAge(now, time.Unix(sec, 0)); err != nil {
		return fmt.Errorf("serial %s: %w", name, err)
	}
	known, ok := g.platform[canonicalSerial(serial)]
	switch {
	case !ok:
		return fmt.Errorf("%w: serial %s is not one of ours", pay.ErrSignature, name)
	case !known.end.IsZero() && now.After(known.end):
		return fmt.Errorf("%w: certificate %s has ended", pay.ErrSignature, name)
	}
	if err := gateway.VerifyRSA(known.key, lines(at, nonce, string(body)), signature); err != nil {
		return fmt.Errorf("serial %s: %w", name, err)
	}
	return nil
}

// canonicalSerial returns a serial number as WeChat Pay's tools print it: in upper case and without leading
// zeros. Other tools print lower case or an even number of digits.
func canonicalSerial(text string) string {
	return strings.TrimLeft(strings.ToUpper(strings.TrimSpace(text)), "0")
}
