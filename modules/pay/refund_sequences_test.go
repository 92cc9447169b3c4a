package pay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
)

func TestNoSequenceOfPaymentsCancelsAndPartialRefundsPaysBackMoreThanCame(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) { runSequences(t, stores, 60) })
}

// runSequences runs random sequences, and compares the money now and then.
func runSequences(t *testing.T, stores *kit.Stores, rounds int) {
	t.Helper()
	const seed, checkEach = 20260304, 30
	w := newMoneyWorld(t, stores)
	made := 0
	for round := range rounds {
		s := &sequence{moneyWorld: w, rng: rand.New(rand.NewPCG(seed, uint64(round)))}
		made += s.run(t, round)
		if round%checkEach == checkEach-1 {
			w.settle(t)
			w.addsUp(t, fmt.Sprintf("until round %d", round))
			require.False(t, t.Failed())
		}
	}
	w.settle(t)
	w.addsUp(t, "at the end")
	assert.NotZero(t, made, "refunds were made")
	t.Logf("%d refunds were accepted", made)
}

// sequence is one random history of one to three orders.
type sequence struct {
	*moneyWorld

	rng    *rand.Rand
	orders []*order.Order
}

// run draws what everyone does, lets them do it at once, and returns how many refunds were accepted.
func (s *sequence) run(t *testing.T, round int) int {
	t.Helper()
	for range 1 + s.rng.IntN(3) {
		items := []order.Item{{SKU: "lamp", Quantity: 1 + s.rng.Int64N(3), Price: 1 + s.rng.Int64N(300)}}
		if s.rng.IntN(2) == 0 {
			items = append(items, order.Item{SKU: "card", Quantity: 1 + s.rng.Int64N(3), Price: 1 + s.rng.Int64N(50)})
		}
		s.orders = append(s.orders, s.place(t, s.rng.Int64N(20), items...))
	}
	notices := s.notices(t, round)
	operators := [][]func(ctx context.Context) bool{s.asks("grace"), s.asks("linus")}
	cancels := s.rng.IntN(4) == 0
	cancelled := s.orders[s.rng.IntN(len(s.orders))]

	ctx := context.WithoutCancel(t.Context())
	first := s.rng.IntN(2) == 0 // the money comes first, or everything at once
	if first {
		if err := notices[0](ctx); err != nil {
			t.Error(err)
		}
		notices = notices[1:]
	}
	var accepted [2]int
	var all sync.WaitGroup
	all.Go(func() {
		for _, notice := range notices {
			assert.NoError(t, notice(ctx))
		}
	})
	for i, asks := range operators {
		all.Go(func() {
			for _, ask := range asks {
				if ask(ctx) {
					accepted[i]++
				}
			}
		})
	}
	if cancels {
		all.Go(func() {
			if err := s.canceller.Cancel(ctx, "ada", cancelled.Number, "10.0.0.1"); err != nil {
				assert.Equal(t, order.CodeNotCancellable, problem.CodeOf(err), "%v", err)
			}
		})
	}
	all.Wait()
	return accepted[0] + accepted[1]
}

// notices are what the gateway reports: money for a payment of all orders, perhaps again, twice or wrong, and
// money for a late payment of one of them.
func (s *sequence) notices(t *testing.T, round int) []func(ctx context.Context) error {
	t.Helper()
	p := s.begin(t, s.orders...)
	notice := func(p *Payment, name string, extra int64) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			return s.pays(ctx, p, fmt.Sprintf("%s-%d", name, round), p.Amount+extra)
		}
	}
	notices := []func(ctx context.Context) error{notice(p, "first", 0)}
	if s.rng.IntN(4) == 0 {
		notices = append(notices, notice(p, "first", 0))
	}
	if s.rng.IntN(4) == 0 {
		notices = append(notices, notice(p, "second", 0))
	}
	if s.rng.IntN(4) == 0 {
		notices = append(notices, notice(p, "wrong", 1+s.rng.Int64N(9)))
	}
	if s.rng.IntN(4) == 0 {
		late := s.begin(t, s.orders[s.rng.IntN(len(s.orders))])
		notices = append(notices, notice(late, "late", 0))
	}
	s.rng.Shuffle(len(notices), func(i, j int) { notices[i], notices[j] = notices[j], notices[i] })
	return notices
}

// asks are the refunds that an operator asks for; some have the key of an earlier one.
func (s *sequence) asks(name string) (asks []func(ctx context.Context) bool) {
	by := Operator{Name: name, ClientIP: "10.0.0.2"}
	for i := range 1 + s.rng.IntN(4) {
		o, req := s.orders[s.rng.IntN(len(s.orders))], s.part()
		key := fmt.Sprintf("%s-%s-%d", name, s.orders[0].Number, i/(1+s.rng.IntN(2)))
		asks = append(asks, func(ctx context.Context) bool {
			_, err := s.ops.Refund(ctx, by, key, o.Number, req)
			if err != nil && problem.CodeOf(err) == problem.CodeUnavailable {
				panic(err) // no store is away
			}
			return err == nil
		})
	}
	return asks
}

// part draws the part of an order to refund.
func (s *sequence) part() RefundRequest {
	req := RefundRequest{Reason: "drawn"}
	switch s.rng.IntN(5) {
	case 0: // the rest
	case 1, 2:
		req.Amount = new(1 + s.rng.Int64N(400))
	default:
		req.Items = []order.Units{{SKU: []string{"lamp", "card"}[s.rng.IntN(2)], Quantity: 1 + s.rng.Int64N(2)}}
		if s.rng.IntN(3) == 0 {
			req.Amount = new(1 + s.rng.Int64N(100))
		}
	}
	return req
}
