package kit

import (
	"encoding/base32"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// Clock is a clock that stands still until the test moves it.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock makes a clock that shows now.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now is the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves the clock to a time, forwards or backwards.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Advance moves the clock by d and returns what it shows then.
func (c *Clock) Advance(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return c.now
}

// Rand makes a source of random numbers that yields the same ones for the same seed. It may be
// used by one goroutine at a time.
func Rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

// IDs makes a source of ids, 20 lower-case base32 characters each, that yields the same ones for
// the same seed. It may be used by many goroutines at once.
func IDs(seed uint64) func() string {
	var mu sync.Mutex
	random := Rand(seed)
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		raw := binary.BigEndian.AppendUint64(nil, random.Uint64())
		raw = binary.BigEndian.AppendUint64(raw, random.Uint64())
		return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw))[:20]
	}
}
