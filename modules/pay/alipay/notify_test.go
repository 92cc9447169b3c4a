package alipay

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/test/double"
)

func offlineAlipay(tb testing.TB) *Gateway {
	tb.Helper()
	a, err := New(config(tb, ""), double.Clock)
	require.NoError(tb, err)
	return a
}

func TestAlipayDistinguishesPaymentsFromOtherNotifications(t *testing.T) {
	t.Parallel()
	a := offlineAlipay(t)
	verify := func(name, value string) error {
		form := alipayForm(double.Now)
		form.Set(name, value)
		_, err := a.Verify(nil, double.AlipaySigned(double.PlatformKey(), form))
		return err
	}
	for _, c := range [][2]string{
		{"trade_status", "WAIT_BUYER_PAY"},
		{"trade_status", "TRADE_CLOSED"},
		{"notify_type", "other"},
		{"gmt_refund", "2026-03-04 13:06:07"}, // it paid nothing back
	} {
		require.ErrorIs(t, verify(c[0], c[1]), pay.ErrNotPayment, c)
	}
	require.NoError(t, verify("trade_status", "TRADE_FINISHED"))
	for _, c := range [][2]string{
		{"app_id", "2022"},
		{"seller_id", "2089"},
		{"out_trade_no", "INV-1001"},
		{"out_trade_no", ""},
		{"out_trade_no", "0"},
		{"out_trade_no", "-5"},
		{"out_trade_no", strings.Repeat("1", 23)},
		{"total_amount", "12.999"},
		{"total_amount", "0.00"},
		{"refund_fee", "-1"},
		{"trade_no", ""},
		{"notify_id", ""},
	} {
		err := verify(c[0], c[1])
		require.ErrorIs(t, err, pay.ErrUnreadable, c)
		require.NotErrorIs(t, err, pay.ErrSignature, c)
	}
}

// Alipay's messages have other fields, for example the message that a bank took days to pay a refund back.
func TestAlipaysMessagesAreNoPayments(t *testing.T) {
	t.Parallel()
	a := offlineAlipay(t)
	form := url.Values{
		"notify_id": {"2026110300222144310080771472567"}, "utc_timestamp": {"1762131191472"}, "version": {"1.1"},
		"msg_method": {"alipay.trade.refund.depositback.completed"}, "app_id": {"2021000000000001"},
		"charset": {"UTF-8"}, "sign_type": {"RSA2"},
		"biz_content": {`{"trade_no":"2026001","out_trade_no":"123456789","dback_status":"S","dback_amount":"1.00"}`},
	}
	_, err := a.Verify(nil, double.AlipaySigned(double.PlatformKey(), form))
	require.ErrorIs(t, err, pay.ErrNotPayment)
	_, err = a.Verify(nil, double.AlipaySigned(double.StrangerKey(), form))
	require.ErrorIs(t, err, pay.ErrSignature)
}

func TestAlipayReportsRefundsMadeOnTheMerchantsPage(t *testing.T) {
	t.Parallel()
	a, fake := newAlipay(t)
	verify := func(state, fee, number string) pay.Notification {
		form := alipayForm(double.Now)
		for name, value := range map[string]string{
			"trade_status": state, "refund_fee": fee, "gmt_refund": "2026-03-04 13:06:07", "out_biz_no": number,
		} {
			form.Set(name, value)
		}
		n, err := a.Verify(nil, double.AlipaySigned(double.PlatformKey(), form))
		require.NoError(t, err)
		return n
	}
	want := pay.Notification{
		Kind: pay.KindRefundedOutside, EventID: "n1", TransactionID: "2026001", PayNumber: 123456789,
		RefundNumber: "HZ01RF001", RefundedTotal: 300, Currency: "CNY",
	}
	require.Equal(t, want, verify("TRADE_SUCCESS", "3.00", "HZ01RF001"))
	want.RefundedTotal = 1299
	require.Equal(t, want, verify("TRADE_CLOSED", "12.99", "HZ01RF001"), "the whole trade")
	require.NotEqual(t, verify("TRADE_SUCCESS", "1.00", "").RefundNumber,
		verify("TRADE_SUCCESS", "2.00", "").RefundNumber)

	fake.trade("123456789", "TRADE_SUCCESS", true)
	fake.refunds["HZ01RF001"] = "1.5"
	back, err := a.ReadRefund(t.Context(), "2026001/", "HZ01RF001")
	require.NoError(t, err)
	require.EqualValues(t, 150, back, "of this refund, whatever the notification says of all")
	back, err = a.ReadRefund(t.Context(), "2026001/", "unknown")
	require.NoError(t, err)
	require.Zero(t, back)
}

func TestAlipayNeedsAllItsSettings(t *testing.T) {
	t.Parallel()
	require.True(t, Config{
		NotifyURL: "https://shop.example/x", ReturnURL: "https://shop.example/y", BaseURL: "https://api.example",
		Subject: "Order",
	}.Off())
	require.False(t, config(t, "").Off())
	require.False(t, Config{AppCert: "app.crt"}.Off())
	require.False(t, Config{RootCert: "root.crt"}.Off())
	for name, change := range map[string]func(c *Config){
		"seller":                 func(c *Config) { c.SellerID = "" },
		"private key":            func(c *Config) { c.PrivateKey = "none" },
		"Alipay's key":           func(c *Config) { c.AlipayKey = "none" },
		"app's own":              func(c *Config) { c.AlipayKey = double.PublicPEM(t, double.MerchantKey()) },
		"notify URL":             func(c *Config) { c.NotifyURL = "/webhooks/pay/alipay" },
		"base URL":               func(c *Config) { c.BaseURL = "http://api.example" },
		"must not contain / = &": func(c *Config) { c.Subject = "a&b" },
	} {
		cfg := config(t, "")
		change(&cfg)
		_, err := New(cfg, double.Clock)
		require.ErrorContains(t, err, name)
	}
}

func FuzzAlipayNotification(f *testing.F) {
	a := offlineAlipay(f)
	f.Add(double.AlipaySigned(double.PlatformKey(), alipayForm(double.Now)))
	f.Add([]byte("sign_type=RSA2&sign=AAAA&notify_time=2026-03-04+13%3A06%3A07"))
	f.Add([]byte("sign_type=RSA2&sign_type=RSA2"))
	f.Add([]byte("%"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, err := a.Verify(nil, body); err == nil {
			form, err := url.ParseQuery(string(body))
			require.NoError(t, err)
			require.True(t, double.Verify(&double.PlatformKey().PublicKey, double.AlipayText(form, "sign", "sign_type"),
				form.Get("sign")))
		}
		// The reader behind the signature holds for whatever is signed.
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return
		}
		if n, err := a.readNotification(form); err == nil {
			require.Positive(t, max(n.Amount, n.RefundedTotal))
			require.Positive(t, n.PayNumber)
			require.NotEmpty(t, n.TransactionID)
		}
	})
}

func FuzzAlipayAnswer(f *testing.F) {
	a := offlineAlipay(f)
	f.Add([]byte(`{"alipay_trade_query_response":{"code":"10000"},"sign":"AAAA"}`))
	f.Add([]byte(`{"sign":null}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, err := a.openAnswer("alipay.trade.query", body)
		require.Error(t, err, "nothing is signed here")
	})
}
