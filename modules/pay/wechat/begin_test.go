package wechat

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/modules/problem"
	"onrush/test/double"
)

func TestWechatBeginsInTheAppWithTheFieldsOfItsJSAPICall(t *testing.T) {
	t.Parallel()
	w, fake := newWechat(t)
	next, err := w.BeginFor(t.Context(), double.YuanPayment(), "o-ada")
	require.NoError(t, err)
	require.Equal(t, "/v3/pay/transactions/jsapi", fake.asked[1])
	require.JSONEq(t, `{"appid":"wx1","mchid":"1900000109","description":"Order 123456789","out_trade_no":"123456789",
		"time_expire":"2026-03-04T13:21:07+08:00","notify_url":"https://shop.example/webhooks/pay/wechat",
		"amount":{"total":1299,"currency":"CNY"},"payer":{"openid":"o-ada"}}`, fake.asked[2])

	params := next.Params
	require.Len(t, params, 6)
	require.Empty(t, next.RedirectURL)
	require.Equal(t, "wx1", params["appId"])
	require.Equal(t, strconv.FormatInt(double.Now.Unix(), 10), params["timeStamp"])
	require.Equal(t, "prepay_id=wx-123456789", params["package"])
	require.Equal(t, "RSA", params["signType"])
	require.Regexp(t, `^[0-9A-Za-z]{16,32}$`, params["nonceStr"])
	signed := params["appId"] + "\n" + params["timeStamp"] + "\n" + params["nonceStr"] + "\n" + params["package"] + "\n"
	require.True(t, double.Verify(&double.MerchantKey().PublicKey, signed, params["paySign"]))

	again, err := w.BeginFor(t.Context(), double.YuanPayment(), "o-ada")
	require.NoError(t, err)
	require.NotEqual(t, params["nonceStr"], again.Params["nonceStr"], "a word was used twice")
}

func TestWechatBeginsAsItsWaysSay(t *testing.T) {
	t.Parallel()
	w, _ := newWechat(t)
	double.RequireWays(t, w, func(needs ...string) (pay.Next, error) {
		if slices.Contains(needs, "openid") {
			p := double.YuanPayment()
			p.Number++
			return w.BeginFor(t.Context(), p, "o-ada")
		}
		return w.Begin(t.Context(), double.YuanPayment())
	})
}

func TestWechatAndItsBuyerReadWhatIsPaidFor(t *testing.T) {
	t.Parallel()
	w, fake := newWechat(t)
	p := double.YuanPayment()
	p.Goods = strings.Repeat("茶壶 × 2, ", 20)
	_, err := w.Begin(t.Context(), p)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(fake.orders["123456789"].Description, "茶壶 × 2, 茶壶"))
}

func TestWechatDistinguishesErrorsOfTheBuyerAndOfTheMerchant(t *testing.T) {
	t.Parallel()
	w, fake := newWechat(t)
	_, err := w.BeginFor(t.Context(), double.YuanPayment(), "o-nobody")
	require.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err))
	require.NotContains(t, err.Error(), "o-nobody")

	dollars := double.YuanPayment()
	dollars.Currency = "USD"
	fake.asked = nil
	_, err = w.BeginFor(t.Context(), dollars, "o-ada")
	require.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err))
	require.Empty(t, fake.asked, "the gateway was asked all the same")

	fake.signer = double.StrangerKey()
	_, err = w.BeginFor(t.Context(), double.YuanPayment(), "o-ada")
	require.ErrorIs(t, err, pay.ErrSignature)
}
