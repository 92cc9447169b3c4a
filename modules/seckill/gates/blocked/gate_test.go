package blocked

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"onrush/test/kit"
)

func TestGatesLearnOfEveryChange(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		w.refresh(t)
		assert.False(t, w.blocks(t, "alice", "192.0.2.1"))
		w.put(t, alice, time.Time{})
		w.put(t, network, start.Add(time.Minute))
		w.refresh(t)
		assert.True(t, w.blocks(t, "alice", "198.51.100.1"))
		assert.True(t, w.blocks(t, "bob", "192.0.2.1"))
		assert.False(t, w.blocks(t, "Alice", "198.51.100.1"), "another user")
		require.NoError(t, w.Delete(t.Context(), alice, 0))
		w.refresh(t)
		assert.False(t, w.blocks(t, "alice", "198.51.100.1"))

		before := w.gates[0].current.Load()
		w.refresh(t)
		assert.Same(t, before, w.gates[0].current.Load(), "nothing has changed")
		w.clock.Advance(time.Minute)
		assert.False(t, w.blocks(t, "bob", "192.0.2.1"), "it is over")
		w.put(t, alice, time.Time{})
		w.clock.Advance(reloadAfter)
		w.refresh(t)
		assert.Empty(t, w.gates[0].current.Load().networks, "a reload drops expired blocks")
		assert.True(t, w.blocks(t, "alice", "192.0.2.1"))
	})
}

// A view of SQL may have a block and lack one that was committed just before, with a lower version.
func TestABlockThatAViewLackedAppliesAtTheNextRefresh(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		w.put(t, alice, time.Time{})
		add := func(user string, version, head int64) {
			_, err := s.DB.Write.ExecContext(t.Context(), `INSERT INTO blocked
				(kind, subject, reason, until_ms, updated_ms, deleted, version)
				VALUES ('user', ?, 'robot', 0, 0, 0, ?)`, user, version)
			require.NoError(t, err)
			_, err = s.DB.Write.ExecContext(t.Context(), `UPDATE blocked_head SET version = ?`, head)
			require.NoError(t, err)
		}
		w.refresh(t)
		add("bob", 3, 1)
		w.refresh(t)
		assert.True(t, w.blocks(t, "bob", "198.51.100.1"))
		add("carol", 2, 3)
		w.refresh(t)
		for _, user := range []string{"alice", "bob", "carol"} {
			assert.True(t, w.blocks(t, user, "198.51.100.1"), user)
		}
	})
}

// A replica of SQL takes over that lacks the last changes. The next ones have their versions.
func TestBlocksAfterAFailoverOfSQLApplyAtTheNextRefresh(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		w.put(t, alice, time.Time{})
		lose := func(user string) {
			for _, lost := range []string{
				`DELETE FROM blocked WHERE subject = '` + user + `'`, `UPDATE blocked_head SET version = version - 1`,
			} {
				_, err := s.DB.Write.ExecContext(t.Context(), lost)
				require.NoError(t, err)
			}
		}
		w.put(t, Subject{User, "bob"}, time.Time{})
		w.refresh(t)
		lose("bob")
		w.put(t, Subject{User, "carol"}, time.Time{})
		w.refresh(t)
		assert.True(t, w.blocks(t, "carol", "198.51.100.1"), "it has the version that bob's had")
		assert.False(t, w.blocks(t, "bob", "198.51.100.1"), "operators don't see this block")

		w.put(t, Subject{User, "dave"}, time.Time{})
		w.put(t, Subject{User, "eve"}, time.Time{})
		w.refresh(t)
		lose("eve")
		lose("dave")
		w.put(t, Subject{User, "bob"}, time.Time{})
		w.refresh(t)
		assert.True(t, w.blocks(t, "bob", "198.51.100.1"), "its version is below the last that was known")
		for _, user := range []string{"dave", "eve"} {
			assert.False(t, w.blocks(t, user, "198.51.100.1"), user)
		}
		assert.True(t, w.blocks(t, "alice", "198.51.100.1"))

		w.put(t, network, start.Add(time.Minute))
		w.refresh(t)
		w.clock.Advance(reloadAfter)
		w.refresh(t)
		before := w.gates[0].current.Load()
		assert.Empty(t, before.networks)
		w.refresh(t)
		assert.Same(t, before, w.gates[0].current.Load(), "the last row is over, and still the last one")
	})
}

func TestGatesMissNoneOfManyWritersAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		w.refresh(t)
		stop, reading := make(chan struct{}), sync.WaitGroup{}
		reading.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					assert.NoError(t, w.gates[0].Refresh(t.Context()))
				}
			}
		})
		const writers, each = 16, 5
		kit.Crowd(writers, func(i int) {
			for j := range each {
				_, err := w.Put(t.Context(), Subject{User, fmt.Sprint("user ", i, "-", j)}, "robot", 0, 0)
				assert.NoError(t, err)
			}
		})
		close(stop)
		reading.Wait()
		require.NoError(t, w.gates[0].Refresh(t.Context()))
		assert.Len(t, w.gates[0].current.Load().users, writers*each)
	})
}

