package alipay

import (
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
	"onrush/modules/problem"
	"onrush/test/double"
)

func TestAlipayAndItsBuyerReadWhatIsPaidFor(t *testing.T) {
	t.Parallel()
	a, fake := newAlipay(t)
	p := double.YuanPayment()
	p.Goods = "Tea & cups = 茶/杯 " + strings.Repeat("茶壶, ", 80)
	next, err := a.Begin(t.Context(), p)
	require.NoError(t, err)
	require.Empty(t, fake.visit(next.RedirectURL), "Alipay takes it")
	u, err := url.Parse(next.RedirectURL)
	require.NoError(t, err)
	require.Contains(t, u.Query().Get("biz_content"), `"subject":"Tea   cups   茶 杯 茶壶, `)
}

func TestAlipayPagesExpireNoSoonerThanAlipayAccepts(t *testing.T) {
	t.Parallel()
	a, _ := newAlipay(t)
	p := double.YuanPayment()
	p.ExpiresMS = double.Now.Add(a.ShortestTime()).UnixMilli()
	next, err := a.Begin(t.Context(), p)
	require.NoError(t, err)
	u, err := url.Parse(next.RedirectURL)
	require.NoError(t, err)
	var content struct {
		Expires string `json:"time_expire"`
	}
	require.NoError(t, json.Unmarshal([]byte(u.Query().Get("biz_content")), &content))
	expires, err := time.ParseInLocation(time.DateTime, content.Expires, gateway.ChinaTime)
	require.NoError(t, err)
	require.GreaterOrEqual(t, expires.Sub(double.Now), time.Minute)
}

func TestAlipayBeginsAsItsWaysSay(t *testing.T) {
	t.Parallel()
	a, _ := newAlipay(t)
	double.RequireWays(t, a, func(...string) (pay.Next, error) { return a.Begin(t.Context(), double.YuanPayment()) })
}

func TestAlipayBeginsWithSignedPages(t *testing.T) {
	t.Parallel()
	a, fake := newAlipay(t)
	next, err := a.Begin(t.Context(), double.YuanPayment())
	require.NoError(t, err)
	again, err := a.Begin(t.Context(), double.YuanPayment())
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
		require.True(t, double.Verify(&double.MerchantKey().PublicKey, double.AlipayText(q, "sign"), q.Get("sign")))
		require.Equal(t, want[0], q.Get("method"))
		require.Equal(t, "2026-03-04 13:06:07", q.Get("timestamp"))
		require.Equal(t, "https://shop.example/webhooks/pay/alipay", q.Get("notify_url"))
		require.Equal(t, "https://shop.example/paid", q.Get("return_url"))
		require.JSONEq(t, fmt.Sprintf(`{"out_trade_no":"123456789","total_amount":"12.99",`+
			`"subject":"Order 123456789","product_code":%q,"time_expire":"2026-03-04 13:21:07"}`,
			want[1]), q.Get("biz_content"))
		require.Empty(t, fake.visit(page))
	}
	require.Equal(t, "12.99", fake.trades["123456789"]["total_amount"])
	returning := double.YuanPayment()
	returning.ReturnURL = "https://shop.example/paid/5"
	next, err = a.Begin(t.Context(), returning)
	require.NoError(t, err)
	u, err := url.Parse(next.Params["wap_url"])
	require.NoError(t, err)
	require.Equal(t, returning.ReturnURL, u.Query().Get("return_url"), "the payment's own page")
	returning.ReturnURL += strings.Repeat("x", 256)
	_, err = a.Begin(t.Context(), returning)
	require.ErrorContains(t, err, "return_url")
	foreign := double.YuanPayment()
	foreign.Currency = "USD"
	_, err = a.Begin(t.Context(), foreign)
	require.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err))
}

