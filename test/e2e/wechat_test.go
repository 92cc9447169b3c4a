package e2e

import (
	"bytes"
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

const (
	wechatAPIKey = "0123456789abcdef0123456789ABCDEF"
	wechatSerial = "PUB_KEY_ID_0114"
)

// wechat is a server that checks and signs as the documents of WeChat Pay say. It knows one payment, in the
// app, and its refunds. It refuses requests that it can't attribute to the merchant, without a signature.
type wechat struct {
	*httptest.Server

	merchant, platform *rsa.PrivateKey

	mu      sync.Mutex
	order   map[string]any
	refunds []map[string]any // by the order in which they were made
}

func newWechat(t *testing.T) *wechat {
	t.Helper()
	w := &wechat{}
	for _, key := range []**rsa.PrivateKey{&w.merchant, &w.platform} {
		var err error
		*key, err = rsa.GenerateKey(rand.Reader, 2048)
		require.NoError(t, err)
	}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

// configure sets the channel up to be carried by this server. The certificate's serial number is sent as it is written:
// with its leading zero.
func (w *wechat) configure(t *testing.T) func(cfg *server.Config) {
	t.Helper()
	public, err := x509.MarshalPKIXPublicKey(&w.platform.PublicKey)
	require.NoError(t, err)
	return func(cfg *server.Config) {
		cfg.Wechat.MchID, cfg.Wechat.AppID, cfg.Wechat.CertSerial, cfg.Wechat.APIv3Key = "1900000109", "wx1",
			"0cab1", wechatAPIKey
		cfg.Wechat.PrivateKey = string(
			pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(w.merchant)}))
		cfg.Wechat.PlatformKeys = map[string]string{
			wechatSerial: string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})),
		}
		cfg.Gateways = map[string]string{"wechat": w.URL}
		cfg.PublicURL, cfg.SandboxSecret = "https://shop.example", ""
	}
}

// signed are the headers of what the platform sends.
func (w *wechat) signed(body []byte) http.Header {
	at := strconv.FormatInt(time.Now().Unix(), 10)
	digest := sha256.Sum256([]byte(at + "\nONCE\n" + string(body) + "\n"))
	signature, _ := rsa.SignPKCS1v15(rand.Reader, w.platform, crypto.SHA256, digest[:])
	h := http.Header{}
	h.Set("Wechatpay-Timestamp", at)
	h.Set("Wechatpay-Nonce", "ONCE")
	h.Set("Wechatpay-Serial", wechatSerial)
	h.Set("Wechatpay-Signature", base64.StdEncoding.EncodeToString(signature))
	return h
}

// authorized checks the merchant's signature over method, address, time, nonce and body.
func (w *wechat) authorized(r *http.Request, body []byte) bool {
	scheme, list, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	fields := map[string]string{}
	for part := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(part, "=")
		fields[name] = strings.Trim(value, `"`)
	}
	digest := sha256.Sum256([]byte(r.Method + "\n" + r.RequestURI + "\n" + fields["timestamp"] + "\n" +
		fields["nonce_str"] + "\n" + string(body) + "\n"))
	signature, err := base64.StdEncoding.DecodeString(fields["signature"])
	return err == nil && scheme == "WECHATPAY2-SHA256-RSA2048" && fields["mchid"] == "1900000109" &&
		fields["serial_no"] == "0cab1" &&
		rsa.VerifyPKCS1v15(&w.merchant.PublicKey, crypto.SHA256, digest[:], signature) == nil
}

func (w *wechat) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	sent, _ := io.ReadAll(r.Body)
	if !w.authorized(r, sent) || r.Header.Get("Accept") != "application/json" {
		rw.WriteHeader(http.StatusUnauthorized)
		_, _ = rw.Write([]byte(`{"code":"SIGN_ERROR"}`))
		return
	}
	var in map[string]any
	_ = json.Unmarshal(sent, &in)
	status, out := w.answer(r, in)
	body, _ := json.Marshal(out)
	for name, values := range w.signed(body) {
		rw.Header()[name] = values
	}
	rw.WriteHeader(status)
	_, _ = rw.Write(body)
}

func (w *wechat) answer(r *http.Request, in map[string]any) (status int, out map[string]any) {
	const refunds = "/v3/refund/domestic/refunds"
	isPost := r.Method == http.MethodPost
	number, _ := in["out_refund_no"].(string)
	if !isPost {
		number = strings.TrimPrefix(r.URL.Path, refunds+"/")
	}
	had := slices.IndexFunc(w.refunds, func(refund map[string]any) bool { return refund["out_refund_no"] == number })
	switch {
	case isPost && r.URL.Path == "/v3/pay/transactions/jsapi":
		if in["notify_url"] != "https://shop.example/webhooks/pay/wechat" || in["appid"] != "wx1" ||
			in["mchid"] != "1900000109" || in["payer"] == nil {
			return http.StatusBadRequest, map[string]any{"code": "PARAM_ERROR"}
		}
		w.order = in
		return http.StatusOK, map[string]any{"prepay_id": "wx-prepaid"}
	case strings.HasPrefix(r.URL.Path, "/v3/pay/transactions/id/42000") && w.order != nil:
		return http.StatusOK, w.transaction()
	case isPost && r.URL.Path == refunds && had < 0:
		amount, _ := in["amount"].(map[string]any)
		if in["transaction_id"] != "42000" || amount["total"] != w.order["amount"].(map[string]any)["total"] ||
			amount["currency"] != "CNY" {
			return http.StatusBadRequest, map[string]any{"code": "PARAM_ERROR"}
		}
		w.refunds = append(w.refunds, map[string]any{"out_refund_no": number, "status": "PROCESSING", "amount": amount})
		return http.StatusOK, w.refunds[len(w.refunds)-1]
	case had >= 0:
		return http.StatusOK, w.refunds[had]
	}
	return http.StatusNotFound, map[string]any{"code": "RESOURCE_NOT_EXISTS"}
}

