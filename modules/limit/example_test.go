package limit_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"onrush/modules/limit"
	"onrush/test/kit"
)

// A client may send all requests of a period at once; the next ones are allowed at equal intervals.
func ExampleLimiter_Take() {
	policy, err := limit.ParsePolicy("2/1s")
	fmt.Println(policy, err)
	clock := kit.NewClock(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	limiter := limit.NewLimiter("users", policy, nil, clock.Now, slog.New(slog.DiscardHandler))
	for range 3 {
		r := limiter.Take(context.Background(), "ada")
		fmt.Println(r.Allowed, r.Remaining, r.Retry)
	}
	clock.Advance(500 * time.Millisecond)
	fmt.Println(limiter.Take(context.Background(), "ada").Allowed)
	// Output:
	// 2/1s <nil>
	// true 1 0s
	// true 0 0s
	// false 0 500ms
	// true
}

// All addresses that one client has count together.
func ExampleAddressKey() {
	fmt.Println(limit.AddressKey(netip.MustParseAddr("192.0.2.1")))
	fmt.Println(limit.AddressKey(netip.MustParseAddr("2001:db8:1:2:3::4")))
	// Output:
	// 192.0.2.1
	// 2001:db8:1:2::/64
}
