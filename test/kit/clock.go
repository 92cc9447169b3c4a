package kit

import (
	"encoding/base32"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// Clock is a clock that only the test advances.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock set to now.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set sets the clock to a time, forwards or backwards.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Advance moves the clock forwards by d and returns the new time.
func (c *Clock) Advance(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return c.now
}

// Rand returns a source of random numbers that are the same for the same seed. One goroutine at a time
// may use it.
func Rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

// IDs returns a source of ids of 20 lower-case base32 characters that are the same for the same seed.
// Many goroutines may use it at once.
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
