package remote_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/modules/pay/hosted"
	"onrush/modules/pay/remote"
	"onrush/modules/pay/sandbox"
	"onrush/test/double"
)

// The secret of the example of Standard Webhooks, and another one.
const (
	secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	next   = "whsec_bmV4dC1zZWNyZXQtb2YtdGhlLXNob3AtMzItYnl0ZXM="
)

// gateway returns a gateway whose shop answers as handler.
func gateway(t *testing.T, setting string, handler http.HandlerFunc) *remote.Gateway {
	t.Helper()
	shop := httptest.NewServer(handler)
	t.Cleanup(shop.Close)
	c, err := remote.Parse("acme", shop.URL+"/pay/ "+setting)
	require.NoError(t, err)
	g, err := remote.New("acme", c, double.Clock)
	require.NoError(t, err)
	return g
}

func TestOnlyAnswersOfTheGatewayDecide(t *testing.T) {
	t.Parallel()
	var status int
	var body string
	g := gateway(t, secret, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
	for _, row := range []struct {
		status int
		body   string
	}{
		{200, ""},
		{200, "ok"},
		{200, "{}"},
		{200, `{"status":"yes"}`},
		{200, `{"status":"paid","status":"closed"}`},
		{201, `{"status":"done"}`},
		{204, ""},
		{302, `{"code":"moved"}`},
		{400, "<html>"},
		{403, `{"code":""}`},
		{404, "not found"},
		{404, `{"code":"<>"}`},
		{429, `{"code":"slow"}`},
		{500, `{"code":"failed"}`},
		{502, "bad gateway"},
		{200, `{"status":"paid","transaction_id":"t1","currency":"CNY"}`},
	} {
		status, body = row.status, row.body
		_, err := g.Query(t.Context(), hosted.Payment{Number: "1"})
		require.ErrorIs(t, err, pay.ErrUnavailable, row)
		err = g.Refund(t.Context(), hosted.Refund{Number: "1"})
		require.ErrorIs(t, err, pay.ErrUnavailable, row)
		if row.status != 200 || !strings.Contains(row.body, `"paid"`) {
			require.ErrorIs(t, g.Close(t.Context(), hosted.Payment{Number: "1"}), pay.ErrUnavailable, row)
		}
	}
	status, body = 422, `{"code":"currency_not_taken"}`
	_, err := g.Begin(t.Context(), hosted.Payment{Number: "1"})
	require.ErrorContains(t, err, "currency_not_taken")
	require.NotErrorIs(t, err, pay.ErrUnavailable)
	status = 200
	for answer, want := range map[string]error{
		`{"status":"done"}`: nil, `{"status":"under_way"}`: pay.ErrUnderWay,
		`{"status":"no_balance"}`:                     pay.ErrNoBalance,
		`{"status":"failed","code":"account_closed"}`: pay.ErrRefundFailed,
	} {
		body = answer
		require.ErrorIs(t, g.Refund(t.Context(), hosted.Refund{Number: "1"}), want, answer)
	}
	body = `{"status":"paid"}`
	require.ErrorIs(t, g.Close(t.Context(), hosted.Payment{Number: "1"}), pay.ErrPaid)
}

func TestCallsAreSignedWithEachSecret(t *testing.T) {
	t.Parallel()
	var header http.Header
	var path, sent string
	g := gateway(t, secret+";"+next+" test", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		header, path, sent = r.Header, r.URL.Path, string(text)
		_, _ = io.WriteString(w, `{"redirect_url":"https://bank.example/1"}`)
	})
	answer, err := g.Begin(t.Context(), hosted.Payment{
		Number: "123456789", User: "ada", Amount: 1299, Currency: "CNY", Orders: []string{"42"}, Goods: "Lamp",
		NotifyURL: "https://shop.example/webhooks/pay/acme", ExpiresMS: 1_800_000_000_000,
	})
	require.NoError(t, err)
	assert.Equal(t, "https://bank.example/1", answer.RedirectURL)
	assert.Equal(t, "/pay/begin", path)
	assert.JSONEq(t, `{"pay_number":"123456789","amount":1299,"currency":"CNY","test":true,"user_id":"ada",
		"order_numbers":["42"],"goods":"Lamp","notify_url":"https://shop.example/webhooks/pay/acme",
		"expires_at":"2027-01-15T08:00:00.000Z"}`, sent)
	signatures := strings.Split(header.Get("Webhook-Signature"), " ")
	require.Len(t, signatures, 2)
	for i, one := range []string{secret, next} { // the sandbox signs with code of its own
		assert.Equal(t, sandbox.Sign(one, "begin-123456789", double.Now, []byte(sent)).Get("Webhook-Signature"),
			signatures[i])
	}
}

