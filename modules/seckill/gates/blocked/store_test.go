package blocked

import (
	"fmt"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/test/kit"
)

var (
	start   = time.Date(2026, 11, 11, 12, 0, 0, 0, time.UTC)
	alice   = Subject{User, "alice"}
	network = Subject{Address, "192.0.2.0/24"}
	proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
)

// world is a store with two gates, which stand for two instances.
type world struct {
	*Store
	gates [2]*Gate
	clock *kit.Clock
}

func newWorld(s *kit.Stores) *world {
	clock := kit.NewClock(start)
	w := &world{Store: NewStore(s.DB, clock.Now, proxies), clock: clock}
	for i := range w.gates {
		w.gates[i] = NewGate(s.DB, clock.Now, proxies, slog.New(slog.DiscardHandler))
	}
	return w
}

func (w *world) refresh(t *testing.T) {
	t.Helper()
	for _, g := range w.gates {
		require.NoError(t, g.Refresh(t.Context()))
	}
}

func (w *world) put(t *testing.T, subject Subject, until time.Time) Entry {
	t.Helper()
	var end api.Millis
	if !until.IsZero() {
		end = api.Millis(until.UnixMilli())
	}
	e, err := w.Put(t.Context(), subject, "robot", end, 0)
	require.NoError(t, err)
	return e
}

// blocks reports whether both gates block a user and an address.
func (w *world) blocks(t *testing.T, user, addr string) (blocked bool) {
	t.Helper()
	for i, g := range w.gates {
		s := g.current.Load()
		got := s.blocksUser(user, g.nowMS) || s.blocksAddress(netip.MustParseAddr(addr), g.nowMS)
		if i > 0 {
			assert.Equal(t, blocked, got, "the gates agree")
		}
		blocked = got
	}
	return blocked
}

func TestBlockIsReplacedListedAndDeleted(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		ctx := t.Context()
		put := w.put(t, alice, time.Time{})
		assert.Equal(t, Entry{
			Kind: User, Subject: "alice", Reason: "robot", UpdatedAt: api.Millis(start.UnixMilli()),
			Version: put.Version,
		}, put)
		assert.Positive(t, put.Version)
		w.put(t, Subject{User, "Alice"}, time.Time{})
		w.put(t, network, start.Add(time.Hour))
		again, err := w.Put(ctx, alice, "reseller", api.Millis(start.Add(time.Minute).UnixMilli()), 0)
		require.NoError(t, err)
		got, err := w.Get(ctx, alice)
		require.NoError(t, err)
		assert.Equal(t, again, got)
		assert.Equal(t, "reseller", got.Reason)

		list, err := w.List(ctx, Filter{}, api.KeyPage{Page: 1, Size: 2})
		require.NoError(t, err)
		assert.EqualValues(t, 3, *list.Total)
		require.Len(t, list.Items, 2)
		assert.Equal(t, "192.0.2.0/24", list.Items[0].Subject)
		assert.Equal(t, "Alice", list.Items[1].Subject)

		clockEnd := start.Add(time.Minute)
		w.clock.Set(clockEnd)
		_, err = w.Get(ctx, alice)
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err), "it is over")
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(w.Delete(ctx, alice, 0)))
		require.NoError(t, w.Delete(ctx, network, 0))
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(w.Delete(ctx, network, 0)))
		list, err = w.List(ctx, Filter{}, api.KeyPage{Page: 1, Size: 2})
		require.NoError(t, err)
		assert.EqualValues(t, 1, *list.Total)
		w.put(t, alice, time.Time{})
		w.put(t, network, time.Time{})
		w.refresh(t)
		assert.True(t, w.blocks(t, "alice", "198.51.100.1"))
		assert.True(t, w.blocks(t, "bob", "192.0.2.200"))
	})
}

func TestOperatorCanNotBlockThePlatformItself(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		for _, name := range []string{
			"0.0.0.0/0", "127.0.0.1", "127.0.0.0/16", "::/0", "::1", "10.1.2.3", "10.0.0.0/8", "8.0.0.0/6", "0.0.0.0/1",
		} {
			_, err := w.Put(t.Context(), Subject{Address, name}, "typo", 0, 0)
			assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), name)
		}
		_, err := w.Put(t.Context(), alice, "late", api.Millis(start.UnixMilli()), 0)
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), "it would be over at once")

		// A network that was blocked before the proxy was configured.
		before := NewStore(s.DB, w.clock.Now, nil)
		_, err = before.Put(t.Context(), Subject{Address, "10.1.0.0/16"}, "robots", 0, 0)
		require.NoError(t, err)
		w.refresh(t)
		assert.False(t, w.blocks(t, "bob", "10.1.2.3"))
	})
}

func TestBlocksAreBounded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		w.maxEntries = 2
		w.put(t, alice, start.Add(time.Minute))
		w.put(t, network, time.Time{})
		_, err := w.Put(t.Context(), Subject{User, "bob"}, "robot", 0, 0)
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		w.put(t, alice, start.Add(2*time.Minute))
		w.clock.Advance(2 * time.Minute)
		w.put(t, Subject{User, "bob"}, time.Time{})
		require.NoError(t, w.Delete(t.Context(), network, 0))
		w.put(t, alice, time.Time{})
	})
}

func TestManyOperatorsMayBlockOneSubjectAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		const writers = 48
		for _, err := range kit.AtOnce(writers, func(i int) error {
			_, err := w.Put(t.Context(), alice, fmt.Sprint("reason ", i), 0, 0)
			return err
		}) {
			require.NoError(t, err)
		}
		list, err := w.List(t.Context(), Filter{}, api.KeyPage{Page: 1, Size: 100})
		require.NoError(t, err)
		assert.Len(t, list.Items, 1)
		w.refresh(t)
		assert.EqualValues(t, writers, w.gates[0].current.Load().last.Version)
	})
}

func TestFinishedBlocksAreCleanedUp(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		w.put(t, alice, start.Add(time.Minute))
		w.put(t, network, time.Time{})
		w.put(t, Subject{User, "bob"}, time.Time{})
		w.put(t, Subject{User, "carol"}, start.Add(3*time.Hour))
		require.NoError(t, w.Delete(t.Context(), network, 0))
		clean := func() (deleted int) {
			for _, e := range Expiries(w.clock.Now().Add(-time.Hour)) {
				n, err := s.DB.Expire(t.Context(), e)
				require.NoError(t, err)
				deleted += n
			}
			return deleted
		}
		assert.Zero(t, clean())
		w.clock.Advance(2 * time.Hour)
		assert.Equal(t, 2, clean(), "alice, whose block is over, and the network")
		w.refresh(t)
		assert.True(t, w.blocks(t, "bob", "192.0.2.1"))
		assert.True(t, w.blocks(t, "carol", "192.0.2.1"))
	})
}
