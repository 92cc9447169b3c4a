// Package bench measures the program's performance on private real stores:
//
//	go test ./test/bench -run '^$' -bench . -benchtime 20x
//
// Other work on the machine changes every figure, so each benchmark runs the program and its baseline
// in turns, and reports the median of the ratios of the turns. With 5 or more turns it fails if the
// ratio is below its bound.
package bench

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"onrush/test/kit"
)

func TestMain(m *testing.M) {
	code := kit.Main(m)
	if err := writeResults(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// enoughTurns is how many turns are needed before the ratio is checked.
const enoughTurns = 5

// turns collects the speeds of two things that are measured in turns.
type turns struct{ ours, theirs, ratios []float64 }

// take measures both and alternates their order. Each function returns its speed.
func (t *turns) take(ours, theirs func() float64) {
	var a, b float64
	if len(t.ratios)%2 == 0 {
		a, b = ours(), theirs()
	} else {
		b, a = theirs(), ours()
	}
	t.ours, t.theirs, t.ratios = append(t.ours, a), append(t.theirs, b), append(t.ratios, a/b)
}

// report reports the medians and fails the benchmark if the ratio is below least.
func (t *turns) report(b *testing.B, ours, theirs string, least float64) {
	b.Helper()
	b.ReportMetric(0, "ns/op") // a turn holds both, so its time says nothing
	b.ReportMetric(median(t.ours), ours)
	b.ReportMetric(median(t.theirs), theirs)
	ratio := median(t.ratios)
	b.ReportMetric(ratio, "ratio")
	keepResult(b, result{
		Turns: len(t.ratios), Ours: median(t.ours), Unit: ours, Baseline: median(t.theirs), Of: theirs, Ratio: ratio,
		Least: least,
	})
	if len(t.ratios) >= enoughTurns && ratio < least {
		b.Errorf("the ratio is %.2f, but has to be at least %.2f", ratio, least)
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// few returns how many requests, orders or seconds a turn has: n; with -short a tenth of it, which only shows that a
// benchmark runs.
func few[N int | int64 | float64](n N) N {
	if testing.Short() {
		return n / 10
	}
	return n
}

// skipLarge skips a benchmark whose sales, buyers or orders are many, and take minutes to prepare, with -short.
func skipLarge(b *testing.B) {
	b.Helper()
	if testing.Short() {
		b.Skip("large; not with -short")
	}
}
