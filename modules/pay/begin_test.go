package pay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/refusals"
	"onrush/test/kit"
	"onrush/test/stage"
)

// unpaid has every order, unpaid.
type unpaid struct{}

func (unpaid) EnsureStored(_ context.Context, user string, n order.Number) (*order.Order, error) {
	return &order.Order{
		Number: n, User: user, Status: order.Unpaid,
		Content: order.Content{
			TotalAmount: 1299, Currency: "CNY", PayBefore: api.Millis(testNow.Add(time.Hour).UnixMilli()),
		},
	}, nil
}

// appGateway begins payments for buyers in its app; the first calls fail as unavailable, as many as configured.
type appGateway struct {
	Gateway

	away  int
	asked []string // the openids, and "" for Begin
	told  []order.Number
}

func (g *appGateway) Begin(ctx context.Context, p *Payment) (Next, error) {
	return g.BeginFor(ctx, p, "")
}

func (g *appGateway) BeginFor(_ context.Context, p *Payment, openid string) (Next, error) {
	g.asked, g.told = append(g.asked, openid), append(g.told, p.Number)
	if len(g.asked) <= g.away {
		return Next{}, fmt.Errorf("%w: connection refused", ErrUnavailable)
	}
	return Next{Params: map[string]string{"for": "somebody"}}, nil
}

// plainGateway has no app.
type plainGateway struct{ Gateway }

func newTestService(t *testing.T, stores *kit.Stores, gateways Gateways) *Service {
	t.Helper()
	require.NoError(t, stage.Insert(t.Context(), stores.DB,
		order.Order{
			Number: 5, User: "ada", Task: "task",
			Content: order.Content{
				GoodsAmount: 1299, TotalAmount: 1299,
			},
		}))
	next := order.Number(100)
	s, err := NewService(Config{}, Deps{
		DB: stores.DB, Ensure: unpaid{}, Gateways: gateways, Clock: clock.Fixed(testClock),
		Number: func() order.Number {
			next++
			return next
		},
		Log: slog.New(slog.DiscardHandler),
	}, nil)
	require.NoError(t, err)
	return s
}

func TestPaymentInTheAppIsRepeatedForTheSameBuyer(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		app := &appGateway{away: 1}
		s := newTestService(t, stores, Gateways{"app": app})
		req := Request{Orders: []order.Number{5}, Channel: "app", OpenID: "o-ada"}
		_, err := s.Begin(t.Context(), "ada", "key", req)
		require.Equal(t, CodeGatewayUnavailable, problem.CodeOf(err))
		first, err := s.Begin(t.Context(), "ada", "key", req)
		require.NoError(t, err)
		require.Equal(t, map[string]string{"for": "somebody"}, first.Next.Params)
		again, err := s.Begin(t.Context(), "ada", "key", req)
		require.NoError(t, err)
		require.Equal(t, first, again)
		require.Equal(t, []string{"o-ada", "o-ada"}, app.asked)
		require.Equal(t, []order.Number{101, 101}, app.told)

		for _, other := range []string{"o-bob", ""} {
			req.OpenID = other
			_, err = s.Begin(t.Context(), "ada", "key", req)
			require.Equal(t, problem.CodeIdempotencyKeyReused, problem.CodeOf(err), other)
		}
		_, err = s.Begin(t.Context(), "ada", "key 2", req)
		require.NoError(t, err)
		require.Equal(t, []string{"o-ada", "o-ada", ""}, app.asked)

		p, err := SelectPayment(t.Context(), stores.DB.Write, 101)
		require.NoError(t, err)
		stored, err := json.Marshal(p)
		require.NoError(t, err)
		require.NotContains(t, string(stored), "o-ada")
	})
}

func TestAChannelWithoutAnAppRefusesAnOpenIDBeforeAnythingIsStored(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := newTestService(t, stores, Gateways{"plain": plainGateway{}})
		_, err := s.Begin(t.Context(), "ada", "key",
			Request{Orders: []order.Number{5}, Channel: "plain", OpenID: "o-ada"})
		require.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err))
		require.ErrorContains(t, err, "openid")
		var payments int
		require.NoError(t, stores.DB.Write.GetContext(t.Context(), &payments, `SELECT COUNT(*) FROM payments`))
		require.Zero(t, payments)
	})
}

func TestAnEarlierPaymentIsClosedWhenTheNewOneCanBePaid(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		good, away := &appGateway{}, &appGateway{away: 1}
		s := newTestService(t, stores, Gateways{"good": good, "away": away})
		first, err := s.Begin(t.Context(), "ada", "first", Request{Orders: []order.Number{5}, Channel: "good"})
		require.NoError(t, err)
		other := Request{Orders: []order.Number{5}, Channel: "away"}
		_, err = s.Begin(t.Context(), "ada", "other", other)
		require.Equal(t, CodeGatewayUnavailable, problem.CodeOf(err))
		open, err := s.Get(t.Context(), "ada", first.Number)
		require.NoError(t, err)
		require.Equal(t, first, open, "it can be paid still")
		_, err = s.Begin(t.Context(), "ada", "other", other)
		require.NoError(t, err)
		shut, err := s.Get(t.Context(), "ada", first.Number)
		require.NoError(t, err)
		require.Equal(t, Closed, shut.Status)
		require.Nil(t, shut.Next)
	})
}

