package wechat

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"

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