func TestAlipayFindsAndClosesByThePayNumber(t *testing.T) {
	t.Parallel()
	a, fake := newAlipay(t)
	p := double.YuanPayment()
	found, err := a.Query(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, pay.Found{}, found, "the buyer never came")
	require.ErrorIs(t, a.Close(t.Context(), p), pay.ErrOpen, "and may come until the page expires")

	fake.trade("123456789", "WAIT_BUYER_PAY", false)
	found, err = a.Query(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, pay.Found{}, found)
	require.NoError(t, a.Close(t.Context(), p))
	found, err = a.Query(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, pay.Found{Closed: true}, found, "Close is not needed")
	require.NoError(t, a.Close(t.Context(), p), "closed twice")

	for _, status := range []string{"TRADE_SUCCESS", "TRADE_FINISHED"} {
		fake.trade("123456789", status, true)
		found, err = a.Query(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, pay.Found{Paid: true, TransactionID: "2026001/", Amount: 1299, Currency: "CNY"}, found)
		require.ErrorIs(t, a.Close(t.Context(), p), pay.ErrPaid)
	}
}

// A trade of which all the money went back is closed as well; the buyer had paid it.
func TestAlipayTradeThatWasRefundedWholeWasPaid(t *testing.T) {
	t.Parallel()
	a, fake := newAlipay(t)
	fake.trade("123456789", "TRADE_CLOSED", true)
	_, err := a.Query(t.Context(), double.YuanPayment())
	require.ErrorIs(t, err, pay.ErrRefundedOutside)
	require.ErrorIs(t, a.Close(t.Context(), double.YuanPayment()), pay.ErrPaid)
}

// The same refusal is for a trade that was paid and for one that was closed; each of the codes that
// Alipay gives for it is understood.
func TestAlipayQueriesWhyATradeCannotBeClosed(t *testing.T) {
	t.Parallel()
	for _, sub := range []string{
		"ACQ.REASON_ILLEGAL_STATUS", "ACQ.TRADE_STATUS_ERROR", "ACQ.REASON_TRADE_STATUS_INVALID",
	} {
		for status, want := range map[string]error{
			"TRADE_CLOSED": nil, "TRADE_SUCCESS": pay.ErrPaid, "WAIT_BUYER_PAY": pay.ErrUnavailable,
		} {
			a, fake := newAlipay(t)
			fake.illegal = sub
			fake.trade("123456789", status, status == "TRADE_SUCCESS")
			require.ErrorIs(t, a.Close(t.Context(), double.YuanPayment()), want, sub+status)
			require.Equal(t, []string{"alipay.trade.close", "alipay.trade.query"}, fake.calls)
		}
	}
}

func TestAlipayRefundsByItsNumber(t *testing.T) {
	t.Parallel()
	a, fake := newAlipay(t)
	fake.trade("123456789", "TRADE_SUCCESS", true)
	part := &pay.Refund{Number: 76, Payment: 123456789, Transaction: "2026001/", Amount: 299, Currency: "CNY"}
	require.NoError(t, a.Refund(t.Context(), part))
	require.NoError(t, a.Refund(t.Context(), part), "nothing moves, since it moved before")
	r := &pay.Refund{Number: 77, Payment: 123456789, Transaction: "2026001/", Amount: 1000, Currency: "CNY"}
	require.NoError(t, a.Refund(t.Context(), r))
	require.Equal(t, "TRADE_CLOSED", fake.trades["123456789"]["trade_status"])
	require.NoError(t, a.Refund(t.Context(), r), "refused, since all of it is back")
	require.Equal(t, map[string]string{"76": "2.99", "77": "10.00"}, fake.refunds)

	require.Error(t, a.Refund(t.Context(), &pay.Refund{Number: 77, Transaction: "2026001/", Amount: 5}),
		"another amount")
	require.ErrorContains(t, a.Refund(t.Context(), &pay.Refund{Number: 78, Transaction: "2026001/", Amount: 5}),
		"ACQ.TRADE_STATUS_ERROR")
	require.ErrorContains(t, a.Refund(t.Context(), &pay.Refund{Number: 78, Transaction: "unknown", Amount: 5}),
		"ACQ.TRADE_NOT_EXIST")
	fake.trade("123456789", "TRADE_SUCCESS", true)
	require.ErrorContains(t, a.Refund(t.Context(), &pay.Refund{Number: 78, Transaction: "2026001/", Amount: 5}),
		"ACQ.REFUND_AMT_NOT_EQUAL_TOTAL")
}

