package pay

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// pageGateway is an ExpiringGateway that knows a payment only when the buyer has paid it, as Alipay does.
type pageGateway struct {
	askedGateway
}

func (*pageGateway) ShortestTime() time.Duration { return time.Minute }

func (*pageGateway) Close(context.Context, *Payment) error { return ErrOpen }

// reconcilerAt returns a Reconciler with a clock of the test.
func reconcilerAt(stores *kit.Stores, cfg Config, fake *kit.Clock, gateways Gateways) *Reconciler {
	return NewReconciler(cfg, Deps{
		DB: stores.DB, Gateways: gateways, Clock: clock.Fixed(fake.Now), Log: slog.New(slog.DiscardHandler),
	}, &Processor{})
}

// awaitedOf counts the orders 1 to n that wait for a payment.
func awaitedOf(t *testing.T, stores *kit.Stores, n int) int {
	t.Helper()
	numbers := make([]order.Number, n)
	for i := range numbers {
		numbers[i] = order.Number(i + 1)
	}
	awaited, err := Awaited(t.Context(), stores.DB.Read, numbers)
	require.NoError(t, err)
	return len(awaited)
}

// expireAt sets the expiry of all payments, and when they are queried.
func expireAt(t *testing.T, stores *kit.Stores, expires, ask time.Time) {
	t.Helper()
	_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE payments SET expires_ms = ?, ask_ms = ?`,
		expires.UnixMilli(), ask.UnixMilli())
	require.NoError(t, err)
}

func TestAnOrderWaitsForAnAnswerAfterTheExpiryAtTheGateway(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(testNow)
		gateway := &pageGateway{askedGateway{answer: func(context.Context) (Found, error) { return Found{}, nil }}}
		pending(t, stores, "page")
		expires := testNow.Add(30 * time.Second)
		expireAt(t, stores, expires, testNow)
		a := reconcilerAt(stores, Config{}, clock, Gateways{"page": gateway})
		for _, at := range []time.Time{testNow, expires, expires.Add(4 * time.Second)} {
			clock.Set(at)
			_, err := a.RunOnce(t.Context())
			require.NoError(t, err)
			assert.Equal(t, 1, awaitedOf(t, stores, 1), "the buyer may still enter the password")
			status, _ := statusOf(t, stores, 1)
			assert.Equal(t, Pending, status)
		}
		assert.EqualValues(t, 1, gateway.asked.Load(), "an answer before that decides nothing")
		clock.Set(expires.Add(5 * time.Second))
		done, err := a.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, done)
		assert.Zero(t, awaitedOf(t, stores, 1))
		status, _ := statusOf(t, stores, 1)
		assert.Equal(t, Closed, status)
	})
}

// A payment that a newer one replaced is closed at once, if its gateway can do that.
func TestAPaymentThatTheGatewayDoesNotKnowIsQueriedAgainAfterItsExpiry(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(testNow)
		gateway := &pageGateway{askedGateway{answer: func(context.Context) (Found, error) { return Found{}, nil }}}
		pending(t, stores, "page")
		expireAt(t, stores, testNow.Add(time.Minute), testNow)
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE payments SET status = 'closed'`)
		require.NoError(t, err)
		a := reconcilerAt(stores, Config{}, clock, Gateways{"page": gateway})
		for range 3 {
			_, err := a.RunOnce(t.Context())
			require.NoError(t, err)
		}
		assert.EqualValues(t, 1, gateway.asked.Load())
		assert.Equal(t, 1, awaitedOf(t, stores, 1))
		clock.Set(testNow.Add(65 * time.Second))
		for range 3 {
			_, err := a.RunOnce(t.Context())
			require.NoError(t, err)
		}
		assert.EqualValues(t, 2, gateway.asked.Load(), "once more, and never again")
		assert.Zero(t, awaitedOf(t, stores, 1))
	})
}

func TestAGatewayThatIsAwayKeepsAnOrderForTenQueries(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(testNow)
		away := &askedGateway{answer: func(context.Context) (Found, error) { return Found{}, ErrUnavailable }}
		pending(t, stores, "away")
		expireAt(t, stores, testNow.Add(2*time.Second), testNow)
		a := reconcilerAt(stores, Config{}, clock, Gateways{"away": away})
		kept := time.Duration(0)
		for at := time.Duration(0); at < time.Hour; at += time.Second {
			clock.Set(testNow.Add(at))
			_, _ = a.RunOnce(t.Context())
			if awaitedOf(t, stores, 1) == 0 {
				kept = at - 2*time.Second
				break
			}
		}
		t.Logf("kept for %s, queried %d times", kept, away.asked.Load())
		assert.InDelta(t, 10*time.Minute, kept, float64(time.Minute))
		p, err := SelectPayment(t.Context(), stores.DB.Read, 1)
		require.NoError(t, err)
		assert.Less(t, p.AskMS, int64(Never), "it is still queried: its money goes back")
	})
}

