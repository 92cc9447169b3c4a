package pay

import (
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/web"
)

// fakeAlipay checks requests and signs answers as Alipay's gateway does.
type fakeAlipay struct {
	mu      sync.Mutex
	trades  map[string]map[string]string // by out_trade_no
	refunds map[string]string            // out_request_no → amount
	signer  *rsa.PrivateKey
	raw     string // answered instead
	calls   []string
	form    url.Values // of the last call
	url     string
}

func (f *fakeAlipay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = r.ParseForm()
	method := r.PostForm.Get("method")
	f.calls, f.form = append(f.calls, method), r.PostForm
	if f.raw != "" {
		_, _ = w.Write([]byte(f.raw))
		return
	}
	if verifyRSA(&merchantKey().PublicKey, signedText(r.PostForm, "sign"), r.PostForm.Get("sign")) != nil || r.PostForm.Get("app_id") != "2021" {
		_, _ = w.Write([]byte(`{"error_response":{"code":"40002","sub_code":"isv.invalid-signature"}}`))
		return
	}
	var in map[string]string
	_ = json.Unmarshal([]byte(r.PostForm.Get("biz_content")), &in)
	// The signature is over the bytes as they are sent: escapes and blanks count.
	answer, _ := json.MarshalIndent(f.carryOut(method, in), " ", " ")
	signature, _ := signRSA(f.signer, answer)
	_, _ = fmt.Fprintf(w, "{ %q : %s , \"sign\" : %q }", strings.ReplaceAll(method, ".", "_")+"_response", answer, signature)
}

func (f *fakeAlipay) carryOut(method string, in map[string]string) map[string]string {
	refuse := func(sub string) map[string]string { return map[string]string{"code": "40004", "sub_code": sub} }
	trade, known := f.trades[in["out_trade_no"]]
	for _, t := range f.trades {
		if in["trade_no"] != "" && t["trade_no"] == in["trade_no"] {
			trade, known = t, true
		}
	}
	if !known {
		return refuse("ACQ.TRADE_NOT_EXIST")
	}
	switch method {
	case "alipay.trade.query":
		return trade
	case "alipay.trade.close":
		if trade["trade_status"] != "WAIT_BUYER_PAY" {
			return refuse("ACQ.TRADE_STATUS_ERROR")
		}
		trade["trade_status"] = "TRADE_CLOSED"
		return map[string]string{"code": "10000"}
	case "alipay.trade.refund":
		if trade["trade_status"] == "TRADE_CLOSED" {
			return refuse("ACQ.TRADE_STATUS_ERROR")
		}
		moved := "N"
		if _, had := f.refunds[in["out_request_no"]]; !had {
			f.refunds[in["out_request_no"]], moved = in["refund_amount"], "Y"
		}
		return map[string]string{"code": "10000", "trade_no": trade["trade_no"], "fund_change": moved}
	}
	amount, had := f.refunds[in["out_request_no"]]
	if !had {
		return map[string]string{"code": "10000"}
	}
	return map[string]string{
		"code": "10000", "trade_no": trade["trade_no"], "out_request_no": in["out_request_no"], "refund_status": "REFUND_SUCCESS", "refund_amount": amount,
	}
}

func (f *fakeAlipay) trade(number, status string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.trades[number] = map[string]string{
		"code": "10000", "out_trade_no": number, "trade_no": "2026001/", "trade_status": status, "total_amount": "12.99",
	}
}

func alipayConfig(tb testing.TB, base string) AlipayConfig {
	tb.Helper()
	return AlipayConfig{
		AppID: "2021", SellerID: "2088", PrivateKey: privatePEM(merchantKey()), AlipayKey: publicPEM(tb, platformTestKey()),
		NotifyURL: "https://shop.example/webhooks/pay/alipay", ReturnURL: "https://shop.example/paid", BaseURL: base,
	}
}

func newAlipay(t *testing.T) (*Alipay, *fakeAlipay) {
	t.Helper()
	fake := &fakeAlipay{trades: map[string]map[string]string{}, refunds: map[string]string{}, signer: platformTestKey()}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	fake.url = server.URL + "/gateway.do"
	a, err := NewAlipay(alipayConfig(t, fake.url), gatewayClock)
	require.NoError(t, err)
	return a, fake
}

func TestAlipayBeginsWithSignedPages(t *testing.T) {
	t.Parallel()
	a, fake := newAlipay(t)
	next, err := a.Begin(t.Context(), yuanPayment())
	require.NoError(t, err)
	again, err := a.Begin(t.Context(), yuanPayment())
	require.NoError(t, err)
	require.Equal(t, next, again)
	require.Empty(t, fake.calls, "the buyer goes there, not we")
	for page, want := range map[string][2]string{
		next.RedirectURL:       {"alipay.trade.page.pay", "FAST_INSTANT_TRADE_PAY"},
		next.Params["wap_url"]: {"alipay.trade.wap.pay", "QUICK_WAP_WAY"},
	} {
		u, err := url.Parse(page)
		require.NoError(t, err)
		q := u.Query()
		require.NoError(t, verifyRSA(&merchantKey().PublicKey, signedText(q, "sign"), q.Get("sign")))
		require.Equal(t, want[0], q.Get("method"))
		require.Equal(t, "2026-03-04 13:06:07", q.Get("timestamp"))
		require.Equal(t, "https://shop.example/webhooks/pay/alipay", q.Get("notify_url"))
		require.Equal(t, "https://shop.example/paid", q.Get("return_url"))
		require.JSONEq(t, fmt.Sprintf(`{"out_trade_no":"123456789","total_amount":"12.99","subject":"Order 123456789","product_code":%q,"time_expire":"2026-03-04 13:21:07"}`,
			want[1]), q.Get("biz_content"))
	}
	foreign := yuanPayment()
	foreign.Currency = "USD"
	_, err = a.Begin(t.Context(), foreign)
	require.Equal(t, web.CodeInvalidRequest, web.CodeOf(err))
}

