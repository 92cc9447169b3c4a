package wechat

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/test/double"
)

func offlineWechat(tb testing.TB) *Gateway {
	tb.Helper()
	w, err := New(config(tb, ""), double.Clock, rand.Text)
	require.NoError(tb, err)
	return w
}

func TestWechatDistinguishesPaymentsFromOtherNotifications(t *testing.T) {
	t.Parallel()
	w := offlineWechat(t)
	verify := func(body []byte) error {
		_, err := w.Verify(double.WechatSigned(double.PlatformKey(), testSerial, double.Now, body), body)
		return err
	}
	for _, kind := range []string{"REFUND.ABNORMAL", "REFUND.CLOSED", "COMPLAINT.CREATE"} {
		require.ErrorIs(t, verify(double.WechatEvent(t, testKey, kind, paidText)), pay.ErrNotPayment)
	}
	require.ErrorIs(t, verify(double.WechatEvent(t, testKey, "TRANSACTION.SUCCESS",
		strings.Replace(paidText, "SUCCESS", "NOTPAY", 1))),
		pay.ErrNotPayment)
	change := func(from, to string) []byte {
		return double.WechatEvent(t, testKey, "TRANSACTION.SUCCESS", strings.Replace(paidText, from, to, 1))
	}
	event := string(double.WechatEvent(t, testKey, "TRANSACTION.SUCCESS", paidText))
	for name, body := range map[string][]byte{
		"merchant":    change("1900000109", "1900000108"),
		"app":         change("wx1", "wx2"),
		"number":      change("123456789", "INV-1001"),
		"no number":   change("123456789", ""),
		"0":           change("123456789", "0"),
		"negative":    change("123456789", "-5"),
		"23 digits":   change("123456789", strings.Repeat("1", 23)),
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
		if name == "associated" { // so does another API v3 key, which may be set later
			require.ErrorContains(t, err, "does not decrypt")
			require.NotErrorIs(t, err, pay.ErrUnreadable)
		} else {
			require.ErrorIs(t, err, pay.ErrUnreadable, name)
		}
		require.NotErrorIs(t, err, pay.ErrSignature, name)
		require.NotErrorIs(t, err, pay.ErrNotPayment, name)
		require.NotContains(t, err.Error(), testKey)
	}
}

func TestWechatReportsRefundsMadeOnTheMerchantsPage(t *testing.T) {
	t.Parallel()
	w := offlineWechat(t)
	const refund = `{"mchid":"1900000109","transaction_id":"42000","out_trade_no":"123456789",` +
		`"refund_id":"50200","out_refund_no":"WX20261123","refund_status":"SUCCESS",` +
		`"success_time":"2026-11-23T07:00:00+08:00","user_received_account":"a card",` +
		`"amount":{"total":1299,"refund":300,"payer_total":1299,"payer_refund":300}}`
	verify := func(from, to string) (pay.Notification, error) {
		body := double.WechatEvent(t, testKey, "REFUND.SUCCESS", strings.Replace(refund, from, to, 1))
		return w.Verify(double.WechatSigned(double.PlatformKey(), testSerial, double.Now, body), body)
	}
	want := pay.Notification{
		Kind: pay.KindRefundedOutside, EventID: "EV-1", TransactionID: "42000", PayNumber: 123456789,
		RefundNumber: "WX20261123", Amount: 300, Currency: "CNY",
	}
	n, err := verify("", "")
	require.NoError(t, err)
	require.Equal(t, want, n)
	want.RefundNumber = "50200"
	n, err = verify("WX20261123", "")
	require.NoError(t, err)
	require.Equal(t, want, n)
	_, err = verify("123456789", "another-shop")
	require.ErrorIs(t, err, pay.ErrNotPayment, "another program of the merchant")
	for name, change := range map[string][2]string{
		"merchant":    {"1900000109", "1900000108"},
		"transaction": {"42000", ""},
		"nothing":     {`"refund":300`, `"refund":0`},
		"long":        {"WX20261123", strings.Repeat("x", 65)},
		"twice":       {`{"mchid"`, `{"mchid":"1900000109","mchid"`},
	} {
		_, err = verify(change[0], change[1])
		require.ErrorIs(t, err, pay.ErrUnreadable, name)
		require.NotErrorIs(t, err, pay.ErrSignature, name)
	}
}

