package wechat

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
	"onrush/test/double"
)

func TestWechatReadsASignedNotification(t *testing.T) {
	t.Parallel()
	w := offlineWechat(t)
	body := double.WechatEvent(t, testKey, "TRANSACTION.SUCCESS", paidText)
	header := double.WechatSigned(double.PlatformKey(), testSerial, double.Now.Add(4*time.Minute), body)
	for range 2 { // package pay recognizes repeated notifications, not the gateway
		n, err := w.Verify(header, body)
		require.NoError(t, err)
		require.Equal(t, pay.Notification{
			EventID: "EV-1", TransactionID: "42000", PayNumber: 123456789, Amount: 1299, Currency: "CNY",
		}, n)
	}
}

func TestWechatTakesAPlatformCertificateUntilItsEnd(t *testing.T) {
	t.Parallel()
	cfg := config(t, "")
	cfg.PlatformKeys["0ABC"] = double.CertificatePEM(t, double.StrangerKey(), 0xabc, double.Now.Add(time.Hour))
	now := double.Now
	w, err := New(cfg, func() time.Time { return now }, rand.Text)
	require.NoError(t, err)
	body := double.WechatEvent(t, testKey, "TRANSACTION.SUCCESS", paidText)
	_, err = w.Verify(double.WechatSigned(double.StrangerKey(), "0ABC", now, body), body)
	require.NoError(t, err)
	now = double.Now.Add(2 * time.Hour)
	_, err = w.Verify(double.WechatSigned(double.StrangerKey(), "0ABC", now, body), body)
	require.ErrorIs(t, err, pay.ErrSignature)

	cfg.PlatformKeys = map[string]string{"0ABD": cfg.PlatformKeys["0ABC"]}
	_, err = New(cfg, double.Clock, rand.Text)
	require.ErrorContains(t, err, "serial")
}

func TestWechatRefusesWrongSignatures(t *testing.T) {
	t.Parallel()
	w := offlineWechat(t)
	body := double.WechatEvent(t, testKey, "TRANSACTION.SUCCESS", paidText)
	good := double.WechatSigned(double.PlatformKey(), testSerial, double.Now, body)
	with := func(name string, values ...string) http.Header {
		h := good.Clone()
		h[name] = values
		return h
	}
	at := func(later time.Duration) http.Header {
		return double.WechatSigned(double.PlatformKey(), testSerial, double.Now.Add(later), body)
	}
	huge := append([]byte(`{"x":"`+strings.Repeat("x", gateway.MaxNotification)+`",`), body[1:]...)
	cases := map[string]struct {
		header http.Header
		body   []byte
	}{
		"no header":       {http.Header{}, body},
		"tampered body":   {good, []byte(strings.Replace(string(body), "EV-1", "EV-2", 1))},
		"tampered time":   {with("Wechatpay-Timestamp", "1772600768"), body},
		"tampered nonce":  {with("Wechatpay-Nonce", "OTHER"), body},
		"time in words":   {with("Wechatpay-Timestamp", "now"), body},
		"wrong serial":    {with("Wechatpay-Serial", "PUB_KEY_ID_9"), body},
		"two serials":     {with("Wechatpay-Serial", testSerial, testSerial), body},
		"probe":           {with("Wechatpay-Signature", "WECHATPAY/SIGNTEST/"+good.Get("Wechatpay-Signature")), body},
		"empty signature": {with("Wechatpay-Signature", ""), body},
		"wrong key":       {double.WechatSigned(double.StrangerKey(), testSerial, double.Now, body), body},
		"merchant's key":  {double.WechatSigned(double.MerchantKey(), testSerial, double.Now, body), body},
		"old":             {at(-6 * time.Minute), body},
		"to come":         {at(6 * time.Minute), body},
		"huge":            {double.WechatSigned(double.PlatformKey(), testSerial, double.Now, huge), huge},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := w.Verify(c.header, c.body)
			require.ErrorIs(t, err, pay.ErrSignature)
			switch name {
			case "wrong serial":
				require.ErrorContains(t, err, "PUB_KEY_ID_9")
			case "wrong key", "old":
				require.ErrorContains(t, err, testSerial)
			}
		})
	}
}
