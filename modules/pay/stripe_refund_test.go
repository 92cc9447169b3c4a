package pay

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// becomes changes the state of a refund that was made.
func (f *fakeStripe) becomes(i int, state string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refunds[i]["status"], f.refunds[i]["failure_reason"] = state, "expired_or_canceled_card"
}

func TestStripeRefundsOncePerNumber(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	r := &Refund{Number: 77, Payment: 1, Transaction: "pi_1", Amount: 40, Currency: "EUR"}
	require.NoError(t, s.Refund(t.Context(), r))
	fake.forgetful = true // a week later
	require.NoError(t, s.Refund(t.Context(), r))
	require.Len(t, fake.refunds, 1)

	require.Error(t, s.Refund(t.Context(), &Refund{Number: 77, Payment: 1, Transaction: "pi_1", Amount: 41, Currency: "EUR"}), "another amount")
	require.NoError(t, s.Refund(t.Context(), &Refund{Number: 78, Payment: 1, Transaction: "pi_1", Amount: 40, Currency: "EUR"}))
	require.Len(t, fake.refunds, 2)
}

func TestStripeMakesAFailedRefundAnew(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	r := &Refund{Number: 77, Payment: 1, Transaction: "pi_1", Amount: 40, Currency: "EUR"}
	fake.state = "failed"
	require.Error(t, s.Refund(t.Context(), r))
	fake.state = ""
	require.NoError(t, s.Refund(t.Context(), r))
	require.NoError(t, s.Refund(t.Context(), r))
	require.Len(t, fake.refunds, 2)
}

func TestStripeRefundIsUnderWayUntilTheMoneyIsBack(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"pending", "requires_action"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s, fake := newStripe(t)
			r := &Refund{Number: 77, Payment: 1, Transaction: "pi_1", Amount: 40, Currency: "EUR"}
			fake.state = state
			for range 2 {
				err := s.Refund(t.Context(), r)
				require.ErrorIs(t, err, ErrUnderWay)
				require.ErrorContains(t, err, state)
				r.UnderWayMS = 1
			}
			fake.becomes(0, "succeeded")
			require.NoError(t, s.Refund(t.Context(), r))
			require.Len(t, fake.refunds, 1)
		})
	}
}

func TestStripeTellsOfARefundThatFailedBeforeItMakesItAnew(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"failed", "canceled"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s, fake := newStripe(t)
			r := &Refund{Number: 77, Payment: 1, Transaction: "pi_1", Amount: 40, Currency: "EUR"}
			fake.state = "pending"
			for failures := range 3 {
				require.ErrorIs(t, s.Refund(t.Context(), r), ErrUnderWay)
				require.Len(t, fake.refunds, failures+1)
				fake.becomes(failures, state)
				r.UnderWayMS = 1
				err := s.Refund(t.Context(), r)
				require.ErrorContains(t, err, state+", expired_or_canceled_card")
				require.NotErrorIs(t, err, ErrUnderWay)
				require.Len(t, fake.refunds, failures+1)
				r.UnderWayMS = 0
			}
			fake.state = "succeeded"
			require.NoError(t, s.Refund(t.Context(), r))
			require.Len(t, fake.refunds, 4)
		})
	}
}

func TestStripeRefundOfUnknownStateIsAnError(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	fake.state = "unheard_of"
	err := s.Refund(t.Context(), &Refund{Number: 77, Payment: 1, Transaction: "pi_1", Amount: 40, Currency: "EUR"})
	require.ErrorContains(t, err, "unheard_of")
	require.NotErrorIs(t, err, ErrUnderWay)
}

func TestStripeRefundsThoughItKeepsARefusal(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	r := &Refund{Number: 77, Payment: 1, Transaction: "pi_1", Amount: 40, Currency: "EUR"}
	fake.fails = keptError{status: 400, code: "balance_insufficient"}
	for attempts := range 3 {
		err := s.Refund(t.Context(), r)
		require.ErrorContains(t, err, "balance_insufficient")
		require.NotErrorIs(t, err, ErrAway)
		require.Equal(t, attempts+1, fake.creates, "each attempt is carried out once")
	}
	fake.fails, fake.state = keptError{}, "pending"
	require.ErrorIs(t, s.Refund(t.Context(), r), ErrUnderWay)
	fake.becomes(0, "failed")
	fake.state = ""
	require.NoError(t, s.Refund(t.Context(), r), "the key of the refund that failed is used up")
	require.NoError(t, s.Refund(t.Context(), r))
	require.Len(t, fake.refunds, 2)
}

// An answer that was lost is asked for again with the same key, whatever errors are kept.
func TestStripeAsksAgainWithTheKeyWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	r := &Refund{Number: 77, Payment: 1, Transaction: "pi_1", Amount: 40, Currency: "EUR"}
	fake.fails = keptError{status: 500}
	require.ErrorIs(t, s.Refund(t.Context(), r), ErrAway)
	fake.fails = keptError{}
	require.NoError(t, s.Refund(t.Context(), r))
	fake.hidden = true // the list does not show it yet
	require.NoError(t, s.Refund(t.Context(), r))
	require.Len(t, fake.refunds, 1)
}

func TestStripeKeepsTheKeyWhileTheCallIsAtWork(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	r := &Refund{Number: 77, Payment: 1, Transaction: "pi_1", Amount: 40, Currency: "EUR"}
	for _, status := range []int{409, 429, 502} {
		fake.answer = func(w http.ResponseWriter) bool {
			fake.refuse(w, status, "", "")
			return true
		}
		require.ErrorIs(t, s.Refund(t.Context(), r), ErrAway, status)
	}
	fake.answer = nil
	require.NoError(t, s.Refund(t.Context(), r))
	require.Contains(t, fake.byKey, "refund-77")
}
