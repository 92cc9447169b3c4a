package wechat

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/test/double"
)

const (
	testKey    = "0123456789abcdef0123456789ABCDEF"
	testSerial = "PUB_KEY_ID_0114"
)

// fakeWechat checks requests and signs answers as the documents of WeChat Pay say of signing, native and
// JSAPI payments, closing, and refunds (merchant/4013071031). Like WeChat Pay it leaves what it can't tie
// to a merchant unsigned.
type fakeWechat struct {
	mu      sync.Mutex
	orders  map[string]*doubleOrder  // by out_trade_no
	refunds map[string]*doubleRefund // by out_refund_no
	nonces  map[string]bool
	asked   []string // method, path and body of the last request that was rightly signed
	posts   int      // requests for a refund
	answer  func(w http.ResponseWriter) bool
	state   string // of refunds that are made
	empty   bool   // the merchant has no balance
	shy     bool   // a number that is CLOSED is refused instead of answered with its state
	signer  *rsa.PrivateKey
	serial  string

	certSerial string // of the merchant's certificate
	now        func() time.Time
}

type doubleAmount struct {
	Total    *int64 `json:"total,omitempty"`
	Refund   *int64 `json:"refund,omitempty"`
	Currency string `json:"currency"`
}

// doubleOrder is the request for a payment and what became of it.
type doubleOrder struct {
	AppID       string       `json:"appid"`
	MchID       string       `json:"mchid"`
	Description string       `json:"description"`
	Number      string       `json:"out_trade_no"`
	Expires     string       `json:"time_expire"`
	Notify      string       `json:"notify_url"`
	Amount      doubleAmount `json:"amount"`
	Payer       *struct {
		OpenID string `json:"openid"`
	} `json:"payer,omitempty"`

	body, state, transaction string
}

type doubleRefund struct {
	Transaction string       `json:"transaction_id"`
	Number      string       `json:"out_refund_no"`
	Amount      doubleAmount `json:"amount"`

	status string
}

var (
	doubleNumber   = regexp.MustCompile(`^[0-9A-Za-z_*-]{6,32}$`)
	doubleRefundNo = regexp.MustCompile(`^[0-9A-Za-z_|*@-]{1,64}$`)
	authorization  = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

func newFakeWechat(t *testing.T) (*fakeWechat, string) {
	t.Helper()
	fake := &fakeWechat{
		orders: map[string]*doubleOrder{}, refunds: map[string]*doubleRefund{}, nonces: map[string]bool{},
		state: "SUCCESS", signer: double.PlatformKey(), serial: testSerial, certSerial: "0CAB1", now: double.Clock,
	}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	return fake, server.URL
}

func config(tb testing.TB, base string) Config {
	tb.Helper()
	return Config{
		MchID: "1900000109", AppID: "wx1", CertSerial: "0CAB1", PrivateKey: double.PrivatePEM(double.MerchantKey()),
		APIv3Key:     testKey,
		PlatformKeys: map[string]string{testSerial: double.PublicPEM(tb, double.PlatformKey())},
		NotifyURL:    "https://shop.example/webhooks/pay/wechat", BaseURL: base,
	}
}

func newWechat(t *testing.T) (*Gateway, *fakeWechat) {
	t.Helper()
	fake, url := newFakeWechat(t)
	w, err := New(config(t, url), double.Clock, rand.Text)
	require.NoError(t, err)
	return w, fake
}

func (f *fakeWechat) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	if !f.isAuthorized(r, string(body)) {
		unsigned(w, http.StatusUnauthorized, "SIGN_ERROR")
		return
	}
	f.asked = []string{r.Method, r.URL.RequestURI(), string(body)}
	if f.answer != nil && f.answer(w) {
		return
	}
	if r.Header.Get("User-Agent") == "" || r.Header.Get("Accept") != "application/json" ||
		r.Header.Get("Wechatpay-Serial") != testSerial ||
		r.Method == http.MethodPost && r.Header.Get("Content-Type") != "application/json" {
		f.refuse(w, http.StatusBadRequest, "PARAM_ERROR")
		return
	}
	f.route(w, r, body)
}

