package wechat

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/test/double"
)

// newWechatPaid is a gateway with the payment 123456789 paid by 42000, and a refund of a part of it.
func newWechatPaid(t *testing.T) (*Gateway, *fakeWechat, *pay.Refund) {
	t.Helper()
	w, fake := newWechat(t)
	double.Begun(t, w, double.YuanPayment())
	fake.pay("123456789", "42000", "SUCCESS")
	return w, fake, &pay.Refund{Number: 77, Payment: 123456789, Transaction: "42000", Amount: 40, Currency: "CNY"}
}

func TestWechatRefundsByItsNumber(t *testing.T) {
	t.Parallel()
	w, fake, r := newWechatPaid(t)
	require.NoError(t, w.Refund(t.Context(), r))
	require.Equal(t, http.MethodPost, fake.asked[0], "it is asked about only where it has to be")
	require.JSONEq(t, `{"transaction_id":"42000","out_refund_no":"77","amount":{"refund":40,"total":1299,`+
		`"currency":"CNY"}}`, fake.asked[2])
	require.NoError(t, w.Refund(t.Context(), r))
	require.Len(t, fake.refunds, 1)

	require.Error(t, w.Refund(t.Context(), &pay.Refund{Number: 79, Payment: 5, Transaction: "42000", Amount: 40}),
		"of another payment")
	require.Error(t, w.Refund(t.Context(),
		&pay.Refund{Number: 77, Payment: 123456789, Transaction: "42000", Amount: 41}), "another amount")
	fake.becomes("77", "CLOSED")
	err := w.Refund(t.Context(), &pay.Refund{Number: 77, Payment: 123456789, Transaction: "42000", Amount: 41})
	require.Error(t, err, "another amount")
	require.NotErrorIs(t, err, pay.ErrRefundFailed, "it says nothing about the refund of 40")
	require.ErrorContains(t, w.Refund(t.Context(), &pay.Refund{
		Number: 80, Payment: 123456789, Transaction: "42000", Amount: 1300,
	}), "INVALID_REQUEST", "more than was paid")
	require.Len(t, fake.refunds, 1)
}

func TestWechatRefundsATransactionInParts(t *testing.T) {
	t.Parallel()
	w, fake, first := newWechatPaid(t)
	require.NoError(t, w.Refund(t.Context(), first))
	second := &pay.Refund{Number: 78, Payment: 123456789, Transaction: "42000", Amount: 1200, Currency: "CNY"}
	require.NoError(t, w.Refund(t.Context(), second), "the transaction is in the state REFUND")
	require.JSONEq(t, `{"transaction_id":"42000","out_refund_no":"78","amount":{"refund":1200,"total":1299,`+
		`"currency":"CNY"}}`, fake.asked[2])
	rest := &pay.Refund{Number: 79, Payment: 123456789, Transaction: "42000", Amount: 60, Currency: "CNY"}
	require.ErrorContains(t, w.Refund(t.Context(), rest), "INVALID_REQUEST", "59 are left")
	rest.Number, rest.Amount = 80, 59
	require.NoError(t, w.Refund(t.Context(), rest))
	require.Len(t, fake.refunds, 3)
}

func TestWechatRefundIsUnderWayUntilTheMoneyIsBack(t *testing.T) {
	t.Parallel()
	w, fake, r := newWechatPaid(t)
	fake.state = "PROCESSING"
	for range 2 {
		err := w.Refund(t.Context(), r)
		require.ErrorIs(t, err, pay.ErrUnderWay)
		require.ErrorContains(t, err, "PROCESSING")
		r.UnderWayMS = 1
	}
	require.Equal(t, http.MethodGet, fake.asked[0])
	fake.becomes("77", "SUCCESS")
	require.NoError(t, w.Refund(t.Context(), r))
	require.Equal(t, 1, fake.posts, "a refund in progress is only queried")
}

func TestWechatAbnormalRefundIsLeftToTheMerchant(t *testing.T) {
	t.Parallel()
	w, fake, r := newWechatPaid(t)
	fake.state = "ABNORMAL"
	for range 2 {
		err := w.Refund(t.Context(), r)
		require.ErrorContains(t, err, "ABNORMAL")
		require.ErrorContains(t, err, "merchant's page")
		require.NotErrorIs(t, err, pay.ErrUnderWay)
		require.NotErrorIs(t, err, pay.ErrRefundFailed, "a second number would pay beside it")
	}
	fake.becomes("77", "SUCCESS") // a person was there
	require.NoError(t, w.Refund(t.Context(), r))
	require.Len(t, fake.refunds, 1)
}

