package sandbox

import (
	"cmp"
	"context"
	"log/slog"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/test/double"
	"onrush/test/kit"
)

// bookSandbox is a sandbox over stores, with ids that count up.
func bookSandbox(t *testing.T, stores *kit.Stores, cfg Config) *Gateway {
	t.Helper()
	cfg.Secret = testSecret
	cfg.BaseURL = cmp.Or(cfg.BaseURL, "http://127.0.0.1:1")
	var ids atomic.Int64
	s, err := New(t.Context(), cfg, Deps{
		DB: stores.DB, Now: time.Now, NewID: func() string { return strconv.FormatInt(ids.Add(1), 10) },
		Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return s
}

func paymentOf(n order.Number) *pay.Payment {
	return &pay.Payment{Number: n, Channel: Channel, Amount: 1900, Currency: "EUR", Status: pay.Pending}
}

// comes notes money in the sandbox's books.
func comes(t *testing.T, s *Gateway, n order.Number, transaction string, amount int64, currency string) {
	t.Helper()
	require.NoError(t, s.take(t.Context(), s.db.Write,
		&noticeRow{Payment: n, Transaction: transaction, Amount: amount, Currency: currency}))
}

func refundOf(n order.Number, transaction string, amount int64) *pay.Refund {
	return &pay.Refund{Number: n, Channel: Channel, Transaction: transaction, Amount: amount, Currency: "EUR"}
}

// back is how much of a transaction the sandbox has given back.
func back(t *testing.T, s *Gateway, transaction string) (sum int64) {
	t.Helper()
	require.NoError(t, s.db.Write.GetContext(t.Context(), &sum,
		`SELECT COALESCE(SUM(amount), 0) FROM sandbox_refunds WHERE transaction_id = ?`, transaction))
	return sum
}

func TestSandboxBeginsAPaymentRepeatedly(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := bookSandbox(t, stores, Config{BaseURL: "https://shop.example"})
		p := paymentOf(77)
		links := make([]string, 8)
		var group errgroup.Group
		for i := range links {
			group.Go(func() error {
				next, err := s.Begin(t.Context(), p)
				links[i] = next.RedirectURL
				return err
			})
		}
		require.NoError(t, group.Wait())
		for _, link := range links {
			assert.Equal(t, "https://shop.example/sandbox/pay/77?t="+s.linkToken(77), link)
		}
		assert.NotEqual(t, s.linkToken(77), s.linkToken(78))
	})
}

func TestSandboxQueryFindsTheMoneyThatPays(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := bookSandbox(t, stores, Config{})
		p := paymentOf(77)
		query := func() pay.Found {
			found, err := s.Query(t.Context(), p)
			require.NoError(t, err)
			return found
		}
		assert.Zero(t, query(), "unknown")
		_, err := s.Begin(t.Context(), p)
		require.NoError(t, err)
		assert.Zero(t, query(), "nothing came")
		comes(t, s, 78, "other", 1900, "EUR")
		assert.Zero(t, query(), "money of another payment")
		comes(t, s, 77, "much", 1901, "EUR")
		assert.Equal(t, pay.Found{Paid: true, TransactionID: "much", Amount: 1901, Currency: "EUR"}, query())
		comes(t, s, 77, "right", 1900, "EUR")
		assert.Equal(t, pay.Found{Paid: true, TransactionID: "right", Amount: 1900, Currency: "EUR"}, query(),
			"the right amount first")
		require.NoError(t, s.Refund(t.Context(), refundOf(1, "right", 900)))
		assert.Equal(t, "right", query().TransactionID, "a part is back")
		require.NoError(t, s.Refund(t.Context(), refundOf(2, "right", 1000)))
		assert.Equal(t, "much", query().TransactionID, "refunded money pays nothing")
		require.NoError(t, s.Refund(t.Context(), refundOf(3, "much", 1901)))
		assert.Zero(t, query(), "all is back")

		free := &pay.Payment{Number: 79, Channel: Channel, Currency: "EUR"}
		comes(t, s, 79, "free", 0, "EUR")
		found, err := s.Query(t.Context(), free)
		require.NoError(t, err)
		assert.True(t, found.Paid, "a payment of nothing")
	})
}

