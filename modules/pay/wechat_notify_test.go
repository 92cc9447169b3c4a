package pay

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func offlineWechat(tb testing.TB) *Wechat {
	tb.Helper()
	w, err := NewWechat(wechatConfig(tb, ""), gatewayClock, rand.Text)
	require.NoError(tb, err)
	return w
}

func TestWechatReadsASignedNotification(t *testing.T) {
	t.Parallel()
	w := offlineWechat(t)
	body := wechatEvent(t, "TRANSACTION.SUCCESS", wechatPaidText)
	header := wechatSigned(platformTestKey(), wechatTestSerial, gatewayNow.Add(4*time.Minute), body)
	for range 2 { // a replay is the core's to tell
		n, err := w.Verify(header, body)
		require.NoError(t, err)
		require.Equal(t, Notification{EventID: "EV-1", TransactionID: "42000", PayNumber: 123456789, Amount: 1299, Currency: "CNY"}, n)
	}
}

func TestWechatTakesAPlatformCertificateUntilItsEnd(t *testing.T) {
	t.Parallel()
	cfg := wechatConfig(t, "")
	cfg.PlatformKeys["0ABC"] = certificatePEM(t, strangerKey(), 0xabc, gatewayNow.Add(time.Hour))
	now := gatewayNow
	w, err := NewWechat(cfg, func() time.Time { return now }, rand.Text)
	require.NoError(t, err)
	body := wechatEvent(t, "TRANSACTION.SUCCESS", wechatPaidText)
	_, err = w.Verify(wechatSigned(strangerKey(), "0ABC", now, body), body)
	require.NoError(t, err)
	now = gatewayNow.Add(2 * time.Hour)
	_, err = w.Verify(wechatSigned(strangerKey(), "0ABC", now, body), body)
	require.ErrorIs(t, err, ErrSignature)

	cfg.PlatformKeys = map[string]string{"0ABD": cfg.PlatformKeys["0ABC"]}
	_, err = NewWechat(cfg, gatewayClock, rand.Text)
	require.ErrorContains(t, err, "serial")
}

func TestWechatRefusesWhatIsNotSignedRightly(t *testing.T) {
	t.Parallel()
	w := offlineWechat(t)
	body := wechatEvent(t, "TRANSACTION.SUCCESS", wechatPaidText)
	good := wechatSigned(platformTestKey(), wechatTestSerial, gatewayNow, body)
	with := func(name string, values ...string) http.Header {
		h := good.Clone()
		h[name] = values
		return h
	}
	huge := append([]byte(`{"x":"`+strings.Repeat("x", maxNotification)+`",`), body[1:]...)
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
		"two serials":     {with("Wechatpay-Serial", wechatTestSerial, wechatTestSerial), body},
		"probe":           {with("Wechatpay-Signature", "WECHATPAY/SIGNTEST/"+good.Get("Wechatpay-Signature")), body},
		"empty signature": {with("Wechatpay-Signature", ""), body},
		"wrong key":       {wechatSigned(strangerKey(), wechatTestSerial, gatewayNow, body), body},
		"merchant's key":  {wechatSigned(merchantKey(), wechatTestSerial, gatewayNow, body), body},
		"old":             {wechatSigned(platformTestKey(), wechatTestSerial, gatewayNow.Add(-6*time.Minute), body), body},
		"to come":         {wechatSigned(platformTestKey(), wechatTestSerial, gatewayNow.Add(6*time.Minute), body), body},
		"huge":            {wechatSigned(platformTestKey(), wechatTestSerial, gatewayNow, huge), huge},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := w.Verify(c.header, c.body)
			require.ErrorIs(t, err, ErrSignature)
		})
	}
}

