package double

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rsa"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// AlipayText returns the text that is signed: name=value by name, joined by &. A request leaves out empty
// values and signs its sign_type; a notification signs all its values except sign and sign_type (page
// open/270/105902).
func AlipayText(form url.Values, without ...string) string {
	var parts []string
	for name, values := range form {
		if !slices.Contains(without, name) {
			parts = append(parts, name+"="+values[0])
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, "&")
}

// AlipaySigned is a notification of Alipay as it is sent; sign_type is not signed.
func AlipaySigned(key *rsa.PrivateKey, form url.Values) []byte {
	form = maps.Clone(form)
	form.Set("sign", Sign(key, AlipayText(form, "sign", "sign_type")))
	return []byte(form.Encode())
}

// WechatEvent is a notification about a transaction, sealed with the API v3 key.
func WechatEvent(tb testing.TB, apiKey, kind, transaction string) []byte {
	tb.Helper()
	block, err := aes.NewCipher([]byte(apiKey))
	require.NoError(tb, err)
	gcm, err := cipher.NewGCM(block)
	require.NoError(tb, err)
	sealed := gcm.Seal(nil, []byte("012345678901"), []byte(transaction), []byte("transaction"))
	return fmt.Appendf(nil,
		`{"id":"EV-1","event_type":%q,"resource":{"algorithm":"AEAD_AES_256_GCM","ciphertext":%q,`+
			`"nonce":"012345678901","associated_data":"transaction"}}`, kind, base64.StdEncoding.EncodeToString(sealed))
}

// WechatSigned are the headers of what WeChat Pay sends.
func WechatSigned(key *rsa.PrivateKey, serial string, at time.Time, body []byte) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	return http.Header{
		"Wechatpay-Timestamp": {stamp}, "Wechatpay-Nonce": {"ONCE"}, "Wechatpay-Serial": {serial},
		"Wechatpay-Signature": {Sign(key, stamp+"\nONCE\n"+string(body)+"\n")},
	}
}