func TestTheExampleOfTheStandardIsSignedAsItSays(t *testing.T) {
	t.Parallel()
	// github.com/standard-webhooks/standard-webhooks, libraries: the message of the verification test.
	body := []byte(`{"test": 2432232314}`)
	at := time.Unix(1614265330, 0)
	header := http.Header{}
	header.Set("Webhook-Id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
	header.Set("Webhook-Timestamp", "1614265330")
	header.Set("Webhook-Signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	c, err := remote.Parse("acme", "https://shop.example "+next+";"+secret)
	require.NoError(t, err)
	g, err := remote.New("acme", c, func() time.Time { return at })
	require.NoError(t, err)
	_, err = g.Parse(header, body)
	require.ErrorIs(t, err, pay.ErrNotPayment, "it is signed, and reports nothing")
	for what, change := range map[string]func(h http.Header){
		"another id":      func(h http.Header) { h.Set("Webhook-Id", "msg_2") },
		"another time":    func(h http.Header) { h.Set("Webhook-Timestamp", "1614265331") },
		"a time in words": func(h http.Header) { h.Set("Webhook-Timestamp", "01614265330") },
		"two signatures":  func(h http.Header) { h.Add("Webhook-Signature", h.Get("Webhook-Signature")) },
		"two ids":         func(h http.Header) { h.Add("Webhook-Id", h.Get("Webhook-Id")) },
		"no signature":    func(h http.Header) { h.Del("Webhook-Signature") },
		"another version": func(h http.Header) { h.Set("Webhook-Signature", "v2"+h.Get("Webhook-Signature")[2:]) },
		"a thousand":      func(h http.Header) { h.Set("Webhook-Signature", strings.Repeat("v1,x ", 1000)) },
		"a dot in its id": func(h http.Header) { h.Set("Webhook-Id", "msg.1") },
		"an empty id":     func(h http.Header) { h.Set("Webhook-Id", "") },
	} {
		changed := header.Clone()
		change(changed)
		_, err := g.Parse(changed, body)
		require.ErrorIs(t, err, pay.ErrSignature, what)
	}
	old, err := remote.New("acme", c, func() time.Time { return at.Add(6 * time.Minute) })
	require.NoError(t, err)
	_, err = old.Parse(header, body)
	require.ErrorIs(t, err, pay.ErrSignature)
}

func TestNotificationsAreRead(t *testing.T) {
	t.Parallel()
	parse := func(setting, body string) (hosted.Notification, error) {
		return gateway(t, setting, nil).Parse(sandbox.Sign(secret, "n1", double.Now, []byte(body)), []byte(body))
	}
	n, err := parse(secret, `{"type":"dispute.changed","data":{"pay_number":"7","amount":5,"dispute":
		{"dispute_id":"d1","state":"open","status":"asked","refundable":true,"due_at":"2027-01-15T08:00:00Z"}}}`)
	require.NoError(t, err)
	assert.Equal(t, hosted.Notification{
		Kind: hosted.Disputed, ID: "n1", Payment: "7", Amount: 5, DisputeID: "d1", DisputeState: hosted.DisputeOpen,
		DisputeStatus: "asked", Refundable: true, DueMS: 1_800_000_000_000,
	}, n)
	n, err = parse(secret, `{"type":"refund.done","data":{"transaction_id":"t1","refund_number":"r1","amount":5}}`)
	require.NoError(t, err)
	assert.Equal(t, hosted.Notification{
		Kind: hosted.Refunded, ID: "n1", Transaction: "t1", RefundNumber: "r1", Amount: 5,
	}, n)
	for body, want := range map[string]error{
		`{"type":"payment.begun","data":{}}`:            pay.ErrNotPayment,
		`{"type":"payment.paid","data":{"test":true}}`:  pay.ErrUnreadable,
		`{"type":"payment.paid","data":[]}`:             pay.ErrUnreadable,
		`{"type":"payment.paid","data":{"amount":1.5}}`: pay.ErrUnreadable,
		`{"type":"payment.paid"}`:                       pay.ErrUnreadable,
		`{"type":"a","type":"payment.paid","data":{}}`:  pay.ErrUnreadable,
		`nothing`: pay.ErrUnreadable,
	} {
		_, err := parse(secret, body)
		require.ErrorIs(t, err, want, body)
	}
	_, err = parse(secret+" test", `{"type":"payment.paid","data":{}}`)
	require.ErrorIs(t, err, pay.ErrUnreadable, "live money for a gateway of test mode")
}

func FuzzANotificationIsReadOrRefused(f *testing.F) {
	c, err := remote.Parse("acme", "https://shop.example "+secret)
	require.NoError(f, err)
	g, err := remote.New("acme", c, double.Clock)
	require.NoError(f, err)
	f.Add([]byte(`{"type":"payment.paid","data":{"pay_number":"7","transaction_id":"t","amount":1,"currency":"CNY"}}`))
	f.Add([]byte(`{"type":"dispute.changed","data":{"dispute":{"due_at":"9999-12-31T23:59:59Z"}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		n, err := g.Parse(sandbox.Sign(secret, "n1", double.Now, body), body)
		if err != nil {
			require.Zero(t, n)
			return
		}
		require.NotEmpty(t, n.Kind)
		_, err = g.Parse(sandbox.Sign(next, "n1", double.Now, body), body)
		require.ErrorIs(t, err, pay.ErrSignature)
	})
}

func TestSecretsAreNotInErrors(t *testing.T) {
	t.Parallel()
	short := "whsec_" + base64.StdEncoding.EncodeToString([]byte("short"))
	for _, setting := range []string{
		"https://shop.example " + short, "https://shop.example " + secret + ";" + short, "ftp://a " + secret,
		"https://shop.example " + secret + " live", strings.Repeat(secret+";", 5) + secret,
		"https://shop.example " + strings.Repeat(secret+";", 4) + secret, "https://user:" + secret + "@a " + secret,
	} {
		_, err := remote.Parse("acme", setting)
		require.Error(t, err, setting)
		assert.NotContains(t, err.Error(), short)
		assert.NotContains(t, err.Error(), secret)
	}
}
