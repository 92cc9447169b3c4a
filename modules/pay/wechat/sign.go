package wechat

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// sign sets the Authorization header: a signature with the merchant's key over method, path with query,
// time, nonce and body, one per line.
func (g *Gateway) sign(req *http.Request, body []byte) error {
	at, nonce := strconv.FormatInt(g.now().Unix(), 10), g.nonce()
	signature, err := gateway.SignRSA(g.key, lines(req.Method, req.URL.RequestURI(), at, nonce, string(body)))
	if err != nil {
		return fmt.Errorf("wechat: %w", err)
	}
	req.Header.Set("Authorization", fmt.Sprintf(
		`WECHATPAY2-SHA256-RSA2048 mchid="%s",nonce_str="%s",timestamp="%s",serial_no="%s",signature="%s"`,
		g.cfg.MchID, nonce, at, g.cfg.CertSerial, signature))
	return nil
}

// lines ends each part with a newline.
func lines(parts ...string) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		b.WriteString(p)
		b.WriteByte('\n')
	}
	return b.Bytes()
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
