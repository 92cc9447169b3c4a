package events_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/events"
	"onrush/modules/journal"
	"onrush/modules/problem"
	"onrush/modules/sign"
	"onrush/test/kit"
)

func newHub(t *testing.T, stores *kit.Stores) *events.Hub {
	t.Helper()
	return events.NewHub(events.HubDeps{
		DB: stores.DB, Now: time.Now, Log: discard,
		After: func(time.Duration) <-chan time.Time { return time.NewTimer(5 * time.Millisecond).C },
	})
}

// paid returns the event of an order of a user.
func paid(user string, n int) journal.Event {
	return journal.Event{Type: journal.OrderPaid, Subject: strconv.Itoa(n), User: user, AtMS: 1}
}

// next returns the numbers of the next n orders that a follower hears of.
func next(t *testing.T, f *events.Follower, n int) (orders []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for range n {
		e, again, err := f.Next(ctx)
		require.NoError(t, err)
		require.Nil(t, again, "nothing was lost")
		orders = append(orders, e.Data.Order)
	}
	return orders
}

func TestStreamHasTheEventsOfItsUserOnly(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		hub := newHub(t, stores)
		users := []string{"ada", "Ada", "ad", "ada1"}
		var followers []*events.Follower
		for _, user := range users {
			f, err := hub.Follow(t.Context(), user, -1)
			require.NoError(t, err)
			defer f.Close()
			assert.False(t, f.Start().Missed)
			followers = append(followers, f)
		}
		var want [4][]string
		for i := range 40 {
			user := i * 7 % 4
			write(t, stores.DB, paid(users[user], i+1), journal.Event{
				Type: journal.RefundFailed, Subject: "r", User: users[user], Data: `{}`,
			}, paid("", i+1))
			want[user] = append(want[user], strconv.Itoa(i+1))
			if i%9 == 0 {
				number(t, stores.DB)
			}
		}
		number(t, stores.DB)
		for i, f := range followers {
			assert.Equal(t, want[i], next(t, f, len(want[i])), users[i])
		}
	})
}

// An order that got its vouchers, or of which a part was refunded, stays paid, for streams that continue as well.
func TestStreamHasTheStatusAfterEachRefund(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		hub := newHub(t, stores)
		refunded := func(data string) journal.Event {
			return journal.Event{Type: journal.OrderRefunded, Subject: "1", User: "ada", AtMS: 1, Data: data}
		}
		states := func(after int64) (states []string) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			f, err := hub.Follow(ctx, "ada", after)
			require.NoError(t, err)
			defer f.Close()
			require.False(t, f.Start().Missed)
			if after < 0 {
				write(t, stores.DB, journal.Event{Type: journal.OrderVouchersGiven, Subject: "1", User: "ada", AtMS: 1},
					refunded(`{"status":"paid","refunded_amount":1}`),
					refunded(`{"status":"refunded","refunded_amount":5}`))
				number(t, stores.DB)
			}
			for range 3 {
				e, _, err := f.Next(ctx)
				require.NoError(t, err)
				states = append(states, e.Data.Status)
			}
			return states
		}
		assert.Equal(t, []string{"paid", "paid", "refunded"}, states(-1), "as they come")
		hub = newHub(t, stores)
		assert.Equal(t, []string{"paid", "paid", "refunded"}, states(0), "after a break")
	})
}

func TestManyStreamsShareOneReader(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	rounds := make(chan struct{})
	hub := events.NewHub(events.HubDeps{
		DB: stores.DB, Now: time.Now, Log: discard,
		After: func(time.Duration) <-chan time.Time {
			rounds <- struct{}{}
			return time.NewTimer(time.Millisecond).C
		},
	})
	var followers [500]*events.Follower
	kit.Crowd(len(followers), func(i int) {
		f, err := hub.Follow(t.Context(), "user"+strconv.Itoa(i%100), -1)
		assert.NoError(t, err)
		followers[i] = f
	})
	<-rounds
	<-rounds // a second reader would have to wait as well
	for _, f := range followers {
		f.Close()
	}
	require.Eventually(t, func() bool {
		select {
		case <-rounds:
			return false
		default:
			return true
		}
	}, time.Minute, 200*time.Millisecond, "the reader ends when nobody follows")
	f, err := hub.Follow(t.Context(), "user", -1)
	require.NoError(t, err)
	<-rounds
	f.Close()
}

