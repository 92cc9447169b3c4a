package load

import (
	"math/bits"
	"time"
)

const (
	// subBits divides each power of two into 32 buckets, so a quantile is exact to 3 %.
	subBits = 5
	buckets = (64 - subBits) << subBits
)

// histogram counts latencies in microseconds, in buckets that grow with the latency.
type histogram struct {
	counts [buckets]int64
	n      int64
	max    time.Duration
}

func (h *histogram) add(d time.Duration) {
	h.counts[bucketOf(uint64(max(d.Microseconds(), 0)))]++
	h.n++
	h.max = max(h.max, d)
}

func (h *histogram) merge(other *histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.n += other.n
	h.max = max(h.max, other.max)
}

// quantile returns the latency that the part q of all did not exceed.
func (h *histogram) quantile(q float64) time.Duration {
	rank := int64(q * float64(h.n))
	for i, n := range h.counts {
		if rank -= n; rank < 0 {
			return min(time.Duration(topOf(i))*time.Microsecond, h.max)
		}
	}
	return h.max
}

func bucketOf(v uint64) int {
	if v < 2<<subBits {
		return int(v)
	}
	shift := bits.Len64(v) - subBits - 1
	return shift<<subBits + int(v>>shift)
}

// topOf returns the largest value in a bucket.
func topOf(bucket int) uint64 {
	if bucket < 2<<subBits {
		return uint64(bucket)
	}
	shift := bucket>>subBits - 1
	return uint64(bucket-shift<<subBits+1)<<shift - 1
}
