package alipay

import (
	"bytes"
	"cmp"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// age is the maximum age of a notification. Alipay repeats one for 24 h 22 min (its page
// open/270/105902). notify_time is documented as the time of sending, but not whether a repetition,
// which keeps its notify_id, has a new one. A replay within that time changes nothing, since a
// transaction is processed once.
const age = 25 * time.Hour

// Verify checks a notification and reads it. It must parse the form before it can check the signature,
// which is over the sorted parameters. The body has the time (notify_time) and the receiver (app_id,
// seller_id).
func (g *Gateway) Verify(_ http.Header, body []byte) (pay.Notification, error) {
	form, err := g.openForm(body)
	if err != nil {
		return pay.Notification{}, err
	}
	if form.Get("msg_method") != "" { // such as a deposit-back: a message, which has no notify_time
		return pay.Notification{}, pay.ErrNotPayment
	}
	at, err := time.ParseInLocation(timeLayout, form.Get("notify_time"), gateway.ChinaTime)
	if err != nil {
		return pay.Notification{}, fmt.Errorf("%w: its time can't be read", pay.ErrSignature)
	}
	if err := gateway.CheckAgeUpTo(age, g.now(), at); err != nil {
		return pay.Notification{}, err
	}
	return g.readNotification(form)
}

// maxParameters bounds the parameters of a notification.
const maxParameters = 100

func (g *Gateway) openForm(body []byte) (url.Values, error) {
	if len(body) > gateway.MaxNotification || bytes.Count(body, []byte{'&'}) >= maxParameters {
		return nil, fmt.Errorf("%w: it is too long", pay.ErrSignature)
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, fmt.Errorf("%w: it is not a form", pay.ErrSignature)
	}
	for _, values := range form {
		if len(values) != 1 {
			return nil, fmt.Errorf("%w: it has a parameter twice", pay.ErrSignature)
		}
	}
	if form.Get("sign_type") != "RSA2" {
		return nil, fmt.Errorf("%w: it is not signed with RSA2", pay.ErrSignature)
	}
	err = g.checkSignature(signedText(form, "sign", "sign_type"), form.Get("sign"))
	if _, has := form[certParameter]; has && err != nil { // Alipay's documents don't say whether it is signed
		err = g.checkSignature(signedText(form, "sign", "sign_type", certParameter), form.Get("sign"))
	}
	if err != nil {
		named := cmp.Or(gateway.CodeOnly(form.Get(certParameter)), "without a name")
		return nil, fmt.Errorf("certificate %s: %w", named, err)
	}
	return form, nil
}

// certParameter names the certificate of a signature.
const certParameter = "alipay_cert_sn"

// checkSignature returns nil if a signature was made with one of Alipay's keys. It tries all keys, since bare ones have
// no name.
func (g *Gateway) checkSignature(text []byte, signature string) error {
	err := error(pay.ErrSignature)
	for _, key := range g.theirs {
		if err = gateway.VerifyRSA(key, text, signature); err == nil {
			return nil
		}
	}
	return err
}

// maxKeys bounds how many of Alipay's keys are accepted at once.
const maxKeys = 8

// readTheirs reads Alipay's keys and certificates.
func (g *Gateway) readTheirs() error {
	for text := range strings.SplitSeq(g.cfg.AlipayKey, ";") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		for _, part := range pemBlocks(text) {
			key, _, err := gateway.ReadPublicKey(part)
			switch {
			case err != nil:
				return fmt.Errorf("alipay config: Alipay's key %w", err)
			case key.Equal(&g.key.PublicKey):
				return errors.New("alipay config: Alipay's key is the app's own")
			}
			g.theirs = append(g.theirs, key)
		}
	}
	if len(g.theirs) == 0 || len(g.theirs) > maxKeys {
		return fmt.Errorf("alipay config: Alipay's key must be 1 to %d keys or certificates", maxKeys)
	}
	return nil
}

// pemBlocks splits PEM, given as text or as the path of a file, into its blocks. Other text is returned
// as one part: a bare key, or text that the reader of keys refuses.
func pemBlocks(text string) (parts []string) {
	content, err := gateway.PEMText(text)
	if err != nil {
		return []string{text}
	}
	for {
		var block *pem.Block
		if block, content = pem.Decode(content); block == nil {
			break
		}
		parts = append(parts, string(pem.EncodeToMemory(block)))
	}
	if len(parts) == 0 {
		return []string{text}
	}
	return parts
}