func TestSandboxClosesOnlyWhatIsNotPaid(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := bookSandbox(t, stores, Config{})
		for range 2 {
			require.NoError(t, s.Close(t.Context(), paymentOf(77)), "one that never began, and once more")
		}
		comes(t, s, 78, "txn", 1900, "EUR")
		require.ErrorIs(t, s.Close(t.Context(), paymentOf(78)), pay.ErrPaid)
		require.NoError(t, s.Refund(t.Context(), refundOf(1, "txn", 1900)))
		require.NoError(t, s.Close(t.Context(), paymentOf(78)), "all of it is back")
	})
}

// Either the money comes, or the payment is closed; never both, never neither.
func TestSandboxPayAndCloseExcludeEachOther(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := bookSandbox(t, stores, Config{})
		closed := 0
		for n := order.Number(1); n <= 30; n++ {
			p := paymentOf(n)
			_, err := s.Begin(t.Context(), p)
			require.NoError(t, err)
			var payErr, closeErr error
			var group errgroup.Group
			group.Go(func() error { payErr = s.Act(t.Context(), n, SandboxUnheard, 0); return nil })
			group.Go(func() error { closeErr = s.Close(t.Context(), p); return nil })
			require.NoError(t, group.Wait())
			found, err := s.Query(t.Context(), p)
			require.NoError(t, err)
			assert.Equal(t, payErr == nil, found.Paid, "%v", payErr)
			if found.Paid {
				require.ErrorIs(t, closeErr, pay.ErrPaid)
				continue
			}
			require.NoError(t, closeErr)
			closed++
		}
		t.Logf("%d of 30 were closed", closed)
	})
}

func TestSandboxRefundsOncePerNumber(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := bookSandbox(t, stores, Config{})
		comes(t, s, 77, "txn", 1900, "EUR")
		comes(t, s, 77, "txn2", 1900, "EUR")
		var group errgroup.Group
		for range 8 {
			group.Go(func() error { return s.Refund(t.Context(), refundOf(1, "txn", 500)) })
		}
		require.NoError(t, group.Wait())
		assert.EqualValues(t, 500, back(t, s, "txn"))

		for name, refund := range map[string]*pay.Refund{
			"another amount":       refundOf(1, "txn", 501),
			"another transaction":  refundOf(1, "txn2", 500),
			"more than is left":    refundOf(2, "txn", 1401),
			"less than nothing":    refundOf(2, "txn", -1),
			"no such transaction":  refundOf(2, "txn3", 1),
			"another currency":     {Number: 2, Transaction: "txn", Amount: 1, Currency: "USD"},
			"a spelling of its id": refundOf(2, "TXN", 1),
		} {
			require.Error(t, s.Refund(t.Context(), refund), name)
		}
		assert.EqualValues(t, 500, back(t, s, "txn"))
		assert.Zero(t, back(t, s, "txn2"))
		require.NoError(t, s.Refund(t.Context(), refundOf(2, "txn", 1400)), "the rest")
	})
}

func TestSandboxNeverRefundsMoreThanCame(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := bookSandbox(t, stores, Config{})
		comes(t, s, 77, "txn", 1900, "EUR")
		var through atomic.Int64
		var group errgroup.Group
		for n := range order.Number(12) {
			group.Go(func() error {
				if err := s.Refund(t.Context(), refundOf(n+1, "txn", 500)); err == nil {
					through.Add(1)
				}
				return nil
			})
		}
		require.NoError(t, group.Wait())
		assert.EqualValues(t, 3, through.Load())
		assert.EqualValues(t, 1500, back(t, s, "txn"))
	})
}

func TestSandboxIsUnavailableWithoutItsStore(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	sandbox := &Gateway{db: kit.OnEmbedded(t).DB, now: double.Clock}
	r := &pay.Refund{Number: 78, Payment: 77, Transaction: "t1", Amount: 5, Currency: "EUR"}
	require.ErrorIs(t, sandbox.Refund(ended, r), pay.ErrUnavailable)
	err := sandbox.Refund(t.Context(), r)
	require.ErrorContains(t, err, "no such transaction")
	require.NotErrorIs(t, err, pay.ErrUnavailable, "that is a refusal")
}