// isAuthorized checks the Authorization: the merchant, the serial number of its certificate as the merchant's page
// shows it, which the published SDKs send unchanged, the time, a nonce that is new, and the signature.
func (f *fakeWechat) isAuthorized(r *http.Request, body string) bool {
	scheme, list, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	fields := map[string]string{}
	for _, found := range authorization.FindAllStringSubmatch(list, -1) {
		fields[found[1]] = found[2]
	}
	at, err := strconv.ParseInt(fields["timestamp"], 10, 64)
	if err != nil || f.now().Sub(time.Unix(at, 0)).Abs() > 5*time.Minute || f.nonces[fields["nonce_str"]] ||
		len(fields["nonce_str"]) > 32 {
		return false
	}
	f.nonces[fields["nonce_str"]] = true
	text := r.Method + "\n" + r.RequestURI + "\n" + fields["timestamp"] + "\n" + fields["nonce_str"] +
		"\n" + body + "\n"
	return scheme == "WECHATPAY2-SHA256-RSA2048" && fields["mchid"] == "1900000109" &&
		fields["serial_no"] == f.certSerial && len(fields) == 5 &&
		double.Verify(&double.MerchantKey().PublicKey, text, fields["signature"])
}

func (f *fakeWechat) route(w http.ResponseWriter, r *http.Request, body []byte) {
	const pay, refunds = "/v3/pay/transactions/", "/v3/refund/domestic/refunds"
	path, isPost := r.URL.Path, r.Method == http.MethodPost
	number := strings.TrimPrefix(path, pay+"out-trade-no/")
	switch {
	case isPost && (path == pay+"native" || path == pay+"jsapi"):
		f.begin(w, path == pay+"jsapi", body)
	case isPost && path == refunds:
		f.refund(w, body)
	case isPost && strings.HasSuffix(number, "/close"):
		f.end(w, strings.TrimSuffix(number, "/close"), body)
	case isPost:
		f.refuse(w, http.StatusNotFound, "RESOURCE_NOT_EXISTS")
	case strings.HasPrefix(path, refunds+"/"):
		f.giveRefund(w, f.refunds[strings.TrimPrefix(path, refunds+"/")])
	case r.URL.Query().Get("mchid") != "1900000109":
		f.refuse(w, http.StatusBadRequest, "PARAM_ERROR")
	case strings.HasPrefix(path, pay+"id/"):
		f.giveOrder(w, f.paidBy(strings.TrimPrefix(path, pay+"id/")))
	default:
		f.giveOrder(w, f.orders[number])
	}
}

// begin takes an order: all fields there and of their types, amounts whole fen, a time that is to come,
// and a number that no other order has.
func (f *fakeWechat) begin(w http.ResponseWriter, inApp bool, body []byte) {
	in := &doubleOrder{body: string(body), state: "NOTPAY"}
	err := double.Strictly(body, in)
	expires, noTime := time.Parse(time.RFC3339, in.Expires)
	switch {
	case err != nil || noTime != nil, in.AppID != "wx1" || in.MchID != "1900000109",
		in.Description == "" || len(in.Description) > 127, !doubleNumber.MatchString(in.Number),
		!double.IsNotifyURL(in.Notify, true), in.Amount.Currency != "CNY", in.Amount.Refund != nil,
		in.Amount.Total == nil || *in.Amount.Total < 1, !expires.After(f.now().Add(time.Minute)),
		inApp != (in.Payer != nil), inApp && in.Payer.OpenID != "o-ada":
		f.refuse(w, http.StatusBadRequest, "PARAM_ERROR")
		return
	}
	if had := f.orders[in.Number]; had != nil {
		switch {
		case had.state == "SUCCESS":
			f.refuse(w, http.StatusBadRequest, "ORDERPAID")
			return
		case had.state == "CLOSED":
			f.refuse(w, http.StatusBadRequest, "ORDER_CLOSED")
			return
		case had.body != in.body:
			f.refuse(w, http.StatusForbidden, "OUT_TRADE_NO_USED")
			return
		}
	}
	f.orders[in.Number] = in
	if inApp {
		f.say(w, http.StatusOK, map[string]any{"prepay_id": "wx-" + in.Number})
		return
	}
	f.say(w, http.StatusOK, map[string]any{"code_url": "weixin://wxpay/bizpayurl?pr=" + in.Number})
}

