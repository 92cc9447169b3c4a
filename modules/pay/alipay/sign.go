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

// checkSignature returns nil if a signature was made with one of Alipay's keys. It tries all keys:
// alipay_cert_sn names the key but is not signed, and bare keys have no name.
func (g *Gateway) checkSignature(text []byte, signature string) error {
	err := error(pay.ErrSignature)
	for _, key := range g.theirs {
		if err = gateway.VerifyRSA(key, text, signature); err == nil {
			return nil
		}
	}
	return err
}
