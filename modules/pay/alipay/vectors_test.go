package alipay

import (
	"crypto/rsa"
	"maps"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
	"onrush/test/double"
)

// vectorAlipay is a channel that believes a key of the published tests.
func vectorAlipay(tb testing.TB, file string) *Gateway {
	tb.Helper()
	key, _, err := gateway.ReadPublicKey(double.Testdata(tb, file))
	require.NoError(tb, err)
	a := offlineAlipay(tb)
	a.theirs = []*rsa.PublicKey{key}
	return a
}

func formOf(fields map[string]string) []byte {
	form := url.Values{}
	for name, value := range fields {
		form.Set(name, value)
	}
	return []byte(form.Encode())
}

// The notification of a paid trade in alipay-sdk-nodejs-all test/alipay.test.ts, checkNotifySign.
var publishedTrade = map[string]string{
	"gmt_create": "2019-08-15 15:56:22", "charset": "utf-8", "seller_email": "z97-yuquerevenue@service.aliyun.com",
	"subject": "语雀空间 500人规模",
	"sign": "QfTb8tqE1BMhS5qAnXtvsF3/jBkEvu9q9en0pdbBUDDjvKycZhQb7h8GDs4FKfi049PynaNuatxSgLb/nLWZpXyy" +
		"h0LEWdK2S6Ri7nPwrVgOs08zugLO20vOQz44y3ti2Ncm8/wZts1Fr2gZ7pShnVX3d1B50hbsXnObT1r/U8ONNQjW" +
		"Xd0HIul4TG+Q3fm3" +
		"svmSvFEy0WnzuhcyHPX5Gm4ELNctL6Qd5YniGJFNcc7kopHYtI/XD9YCKCH6Ct02rzUs9i11C9CsadtZn+WhxF26" +
		"Dqt9sGEFajkJ8cxUTLi8+VCpLHsgPE8P0y095uQcDdK0YjCh4x7wVSov+lrmOQ==",
	"buyer_id": "2088102534368455", "invoice_amount": "0.10", "notify_id": "2019081500222155624068450559358070",
	"fund_bill_list": `[{"amount":"0.10","fundChannel":"ALIPAYACCOUNT"}]`, "notify_type": "trade_status_sync",
	"trade_status":   "TRADE_SUCCESS",
	"receipt_amount": "0.10", "buyer_pay_amount": "0.10", "sign_type": "RSA2", "app_id": "2019073166072302",
	"seller_id":   "2088531891668739",
	"gmt_payment": "2019-08-15 15:56:24", "notify_time": "2019-08-15 15:56:25", "version": "1.0",
	"out_trade_no": "20190815155618536-564-57",
	"total_amount": "0.10", "trade_no": "2019081522001468450512505578", "auth_app_id": "2019073166072302",
	"buyer_logon_id": "xud***@126.com", "point_amount": "0.00",
}

func TestAlipayAcceptsThePublishedNotification(t *testing.T) {
	t.Parallel()
	a := vectorAlipay(t, "notify_v1.pem")
	form, err := a.openForm(formOf(publishedTrade))
	require.NoError(t, err)
	require.Equal(t, "2019081522001468450512505578", form.Get("trade_no"))

	changed := maps.Clone(publishedTrade)
	changed["total_amount"] = "0.01"
	_, err = a.openForm(formOf(changed))
	require.ErrorIs(t, err, pay.ErrSignature)
	_, err = vectorAlipay(t, "notify_v2.pem").openForm(formOf(publishedTrade))
	require.ErrorIs(t, err, pay.ErrSignature, "of another key")
}

