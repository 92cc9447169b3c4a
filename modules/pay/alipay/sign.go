package alipay

import (
	"bytes"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// signedText is what a form's signature is over: its parameters but the named ones, sorted, as
// name=value joined by &, before any escaping.
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

// maxAlipayKeys bounds how many of Alipay's keys are believed at once.
const maxAlipayKeys = 8

// readTheirs reads Alipay's keys and certificates.
func (a *Gateway) readTheirs() error {
	for text := range strings.SplitSeq(a.cfg.AlipayKey, ";") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		for _, part := range pemBlocks(text) {
			key, _, err := gateway.ReadPublicKey(part)
			switch {
			case err != nil:
				return fmt.Errorf("alipay config: Alipay's key %w", err)
			case key.Equal(&a.key.PublicKey):
				return errors.New("alipay config: Alipay's key is the app's own")
			}
			a.theirs = append(a.theirs, key)
		}
	}
	if len(a.theirs) == 0 || len(a.theirs) > maxAlipayKeys {
		return fmt.Errorf("alipay config: Alipay's key must be 1 to %d keys or certificates", maxAlipayKeys)
	}
	return nil
}

// pemBlocks takes PEM apart that is given as it is or as the path of a file. Text that is none is one
// part: a bare key, or what its reader refuses.
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

// checkSignature says whether a signature is of one of Alipay's keys. Which of them is not asked:
// alipay_cert_sn names it, but is not signed itself, and bare keys have no name.
func (a *Gateway) checkSignature(text []byte, signature string) error {
	err := error(pay.ErrSignature)
	for _, key := range a.theirs {
		if err = gateway.VerifyRSA(key, text, signature); err == nil {
			return nil
		}
	}
	return err
}