func TestLastCopyIsUsedWhileSQLIsUnavailable(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		w.put(t, alice, time.Time{})
		w.refresh(t)
		require.NoError(t, s.DB.Close())
		w.clock.Advance(2 * reloadAfter)
		for _, g := range w.gates {
			require.Error(t, g.Refresh(t.Context()))
		}
		assert.True(t, w.blocks(t, "alice", "192.0.2.1"))
	})
}

func TestLookupFindsEveryNetworkThatContainsTheAddress(t *testing.T) {
	t.Parallel()
	random := kit.Rand(5)
	var rows []row
	var networks []netip.Prefix
	for range 300 { // few addresses, so that networks overlap
		ip := []byte{192, 0, byte(random.IntN(3)), byte(random.IntN(256))}
		addr, _ := netip.AddrFromSlice(ip)
		bits := 20 + random.IntN(13)
		if random.IntN(2) == 0 {
			v6 := netip.MustParseAddr("2001:db8::").As16()
			v6[6], v6[7], v6[15] = ip[2], ip[3], byte(random.IntN(256))
			addr, bits = netip.AddrFrom16(v6), 50+random.IntN(79)
		}
		n := netip.PrefixFrom(addr, bits).Masked()
		networks = append(networks, n)
		rows = append(rows, row{Subject: Subject{Address, n.String()}})
	}
	s := (&snapshot{}).with(rows[:200], 0, loopback, 0).with(rows[200:], 0, loopback, 0)
	for _, n := range networks {
		for _, addr := range []netip.Addr{n.Addr(), n.Addr().Next(), n.Addr().Prev(), n.Masked().Addr()} {
			want := false
			for _, m := range networks {
				want = want || m.Contains(addr)
			}
			assert.Equal(t, want, s.blocksAddress(addr, nil), addr)
		}
	}
	assert.False(t, s.blocksAddress(netip.Addr{}, nil), "a request without an address")
}

// hundredThousand is a full snapshot, of users and networks of every length.
func hundredThousand() *snapshot {
	random := kit.Rand(7)
	rows := make([]row, 0, maxEntries)
	for i := range maxEntries / 2 {
		rows = append(rows, row{Subject: Subject{User, fmt.Sprint("user-", i)}})
		octet := func() byte { return byte(random.IntN(256)) }
		b := [4]byte{byte(130 + random.IntN(60)), octet(), octet(), octet()}
		n := netip.PrefixFrom(netip.AddrFrom4(b), 12+i%21).Masked()
		rows = append(rows, row{Subject: Subject{Address, n.String()}})
	}
	return (&snapshot{}).with(rows, 0, loopback, 0)
}

//nolint:paralleltest // allocations are counted for the whole process
func TestGateAllocatesNothingForThoseWhoAreNotBlocked(t *testing.T) {
	app := fiber.New()
	fctx := &fasthttp.RequestCtx{}
	fctx.Init(&fasthttp.Request{}, &net.TCPAddr{IP: net.IPv4(20, 1, 2, 3), Port: 9}, nil)
	c := app.AcquireCtx(fctx)
	defer app.ReleaseCtx(c)
	g := NewGate(nil, time.Now, nil, slog.New(slog.DiscardHandler))
	g.current.Store(hundredThousand())
	assert.False(t, g.refuses(c))
	assert.Zero(t, testing.AllocsPerRun(100, func() { g.refuses(c) }))
	fctx.Init(&fasthttp.Request{}, &net.TCPAddr{IP: net.IPv4(130, 1, 2, 3), Port: 9}, nil)
	g.current.Store((&snapshot{}).with([]row{{Subject: Subject{Address, "130.0.0.0/8"}}}, 0, nil, 0))
	assert.True(t, g.refuses(c), "the address is looked up")
}

func BenchmarkGate(b *testing.B) {
	app := fiber.New()
	fctx := &fasthttp.RequestCtx{}
	fctx.Init(&fasthttp.Request{}, &net.TCPAddr{IP: net.IPv4(20, 1, 2, 3), Port: 9}, nil)
	c := app.AcquireCtx(fctx)
	defer app.ReleaseCtx(c)
	g := NewGate(nil, time.Now, nil, slog.New(slog.DiscardHandler))
	g.current.Store(hundredThousand())
	b.ReportAllocs()
	for b.Loop() {
		if g.refuses(c) {
			b.Fatal("refused")
		}
	}
}

func BenchmarkSnapshotWithOneChange(b *testing.B) {
	s := hundredThousand()
	b.ReportAllocs()
	for b.Loop() {
		s.with([]row{{Subject: alice}}, 0, loopback, 0)
	}
}
