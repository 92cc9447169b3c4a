package simulate

import "math"

// quantiles counts times in buckets that are 1 % wide, from 1 µs to about a day.
type quantiles struct {
	counts []int
	total  int
}

const bucketWidth = 1.01

func newQuantiles() *quantiles { return &quantiles{counts: make([]int, 2600)} }

func (q *quantiles) add(seconds float64) {
	bucket := 0
	if seconds > 1e-6 {
		bucket = min(1+int(math.Log(seconds*1e6)/math.Log(bucketWidth)), len(q.counts)-1)
	}
	q.counts[bucket]++
	q.total++
}

// at returns the time that a part of the values doesn't exceed, in s; 0 without values.
func (q *quantiles) at(part float64) float64 {
	rest := int(math.Ceil(part * float64(q.total)))
	for bucket, count := range q.counts {
		if rest -= count; rest <= 0 && bucket > 0 {
			return 1e-6 * math.Pow(bucketWidth, float64(bucket)-0.5)
		} else if rest <= 0 {
			return 0
		}
	}
	return 0
}
