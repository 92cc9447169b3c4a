package pay

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
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

	"onrush/web"
)

const (
	wechatTestKey    = "0123456789abcdef0123456789ABCDEF"
	wechatTestSerial = "PUB_KEY_ID_0114"
)

// fakeWechat checks requests and signs answers as WeChat Pay does.
type fakeWechat struct {
	tb      testing.TB
	mu      sync.Mutex
	orders  map[string]map[string]any
	refunds map[string]map[string]any
	asked   []string // the last request's method, path and body
	answer  func(w http.ResponseWriter) bool
	state   string // of refunds that are sent
	sent    int    // refunds
	signer  *rsa.PrivateKey
	serial  string
}

var wechatAuthorization = regexp.MustCompile(`^WECHATPAY2-SHA256-RSA2048 mchid="1900000109",nonce_str="([0-9A-Z]+)",timestamp="(\d+)",serial_no="CERT1",signature="([^"]+)"$`)

func (f *fakeWechat) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	f.asked = []string{r.Method, r.URL.RequestURI(), string(body)}
	parts := wechatAuthorization.FindStringSubmatch(r.Header.Get("Authorization"))
	if len(parts) != 4 || verifyRSA(&merchantKey().PublicKey, lines(r.Method, r.URL.RequestURI(), parts[2], parts[1], string(body)), parts[3]) != nil {
		f.say(w, 401, map[string]any{"code": "SIGN_ERROR"})
		return
	}
	if r.Header.Get("Wechatpay-Serial") != wechatTestSerial || r.Header.Get("User-Agent") == "" || r.Header.Get("Accept") != "application/json" {
		f.say(w, 400, map[string]any{"code": "PARAM_ERROR"})
		return
	}
	if f.answer != nil && f.answer(w) {
		return
	}
	f.route(w, r, body)
}

func (f *fakeWechat) route(w http.ResponseWriter, r *http.Request, body []byte) {
	var in map[string]any
	_ = json.Unmarshal(body, &in)
	number := strings.Split(strings.TrimPrefix(r.URL.Path, "/v3/pay/transactions/out-trade-no/"), "/")[0]
	had, known := f.orders[number]
	switch {
	case r.URL.Path == "/v3/pay/transactions/native":
		f.orders[in["out_trade_no"].(string)] = map[string]any{
			"appid": in["appid"], "mchid": in["mchid"], "out_trade_no": in["out_trade_no"], "trade_state": "NOTPAY", "amount": in["amount"],
		}
		f.say(w, 200, map[string]any{"code_url": "weixin://wxpay/bizpayurl?pr=" + in["out_trade_no"].(string)})
	case r.URL.Path == "/v3/pay/transactions/jsapi":
		if payer, _ := in["payer"].(map[string]any); payer["openid"] != "o-ada" {
			f.say(w, 400, map[string]any{"code": "PARAM_ERROR"})
			return
		}
		f.say(w, 200, map[string]any{"prepay_id": "wx-" + in["out_trade_no"].(string)})
	case r.URL.Path == wechatRefunds:
		number := in["out_refund_no"].(string)
		if had, ok := f.refunds[number]; !ok || had["status"] == "CLOSED" {
			f.refunds[number] = map[string]any{"out_refund_no": number, "status": f.state, "amount": in["amount"]}
		}
		f.sent++
		f.say(w, 200, f.refunds[number])
	case strings.HasPrefix(r.URL.Path, wechatRefunds+"/"):
		had, ok := f.refunds[strings.TrimPrefix(r.URL.Path, wechatRefunds+"/")]
		if !ok {
			f.say(w, 404, map[string]any{"code": "RESOURCE_NOT_EXISTS"})
			return
		}
		f.say(w, 200, had)
	case strings.HasPrefix(r.URL.Path, "/v3/pay/transactions/id/"):
		for _, o := range f.orders {
			if o["transaction_id"] == strings.TrimPrefix(r.URL.Path, "/v3/pay/transactions/id/") {
				f.say(w, 200, o)
				return
			}
		}
		f.say(w, 404, map[string]any{"code": "ORDER_NOT_EXIST"})
	case !known:
		f.say(w, 404, map[string]any{"code": "ORDER_NOT_EXIST", "message": "none"})
	case r.Method == http.MethodGet:
		f.say(w, 200, had)
	case had["trade_state"] == "SUCCESS":
		f.say(w, 400, map[string]any{"code": "ORDERPAID"})
	case had["trade_state"] == "CLOSED":
		f.say(w, 400, map[string]any{"code": "ORDER_CLOSED"})
	default:
		had["trade_state"] = "CLOSED"
		f.say(w, 204, nil)
	}
}

