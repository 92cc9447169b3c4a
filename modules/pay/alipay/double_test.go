package alipay

import (
	"cmp"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/test/double"
)

// fakeAlipay checks requests and signs answers as the documents of Alipay's open platform say (signing,
// alipay.trade.page.pay, .query, .close, .refund). Like Alipay it leaves errors of its gateway
// unsigned.
type fakeAlipay struct {
	mu       sync.Mutex
	trades   map[string]map[string]string // by out_trade_no
	refunds  map[string]string            // out_request_no → amount
	refundOf map[string]string            // out_request_no → out_trade_no
	signer   *rsa.PrivateKey
	raw      string // answered instead
	illegal  string // how it refuses to close a trade; where it is set, each
	empty    bool   // the seller has no balance
	calls    []string
	form     url.Values // of the last call
	url      string
	now      func() time.Time
}

func config(tb testing.TB, base string) Config {
	tb.Helper()
	return Config{
		AppID: "2021", SellerID: "2088", PrivateKey: double.PrivatePEM(double.MerchantKey()),
		AlipayKey: double.PublicPEM(tb, double.PlatformKey()), NotifyURL: "https://shop.example/webhooks/pay/alipay",
		ReturnURL: "https://shop.example/paid", BaseURL: base,
	}
}

func newFakeAlipay(t *testing.T) *fakeAlipay {
	t.Helper()
	fake := &fakeAlipay{
		trades: map[string]map[string]string{}, refunds: map[string]string{}, signer: double.PlatformKey(),
		refundOf: map[string]string{}, now: double.Clock,
	}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	fake.url = server.URL + "/gateway.do"
	return fake
}

func newAlipay(t *testing.T) (*Gateway, *fakeAlipay) {
	t.Helper()
	fake := newFakeAlipay(t)
	a, err := New(config(t, fake.url), double.Clock)
	require.NoError(t, err)
	return a, fake
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
	if sub := refuses(r.PostForm, f.now()); sub != "" ||
		!strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		_, _ = fmt.Fprintf(w, `{"error_response":{"code":"40002","msg":"Invalid Arguments","sub_code":%q}}`, sub)
		return
	}
	var in map[string]string // nothing but texts, amounts too
	if err := double.Strictly([]byte(r.PostForm.Get("biz_content")), &in); err != nil {
		_, _ = w.Write([]byte(`{"` + strings.ReplaceAll(method,
			".", "_") + `_response":{"code":"40004","sub_code":"ACQ.INVALID_PARAMETER"}}`))
		return
	}
	// The signature is over the bytes as they are sent: escapes and blanks count.
	answer, _ := json.MarshalIndent(f.carryOut(method, in), " ", " ")
	_, _ = fmt.Fprintf(w, "{ %q : %s , \"sign\" : %q }",
		strings.ReplaceAll(method, ".", "_")+"_response", answer, double.Sign(f.signer, string(answer)))
}

// refuses returns the sub-code for the first wrong common parameter of a request, "" if all are right.
func refuses(form url.Values, now time.Time) string {
	at, err := time.ParseInLocation("2006-01-02 15:04:05", form.Get("timestamp"), time.FixedZone("", 8*60*60))
	for name, values := range form {
		if values[0] == "" {
			return "isv.empty-" + name // it would not be signed
		}
	}
	switch {
	case form.Get("app_id") != "2021":
		return "isv.invalid-app-id"
	case form.Get("format") != "JSON" || form.Get("version") != "1.0" ||
		!strings.EqualFold(form.Get("charset"), "utf-8"):
		return "isv.invalid-format"
	case form.Get("sign_type") != "RSA2":
		return "isv.invalid-signature-type"
	case err != nil || now.Sub(at).Abs() > 15*time.Minute:
		return "isv.invalid-timestamp"
	case !double.Verify(&double.MerchantKey().PublicKey, double.AlipayText(form, "sign"), form.Get("sign")):
		return "isv.invalid-signature"
	case form.Has("notify_url") && !double.IsNotifyURL(form.Get("notify_url"), false):
		return "isv.invalid-notify-url"
	}
	return ""
}

var (
	alipayNumber = regexp.MustCompile(`^[0-9A-Za-z_]{1,64}$`)
	subject      = regexp.MustCompile(`^[^/=&]{1,256}$`)
)

