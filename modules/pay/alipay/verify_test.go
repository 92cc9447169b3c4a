package alipay

import (
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
	"onrush/test/double"
)

func TestAlipayReadsASignedNotification(t *testing.T) {
	t.Parallel()
	a := offlineAlipay(t)
	// Its last repetition.
	body := double.AlipaySigned(double.PlatformKey(), alipayForm(double.Now.Add(-24*time.Hour-22*time.Minute)))
	for range 2 { // package pay recognizes repeated notifications, not the gateway
		n, err := a.Verify(nil, body)
		require.NoError(t, err)
		require.Equal(t, pay.Notification{
			EventID: "n1", TransactionID: "2026001", PayNumber: 123456789, Amount: 1299, Currency: "CNY",
		}, n)
	}
}

func TestAlipayRefusesWrongSignatures(t *testing.T) {
	t.Parallel()
	a := offlineAlipay(t)
	signedAt := func(at time.Time) []byte { return double.AlipaySigned(double.PlatformKey(), alipayForm(at)) }
	good := string(signedAt(double.Now))
	replaced := func(from, to string) []byte { return []byte(strings.Replace(good, from, to, 1)) }
	sent := func(change func(f url.Values)) []byte {
		form := alipayForm(double.Now)
		change(form)
		return double.AlipaySigned(double.PlatformKey(), form)
	}
	for name, body := range map[string][]byte{
		"nothing":         nil,
		"no form":         []byte("%zz"),
		"tampered amount": replaced("12.99", "12.98"),
		"tampered number": replaced("123456789", "123456780"),
		"tampered time":   replaced("13%3A06%3A07", "13%3A06%3A08"),
		"more":            []byte(good + "&extra=1"),
		"twice":           []byte(good + "&total_amount=12.99"),
		"no signature":    replaced("&sign=", "&nosign="),
		"RSA":             replaced("sign_type=RSA2", "sign_type=RSA"),
		"wrong key":       double.AlipaySigned(double.StrangerKey(), alipayForm(double.Now)),
		"app's own key":   double.AlipaySigned(double.MerchantKey(), alipayForm(double.Now)),
		"old":             signedAt(double.Now.Add(-25*time.Hour - time.Second)),
		"to come":         signedAt(double.Now.Add(6 * time.Minute)),
		"no time":         sent(func(f url.Values) { f.Del("notify_time") }),
		"huge":            sent(func(f url.Values) { f.Set("body", strings.Repeat("x", gateway.MaxNotification)) }),
		"many":            []byte(good + strings.Repeat("&", maxParameters)),
	} {
		_, err := a.Verify(nil, body)
		require.ErrorIs(t, err, pay.ErrSignature, name)
	}
	named := alipayForm(double.Now)
	named.Set("alipay_cert_sn", "c0ffee")
	for _, unsigned := range [][]string{{"sign", "sign_type"}, {"sign", "sign_type", "alipay_cert_sn"}} {
		form := maps.Clone(named)
		form.Set("sign", double.Sign(double.PlatformKey(), double.AlipayText(form, unsigned...)))
		_, err := a.Verify(nil, []byte(form.Encode()))
		require.NoError(t, err, unsigned)
	}
	_, err := a.Verify(nil, double.AlipaySigned(double.StrangerKey(), named))
	require.ErrorIs(t, err, pay.ErrSignature)
	require.ErrorContains(t, err, "certificate c0ffee", "the log says which key was refused")
}