func (f *fakeWechat) say(w http.ResponseWriter, status int, what any) {
	var body []byte
	if what != nil {
		body, _ = json.Marshal(what)
	}
	for name, values := range wechatSigned(f.tb, f.signer, f.serial, gatewayNow, body) {
		w.Header()[name] = values
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func (f *fakeWechat) pay(number, transaction, state string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.orders[number]["trade_state"], f.orders[number]["transaction_id"] = state, transaction
}

// becomes changes the state of a refund that was sent.
func (f *fakeWechat) becomes(refund, state string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refunds[refund]["status"] = state
}

func wechatSigned(tb testing.TB, key *rsa.PrivateKey, serial string, at time.Time, body []byte) http.Header {
	tb.Helper()
	stamp := strconv.FormatInt(at.Unix(), 10)
	signature, err := signRSA(key, lines(stamp, "ONCE", string(body)))
	require.NoError(tb, err)
	return http.Header{
		"Wechatpay-Timestamp": {stamp}, "Wechatpay-Nonce": {"ONCE"}, "Wechatpay-Serial": {serial}, "Wechatpay-Signature": {signature},
	}
}

func wechatConfig(tb testing.TB, base string) WechatConfig {
	tb.Helper()
	return WechatConfig{
		MchID: "1900000109", AppID: "wx1", CertSerial: "CERT1", PrivateKey: privatePEM(merchantKey()), APIv3Key: wechatTestKey,
		PlatformKeys: map[string]string{wechatTestSerial: publicPEM(tb, platformTestKey())},
		NotifyURL:    "https://shop.example/webhooks/pay/wechat", BaseURL: base,
	}
}

func newWechat(t *testing.T) (*Wechat, *fakeWechat) {
	t.Helper()
	fake := &fakeWechat{
		tb: t, orders: map[string]map[string]any{}, refunds: map[string]map[string]any{}, state: "SUCCESS",
		signer: platformTestKey(), serial: wechatTestSerial,
	}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	w, err := NewWechat(wechatConfig(t, server.URL), gatewayClock, rand.Text)
	require.NoError(t, err)
	return w, fake
}

func yuanPayment() *Payment {
	return &Payment{Number: 123456789, Amount: 1299, Currency: "CNY", CreatedMS: gatewayNow.UnixMilli(), ExpiresMS: gatewayNow.Add(15 * time.Minute).UnixMilli()}
}

func TestWechatBeginsWithACode(t *testing.T) {
	t.Parallel()
	w, fake := newWechat(t)
	for range 2 {
		next, err := w.Begin(t.Context(), yuanPayment())
		require.NoError(t, err)
		require.Equal(t, Next{Params: map[string]string{"code_url": "weixin://wxpay/bizpayurl?pr=123456789"}}, next)
	}
	require.JSONEq(t, `{"appid":"wx1","mchid":"1900000109","description":"Order 123456789","out_trade_no":"123456789",
		"time_expire":"2026-03-04T13:21:07+08:00","notify_url":"https://shop.example/webhooks/pay/wechat","amount":{"total":1299,"currency":"CNY"}}`, fake.asked[2])
}

func TestWechatTakesYuanOnly(t *testing.T) {
	t.Parallel()
	w, fake := newWechat(t)
	for code, change := range map[web.Code]func(p *Payment){
		web.CodeInvalidRequest: func(p *Payment) { p.Currency = "EUR" },
		web.CodeNotPayable:     func(p *Payment) { p.ExpiresMS = gatewayNow.UnixMilli() },
	} {
		p := yuanPayment()
		change(p)
		_, err := w.Begin(t.Context(), p)
		require.Equal(t, code, web.CodeOf(err))
	}
	require.Empty(t, fake.asked, "the gateway was asked all the same")
}

func TestWechatFindsAndClosesByThePayNumber(t *testing.T) {
	t.Parallel()
	w, fake := newWechat(t)
	p := begun(t, w, yuanPayment())
	found, err := w.Query(t.Context(), p)
	require.NoError(t, err)
	require.False(t, found.Paid)

	fake.pay("123456789", "42000", "SUCCESS")
	found, err = w.Query(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, Found{Paid: true, TransactionID: "42000", Amount: 1299, Currency: "CNY"}, found)
	require.ErrorIs(t, w.Close(t.Context(), p), ErrPaid)

	fake.pay("123456789", "42000", "REFUND")
	_, err = w.Query(t.Context(), p)
	require.ErrorContains(t, err, "refunded outside")

	fake.pay("123456789", "", "NOTPAY")
	require.NoError(t, w.Close(t.Context(), p))
	require.NoError(t, w.Close(t.Context(), p), "closed twice")

	never := &Payment{Number: 5}
	found, err = w.Query(t.Context(), never)
	require.NoError(t, err)
	require.False(t, found.Paid)
	require.NoError(t, w.Close(t.Context(), never))
}

func TestWechatBelievesNoAnswerWithoutASignature(t *testing.T) {
	t.Parallel()
	w, fake := newWechat(t)
	p := begun(t, w, yuanPayment())
	unsigned := func(status int) func(http.ResponseWriter) bool {
		return func(w http.ResponseWriter) bool {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"code":"ORDER_NOT_EXIST","trade_state":"NOTPAY"}`))
			return true
		}
	}
	for _, status := range []int{200, 404} {
		fake.answer = unsigned(status)
		_, err := w.Query(t.Context(), p)
		require.Error(t, err)
		require.Error(t, w.Close(t.Context(), p))
	}
	fake.answer, fake.signer = nil, strangerKey()
	_, err := w.Query(t.Context(), p)
	require.ErrorIs(t, err, ErrSignature)
	fake.signer, fake.serial = platformTestKey(), "PUB_KEY_ID_other"
	_, err = w.Query(t.Context(), p)
	require.ErrorIs(t, err, ErrSignature)
	fake.serial = wechatTestSerial
	fake.answer = func(w http.ResponseWriter) bool {
		_, _ = io.Copy(w, bytes.NewReader(make([]byte, maxAnswer+1)))
		return true
	}
	_, err = w.Query(t.Context(), p)
	require.Error(t, err)
}

// wechatEvent is a notification about a transaction, sealed with the API v3 key.
func wechatEvent(tb testing.TB, kind, transaction string) []byte {
	tb.Helper()
	block, err := aes.NewCipher([]byte(wechatTestKey))
	require.NoError(tb, err)
	gcm, err := cipher.NewGCM(block)
	require.NoError(tb, err)
	sealed := gcm.Seal(nil, []byte("012345678901"), []byte(transaction), []byte("transaction"))
	return fmt.Appendf(nil, `{"id":"EV-1","event_type":%q,"resource":{"algorithm":"AEAD_AES_256_GCM","ciphertext":%q,"nonce":"012345678901","associated_data":"transaction"}}`,
		kind, base64.StdEncoding.EncodeToString(sealed))
}

const wechatPaidText = `{"appid":"wx1","mchid":"1900000109","out_trade_no":"123456789","transaction_id":"42000","trade_state":"SUCCESS","amount":{"total":1299,"payer_total":1200,"currency":"CNY"}}`