func TestAlipaySellerWithoutBalanceWaits(t *testing.T) {
	t.Parallel()
	a, fake := newAlipay(t)
	fake.trade("123456789", "TRADE_SUCCESS", true)
	fake.empty = true
	r := &pay.Refund{Number: 77, Payment: 123456789, Transaction: "2026001/", Amount: 1299, Currency: "CNY"}
	err := a.Refund(t.Context(), r)
	require.ErrorIs(t, err, pay.ErrNoBalance)
	require.NotErrorIs(t, err, pay.ErrUnavailable)
	fake.empty = false
	require.NoError(t, a.Refund(t.Context(), r))
}

func TestAlipayRefusesAnswersWithoutASignature(t *testing.T) {
	t.Parallel()
	a, fake := newAlipay(t)
	fake.trade("123456789", "TRADE_SUCCESS", true)
	fake.signer = double.StrangerKey()
	_, err := a.Query(t.Context(), double.YuanPayment())
	require.ErrorIs(t, err, pay.ErrSignature)
	unknown := `"alipay_trade_query_response":{"code":"40004","sub_code":"ACQ.TRADE_NOT_EXIST"}`
	for _, raw := range []string{
		"{" + unknown + "}", "{" + unknown + `,"sign":""}`, "{" + unknown + `,"sign":7}`,
		"{" + unknown + "," + unknown + "}", `{"error_response":{"code":"20000"}}`, `<html>`, `null`,
		strings.Repeat(" ", gateway.MaxAnswer) + "{}",
	} {
		fake.raw = raw
		_, err := a.Query(t.Context(), double.YuanPayment())
		require.Error(t, err)
	}
}

// Alipay leaves errors of its gateway unsigned, in the place of the answer or beside it. They decide
// nothing; their codes are for the log, and say whether to wait.
func TestAlipayIsUnavailableWhenItsGatewayReportsAnError(t *testing.T) {
	t.Parallel()
	a, fake := newAlipay(t)
	r := &pay.Refund{Number: 77, Payment: 123456789, Transaction: "2026", Amount: 40, Currency: "CNY"}
	for codes, away := range map[[2]string]bool{
		{"20000", "isp.unknow-error"}:                 true,
		{"20000", "aop.unknow-error"}:                 true,
		{"40005", "isv.app-call-limited"}:             true,
		{"40004", "ACQ.SYSTEM_ERROR"}:                 true,
		{"40004", "AQC.SYSTEM_ERROR"}:                 true,
		{"40002", "isv.invalid-signature"}:            false,
		{"40002", "isv.invalid-app-id"}:               false,
		{"40004", "ACQ.TRADE_NOT_EXIST"}:              false,
		{"40004", "ACQ.REASON_ILLEGAL_STATUS"}:        false,
		{"40006", "isv.insufficient-isv-permissions"}: false,
	} {
		for _, name := range []string{
			"error_response", "alipay_trade_refund_response", "alipay_trade_query_response",
			"alipay_trade_close_response",
		} {
			fake.raw = fmt.Sprintf(`{%q:{"code":%q,"sub_code":%q}}`, name, codes[0], codes[1])
			refunding := a.Refund(t.Context(), r)
			_, asking := a.Query(t.Context(), double.YuanPayment())
			closing := a.Close(t.Context(), double.YuanPayment())
			for call, err := range map[string]error{"refund": refunding, "query": asking, "close": closing} {
				require.Error(t, err, fake.raw)
				require.False(t, saysCode(err, codes[1]), "the answer is not signed")
				require.NotErrorIs(t, err, pay.ErrPaid)
				if name == "error_response" || strings.Contains(name, call) {
					require.Equal(t, away, errors.Is(err, pay.ErrUnavailable), fake.raw)
					require.ErrorContains(t, err, codes[1]+", unsigned")
				}
			}
		}
	}
	for _, raw := range []string{
		`{"error_response":7}`, `{}`,
		`{"alipay_trade_refund_response":{"code":"10000","fund_change":"Y","trade_no":"2026"}}`,
	} {
		fake.raw = raw
		err := a.Refund(t.Context(), r)
		require.Error(t, err, raw)
		require.NotErrorIs(t, err, pay.ErrUnavailable)
	}
}