// That a notification of the same tests does not verify with its key is part of the vectors.
func TestAlipayRefusesThePublishedForgery(t *testing.T) {
	t.Parallel()
	_, err := vectorAlipay(t, "notify_v1.pem").openForm(formOf(map[string]string{
		"app_id": "2018121762595097", "auth_app_id": "2018121762595097", "buyer_id": "2088512613526436",
		"buyer_logon_id":   "152****6706",
		"buyer_pay_amount": "0.01", "charset": "utf-8", "fund_bill_list": `[{"amount":"0.01","fundChannel":"PCREDIT"}]`,
		"gmt_create": "2019-05-23 14:13:56", "gmt_payment": "2019-05-23 14:17:13", "invoice_amount": "0.01",
		"notify_id": "2019052300222141714026431019971405", "notify_time": "2019-05-23 14:17:14",
		"notify_type":  "trade_status_sync",
		"out_trade_no": "tpxy23962362669658", "point_amount": "0.00", "receipt_amount": "0.01",
		"seller_email": "myapp@alitest.com",
		"seller_id":    "2088331578818800", "sign_type": "RSA2", "subject": "tpxy2222896485", "total_amount": "0.01",
		"sign": "T946S2qyNFAXLhAaRgNMmatxH6SO3MyWYFnTamQOgW1iAcheL/Zz+VoizwvEc6mTEwYewvvKS1wNkMQ1oEajMUHv" +
			"9+cXQ9IFvU/qKS9Ktvw5xHvCaK0fj7LsVcQ7VxfyT3kSvXUDfKDP4cHSPuSZKwM2ybkzr53bIH9OUTpTQd2d3J0r" +
			"bdf76OoUt+XF9vwq" +
			"j7OVE7AGjH2HPWp842DgL/YVy4qeA9N2uFKRevT3YUskjaRxuI/E66reNjTMFhbjEqGLKvMcDD4BaQXnibq9ojAj" +
			"60589fBwzKk3yWsVQmqGfksMQoheVMtZ3lAw4o2ty3TFngbVFFLwgx8FDpBZ9Q==",
		"trade_no": "111111112019052322001426431037869358", "trade_status": "TRADE_SUCCESS", "version": "1.0",
	}))
	require.ErrorIs(t, err, pay.ErrSignature)
}

// The answer that alipay-sdk-nodejs-all test/alipay.test.ts, checkResponseSign, took from the gateway.
func TestAlipayAcceptsThePublishedAnswer(t *testing.T) {
	t.Parallel()
	const answer = `{"alipay_open_file_upload_response":{"code":"10000","msg":"Success",` +
		`"file_id":"CAxAToWB1JsAAAAAAAAAAAAADgSLAQBr"},` +
		`"sign":"F+LDzpTNiavn7xVZPGuPCSSVRSmWzJGgtuji6tVELGEaqMaNj0jRKXUEr5nloZJBBmwEnddOyCjjepMmrTKTvoOq` +
		`Q0Efxpr/R1iEeHTHVbb/Q8TTh6Up5gHJDkILdaWS2q1cWeQ6VT+HQY9P3WRXS7uhILHuDODIhpAyCu5KhWGt0rMC` +
		`IG+Im6NODJP2oohtSCtmTFXg58HH587Z2y2bdbjzOxLvzD9IrU1imghXQ2S/Q+wMIvRk9on6cWnBLkrNvJKapA2R` +
		`eNGWOwyuASvB9zDVzhMPbR+3mfRGkVDxsq5HYLjBKGskJMXHw0HuugZij6ScRuaLPODhmHwr/pJ9yw=="}`
	a := vectorAlipay(t, "answer.pem")
	inner, err := a.openAnswer("alipay.open.file.upload", []byte(answer))
	require.NoError(t, err)
	require.JSONEq(t, `{"code":"10000","msg":"Success","file_id":"CAxAToWB1JsAAAAAAAAAAAAADgSLAQBr"}`, string(inner))
	_, err = a.openAnswer("alipay.open.file.upload", []byte(strings.Replace(answer, "CAxA", "CAxB", 1)))
	require.ErrorIs(t, err, pay.ErrSignature)
}

// The numbers of the certificates in alipay-sdk-nodejs-all test/antcertutil.test.ts.
func TestAlipayNamesCertificatesAsThePublishedTestsDo(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"app.crt":      "866efef280dec9137a87d047ac446315",
		"platform.crt": "7513daaaa48aa3ba2e4018d84402479c",
	} {
		_, cert, err := gateway.ReadPublicKey(double.Testdata(t, file))
		require.NoError(t, err)
		name, err := certName(cert)
		require.NoError(t, err)
		require.Equal(t, want, name, file)
	}
	root, err := rootName("testdata/root.crt")
	require.NoError(t, err)
	require.Equal(t, "687b59193f3f462dd5336e5abf83c5d8_02941eef3187dddf3d3b83462e1dfcf6", root)
}