func TestKeysAndIDsThatCanNeverWorkAreRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		says   string
		change func(c *Config)
	}{
		{"a serial number has", func(c *Config) { c.PlatformKeys = map[string]string{"-----BEGIN hidden": "="} }},
		{"a serial number has", func(c *Config) {
			c.PlatformKeys = map[string]string{"0A:BC": c.PlatformKeys[testSerial]}
		}},
		{"has more than one key", func(c *Config) {
			c.PlatformKeys[testSerial] += ",PUB_KEY_ID_1=" + c.PlatformKeys[testSerial]
		}},
		{"certificate serial", func(c *Config) { c.CertSerial = "0xABC" }},
		{"app must", func(c *Config) { c.AppID = "wx 123" }},
		{"merchant must", func(c *Config) { c.MchID = "1900000109\u200b" }},
	} {
		cfg := config(t, "https://api.example")
		row.change(&cfg)
		_, err := New(cfg, double.Clock, rand.Text)
		require.ErrorContains(t, err, row.says)
		require.NotContains(t, err.Error(), "hidden")
	}
}

func TestWechatNeedsAllItsSettings(t *testing.T) {
	t.Parallel()
	require.True(t, Config{NotifyURL: "https://shop.example/x", BaseURL: "https://api.example", Subject: "Order"}.Off())
	require.False(t, config(t, "").Off())
	for name, change := range map[string]func(c *Config){
		"merchant":       func(c *Config) { c.MchID = "" },
		"platform keys":  func(c *Config) { c.PlatformKeys = nil },
		"platform key":   func(c *Config) { c.PlatformKeys = map[string]string{"1": "none"} },
		"private key":    func(c *Config) { c.PrivateKey = "none" },
		"32 characters":  func(c *Config) { c.APIv3Key = "short-secret" },
		"notify URL":     func(c *Config) { c.NotifyURL = "https://shop.example/x?y=1" },
		"without a port": func(c *Config) { c.NotifyURL = "https://shop.example:8443/x" },
		"must be https":  func(c *Config) { c.NotifyURL = "http://shop.example/x" },
		"base URL":       func(c *Config) { c.BaseURL = "http://api.example" },
	} {
		cfg := config(t, "")
		change(&cfg)
		_, err := New(cfg, double.Clock, rand.Text)
		require.ErrorContains(t, err, name)
		require.NotContains(t, err.Error(), "short-secret")
	}
	_, err := New(Config{MchID: "1900000109"}, double.Clock, rand.Text)
	require.EqualError(t, err,
		"wechat config: app, certificate serial, private key, platform keys, API v3 key, notify URL must be set")
}

func FuzzWechatNotification(f *testing.F) {
	w := offlineWechat(f)
	good := double.WechatEvent(f, testKey, "TRANSACTION.SUCCESS", paidText)
	header := double.WechatSigned(double.PlatformKey(), testSerial, double.Now, good)
	f.Add(header.Get("Wechatpay-Timestamp"), testSerial, header.Get("Wechatpay-Signature"), good, paidText)
	f.Add("", "", "",
		[]byte(`{"event_type":"TRANSACTION.SUCCESS","resource":{"algorithm":"AEAD_AES_256_GCM","nonce":"1"}}`), `{}`)
	f.Add("1772600767", testSerial, "AAAA", []byte(`[]`), `{"amount":null}`)
	f.Fuzz(func(t *testing.T, at, serial, signature string, body []byte, transaction string) {
		given := http.Header{
			"Wechatpay-Timestamp": {at}, "Wechatpay-Nonce": {"ONCE"}, "Wechatpay-Serial": {serial},
			"Wechatpay-Signature": {signature},
		}
		if _, err := w.Verify(given, body); err == nil {
			require.True(t, double.Verify(&double.PlatformKey().PublicKey, at+"\nONCE\n"+string(body)+"\n", signature))
		}
		// The parser behind the signature holds for whatever is signed.
		for _, signed := range [][]byte{body, double.WechatEvent(t, testKey, "TRANSACTION.SUCCESS", transaction)} {
			if n, err := w.readNotification(signed); err == nil {
				require.Positive(t, n.Amount)
				require.Positive(t, n.PayNumber)
				require.NotEmpty(t, n.TransactionID)
			}
		}
	})
}