// end closes an order that waits for its buyer.
func (f *fakeWechat) end(w http.ResponseWriter, number string, body []byte) {
	var in struct {
		MchID string `json:"mchid"`
	}
	had := f.orders[number]
	switch {
	case double.Strictly(body, &in) != nil || in.MchID != "1900000109":
		f.refuse(w, http.StatusBadRequest, "PARAM_ERROR")
	case had == nil:
		f.refuse(w, http.StatusNotFound, "ORDER_NOT_EXIST")
	case had.state == "SUCCESS" || had.state == "REFUND":
		f.refuse(w, http.StatusBadRequest, "ORDERPAID")
	case had.state == "CLOSED":
		f.refuse(w, http.StatusBadRequest, "ORDER_CLOSED")
	default:
		had.state = "CLOSED"
		f.say(w, http.StatusNoContent, nil)
	}
}

// refund makes a refund once per number. All that are not CLOSED together are at most what was paid.
func (f *fakeWechat) refund(w http.ResponseWriter, body []byte) {
	f.posts++
	in := &doubleRefund{status: f.state}
	if err := double.Strictly(body, in); err != nil || !doubleRefundNo.MatchString(in.Number) ||
		in.Amount.Refund == nil || *in.Amount.Refund < 1 || in.Amount.Total == nil || in.Amount.Currency != "CNY" {
		f.refuse(w, http.StatusBadRequest, "PARAM_ERROR")
		return
	}
	paid, had := f.paidBy(in.Transaction), f.refunds[in.Number]
	switch {
	case paid == nil:
		f.refuse(w, http.StatusNotFound, "RESOURCE_NOT_EXISTS")
	case had != nil && (had.Transaction != in.Transaction || *had.Amount.Refund != *in.Amount.Refund),
		*in.Amount.Total != *paid.Amount.Total, had != nil && had.status == "CLOSED" && f.shy,
		had == nil && f.goingBack(in.Transaction)+*in.Amount.Refund > *paid.Amount.Total:
		f.refuse(w, http.StatusBadRequest, "INVALID_REQUEST")
	case had != nil:
		f.giveRefund(w, had)
	case f.empty:
		f.refuse(w, http.StatusForbidden, "NOT_ENOUGH")
	default:
		f.refunds[in.Number] = in
		paid.state = "REFUND" // also after a part
		f.giveRefund(w, in)
	}
}

func (f *fakeWechat) goingBack(transaction string) (sum int64) {
	for _, r := range f.refunds {
		if r.Transaction == transaction && r.status != "CLOSED" {
			sum += *r.Amount.Refund
		}
	}
	return sum
}

func (f *fakeWechat) paidBy(transaction string) *doubleOrder {
	for _, o := range f.orders {
		if o.transaction != "" && o.transaction == transaction {
			return o
		}
	}
	return nil
}

func (f *fakeWechat) giveOrder(w http.ResponseWriter, o *doubleOrder) {
	if o == nil {
		f.refuse(w, http.StatusNotFound, "ORDER_NOT_EXIST")
		return
	}
	f.say(w, http.StatusOK, map[string]any{
		"appid": o.AppID, "mchid": o.MchID, "out_trade_no": o.Number, "trade_state": o.state,
		"transaction_id": o.transaction, "amount": o.Amount,
	})
}

func (f *fakeWechat) giveRefund(w http.ResponseWriter, r *doubleRefund) {
	if r == nil {
		f.refuse(w, http.StatusNotFound, "RESOURCE_NOT_EXISTS")
		return
	}
	f.say(w, http.StatusOK, map[string]any{"out_refund_no": r.Number, "status": r.status, "amount": r.Amount})
}

func (f *fakeWechat) refuse(w http.ResponseWriter, status int, code string) {
	f.say(w, status, map[string]any{"code": code, "message": "no"})
}

// say answers with a signature.
func (f *fakeWechat) say(w http.ResponseWriter, status int, what any) {
	var body []byte
	if what != nil {
		body, _ = json.Marshal(what)
	}
	for name, values := range double.WechatSigned(f.signer, f.serial, f.now(), body) {
		w.Header()[name] = values
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// unsigned refuses without a signature.
func unsigned(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"code":"`+code+`","message":"no"}`)
}

func (f *fakeWechat) pay(number, transaction, state string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.orders[number].state, f.orders[number].transaction = state, transaction
}

// becomes changes the state of a refund that was sent.
func (f *fakeWechat) becomes(refund, state string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refunds[refund].status = state
}