// While Alipay changes its key or certificate, both are believed.
func TestAlipayAcceptsSignaturesOfSeveralKeys(t *testing.T) {
	t.Parallel()
	_, fake := newAlipay(t)
	fake.trade("123456789", "TRADE_SUCCESS", true)
	file := filepath.Join(t.TempDir(), "alipay.crt")
	platform, stranger := double.PlatformKey(), double.StrangerKey()
	require.NoError(t, os.WriteFile(file,
		[]byte(issued(t, 2, &platform.PublicKey, platform)+issued(t, 3, &stranger.PublicKey, stranger)), 0o600))
	for name, text := range map[string]string{
		"two keys":              double.PublicPEM(t, platform) + ";" + double.PublicPEM(t, stranger),
		"a key and a cert":      double.PublicPEM(t, platform) + "; " + issued(t, 3, &stranger.PublicKey, stranger),
		"two blocks":            double.PublicPEM(t, stranger) + double.PublicPEM(t, platform),
		"a file of two":         file,
		"a file and a bare key": file + ";" + strings.Join(strings.Split(double.PublicPEM(t, stranger), "\n")[1:8], ""),
	} {
		cfg := config(t, fake.url)
		cfg.AlipayKey = text
		a, err := New(cfg, double.Clock)
		require.NoError(t, err, name)
		for _, signer := range []*rsa.PrivateKey{platform, stranger} {
			fake.signer = signer
			found, err := a.Query(t.Context(), double.YuanPayment())
			require.NoError(t, err, name)
			require.True(t, found.Paid)
			_, err = a.Verify(nil, double.AlipaySigned(signer, alipayForm(double.Now)))
			require.NoError(t, err, name)
		}
		_, err = a.Verify(nil, double.AlipaySigned(double.MerchantKey(), alipayForm(double.Now)))
		require.ErrorIs(t, err, pay.ErrSignature)
	}
	for _, text := range []string{double.PublicPEM(t, platform) + ";none", double.PublicPEM(t, platform) +
		double.PublicPEM(t, double.MerchantKey()), ";", strings.Repeat(double.PublicPEM(t, platform), maxKeys+1)} {
		cfg := config(t, fake.url)
		cfg.AlipayKey = text
		_, err := New(cfg, double.Clock)
		require.ErrorContains(t, err, "Alipay's key")
	}
}

func TestYuanAreReadDigitByDigit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "0.00": 0, "0.01": 1, "0.1": 10, "1": 100, "12.34": 1234, "88.8": 8880, "100000000.00": gateway.MaxFen,
		"999999999999.99": 99999999999999,
	} {
		got, err := parseYuan(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", ".", "1.", ".1", "1.234", "-1", "+1", "01", "1e2", "1,00", " 1", "1.-1", "٣", "1000000000000", "1.1.1",
		"NaN",
	} {
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

func TestErrorsOfTheGatewayItselfAreNotRefusals(t *testing.T) {
	t.Parallel()
	for _, e := range []*apiError{
		{code: "20000", sub: "isp.unknow-error"}, {code: "40005"}, {code: "40004", sub: "ACQ.SYSTEM_ERROR"},
	} {
		require.ErrorIs(t, e, pay.ErrUnavailable)
	}
	require.NotErrorIs(t, &apiError{code: "40004", sub: "ACQ.SELLER_BALANCE_NOT_ENOUGH"}, pay.ErrUnavailable)
}
