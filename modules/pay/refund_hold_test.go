package pay

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

func TestARefundIsSentOnlyIfItsMoneyIsLeft(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		money moneyOf
		want  error
		sends int64 // 0: all of it, unless there is an error
	}{
		"nothing else":                  {moneyOf{Paid: 100}, nil, 0},
		"a part is back":                {moneyOf{Paid: 100, Back: 40}, nil, 0},
		"a part is disputed":            {moneyOf{Paid: 100, Disputed: 40}, nil, 0},
		"another refund goes":           {moneyOf{Paid: 100, Going: 40}, nil, 0},
		"too much is disputed":          {moneyOf{Paid: 100, Disputed: 41}, errHeld, 0},
		"all is disputed":               {moneyOf{Paid: 100, Disputed: 100}, errHeld, 0},
		"too much goes":                 {moneyOf{Paid: 100, Going: 41}, errHeld, 0},
		"goes and is disputed":          {moneyOf{Paid: 100, Going: 20, Disputed: 21}, errHeld, 0},
		"too much is back":              {moneyOf{Paid: 100, Back: 41}, nil, 59},
		"back, and disputed":            {moneyOf{Paid: 100, Back: 41, Disputed: 1}, errHeld, 0},
		"all is back":                   {moneyOf{Paid: 100, Back: 100}, errNothingLeft, 0},
		"more than all is back":         {moneyOf{Paid: 100, Back: 110}, errNothingLeft, 0},
		"back, and another goes":        {moneyOf{Paid: 100, Back: 50, Going: 50}, errHeld, 0},
		"nobody knows that money came":  {moneyOf{}, errNothingLeft, 0},
		"a part is back, all disputed":  {moneyOf{Paid: 100, Back: 10, Disputed: 100}, errHeld, 0},
		"it fits with all that happens": {moneyOf{Paid: 100, Back: 10, Going: 10, Disputed: 20}, nil, 0},
	} {
		send, err := row.money.decide(60)
		assert.Equal(t, row.want, err, name)
		if err == nil {
			assert.Equal(t, cmp.Or(row.sends, 60), send, name)
		}
	}
}

// dispute reports a step of a dispute of the payment's whole money.
func (o *owed) dispute(t *testing.T, id string, state DisputeState, refundable bool) {
	t.Helper()
	closed := int64(1)
	if state == DisputeOpen {
		closed = 0
	}
	require.NoError(t, o.db.InTx(t.Context(), func(tx *sqlx.Tx) error {
		return storeDispute(t.Context(), tx, &Dispute{
			Channel: "slow", ID: id, Payment: 77, Transaction: "t1", Amount: 1299, Currency: "EUR", State: state,
			Refundable: refundable, OpenedMS: 1, ClosedMS: closed,
		}, state != DisputeOpen)
	}))
}

func TestAPendingRefundWaitsForADisputeThatBeganMeanwhile(t *testing.T) {
	t.Parallel()
	for _, end := range []DisputeState{DisputeWon, DisputeLost} {
		t.Run(string(end), func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				o := owe(t, stores, Config{})
				o.dispute(t, "inquiry", DisputeOpen, true)
				o.dispute(t, "d", DisputeOpen, false)
				for range 3 {
					done, refund := o.run(t)
					require.Zero(t, done)
					require.Empty(t, o.gateway.asked, "nothing is sent while the bank decides")
					require.Equal(t, RefundPending, refund.Status)
					require.Equal(t, WaitsForDispute, refund.WaitsFor)
					require.Zero(t, refund.Attempts)
					o.clock.Set(time.UnixMilli(refund.NextTryMS))
				}
				o.dispute(t, "d", end, false)
				done, refund := o.run(t)
				if end == DisputeWon {
					assert.Equal(t, 1, done)
					assert.Len(t, o.gateway.asked, 1)
					assert.Equal(t, RefundDone, refund.Status)
					return
				}
				assert.Zero(t, done)
				assert.Empty(t, o.gateway.asked, "the bank has paid the buyer")
				assert.Equal(t, RefundFailed, refund.Status)
				assert.Contains(t, refund.LastError, "a lost dispute")
				_, err := o.ops.Retry(t.Context(), 78)
				require.NoError(t, err)
				_, refund = o.run(t)
				assert.Equal(t, RefundFailed, refund.Status, "also if an operator insists")
				assert.Empty(t, o.gateway.asked)
			})
		})
	}
}

func TestARefundUnderWayIsQueriedInADispute(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		o := owe(t, stores, Config{}, errWorks)
		_, refund := o.run(t)
		require.NotZero(t, refund.UnderWayMS)
		o.dispute(t, "d", DisputeOpen, false)
		o.clock.Set(time.UnixMilli(refund.NextTryMS))
		done, refund := o.run(t)
		assert.Equal(t, 1, done)
		assert.Equal(t, RefundDone, refund.Status)
	})
}

// An operator refunds a part, or all, at the gateway while the refund of the whole is still to be sent.
func TestAPendingRefundSendsWhatIsLeftAfterOneAtTheGateway(t *testing.T) {
	t.Parallel()
	for outside, left := range map[int64]int64{100: 1199, 1298: 1, 1299: 0} {
		t.Run(fmt.Sprint(outside), func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				o := owe(t, stores, Config{})
				require.NoError(t, o.db.InTx(t.Context(), func(tx *sqlx.Tx) error {
					return InsertRefund(t.Context(), tx, "", &Refund{
						Number: 79, Payment: 77, Channel: "slow", Transaction: "t1", Amount: outside, Currency: "EUR",
						Reason: ReasonOutside, Status: RefundDone, Outside: "re_1",
					})
				}))
				done, refund := o.run(t)
				if left == 0 {
					assert.Zero(t, done)
					assert.Empty(t, o.gateway.asked)
					assert.Equal(t, RefundFailed, refund.Status)
					assert.Contains(t, refund.LastError, "a refund at the gateway")
					return
				}
				assert.Equal(t, 1, done)
				require.Len(t, o.gateway.asked, 1)
				assert.Equal(t, left, o.gateway.asked[0].Amount)
				assert.Equal(t, RefundDone, refund.Status)
				assert.Equal(t, left, refund.Amount)
			})
		})
	}
}
