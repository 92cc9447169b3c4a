package wechat

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
	"onrush/modules/problem"
	"onrush/test/double"
)

func TestWechatBeginsWithACode(t *testing.T) {
	t.Parallel()
	w, fake := newWechat(t)
	for range 2 {
		next, err := w.Begin(t.Context(), double.YuanPayment())
		require.NoError(t, err)
		require.Equal(t, pay.Next{Params: map[string]string{"code_url": "weixin://wxpay/bizpayurl?pr=123456789"}}, next)
	}
	require.JSONEq(t, `{"appid":"wx1","mchid":"1900000109","description":"Order 123456789","out_trade_no":"123456789",
		"time_expire":"2026-03-04T13:21:07+08:00","notify_url":"https://shop.example/webhooks/pay/wechat",`+
		`"amount":{"total":1299,"currency":"CNY"}}`, fake.asked[2])
}

func TestWechatAcceptsOnlyYuan(t *testing.T) {
	t.Parallel()
	w, fake := newWechat(t)
	for code, change := range map[problem.Code]func(p *pay.Payment){
		problem.CodeInvalidRequest: func(p *pay.Payment) { p.Currency = "EUR" },
		pay.CodeNotPayable:         func(p *pay.Payment) { p.ExpiresMS = double.Now.UnixMilli() },
	} {
		p := double.YuanPayment()
		change(p)
		_, err := w.Begin(t.Context(), p)
		require.Equal(t, code, problem.CodeOf(err))
	}
	require.Empty(t, fake.asked, "the gateway was asked all the same")
}

func TestWechatFindsAndClosesByThePayNumber(t *testing.T) {
	t.Parallel()
	w, fake := newWechat(t)
	p := double.Begun(t, w, double.YuanPayment())
	found, err := w.Query(t.Context(), p)
	require.NoError(t, err)
	require.False(t, found.Paid)

	fake.pay("123456789", "42000", "SUCCESS")
	found, err = w.Query(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, pay.Found{Paid: true, TransactionID: "42000", Amount: 1299, Currency: "CNY"}, found)
	require.ErrorIs(t, w.Close(t.Context(), p), pay.ErrPaid)

	fake.pay("123456789", "42000", "REFUND")
	_, err = w.Query(t.Context(), p)
	require.ErrorContains(t, err, "refunded outside")

	fake.pay("123456789", "", "NOTPAY")
	require.NoError(t, w.Close(t.Context(), p))
	require.NoError(t, w.Close(t.Context(), p), "closed twice")
	found, err = w.Query(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, pay.Found{Closed: true}, found)

	never := &pay.Payment{Number: 5}
	found, err = w.Query(t.Context(), never)
	require.NoError(t, err)
	require.False(t, found.Paid)
	require.NoError(t, w.Close(t.Context(), never))
}

func TestWechatRefusesAnswersWithoutASignature(t *testing.T) {
	t.Parallel()
	w, fake := newWechat(t)
	p := double.Begun(t, w, double.YuanPayment())
	bare := func(status int) func(http.ResponseWriter) bool {
		return func(w http.ResponseWriter) bool {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"code":"ORDER_NOT_EXIST","trade_state":"NOTPAY"}`))
			return true
		}
	}
	for _, status := range []int{200, 404} {
		fake.answer = bare(status)
		_, err := w.Query(t.Context(), p)
		require.Error(t, err)
		require.Error(t, w.Close(t.Context(), p))
	}
	fake.answer, fake.signer = nil, double.StrangerKey()
	_, err := w.Query(t.Context(), p)
	require.ErrorIs(t, err, pay.ErrSignature)
	fake.signer, fake.serial = double.PlatformKey(), "PUB_KEY_ID_other"
	_, err = w.Query(t.Context(), p)
	require.ErrorIs(t, err, pay.ErrSignature)
	fake.serial = testSerial
	fake.answer = func(w http.ResponseWriter) bool {
		_, _ = io.Copy(w, bytes.NewReader(make([]byte, gateway.MaxAnswer+1)))
		return true
	}
	_, err = w.Query(t.Context(), p)
	require.Error(t, err)
}

const paidText = `{"appid":"wx1","mchid":"1900000109","out_trade_no":"123456789","transaction_id":"42000",` +
	`"trade_state":"SUCCESS","amount":{"total":1299,"payer_total":1200,"currency":"CNY"}}`
