package contract

import (
	"crypto/rand"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v84/webhook"

	"onrush/app/server"
	"onrush/modules/order"
	"onrush/modules/pay/sandbox"
	"onrush/test/double"
	"onrush/test/site"
)

const (
	wechatKey    = "0123456789abcdef0123456789ABCDEF"
	wechatSerial = "PUB_KEY_ID_0114"
	stripeSecret = "whsec_of-the-tests"
)

// outside gives an instance the gateways that are outside of the program. None of them can be called.
func outside(t testing.TB) site.Option {
	t.Helper()
	public := double.PublicPEM(t, double.PlatformKey())
	return site.Configured(func(cfg *server.Config) {
		cfg.SandboxSecret, cfg.PublicURL = "", "https://shop.example"
		const nowhere = "http://127.0.0.1:1"
		cfg.Gateways = map[string]string{"stripe": nowhere, "wechat": nowhere, "alipay": nowhere}
		cfg.Stripe.SecretKey, cfg.Stripe.PublishableKey = "sk_live_1", "pk_live_1"
		cfg.Stripe.WebhookSecret = stripeSecret
		cfg.Wechat.MchID, cfg.Wechat.AppID, cfg.Wechat.CertSerial = "1900000109", "wx1", "0cab1"
		cfg.Wechat.APIv3Key = wechatKey
		cfg.Wechat.PrivateKey = double.PrivatePEM(double.MerchantKey())
		cfg.Wechat.PlatformKeys = map[string]string{wechatSerial: public}
		cfg.Alipay.AppID, cfg.Alipay.SellerID = "2021", "2088"
		cfg.Alipay.PrivateKey, cfg.Alipay.AlipayKey = double.PrivatePEM(double.MerchantKey()), public
	})
}

// bank is what sends notifications: a world with a payment at each gateway.
type bank struct {
	*fuzzed

	sites map[string]*site.Site // by channel
	names *strings.Replacer     // their numbers
}

var currencies = map[string]string{"sandbox": "EUR", "stripe": "EUR", "wechat": "CNY", "alipay": "CNY"}

func (b *bank) open() {
	patiently(b.build, func() {
		b.close()
		b.renew()
	})
}

// build makes the payments.
func (b *bank) build() {
	other := site.Start(b.tb, b.stores, site.Idle(), outside(b.tb))
	b.sites = map[string]*site.Site{"stripe": other, "wechat": other, "alipay": other}
	var names []string
	for channel, currency := range currencies {
		names = append(names, "$"+channel, b.unpaidAt(channel, currency).String())
	}
	b.names = strings.NewReplacer(names...)
}

// send sends a notification to a gateway's route. If signed is true, body is the content that is to be signed: the form
// of Alipay, or the transaction of WeChat Pay, whose kind is given.
func (b *bank) send(t *testing.T, channel string, signed bool, kind, header string, body []byte) site.Answer {
	t.Helper()
	if signed {
		var more http.Header
		body, more = signedBy(t, channel, kind, body)
		for name := range more {
			header = name + ": " + more.Get(name) + "\n" + header
		}
	}
	if other := b.sites[channel]; other != nil {
		own := b.site
		b.site = other
		defer func() { b.site = own }()
	}
	return b.holdsFor(t, "", http.MethodPost, oneLine.Replace("/webhooks/pay/"+channel), header, body)
}

// signedBy returns what a gateway sends to tell body.
func signedBy(t *testing.T, channel, kind string, body []byte) ([]byte, http.Header) {
	t.Helper()
	switch channel {
	case "sandbox":
		return body, sandbox.Sign(site.SandboxSecret, rand.Text(), time.Now(), body)
	case "stripe":
		s := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: stripeSecret})
		return body, http.Header{"Stripe-Signature": {s.Header}}
	case "wechat":
		body = double.WechatEvent(t, wechatKey, kind, string(body))
		return body, double.WechatSigned(double.PlatformKey(), wechatSerial, time.Now(), body)
	case "alipay":
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return body, nil
		}
		form.Set("sign_type", "RSA2")
		form.Set("notify_time", time.Now().In(time.FixedZone("", 8*60*60)).Format(time.DateTime))
		return double.AlipaySigned(double.PlatformKey(), form), nil
	}
	return body, nil
}