func TestStreamContinuesBehindTheLastEventThatItGot(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for i := range 5 {
			write(t, stores.DB, paid("ada", i+1), paid("bob", i+1))
		}
		number(t, stores.DB)
		all, head, err := events.NewFeed(stores.DB).Read(t.Context(), 0, nil, 100)
		require.NoError(t, err)
		require.Len(t, all, 10)
		for range 2 { // the first is the one for whom the recent events are read
			hub := newHub(t, stores)
			first, err := hub.Follow(t.Context(), "ada", all[2].ID)
			require.NoError(t, err)
			defer first.Close()
			assert.Equal(t, events.Start{After: all[2].ID}, first.Start())
			assert.Equal(t, []string{"3", "4", "5"}, next(t, first, 3))
			second, err := hub.Follow(t.Context(), "ada", all[6].ID)
			require.NoError(t, err)
			defer second.Close()
			assert.Equal(t, []string{"5"}, next(t, second, 1))
		}
		deleted, err := events.Expire(t.Context(), stores.DB, 2)
		require.NoError(t, err)
		require.Equal(t, 10, deleted)
		hub := newHub(t, stores)
		for _, after := range []int64{0, all[2].ID, all[8].ID, head + 1, 1 << 62} {
			f, err := hub.Follow(t.Context(), "ada", after)
			require.NoError(t, err)
			defer f.Close()
			assert.Equal(t, events.Start{After: head, Missed: true}, f.Start(), "after %d", after)
		}
	})
}

func TestStreamThatIsReadTooSlowlyIsToldThatItMissedEvents(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	hub := newHub(t, stores)
	slow, err := hub.Follow(t.Context(), "ada", -1)
	require.NoError(t, err)
	defer slow.Close()
	quick, err := hub.Follow(t.Context(), "bob", -1)
	require.NoError(t, err)
	defer quick.Close()
	for i := range 150 {
		write(t, stores.DB, paid("ada", i+1))
	}
	write(t, stores.DB, paid("bob", 1))
	number(t, stores.DB)
	assert.Equal(t, []string{"1"}, next(t, quick, 1)) // by now the others were passed on
	_, again, err := slow.Next(t.Context())
	require.NoError(t, err)
	require.NotNil(t, again)
	head, err := events.NewFeed(stores.DB).Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, events.Start{After: head, Missed: true}, *again)
	write(t, stores.DB, paid("ada", 151))
	number(t, stores.DB)
	assert.Equal(t, []string{"151"}, next(t, slow, 1))
}

func TestWithoutSQLAStreamIsUnavailable(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		stores.SQLAway(t)
		hub := newHub(t, stores)
		for range 2 {
			_, err := hub.Follow(t.Context(), "ada", -1)
			assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		}
	}, kit.Breakable())
}

func tickets(stores *kit.Stores, secret string, now func() time.Time) *events.Tickets {
	return events.NewTickets(sign.Secrets{secret}, lua.New(stores.Redis, stores.Keys), now, rand.Reader)
}

func TestTicketWorksOnceForItsUserUntilItEnds(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(time.Now())
		instances := []*events.Tickets{tickets(stores, "s", clock.Now), tickets(stores, "s", clock.Now)}
		ticket, err := instances[0].Issue("ada_1:x")
		require.NoError(t, err)
		user, err := instances[1].Check(ticket.Ticket)
		require.NoError(t, err)
		assert.Equal(t, "ada_1:x", user)

		spent := 0
		for _, err := range kit.AtOnce(48, func(i int) error {
			return instances[i%2].Spend(t.Context(), ticket.Ticket)
		}) {
			if err == nil {
				spent++
				continue
			}
			assert.Equal(t, problem.CodeUnauthorized, problem.CodeOf(err))
		}
		assert.Equal(t, 1, spent, "once")

		late, err := instances[0].Issue("ada")
		require.NoError(t, err)
		clock.Set(time.UnixMilli(int64(late.ExpiresAt)))
		_, err = instances[0].Check(late.Ticket)
		assert.Equal(t, problem.CodeUnauthorized, problem.CodeOf(err))
		assert.Equal(t, problem.CodeUnauthorized, problem.CodeOf(instances[0].Spend(t.Context(), late.Ticket)))
	})
}

func TestTicketThatWasChangedIsRefused(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	own := tickets(stores, "s", time.Now)
	ticket, err := own.Issue("ada")
	require.NoError(t, err)
	foreign, err := tickets(stores, "other", time.Now).Issue("ada")
	require.NoError(t, err)
	changed := []string{
		"", "x", foreign.Ticket, ticket.Ticket + "A", ticket.Ticket[1:], string(bytes.Repeat([]byte("A"), 600)),
	}
	for i := range ticket.Ticket {
		other := byte('A')
		if ticket.Ticket[i] == other {
			other = 'B'
		}
		changed = append(changed, ticket.Ticket[:i]+string(other)+ticket.Ticket[i+1:])
	}
	for _, text := range changed {
		_, err := own.Check(text)
		assert.Equal(t, problem.CodeUnauthorized, problem.CodeOf(err), "%q", text)
	}
	assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(
		events.NewTickets(sign.Secrets{"s"}, broken{}, time.Now, rand.Reader).
			Spend(t.Context(), ticket.Ticket),
	))
}

// broken is a Redis that is unavailable.
type broken struct{}

func (broken) SpendTicket(context.Context, string, time.Duration) (bool, error) {
	return false, context.DeadlineExceeded
}