// visit is a buyer who comes to a page that Begin signed. It returns an error of the page, "" if it has none.
func (f *fakeAlipay) visit(page string) string {
	u, err := url.Parse(page)
	if err != nil || !strings.HasPrefix(page, f.url+"?") {
		return "not a page"
	}
	q := u.Query()
	if sub := refuses(q, f.now()); sub != "" {
		return sub
	}
	var in struct {
		Number  string `json:"out_trade_no"`
		Amount  string `json:"total_amount"`
		Subject string `json:"subject"`
		Product string `json:"product_code"`
		Expires string `json:"time_expire"`
	}
	err = double.Strictly([]byte(q.Get("biz_content")), &in)
	until, noTime := time.ParseInLocation("2006-01-02 15:04:05", in.Expires, time.FixedZone("", 8*60*60))
	products := map[string]string{
		"alipay.trade.page.pay": "FAST_INSTANT_TRADE_PAY", "alipay.trade.wap.pay": "QUICK_WAP_WAY",
	}
	switch {
	case err != nil || noTime != nil, !alipayNumber.MatchString(in.Number),
		!double.WholeYuan.MatchString(in.Amount) || in.Amount == "0.00", !subject.MatchString(in.Subject),
		in.Product == "" || in.Product != products[q.Get("method")], !double.IsNotifyURL(q.Get("notify_url"), false):
		return "ACQ.INVALID_PARAMETER"
	case !until.After(f.now()):
		return "ACQ.TRADE_EXPIRED"
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch had := f.trades[in.Number]; {
	case had == nil:
		f.trades[in.Number] = tradeOf(in.Number, "WAIT_BUYER_PAY", in.Amount)
	case had["total_amount"] != in.Amount:
		return "ACQ.CONTEXT_INCONSISTENT"
	case had["trade_status"] == "TRADE_CLOSED":
		return "ACQ.TRADE_HAS_CLOSE"
	case had["trade_status"] != "WAIT_BUYER_PAY":
		return "ACQ.TRADE_HAS_SUCCESS"
	}
	return ""
}

func tradeOf(number, status, amount string) map[string]string {
	return map[string]string{
		"code": "10000", "out_trade_no": number, "trade_no": "2026001/", "trade_status": status, "total_amount": amount,
	}
}

func (f *fakeAlipay) carryOut(method string, in map[string]string) map[string]string {
	refuse := func(sub string) map[string]string { return map[string]string{"code": "40004", "sub_code": sub} }
	trade := f.trades[in["out_trade_no"]]
	for _, t := range f.trades {
		if in["trade_no"] != "" && t["trade_no"] == in["trade_no"] { // it comes before out_trade_no
			trade = t
		}
	}
	switch {
	case in["out_trade_no"] == "" && in["trade_no"] == "":
		return refuse("ACQ.INVALID_PARAMETER")
	case trade == nil:
		return refuse("ACQ.TRADE_NOT_EXIST")
	}
	switch method {
	case "alipay.trade.query":
		return trade
	case "alipay.trade.close":
		if f.illegal != "" || trade["trade_status"] != "WAIT_BUYER_PAY" {
			return refuse(cmp.Or(f.illegal, "ACQ.REASON_ILLEGAL_STATUS"))
		}
		trade["trade_status"] = "TRADE_CLOSED"
		return map[string]string{"code": "10000", "out_trade_no": trade["out_trade_no"], "trade_no": trade["trade_no"]}
	case "alipay.trade.refund":
		return f.refund(trade, in)
	case "alipay.trade.fastpay.refund.query":
		amount, had := f.refunds[in["out_request_no"]]
		if !had {
			return map[string]string{"code": "10000"}
		}
		return map[string]string{
			"code": "10000", "trade_no": trade["trade_no"], "out_request_no": in["out_request_no"],
			"refund_status": "REFUND_SUCCESS", "refund_amount": amount,
		}
	}
	return map[string]string{"code": "40004", "sub_code": "isv.invalid-method"}
}

// refund refunds once per out_request_no, in total at most what was paid. When all of it is refunded,
// the trade is closed.
func (f *fakeAlipay) refund(trade, in map[string]string) map[string]string {
	refuse := func(sub string) map[string]string { return map[string]string{"code": "40004", "sub_code": sub} }
	sum := fenOf(in["refund_amount"])
	for number, amount := range f.refunds {
		if f.refundOf[number] == trade["out_trade_no"] {
			sum += fenOf(amount)
		}
	}
	had, known := f.refunds[in["out_request_no"]]
	answer := map[string]string{"code": "10000", "trade_no": trade["trade_no"], "fund_change": "N"}
	switch {
	case !double.WholeYuan.MatchString(in["refund_amount"]) || fenOf(in["refund_amount"]) == 0 ||
		!regexp.MustCompile(`^[0-9A-Za-z_-]{1,64}$`).MatchString(in["out_request_no"]):
		return refuse("ACQ.INVALID_PARAMETER")
	case known && fenOf(had) != fenOf(in["refund_amount"]):
		return refuse("ACQ.DISCORDANT_REPEAT_REQUEST")
	case trade["trade_status"] == "TRADE_FINISHED":
		return refuse("ACQ.TRADE_HAS_FINISHED")
	case trade["trade_status"] != "TRADE_SUCCESS":
		return refuse("ACQ.TRADE_STATUS_ERROR")
	case known:
		return answer
	case sum > fenOf(trade["total_amount"]):
		return refuse("ACQ.REFUND_AMT_NOT_EQUAL_TOTAL")
	case f.empty:
		return refuse("ACQ.SELLER_BALANCE_NOT_ENOUGH")
	case sum == fenOf(trade["total_amount"]):
		trade["trade_status"] = "TRADE_CLOSED"
	}
	f.refunds[in["out_request_no"]] = in["refund_amount"]
	f.refundOf[in["out_request_no"]] = trade["out_trade_no"]
	answer["fund_change"] = "Y"
	return answer
}

// fenOf counts an amount in fen that WholeYuan matches.
func fenOf(text string) int64 {
	whole, part, _ := strings.Cut(text, ".")
	fen, _ := strconv.ParseInt(whole+(part + "00")[:2], 10, 64)
	return fen
}

// trade makes a trade with this status; a paid one has the time of the payment.
func (f *fakeAlipay) trade(number, status string, paid bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.trades[number] = tradeOf(number, status, "12.99")
	if paid {
		f.trades[number]["send_pay_date"] = "2026-03-04 13:05:00"
	}
}

// alipayForm is a notification about the test's payment, sent at a time.
func alipayForm(at time.Time) url.Values {
	return url.Values{
		"notify_time": {at.In(time.FixedZone("", 8*60*60)).Format("2006-01-02 15:04:05")},
		"notify_type": {"trade_status_sync"}, "notify_id": {"n1"}, "app_id": {"2021"}, "charset": {"utf-8"},
		"version": {"1.0"}, "sign_type": {"RSA2"}, "trade_no": {"2026001"}, "out_trade_no": {"123456789"},
		"seller_id": {"2088"}, "trade_status": {"TRADE_SUCCESS"}, "total_amount": {"12.99"}, "refund_fee": {"0.00"},
		"subject": {"Order & 商品 +1=2"},
	}
}