// notifications are what the gateways tell, by channel.
var notifications = map[string][][2]string{ // kind and body
	"sandbox": {
		{"", `{"type":"payment.succeeded","data":{"pay_number":"$sandbox","transaction_id":"t1","amount":2500,` +
			`"currency":"EUR"}}`},
		{"", `{"type":"payment.failed","data":null}`},
		{"", `{"type":"payment.succeeded","data":null}`}, // which can't be read
	},
	"stripe": {
		{"", `{"id":"evt_1","object":"event","livemode":true,"type":"payment_intent.succeeded","data":{"object":` +
			`{"id":"pi_1","object":"payment_intent","status":"succeeded","amount":2500,"amount_received":2500,` +
			`"currency":"eur","metadata":{"pay_number":"$stripe"}}}}`},
		{"", `{"id":"evt_2","object":"event","livemode":true,"type":"refund.failed","data":{"object":{"id":"re_1",` +
			`"object":"refund","amount":1,"currency":"eur","status":"failed","payment_intent":"pi_1"}}}`},
		{"", `{"id":"evt_3","object":"event","livemode":true,"type":"charge.dispute.created","data":{"object":` +
			`{"id":"dp_1","object":"dispute","amount":1,"currency":"eur","status":"needs_response",` +
			`"reason":"fraudulent","payment_intent":"pi_1","balance_transactions":[]}}}`},
	},
	"wechat": {
		{"TRANSACTION.SUCCESS", `{"appid":"wx1","mchid":"1900000109","out_trade_no":"$wechat",` +
			`"transaction_id":"42000","trade_state":"SUCCESS",` +
			`"amount":{"total":2500,"payer_total":1200,"currency":"CNY"}}`},
		{"REFUND.SUCCESS", `{"mchid":"1900000109","out_trade_no":"$wechat","transaction_id":"42000",` +
			`"out_refund_no":"9","refund_id":"50000","refund_status":"SUCCESS",` +
			`"amount":{"total":2500,"refund":1,"payer_total":2500,"payer_refund":1}}`},
	},
	"alipay": {{"", "notify_type=trade_status_sync&notify_id=n1&app_id=2021&charset=utf-8&version=1.0&" +
		"trade_no=2026001&out_trade_no=$alipay&seller_id=2088&trade_status=TRADE_SUCCESS&" +
		"total_amount=25.00&refund_fee=0.00"}},
}

// FuzzWebhooks sends notifications of each gateway to the whole program, with and without a right signature.
func FuzzWebhooks(f *testing.F) {
	b := &bank{fuzzed: newFuzzed(f)}
	b.open()
	for _, channel := range slices.Sorted(maps.Keys(notifications)) {
		for _, n := range notifications[channel] {
			for _, signed := range []bool{true, false} {
				f.Add(channel, signed, n[0], "Content-Type: application/json", []byte(n[1]))
			}
		}
	}
	f.Add("", false, "", "", []byte(nil))
	f.Fuzz(func(t *testing.T, channel string, signed bool, kind, header string, body []byte) {
		if b.next(); b.inputs%worldLasts == 0 {
			b.open()
		}
		b.send(t, channel, signed, kind, header, []byte(b.names.Replace(string(body))))
	})
}

// Signed notifications have an effect, so that the inputs of FuzzWebhooks reach the code behind the signatures.
func TestSignedNotificationsOfEachGatewayPay(t *testing.T) {
	t.Parallel()
	inTurn(t)
	z := &fuzzed{}
	z.renew()
	defer z.close()
	b := &bank{fuzzed: z}
	b.open()
	for channel, told := range notifications {
		a := b.send(t, channel, true, told[0][0], "", []byte(b.names.Replace(told[0][1])))
		require.Equal(t, http.StatusOK, a.Status, "%s: %s %s", channel, a.Body, b.said())
		n, err := order.ParseNumber(b.names.Replace("$" + channel))
		require.NoError(t, err)
		var status string
		require.NoError(t, b.stores.DB.Read.GetContext(t.Context(), &status,
			`SELECT status FROM payments WHERE pay_number = ?`, n))
		require.Equal(t, "paid", status, channel)
	}
}
