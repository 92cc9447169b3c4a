package alipay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"onrush/modules/pay/gateway"
)

// signedText returns the text that a form's signature is over: its parameters except those in without,
// sorted, as name=value joined by &, unescaped.
func signedText(form url.Values, without ...string) []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if slices.Contains(without, name) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(name + "=" + form.Get(name))
	}
	return b.Bytes()
}

// request returns a signed request without empty parameters, which the signature must not contain.
func (g *Gateway) request(method string, biz any, more map[string]string) (url.Values, error) {
	content, err := json.Marshal(biz)
	if err != nil {
		return nil, fmt.Errorf("alipay: %w", err)
	}
	form := url.Values{
		"app_id": {g.cfg.AppID}, "method": {method}, "format": {"JSON"}, "charset": {"utf-8"}, "sign_type": {"RSA2"},
		"timestamp": {g.now().In(gateway.ChinaTime).Format(timeLayout)}, "version": {"1.0"},
		"biz_content": {string(content)},
	}
	certs := map[string]string{"app_cert_sn": g.certs.app, "alipay_root_cert_sn": g.certs.root}
	for _, some := range []map[string]string{more, certs} {
		for name, value := range some {
			if value != "" {
				form.Set(name, value)
			}
		}
	}
	signature, err := gateway.SignRSA(g.key, signedText(form, "sign"))
	if err != nil {
		return nil, fmt.Errorf("alipay: %w", err)
	}
	form.Set("sign", signature)
	return form, nil
}