func TestLaterPaymentStaysOpenWithWrongClocks(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := newTestService(t, stores, Gateways{"app": &appGateway{}})
		req := Request{Orders: []order.Number{5}, Channel: "app"}
		for i := range 3 { // each on an instance whose clock is behind the previous one's
			s.now = func() time.Time { return testNow.Add(-time.Duration(i) * time.Minute) }
			last, err := s.Begin(t.Context(), "ada", fmt.Sprint("key", i), req)
			require.NoError(t, err)
			require.NotNil(t, last.Next)
			var open []order.Number
			require.NoError(t, stores.DB.Read.SelectContext(t.Context(), &open,
				`SELECT pay_number FROM payments WHERE status = 'pending'`))
			require.Equal(t, []order.Number{last.Number}, open)
		}
	})
}

// dear has orders that cost nearly all that an amount holds.
type dear struct{}

func (dear) EnsureStored(ctx context.Context, user string, n order.Number) (*order.Order, error) {
	o, err := unpaid{}.EnsureStored(ctx, user, n)
	o.TotalAmount = math.MaxInt64 - 1
	return o, err
}

func TestPaymentAboveTheLargestAmountIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := newTestService(t, stores, Gateways{"app": &appGateway{}})
		s.ensure = dear{}
		_, err := s.Begin(t.Context(), "ada", "key", Request{Orders: []order.Number{5, 6}, Channel: "app"})
		require.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err))
	})
}

// beginGateway begins payments as the test says.
type beginGateway struct {
	Gateway

	begin func(ctx context.Context) (Next, error)
}

func (g *beginGateway) Begin(ctx context.Context, _ *Payment) (Next, error) { return g.begin(ctx) }

func TestWhatAGatewayRefusesForGoodIsNotToBeSentAgain(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		var log strings.Builder
		bank := &beginGateway{begin: func(context.Context) (Next, error) {
			return Next{}, errors.New("bank: status 403, NO_AUTH")
		}}
		s := newTestService(t, stores, Gateways{"bank": bank})
		clock := kit.NewClock(testNow)
		s.refusals = refusals.New(clock.Now, slog.New(slog.NewTextHandler(&log, nil)))
		refused := func() error {
			_, err := s.Begin(t.Context(), "ada", "key", Request{Orders: []order.Number{5}, Channel: "bank"})
			return err
		}
		for range 3 {
			err := refused()
			require.Equal(t, CodeGatewayRefused, problem.CodeOf(err))
			var p *problem.Error
			require.ErrorAs(t, err, &p)
			assert.Zero(t, p.RetryAfter)
			assert.NotContains(t, p.Detail, "NO_AUTH")
		}
		require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
		for _, part := range []string{"channel=bank", "NO_AUTH", "omitted=0"} {
			assert.Contains(t, log.String(), part)
		}
		clock.Advance(time.Minute)
		require.Error(t, refused())
		require.Equal(t, 2, strings.Count(log.String(), "\n"), "at most once a minute")
		assert.Contains(t, log.String(), "omitted=2")

		bank.begin = func(context.Context) (Next, error) { return Next{}, ErrResting }
		require.Equal(t, CodeGatewayUnavailable, problem.CodeOf(refused()), "it decided nothing")
	})
}

func TestBuyersBeginABoundedNumberOfPaymentsAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const many, limit = 40, 4
		var entered, done sync.WaitGroup
		release := make(chan struct{})
		entered.Add(limit)
		slow := &beginGateway{begin: func(ctx context.Context) (Next, error) {
			entered.Done() // panics if there are more
			select {
			case <-release:
			case <-ctx.Done():
			}
			return Next{}, nil
		}}
		s := newTestService(t, stores, Gateways{"slow": slow})
		s.begins["slow"] = make(chan struct{}, limit)
		refused := make(chan error, many)
		for range many {
			done.Go(func() {
				p := &Payment{Channel: "slow", ExpiresMS: Never, Orders: []PaymentOrder{{Order: 5}}}
				if _, err := s.tellGateway(t.Context(), slow.Begin, p); err != nil {
					refused <- err
				}
			})
		}
		entered.Wait()
		for range many - limit {
			require.Equal(t, problem.CodeOverloaded, problem.CodeOf(<-refused))
		}
		close(release)
		done.Wait()
		assert.Empty(t, refused)
	})
}