// A refund that is CLOSED stays closed, whether WeChat Pay answers its number with its state or refuses
// it; only a new number pays.
func TestWechatClosedRefundNeedsANewNumber(t *testing.T) {
	t.Parallel()
	for name, shy := range map[string]bool{"answered": false, "refused": true} {
		for asked, underWay := range map[string]int64{"sent": 0, "asked about": 1} {
			t.Run(name+" and "+asked, func(t *testing.T) {
				t.Parallel()
				w, fake, r := newWechatPaid(t)
				fake.state, fake.shy = "PROCESSING", shy
				require.ErrorIs(t, w.Refund(t.Context(), r), pay.ErrUnderWay)
				fake.becomes("77", "CLOSED")
				fake.state, r.UnderWayMS = "SUCCESS", underWay
				err := w.Refund(t.Context(), r)
				require.ErrorIs(t, err, pay.ErrRefundFailed)
				require.ErrorContains(t, err, "CLOSED")
				require.NotErrorIs(t, err, pay.ErrUnavailable)
				require.Len(t, fake.refunds, 1)

				r.Renewed, r.UnderWayMS = 1, 0
				require.NoError(t, w.Refund(t.Context(), r))
				require.NoError(t, w.Refund(t.Context(), r))
				require.Len(t, fake.refunds, 2)
				require.Equal(t, "SUCCESS", fake.refunds["77-1"].status)
				require.Equal(t, "CLOSED", fake.refunds["77"].status)
			})
		}
	}
}

// Two numbers could pay both, so that nothing but a signed CLOSED ends a number.
func TestWechatEndsNoRefundNumberWithoutASignedAnswer(t *testing.T) {
	t.Parallel()
	w, fake, r := newWechatPaid(t)
	fake.state = "PROCESSING"
	require.ErrorIs(t, w.Refund(t.Context(), r), pay.ErrUnderWay)
	for _, underWay := range []int64{0, 1} {
		r.UnderWayMS = underWay
		fake.answer = func(w http.ResponseWriter) bool {
			_, _ = w.Write([]byte(`{"out_refund_no":"77","status":"CLOSED","amount":{"refund":40}}`))
			return true
		}
		err := w.Refund(t.Context(), r)
		require.ErrorIs(t, err, pay.ErrSignature)
		require.NotErrorIs(t, err, pay.ErrRefundFailed)
		for _, code := range []string{"RESOURCE_NOT_EXISTS", "INVALID_REQUEST", "ORDER_CLOSED"} {
			fake.answer = func(w http.ResponseWriter) bool { unsigned(w, http.StatusNotFound, code); return true }
			err := w.Refund(t.Context(), r)
			require.ErrorContains(t, err, code+", unsigned", "the log says what was answered")
			require.NotErrorIs(t, err, pay.ErrRefundFailed)
			require.NotErrorIs(t, err, pay.ErrUnavailable)
		}
	}
	fake.answer = nil
	require.ErrorIs(t, w.Refund(t.Context(), r), pay.ErrUnderWay)
	require.Len(t, fake.refunds, 1)
}

// A refund whose answer was lost is found by its number, also where WeChat Pay refuses to make it again.
func TestWechatFindsARefundWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	w, fake, r := newWechatPaid(t)
	require.NoError(t, w.Refund(t.Context(), r))
	fake.pay("123456789", "42000", "REFUND")
	posts := 0
	fake.answer = func(w http.ResponseWriter) bool {
		if fake.asked[0] == http.MethodGet {
			return false
		}
		posts++
		fake.refuse(w, http.StatusBadRequest, "INVALID_REQUEST")
		return true
	}
	require.NoError(t, w.Refund(t.Context(), r))
	require.Equal(t, 1, posts)
}

func TestWechatMerchantWithoutBalanceWaits(t *testing.T) {
	t.Parallel()
	w, fake, r := newWechatPaid(t)
	fake.empty = true
	err := w.Refund(t.Context(), r)
	require.ErrorIs(t, err, pay.ErrNoBalance)
	require.NotErrorIs(t, err, pay.ErrUnavailable)
	require.ErrorContains(t, err, "NOT_ENOUGH")
	fake.empty = false
	require.NoError(t, w.Refund(t.Context(), r), "with the same number")
	require.Len(t, fake.refunds, 1)
}

func TestWechatRefundOfAnUnknownStateIsAnError(t *testing.T) {
	t.Parallel()
	w, fake, r := newWechatPaid(t)
	fake.state = "UNHEARD_OF"
	err := w.Refund(t.Context(), r)
	require.ErrorContains(t, err, "UNHEARD_OF")
	for _, other := range []error{pay.ErrUnderWay, pay.ErrRefundFailed, pay.ErrUnavailable} {
		require.NotErrorIs(t, err, other)
	}
}
