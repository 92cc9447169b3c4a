package pay

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTheWaitsOfARefundGrowUpToTheirBound(t *testing.T) {
	t.Parallel()
	cfg := Config{RefundWait: 2 * time.Second, RefundWaitMax: time.Minute, RefundAskAgain: 10 * time.Second}
	longest := newRefundBackoff(cfg, func() uint64 { return 0 })
	for attempts, want := range map[int]time.Duration{
		1: 2 * time.Second, 2: 4 * time.Second, 5: 32 * time.Second, 6: time.Minute, math.MaxInt: time.Minute,
	} {
		assert.Equal(t, want, longest.afterFailure(attempts), "after %d attempts", attempts)
	}
	for age, want := range map[time.Duration]time.Duration{
		0: 2 * time.Second, 7 * time.Second: 7 * time.Second, time.Hour: time.Minute,
	} {
		assert.Equal(t, want, longest.whileAway(age), "of an age of %v", age)
	}
	for since, want := range map[time.Duration]time.Duration{
		0: 10 * time.Second, 20 * time.Second: 20 * time.Second, time.Hour: time.Minute,
	} {
		assert.Equal(t, want, longest.whileUnderWay(since), "under way for %v", since)
	}
}

func TestARandomPartOfUpToHalfIsSubtractedFromTheWaitsOfARefund(t *testing.T) {
	t.Parallel()
	cfg := Config{RefundWait: 2 * time.Second, RefundWaitMax: time.Minute, RefundAskAgain: 10 * time.Second}
	for _, random := range []uint64{0, 1, uint64(time.Second), uint64(time.Second) + 1, math.MaxUint64} {
		b := newRefundBackoff(cfg, func() uint64 { return random })
		for full, got := range map[time.Duration]time.Duration{
			8 * time.Second:  b.afterFailure(3),
			time.Minute:      b.whileAway(time.Hour),
			10 * time.Second: b.whileUnderWay(0),
		} {
			assert.LessOrEqual(t, got, full)
			assert.GreaterOrEqual(t, got, full/2)
		}
	}
	shortest := newRefundBackoff(cfg, func() uint64 { return uint64(time.Second) })
	assert.Equal(t, time.Second, shortest.afterFailure(1))
}
