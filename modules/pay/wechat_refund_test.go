package pay

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// newWechatPaid is a gateway with the payment 123456789 paid by 42000, and a refund of a part of it.
func newWechatPaid(t *testing.T) (*Wechat, *fakeWechat, *Refund) {
	t.Helper()
	w, fake := newWechat(t)
	begun(t, w, yuanPayment())
	fake.pay("123456789", "42000", "SUCCESS")
	return w, fake, &Refund{Number: 77, Payment: 123456789, Transaction: "42000", Amount: 40, Currency: "CNY"}
}

func TestWechatRefundsByItsNumber(t *testing.T) {
	t.Parallel()
	w, fake, r := newWechatPaid(t)
	require.NoError(t, w.Refund(t.Context(), r))
	require.JSONEq(t, `{"transaction_id":"42000","out_refund_no":"77","amount":{"refund":40,"total":1299,"currency":"CNY"}}`, fake.asked[2])
	require.NoError(t, w.Refund(t.Context(), r))
	require.Equal(t, 1, fake.sent)

	require.Error(t, w.Refund(t.Context(), &Refund{Number: 79, Payment: 5, Transaction: "42000", Amount: 40}), "of another payment")
	require.Error(t, w.Refund(t.Context(), &Refund{Number: 77, Payment: 123456789, Transaction: "42000", Amount: 41}), "another amount")
	fake.becomes("77", "CLOSED")
	require.Error(t, w.Refund(t.Context(), &Refund{Number: 77, Payment: 123456789, Transaction: "42000", Amount: 41}), "another amount")
	require.Equal(t, 1, fake.sent)
}

func TestWechatRefundIsUnderWayUntilTheMoneyIsBack(t *testing.T) {
	t.Parallel()
	w, fake, r := newWechatPaid(t)
	fake.state = "PROCESSING"
	for range 2 {
		err := w.Refund(t.Context(), r)
		require.ErrorIs(t, err, ErrUnderWay)
		require.ErrorContains(t, err, "PROCESSING")
		r.UnderWayMS = 1
	}
	fake.becomes("77", "SUCCESS")
	require.NoError(t, w.Refund(t.Context(), r))
	require.Equal(t, 1, fake.sent)
}

func TestWechatRefundOfACardThatTakesNothingIsForTheMerchantsPage(t *testing.T) {
	t.Parallel()
	w, fake, r := newWechatPaid(t)
	fake.state = "ABNORMAL"
	for range 2 {
		err := w.Refund(t.Context(), r)
		require.ErrorContains(t, err, "ABNORMAL")
		require.ErrorContains(t, err, "merchant's page")
		require.NotErrorIs(t, err, ErrUnderWay)
	}
	fake.becomes("77", "SUCCESS") // a person was there
	require.NoError(t, w.Refund(t.Context(), r))
	require.Equal(t, 1, fake.sent)
}

func TestWechatTellsOfAClosedRefundBeforeItSendsItAgain(t *testing.T) {
	t.Parallel()
	w, fake, r := newWechatPaid(t)
	fake.state = "PROCESSING"
	require.ErrorIs(t, w.Refund(t.Context(), r), ErrUnderWay)
	fake.becomes("77", "CLOSED")
	r.UnderWayMS = 1
	err := w.Refund(t.Context(), r)
	require.ErrorContains(t, err, "CLOSED")
	require.NotErrorIs(t, err, ErrUnderWay)
	require.Equal(t, 1, fake.sent)

	r.UnderWayMS, fake.state = 0, "SUCCESS"
	require.NoError(t, w.Refund(t.Context(), r))
	require.Equal(t, 2, fake.sent)
	require.Len(t, fake.refunds, 1)

	fake.state = "UNHEARD_OF"
	err = w.Refund(t.Context(), &Refund{Number: 78, Payment: 123456789, Transaction: "42000", Amount: 40})
	require.ErrorContains(t, err, "UNHEARD_OF")
	require.NotErrorIs(t, err, ErrUnderWay)
}