func TestAlipayFindsAndClosesByThePayNumber(t *testing.T) {
	t.Parallel()
	a, fake := newAlipay(t)
	p := yuanPayment()
	found, err := a.Query(t.Context(), p)
	require.NoError(t, err)
	require.False(t, found.Paid, "the buyer never came")
	require.NoError(t, a.Close(t.Context(), p))

	fake.trade("123456789", "WAIT_BUYER_PAY")
	found, err = a.Query(t.Context(), p)
	require.NoError(t, err)
	require.False(t, found.Paid)
	require.NoError(t, a.Close(t.Context(), p))

	for _, status := range []string{"TRADE_SUCCESS", "TRADE_FINISHED"} {
		fake.trade("123456789", status)
		found, err = a.Query(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, Found{Paid: true, TransactionID: "2026001/", Amount: 1299, Currency: "CNY"}, found)
		require.ErrorIs(t, a.Close(t.Context(), p), ErrPaid)
	}
}

func TestAlipayRefundsByItsNumber(t *testing.T) {
	t.Parallel()
	a, fake := newAlipay(t)
	fake.trade("123456789", "TRADE_SUCCESS")
	r := &Refund{Number: 77, Payment: 123456789, Transaction: "2026001/", Amount: 1299, Currency: "CNY"}
	require.NoError(t, a.Refund(t.Context(), r))
	require.NoError(t, a.Refund(t.Context(), r), "nothing moves, since it moved before")
	fake.trade("123456789", "TRADE_CLOSED") // all of it is back
	require.NoError(t, a.Refund(t.Context(), r))
	require.Equal(t, map[string]string{"77": "12.99"}, fake.refunds)

	require.Error(t, a.Refund(t.Context(), &Refund{Number: 77, Transaction: "2026001/", Amount: 5}), "another amount")
	require.ErrorContains(t, a.Refund(t.Context(), &Refund{Number: 78, Transaction: "2026001/", Amount: 5}), "ACQ.TRADE_STATUS_ERROR")
	require.ErrorContains(t, a.Refund(t.Context(), &Refund{Number: 78, Transaction: "unknown", Amount: 5}), "ACQ.TRADE_NOT_EXIST")
}

func TestAlipayBelievesNoAnswerWithoutASignature(t *testing.T) {
	t.Parallel()
	a, fake := newAlipay(t)
	fake.trade("123456789", "TRADE_SUCCESS")
	fake.signer = strangerKey()
	_, err := a.Query(t.Context(), yuanPayment())
	require.ErrorIs(t, err, ErrSignature)
	unknown := `"alipay_trade_query_response":{"code":"40004","sub_code":"ACQ.TRADE_NOT_EXIST"}`
	for _, raw := range []string{
		"{" + unknown + "}", "{" + unknown + `,"sign":""}`, "{" + unknown + `,"sign":7}`, "{" + unknown + "," + unknown + "}",
		`{"error_response":{"code":"20000"}}`, `<html>`, `null`, strings.Repeat(" ", maxAnswer) + "{}",
	} {
		fake.raw = raw
		_, err := a.Query(t.Context(), yuanPayment())
		require.Error(t, err)
	}
}

func TestAlipayIsAwayWhereItsGatewayIsInTrouble(t *testing.T) {
	t.Parallel()
	a, fake := newAlipay(t)
	r := &Refund{Number: 77, Payment: 123456789, Transaction: "2026", Amount: 40, Currency: "CNY"}
	for raw, away := range map[string]bool{
		`{"error_response":{"code":"20000","sub_code":"isp.unknow-error"}}`:     true,
		`{"error_response":{"code":"40005","sub_code":"isv.app-call-limited"}}`: true,
		`{"error_response":{"code":"40002","sub_code":"isv.invalid-app-id"}}`:   false,
		`{"error_response":{"code":"40004","sub_code":"ACQ.TRADE_NOT_EXIST"}}`:  false,
		`{"error_response":7}`: false,
		`{}`:                   false,
	} {
		fake.raw = raw
		err := a.Refund(t.Context(), r)
		require.Error(t, err, raw)
		require.Equal(t, away, errors.Is(err, ErrAway), raw)
		require.False(t, alipaySays(err, "ACQ.TRADE_NOT_EXIST"), "nobody signed that")
	}
}

func TestYuanAreReadDigitByDigit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "0.00": 0, "0.01": 1, "0.1": 10, "1": 100, "12.34": 1234, "88.8": 8880, "100000000.00": maxFen, "999999999999.99": 99999999999999,
	} {
		got, err := parseYuan(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", ".", "1.", ".1", "1.234", "-1", "+1", "01", "1e2", "1,00", " 1", "1.-1", "٣", "1000000000000", "1.1.1", "NaN"} {
		_, err := parseYuan(text)
		require.Error(t, err, text)
	}
	for fen, want := range map[int64]string{1: "0.01", 10: "0.10", 100: "1.00", 1234: "12.34"} {
		require.Equal(t, want, yuanText(fen))
	}
}

func FuzzYuan(f *testing.F) {
	f.Add("12.34")
	f.Add("0.1")
	f.Add("-0.01")
	f.Fuzz(func(t *testing.T, text string) {
		fen, err := parseYuan(text)
		if err != nil {
			return
		}
		again, err := parseYuan(yuanText(fen))
		require.NoError(t, err)
		require.Equal(t, fen, again)
	})
}
