package wechat

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
	"onrush/test/double"
)

// vectorKey is the private key of wechatpay-go's tests.
func vectorKey(tb testing.TB) string {
	tb.Helper()
	return strings.ReplaceAll(double.Testdata(tb, "merchant.key"), "TESTING KEY", "PRIVATE KEY")
}

// The signature of the text "source" in wechatpay-go core/auth/signers/sha256withrsa_signer_test.go.
func TestWechatSignsAsThePublishedVectorSays(t *testing.T) {
	t.Parallel()
	const want = "BKyAfU4iMCuvXMXS0Wzam3V/cnxZ+JaqigPM5OhljS2iOT95OO6Fsuml2JkFANJU9K6q9bLlDhPXuoVz+pp4hAm6" +
		"pHU4ld815U4jsKu1RkyaII+1CYBUYC8TK0XtJ8FwUXXz8vZHh58rrAVN1XwNyvD1vfpxrMT4SL536GLwvpUHlCqIMzoZUguLli/K8V29QiOh" +
		"uH6IEqLNJn8e9b3nwNcQ7be3CzYGpDAKBfDGPCqCv8Rw5zndhlffk2FEA70G4hvMwe51qMN/RAJbknXG23bSlObuTCN7Ndj1aJGH6/L+hdwf" +
		"LpUtJm4QYVazzW7DFD27EpSQEqA8bX9+8m1rLg=="
	key, err := gateway.ReadPrivateKey(vectorKey(t))
	require.NoError(t, err)
	signature, err := gateway.SignRSA(key, []byte("source"))
	require.NoError(t, err)
	require.Equal(t, want, signature)
}

// The notification of wechatpay-go core/notify/notify_test.go: the signature over time, nonce and body,
// the serial of the certificate, and the sealed resource. Its event is of another kind than payments, and
// its key has 16 characters where a merchant's has 32.
func TestWechatReadsThePublishedNotification(t *testing.T) {
	t.Parallel()
	body := []byte(`{"id":"3119dfba-e649-5eec-ab1e-3412bc4d2e17","create_time":"2021-06-24T16:37:26+08:00",` +
		`"resource_type":"encrypt-resource",` +
		`"event_type":"PAYSCORE.USER_OPEN_SERVICE","summary":"签约成功","resource":{"original_type":"payscore",` +
		`"algorithm":"AEAD_AES_256_GCM",` +
		`"ciphertext":"YDS3lKPaC4Y52Gf3uhft5qUBlIa8b428AWTtTauHQfQrRw+X1WpiuHIDy0vo1Vd6VEq67aVyqPdDYMkRVSDaZL3iZt` +
		`tevRMOoPKMifozg6XPWjIZumks/GpT48lI4NizyeaqLBokNebthah3o1H76qSlO9NkDjp9bzmKLEYYH9TEklFUpsvPqOTOcgSLgh21YJXYR` +
		`7dEBXFgRLiNIKRgO5JdXh1hccRUAlyVWxE54PXpnQ==","associated_data":"payscore","nonce":"Kj7QIyUiYx1q"}}`)
	const (
		serial    = "D7CE59D1F522D701"
		signature = "tJHIiIS9eB2hAYstmAmbbD3ZE5LiIm/Ug5tuL4fC0YOFRWIHV39UFIZXC0e9Wl6lBu6sKvkqDkzpqzBsVHyXF" +
			"lbYZTOQrVdG4b6LfTnK4mikv9++ixJMd3vTf2yCqvBkh98zs3Ds5zsYQakzbcwhmw4fMJs4nPLws28H0UW9FjDR//rxELLwXvV1VEA1I" +
			"BLX70xptjL8hrfUjEE8kkry6yNJTHZRU8CAc7qHli2Ng1V1qb9ARbK8A3ThmFmPQvRGrapI/jS2laKKgYUmfdEdkNO6B2Cke5e8VTxY4" +
			"06ArAmQ90GAihDwIcb16TQMnzCMBoutnwZKNiKRACrFmtxw2Q=="
		plain = `{"mchid":"1234567890","appid":"054aa7d7a2a54ab5898df65bd96f001c",` +
			`"create_time":"2020-06-30T12:12:00+08:00","out_contract_code":"21640bdbd08e473e828f3206a2741c6e"}`
	)
	cfg := config(t, "")
	cfg.PlatformKeys = map[string]string{serial: double.Testdata(t, "platform.crt")}
	w, err := New(cfg, func() time.Time { return time.Unix(1624523846, 0) }, func() string { return "" })
	require.NoError(t, err)
	header := http.Header{
		"Wechatpay-Nonce": {"EcZ9Cmy4Xyx1i6RlJQzLcCyEqDa26NBz"}, "Wechatpay-Timestamp": {"1624523846"},
		"Wechatpay-Serial": {serial}, "Wechatpay-Signature": {signature},
	}
	_, err = w.Verify(header, body)
	require.ErrorIs(t, err, pay.ErrNotPayment, "it is signed, and about something else")
	header.Set("Wechatpay-Timestamp", "1624523847")
	_, err = w.Verify(header, body)
	require.ErrorIs(t, err, pay.ErrSignature)

	block, err := aes.NewCipher([]byte("testMchAPIv3Key0"))
	require.NoError(t, err)
	w.resource, err = cipher.NewGCM(block)
	require.NoError(t, err)
	var event struct{ Resource sealedResource }
	require.NoError(t, json.Unmarshal(body, &event))
	text, err := w.open(event.Resource)
	require.NoError(t, err)
	require.Equal(t, plain, string(text)) //nolint:testifylint // byte by byte, as it was sealed
}

// The key of the signatures and the certificate of the notifications are one pair in those tests, so
// that a signature of one must verify with the other.
func TestWechatVectorsAreOnePair(t *testing.T) {
	t.Parallel()
	key, err := gateway.ReadPrivateKey(vectorKey(t))
	require.NoError(t, err)
	public, cert, err := gateway.ReadPublicKey(double.Testdata(t, "platform.crt"))
	require.NoError(t, err)
	require.NotNil(t, cert)
	require.True(t, key.PublicKey.Equal(public))
	signature, err := gateway.SignRSA(key, []byte("text"))
	require.NoError(t, err)
	raw, err := base64.StdEncoding.DecodeString(signature)
	require.NoError(t, err)
	require.Len(t, raw, 256)
	require.NoError(t, gateway.VerifyRSA(public, []byte("text"), signature))
}