func TestAfterAStartEachPaymentIsQueriedBeforeItsOrderIsCancelled(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(testNow)
		const crowd = 20
		gateway := &askedGateway{answer: func(context.Context) (Found, error) { return Found{}, ErrUnavailable }}
		pending(t, stores, slices.Repeat([]string{"bank"}, crowd)...)
		expireAt(t, stores, testNow, testNow)
		gateways := Gateways{"bank": gateway}
		_, err := reconcilerAt(stores, Config{}, clock, gateways).RunOnce(t.Context())
		require.ErrorIs(t, err, ErrUnavailable)
		clock.Advance(24 * time.Hour) // the program was down
		_, err = reconcilerAt(stores, Config{}, clock, gateways).RunOnce(t.Context())
		require.ErrorIs(t, err, ErrUnavailable)
		assert.Equal(t, crowd, awaitedOf(t, stores, crowd), "as far as is known, it was away for a moment")
		gateway.answer = func(context.Context) (Found, error) { return Found{}, nil }
		clock.Advance(time.Minute)
		_, err = reconcilerAt(stores, Config{}, clock, gateways).RunOnce(t.Context())
		require.NoError(t, err)
		assert.Zero(t, awaitedOf(t, stores, crowd))
	})
}

// Of a gateway that hangs one payment is queried in a run, so that most are never queried.
func TestAGatewayThatHangsKeepsItsOrdersForTenMinutes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const crowd = 200
		clock := kit.NewClock(testNow)
		answers := false
		hung := &askedGateway{answer: func(ctx context.Context) (Found, error) {
			if answers {
				return Found{}, nil
			}
			<-ctx.Done()
			return Found{}, errors.Join(ErrUnavailable, ctx.Err())
		}}
		pending(t, stores, slices.Repeat([]string{"hung"}, crowd)...)
		expireAt(t, stores, testNow, testNow)
		a := reconcilerAt(stores, Config{CallWithin: 50 * time.Millisecond}, clock, Gateways{"hung": hung})
		kept := time.Duration(0)
		for at := time.Duration(0); at < time.Hour; at += 20 * time.Second {
			clock.Set(testNow.Add(at))
			_, _ = a.RunOnce(t.Context())
			if awaitedOf(t, stores, crowd) < crowd/2 {
				kept = at
				break
			}
		}
		t.Logf("kept for %s, with %d queries", kept, hung.asked.Load())
		assert.InDelta(t, 10*time.Minute, kept, float64(time.Minute))

		expireAt(t, stores, clock.Now(), clock.Now())
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE payments SET unanswered = 0`)
		require.NoError(t, err)
		_, _ = a.RunOnce(t.Context())
		assert.Equal(t, crowd, awaitedOf(t, stores, crowd), "those that expired now have their time")
		answers = true
		clock.Advance(time.Minute)
		for range crowd { // runs are short, as CallWithin is
			_, err = a.RunOnce(t.Context())
			require.NoError(t, err)
		}
		assert.Zero(t, awaitedOf(t, stores, crowd))
	})
}

func TestTheExpiryAtTheGatewayIsBeforeTheDeadline(t *testing.T) {
	t.Parallel()
	s := &Service{cfg: Config{}.WithDefaults(), gateways: Gateways{"page": &pageGateway{}, "call": &askedGateway{}}}
	for _, c := range []struct {
		channel  string
		left, is time.Duration
	}{
		{"page", 15 * time.Minute, 15*time.Minute - 15*time.Second},
		{"page", 100 * time.Second, 85 * time.Second},
		{"page", 20 * time.Second, 70 * time.Second}, // the shortest that the gateway accepts, and the time of a call
		{"call", 15 * time.Minute, 15 * time.Minute}, // closed by a call
		{"call", time.Second, time.Second},
	} {
		assert.Equal(t, testNow.Add(c.is), s.expiry(c.channel, testNow, testNow.Add(c.left)), c)
	}
}

func TestAPaymentBeginsAtAGatewayOnlyWhileItsExpiryIsFarEnough(t *testing.T) {
	t.Parallel()
	clock := kit.NewClock(testNow)
	s := &Service{gateways: Gateways{"page": &pageGateway{}, "call": &askedGateway{}}, now: clock.Now}
	p := &Payment{Channel: "page", ExpiresMS: testNow.Add(70 * time.Second).UnixMilli()}
	assert.False(t, s.tooLate(p))
	clock.Advance(11 * time.Second)
	assert.True(t, s.tooLate(p), "the gateway would let it expire later than SQL says")
	p.Channel = "call"
	assert.False(t, s.tooLate(p))
}

func TestTheQueriesOfAStartReadRangesOfIndexes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		pending(t, stores, slices.Repeat([]string{"a", "b", "c"}, 300)...)
		if stores.DB.Dialect != sqldb.SQLite {
			_, err := stores.DB.Write.ExecContext(t.Context(), `ANALYZE TABLE payments`)
			require.NoError(t, err)
		}
		for query, args := range map[string][]any{
			dueQuery: {"a", Pending, 5, 10}, aheadQuery: {"a", 5, 10, 10, 10},
		} {
			plan := kit.Explain(t, stores.DB, query, args...)
			assert.Regexp(t, "payments_(channel|ask)", plan)
			assert.False(t, strings.Contains(plan, "filesort") || strings.Contains(plan, "TEMP B-TREE"), plan)
		}
	})
}

func TestAGatewayThatRestsIsAskedAboutTheSamePaymentAgain(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		resting := &askedGateway{answer: func(context.Context) (Found, error) { return Found{}, ErrResting }}
		pending(t, stores, "rests", "rests", "rests")
		a := newTestAsker(stores, Config{}, Gateways{"rests": resting})
		for run := range 3 {
			_, err := a.RunOnce(t.Context())
			require.ErrorIs(t, err, ErrUnavailable)
			assert.EqualValues(t, run+1, resting.asked.Load(), "one a run")
		}
		var postponed int
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &postponed,
			`SELECT COUNT(*) FROM payments WHERE ask_ms > 1`))
		assert.Zero(t, postponed)
	})
}
