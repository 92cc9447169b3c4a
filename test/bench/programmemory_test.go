package bench

import (
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/site"
)

const (
	placedOrders = 50_000 // by default
	placedParts  = 10     // after each of which the memory is read
	memoryBuyers = 2000
	mib          = 1 << 20
	// mostProgramMB is how much memory of the program may ever be resident, in MiB.
	mostProgramMB = 200
	// leastFlat is what the resident memory after the first part has to be of that after the last one.
	leastFlat = 0.8
)

// BenchmarkProgramMemory places very many orders of 2,000 buyers over 64 connections, waits after each tenth of them
// until all are in SQL, and compares the resident memory of the program after the first tenth with that after the
// last one. ONRUSH_BENCH_PLACED sets the number of orders of a turn; by default it is 50,000.
func BenchmarkProgramMemory(b *testing.B) {
	skipLarge(b)
	part := scale(b, placedEnv, placedOrders) / placedParts
	p := startProgram(b)
	activity := p.inspector.Open(b, site.Sale{Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40}})
	submits := p.submits(b, 0, memoryBuyers, always(activity))
	var first, last, ratios []float64
	var peak float64
	for b.Loop() {
		var after [placedParts]float64
		for i := range after {
			p.place(b, submits, part)
			p.drain(b)
			now, most, err := p.process.Memory()
			require.NoError(b, err)
			after[i], peak = float64(now)/mib, float64(most)/mib
		}
		b.Logf("%d orders each: %.0f MiB; at most %.0f MiB", part, after, peak)
		first, last = append(first, after[0]), append(last, after[placedParts-1])
		ratios = append(ratios, after[0]/after[placedParts-1])
	}
	b.ReportMetric(peak, "peak-MiB")
	speeds := turns{ours: first, theirs: last, ratios: ratios}
	speeds.report(b, "first-MiB", "last-MiB", leastFlat)
	require.LessOrEqual(b, peak, float64(mostProgramMB), "MiB")
}
