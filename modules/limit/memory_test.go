package limit

import (
	"fmt"
	"log/slog"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestManyUsersAndAddressesTakeBoundedMemory counts 300,000 users, whose ids have any bytes, and as many addresses.
// It is not parallel, since it measures the whole process.
func TestManyUsersAndAddressesTakeBoundedMemory(t *testing.T) { //nolint:paralleltest // see above
	if testing.Short() {
		t.Skip("900,000 requests")
	}
	const clients = 3 * maxClients
	now := time.Date(2026, 11, 11, 20, 0, 0, 0, time.UTC)
	limiter := func(name string) *Limiter {
		clock := func() time.Time { return now }
		return NewLimiter(name, Policy{100, time.Second}, nil, clock, slog.New(slog.DiscardHandler))
	}
	before := heap()
	users, addresses, networks := limiter("user"), limiter("address"), limiter("network")
	for i := range clients {
		addr := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		users.Take(t.Context(), fmt.Sprintf("\x00\xff/%d:*", i))
		addresses.Take(t.Context(), AddressKey(addr))
		networks.Take(t.Context(), NetworkKey(addr))
	}
	for _, l := range []*Limiter{users, addresses, networks} {
		assert.LessOrEqual(t, l.buckets.Len(), maxClients, l.name)
	}
	perClient := (heap() - before) / (2*maxClients + clients/256)
	t.Logf("%d bytes per client", perClient)
	assert.Less(t, perClient, int64(500))
	runtime.KeepAlive([]*Limiter{users, addresses, networks})
}

// heap returns the bytes that are in use after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
