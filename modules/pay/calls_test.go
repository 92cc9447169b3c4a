package pay

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/pay/counts"
	"onrush/modules/problem"
	"onrush/test/kit"
)

// failingGateway answers all calls with an error, except the queries where it says so.
type failingGateway struct {
	Gateway

	err     error
	queries bool
}

func (g *failingGateway) Begin(context.Context, *Payment) (Next, error) { return Next{}, g.err }

func (g *failingGateway) BeginFor(context.Context, *Payment, string) (Next, error) {
	return Next{}, g.err
}
func (g *failingGateway) Close(context.Context, *Payment) error { return g.err }
func (g *failingGateway) Refund(context.Context, *Refund) error { return g.err }

func (g *failingGateway) Query(context.Context, *Payment) (Found, error) {
	if g.queries {
		return Found{}, nil
	}
	return Found{}, g.err
}

func TestEachCallOfAGatewayIsCountedByWhetherItWasAnswered(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		bank := &failingGateway{}
		gateways := Gateways{"acme": bank}
		s := newTestService(t, stores, gateways)
		asker := newTestAsker(stores, Config{}, gateways)
		sender := refunder(stores, Config{}, kit.NewClock(testNow), gateways)
		for _, row := range []struct {
			answered string
			err      error
		}{
			{"yes", errors.New("refused")},
			{"resting", ErrResting},
			{"no", ErrUnavailable},
			{"no", context.DeadlineExceeded},
		} {
			c := counts.New()
			s.counts, asker.settle.counts, sender.counts = c, c, c
			bank.err = fmt.Errorf("acme: %w", row.err)
			p := &Payment{Number: 1, Channel: "acme", ExpiresMS: Never, Orders: []PaymentOrder{{Order: 5}}}
			for _, openid := range []string{"", "o-ada"} {
				begin, err := s.beginning(Request{Channel: "acme", OpenID: openid})
				require.NoError(t, err)
				_, err = s.tellGateway(t.Context(), begin, p)
				require.ErrorIs(t, err, row.err)
			}
			for _, bank.queries = range []bool{false, true} {
				_, _, _, err := asker.ask(t.Context(), bank, p)
				require.ErrorIs(t, err, row.err)
			}
			_, _, err := sender.send(t.Context(), &Refund{Number: 1, Channel: "acme"})
			require.NoError(t, err, "what became of it is stored")
			text, err := testutil.CollectAndFormat(c.Metrics()[2], expfmt.TypeTextPlain,
				"onrush_gateway_call_duration_seconds")
			require.NoError(t, err)
			queries := map[bool]int{false: 1, true: 2}[row.answered == "yes"] // the query before Close was answered
			for operation, calls := range map[string]int{"begin": 2, "query": queries, "close": 1, "refund": 1} {
				assert.Contains(t, string(text), fmt.Sprintf("onrush_gateway_call_duration_seconds_count{answered=%q,"+
					"channel=\"acme\",operation=%q} %d\n", row.answered, operation, calls), row.err)
			}
		}
	})
}

// hungGateway answers no call before its context ends, and tells how long that may take.
func hungGateway(entered chan<- time.Duration) *beginGateway {
	return &beginGateway{begin: func(ctx context.Context) (Next, error) {
		end, _ := ctx.Deadline()
		entered <- time.Until(end)
		<-ctx.Done()
		return Next{}, fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	}}
}

func TestAGatewayThatHangsCostsABuyer3SecondsAndBuyersOfOthersNothing(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		entered := make(chan time.Duration, maxBegins)
		hung := hungGateway(entered)
		s := newTestService(t, stores, Gateways{"hung": hung, "good": &appGateway{}})
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		ended := make(chan error, maxBegins)
		for range maxBegins {
			go func() {
				_, err := s.tellGateway(ctx, hung.Begin,
					&Payment{Channel: "hung", ExpiresMS: Never, Orders: []PaymentOrder{{Order: 5}}})
				ended <- err
			}()
		}
		for range maxBegins {
			assert.LessOrEqual(t, <-entered, 3*time.Second)
		}
		begun, err := s.Begin(ctx, "ada", "other", Request{Orders: []order.Number{5}, Channel: "good"})
		require.NoError(t, err, "all places of the other gateway are taken meanwhile")
		assert.NotNil(t, begun.Next)
		leave()
		for range maxBegins {
			assert.Equal(t, CodeGatewayUnavailable, problem.CodeOf(<-ended))
		}
	})
}

func TestASlowGatewayIsGivenMoreTimeAfterAQueryWithoutAnswer(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		var within time.Duration
		slow := &askedGateway{answer: func(ctx context.Context) (Found, error) {
			end, _ := ctx.Deadline()
			within = time.Until(end)
			return Found{}, nil
		}}
		asker := newTestAsker(stores, Config{}, Gateways{"slow": slow})
		for unanswered, most := range []time.Duration{3 * time.Second, 10 * time.Second} {
			_, _, _, err := asker.ask(t.Context(), slow, &Payment{Channel: "slow", Unanswered: unanswered})
			require.NoError(t, err)
			assert.InDelta(t, most, within, float64(2*time.Second))
		}
	})
}