func TestWechatTellsPaymentsFromTheRest(t *testing.T) {
	t.Parallel()
	w := offlineWechat(t)
	verify := func(body []byte) error {
		_, err := w.Verify(wechatSigned(platformTestKey(), wechatTestSerial, gatewayNow, body), body)
		return err
	}
	require.ErrorIs(t, verify(wechatEvent(t, "REFUND.SUCCESS", wechatPaidText)), ErrNotPayment)
	require.ErrorIs(t, verify(wechatEvent(t, "TRANSACTION.SUCCESS", strings.Replace(wechatPaidText, "SUCCESS", "NOTPAY", 1))), ErrNotPayment)
	change := func(from, to string) []byte {
		return wechatEvent(t, "TRANSACTION.SUCCESS", strings.Replace(wechatPaidText, from, to, 1))
	}
	event := string(wechatEvent(t, "TRANSACTION.SUCCESS", wechatPaidText))
	for name, body := range map[string][]byte{
		"merchant":    change("1900000109", "1900000108"),
		"app":         change("wx1", "wx2"),
		"number":      change("123456789", "x"),
		"fraction":    change("1299", "12.99"),
		"nothing":     change("1299", "0"),
		"transaction": change("42000", ""),
		"twice":       change(`"mchid"`, `"trade_state":"SUCCESS","mchid"`),
		"no JSON":     change("{", ""),
		"nonce":       []byte(strings.Replace(event, `"012345678901"`, `"0123"`, 1)),
		"algorithm":   []byte(strings.Replace(event, "AEAD_AES_256_GCM", "NONE", 1)),
		"associated":  []byte(strings.Replace(event, `"associated_data":"transaction"`, `"associated_data":"x"`, 1)),
		"ciphertext":  []byte(strings.Replace(event, `"ciphertext":"`, `"ciphertext":"!`, 1)),
		"no id":       []byte(strings.Replace(event, "EV-1", "", 1)),
		"event twice": []byte(strings.Replace(event, `{"id"`, `{"id":"EV-0","id"`, 1)),
		"not JSON":    []byte("SUCCESS"),
	} {
		err := verify(body)
		require.Error(t, err, name)
		require.NotErrorIs(t, err, ErrSignature, name)
		require.NotErrorIs(t, err, ErrNotPayment, name)
		require.NotContains(t, err.Error(), wechatTestKey)
	}
}

func TestWechatNeedsAllItsSettings(t *testing.T) {
	t.Parallel()
	require.True(t, WechatConfig{NotifyURL: "https://shop.example/x", BaseURL: "https://api.example", Subject: "Order"}.Off())
	require.False(t, wechatConfig(t, "").Off())
	for name, change := range map[string]func(c *WechatConfig){
		"merchant":       func(c *WechatConfig) { c.MchID = "" },
		"platform keys":  func(c *WechatConfig) { c.PlatformKeys = nil },
		"platform key":   func(c *WechatConfig) { c.PlatformKeys = map[string]string{"1": "none"} },
		"private key":    func(c *WechatConfig) { c.PrivateKey = "none" },
		"32 characters":  func(c *WechatConfig) { c.APIv3Key = "short-secret" },
		"notify URL":     func(c *WechatConfig) { c.NotifyURL = "https://shop.example/x?y=1" },
		"without a port": func(c *WechatConfig) { c.NotifyURL = "https://shop.example:8443/x" },
		"must be https":  func(c *WechatConfig) { c.NotifyURL = "http://shop.example/x" },
		"base URL":       func(c *WechatConfig) { c.BaseURL = "http://api.example" },
	} {
		cfg := wechatConfig(t, "")
		change(&cfg)
		_, err := NewWechat(cfg, gatewayClock, rand.Text)
		require.ErrorContains(t, err, name)
		require.NotContains(t, err.Error(), "short-secret")
	}
	_, err := NewWechat(WechatConfig{MchID: "1900000109"}, gatewayClock, rand.Text)
	require.EqualError(t, err, "wechat config: app, certificate serial, private key, platform keys, API v3 key, notify URL must be set")
}

func FuzzWechatNotification(f *testing.F) {
	w := offlineWechat(f)
	good := wechatEvent(f, "TRANSACTION.SUCCESS", wechatPaidText)
	header := wechatSigned(platformTestKey(), wechatTestSerial, gatewayNow, good)
	f.Add(header.Get("Wechatpay-Timestamp"), wechatTestSerial, header.Get("Wechatpay-Signature"), good, wechatPaidText)
	f.Add("", "", "", []byte(`{"event_type":"TRANSACTION.SUCCESS","resource":{"algorithm":"AEAD_AES_256_GCM","nonce":"1"}}`), `{}`)
	f.Add("1772600767", wechatTestSerial, "AAAA", []byte(`[]`), `{"amount":null}`)
	f.Fuzz(func(t *testing.T, at, serial, signature string, body []byte, transaction string) {
		given := http.Header{"Wechatpay-Timestamp": {at}, "Wechatpay-Nonce": {"ONCE"}, "Wechatpay-Serial": {serial}, "Wechatpay-Signature": {signature}}
		if _, err := w.Verify(given, body); err == nil {
			require.True(t, doubleBelieves(&platformTestKey().PublicKey, at+"\nONCE\n"+string(body)+"\n", signature))
		}
		// The parser behind the signature holds for whatever is signed.
		for _, signed := range [][]byte{body, wechatEvent(t, "TRANSACTION.SUCCESS", transaction)} {
			if n, err := w.readNotification(signed); err == nil {
				require.Positive(t, n.Amount)
				require.Positive(t, n.PayNumber)
				require.NotEmpty(t, n.TransactionID)
			}
		}
	})
}