func (w *wechat) transaction() map[string]any {
	return map[string]any{
		"appid": "wx1", "mchid": "1900000109", "out_trade_no": w.order["out_trade_no"], "transaction_id": "42000",
		"trade_state": "SUCCESS", "amount": w.order["amount"],
	}
}

// notify sends the notification of the payment, encrypted and signed, and returns the status of the answer.
func (w *wechat) notify(t *testing.T, s *site.Site) int {
	t.Helper()
	w.mu.Lock()
	text, err := json.Marshal(w.transaction())
	w.mu.Unlock()
	require.NoError(t, err)
	block, err := aes.NewCipher([]byte(wechatAPIKey))
	require.NoError(t, err)
	gcm, err := cipher.NewGCM(block)
	require.NoError(t, err)
	sealed := base64.StdEncoding.EncodeToString(gcm.Seal(nil, []byte("012345678901"), text, nil))
	body := fmt.Appendf(nil, `{"id":"EV-1","event_type":"TRANSACTION.SUCCESS",`+
		`"resource":{"algorithm":"AEAD_AES_256_GCM","ciphertext":%q,"nonce":"012345678901"}}`, sealed)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/webhooks/pay/wechat",
		bytes.NewReader(body))
	require.NoError(t, err)
	req.Header = w.signed(body)
	res, err := w.Client().Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(t, err)
	return res.StatusCode
}

// becomes sets the state of the last refund at the bank.
func (w *wechat) becomes(status string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refunds[len(w.refunds)-1]["status"] = status
}

// made are the refunds' numbers at the gateway and their states.
func (w *wechat) made() (made []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.refunds {
		made = append(made, fmt.Sprint(r["out_refund_no"], " ", r["status"]))
	}
	return made
}

func TestWechatPaymentInTheAppIsPaidAndRefunded(t *testing.T) {
	t.Parallel()
	gateway, clock := newWechat(t), kit.NewClock(time.Now())
	w := newPaySale(t, kit.OnEmbedded(t), site.Sale{}, site.Time(clock.Now), site.Configured(gateway.configure(t)))
	number := w.order(t)
	body := client.PaymentRequest{OrderNumbers: []string{number}, Channel: "wechat", Openid: "o-buyer"}
	begun := site.Read[client.Payment](t, http.StatusCreated,
		w.buyer.Call(t, http.MethodPost, "/api/v1/payments", "key", body))
	assert.Equal(t, "prepay_id=wx-prepaid", begun.Next.Params["package"])
	assert.NotEmpty(t, begun.Next.Params["paySign"])
	assert.Equal(t, map[string]any{"openid": "o-buyer"}, gateway.order["payer"])

	require.Equal(t, http.StatusOK, gateway.notify(t, w.Site))
	assert.Equal(t, "paid", w.status(t, number))

	operator := w.Operator(t)
	operator.RefundOrder(t, number, rand.Text(), client.RefundRequest{})
	refund := func() client.Refund { return operator.ListRefunds(t, "")[0] }
	payment := site.Payment{Number: begun.PayNumber}
	assert.Zero(t, w.Job(t, "send_refunds"))
	assert.Equal(t, "pending", refund().Status)
	assert.Zero(t, refund().Attempts)
	assert.Contains(t, refund().LastError, "under way")
	assert.NotZero(t, refund().UnderWaySince)
	status, back := w.paid(t, payment)
	assert.Equal(t, "refunding", status)
	assert.Zero(t, back)

	// After a week without balance WeChat Pay closes it, and takes no other under its number.
	gateway.becomes("CLOSED")
	assert.Zero(t, w.Job(t, "send_refunds"), "it waits before it asks")
	clock.Advance(time.Minute)
	assert.Zero(t, w.Job(t, "send_refunds"))
	assert.Contains(t, refund().LastError, "CLOSED")
	back1 := refund().RefundNumber
	assert.Equal(t, []string{back1 + " CLOSED"}, gateway.made())
	clock.Advance(time.Minute)
	assert.Zero(t, w.Job(t, "send_refunds"))
	assert.Equal(t, []string{back1 + " CLOSED", back1 + "-1 PROCESSING"}, gateway.made())

	gateway.becomes("SUCCESS")
	clock.Advance(time.Minute)
	assert.Equal(t, 1, w.Job(t, "send_refunds"))
	assert.Equal(t, []string{back1 + " CLOSED", back1 + "-1 SUCCESS"}, gateway.made())
	assert.Equal(t, "done", refund().Status)
	assert.Zero(t, refund().UnderWaySince)
	status, back = w.paid(t, payment)
	assert.Equal(t, "refunded", status)
	assert.Equal(t, begun.Amount, back)
}
