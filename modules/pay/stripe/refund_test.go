package stripe

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/modules/problem"
	"onrush/test/double"
)

// newStripePaid is a gateway with an intent that received 100, and a refund of a part of it.
func newStripePaid(t *testing.T) (*Gateway, *fakeStripe, *pay.Refund) {
	t.Helper()
	s, fake := newStripe(t)
	double.Begun(t, s, &pay.Payment{Number: 1, Amount: 100, Currency: "EUR"})
	fake.set("pi_1", "succeeded", 100)
	return s, fake, &pay.Refund{Number: 77, Payment: 1, Transaction: "pi_1", Amount: 40, Currency: "EUR"}
}

func TestStripeRefundsOncePerNumber(t *testing.T) {
	t.Parallel()
	s, fake, r := newStripePaid(t)
	require.NoError(t, s.Refund(t.Context(), r))
	fake.forgetful = true // a week later
	require.NoError(t, s.Refund(t.Context(), r))
	require.Len(t, fake.refunds, 1)

	require.Error(t, s.Refund(t.Context(),
		&pay.Refund{Number: 77, Payment: 1, Transaction: "pi_1", Amount: 41, Currency: "EUR"}), "another amount")
	require.NoError(t, s.Refund(t.Context(),
		&pay.Refund{Number: 78, Payment: 1, Transaction: "pi_1", Amount: 40, Currency: "EUR"}))
	require.Len(t, fake.refunds, 2)
	require.ErrorContains(t, s.Refund(t.Context(),
		&pay.Refund{Number: 79, Payment: 1, Transaction: "pi_1", Amount: 40, Currency: "EUR"}), "amount_too_large")
}

func TestStripeRefundIsUnderWayUntilTheMoneyIsBack(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"pending", "requires_action"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s, fake, r := newStripePaid(t)
			fake.state = state
			for range 2 {
				err := s.Refund(t.Context(), r)
				require.ErrorIs(t, err, pay.ErrUnderWay)
				require.ErrorContains(t, err, state)
				r.UnderWayMS = 1
			}
			fake.becomes(0, "succeeded")
			require.NoError(t, s.Refund(t.Context(), r))
			require.Len(t, fake.refunds, 1)
		})
	}
}

// A refund may fail at once, while it is under way, and also after it had succeeded. Each time it needs a
// new number, and each number pays at most once.
func TestStripeRefundThatFailedNeedsANewNumber(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"failed", "canceled"} {
		for _, first := range []string{"pending", "succeeded", state} {
			t.Run(first+" then "+state, func(t *testing.T) {
				t.Parallel()
				s, fake, r := newStripePaid(t)
				for failures := range 3 {
					fake.state, r.Renewed = first, failures
					_ = s.Refund(t.Context(), r)
					fake.becomes(failures, state)
					for range 2 {
						err := s.Refund(t.Context(), r)
						require.ErrorIs(t, err, pay.ErrRefundFailed)
						require.ErrorContains(t, err, state+", expired_or_canceled_card")
						require.NotErrorIs(t, err, pay.ErrUnderWay)
					}
					require.Len(t, fake.refunds, failures+1, "the number that failed made no other refund")
				}
				fake.state, r.Renewed = "succeeded", 3
				require.NoError(t, s.Refund(t.Context(), r))
				require.NoError(t, s.Refund(t.Context(), r))
				require.Len(t, fake.refunds, 4)
			})
		}
	}
}

func TestStripeRefundOfUnknownStateIsAnError(t *testing.T) {
	t.Parallel()
	s, fake, r := newStripePaid(t)
	fake.state = "unheard_of"
	err := s.Refund(t.Context(), r)
	require.ErrorContains(t, err, "unheard_of")
	require.NotErrorIs(t, err, pay.ErrUnderWay)
	require.NotErrorIs(t, err, pay.ErrRefundFailed)
}

// Stripe keeps a refusal for a day, so that each attempt has a key of its own; none of those is one of the
// refund's next number.
func TestStripeMerchantWithoutBalanceWaits(t *testing.T) {
	t.Parallel()
	s, fake, r := newStripePaid(t)
	creates := fake.creates
	fake.fails = keptError{status: 400, code: "balance_insufficient"}
	for attempts := range 3 {
		err := s.Refund(t.Context(), r)
		require.ErrorContains(t, err, "balance_insufficient")
		require.ErrorIs(t, err, pay.ErrNoBalance)
		require.NotErrorIs(t, err, pay.ErrUnavailable)
		require.Equal(t, creates+attempts+1, fake.creates, "each attempt is carried out once")
	}
	fake.fails, fake.state = keptError{}, "pending"
	require.ErrorIs(t, s.Refund(t.Context(), r), pay.ErrUnderWay)
	fake.becomes(0, "failed")
	require.ErrorIs(t, s.Refund(t.Context(), r), pay.ErrRefundFailed)
	fake.state, r.Renewed = "", 1
	require.NoError(t, s.Refund(t.Context(), r))
	require.NoError(t, s.Refund(t.Context(), r))
	require.Len(t, fake.refunds, 2)
}

// An answer that was lost is asked for again with the same key, whatever errors are kept.
func TestStripeRetriesWithTheKeyWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	s, fake, r := newStripePaid(t)
	fake.fails = keptError{status: 500}
	require.ErrorIs(t, s.Refund(t.Context(), r), pay.ErrUnavailable)
	fake.fails = keptError{}
	require.NoError(t, s.Refund(t.Context(), r))
	fake.hidden = true // the list does not show it yet
	require.NoError(t, s.Refund(t.Context(), r))
	require.Len(t, fake.refunds, 1)
}

func TestStripeKeepsTheKeyWhileTheCallIsInProgress(t *testing.T) {
	t.Parallel()
	s, fake, r := newStripePaid(t)
	for _, status := range []int{409, 429, 502} {
		fake.answer = func(w http.ResponseWriter) bool {
			fake.refuse(w, status, "", "")
			return true
		}
		require.ErrorIs(t, s.Refund(t.Context(), r), pay.ErrUnavailable, status)
	}
	fake.answer = nil
	require.NoError(t, s.Refund(t.Context(), r))
	require.Contains(t, fake.byKey, "refund-77")
}

func TestStripeRefundsOfThreeDecimalCurrenciesAreTens(t *testing.T) {
	t.Parallel()
	s, _ := newStripe(t)
	for currency, refused := range map[string]bool{
		"KWD": true, "BHD": true, "JOD": true, "OMR": true, "TND": true, "EUR": false, "JPY": false,
	} {
		require.NoError(t, s.CheckRefund(currency, 1230))
		if refused {
			require.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(s.CheckRefund(currency, 1234)), currency)
			continue
		}
		require.NoError(t, s.CheckRefund(currency, 1234), currency)
	}
}
