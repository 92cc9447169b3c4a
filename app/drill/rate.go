package drill

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

const (
	// searchFor is how long visitors come in each try of a search.
	searchFor = 3 * time.Second
	// slow and late are the p99 of submits and of first paths that a search doesn't accept: visitors who come faster
	// than gates or the drill let them in would submit at a lower rate than they came.
	slow, late = 100 * time.Millisecond, searchFor
)

// Try is one try of a search: so many visitors came per second.
type Try struct {
	Rate       int     `json:"rate"`
	P99MS      float64 `json:"p99_ms"`      // of submits
	AdmittedMS float64 `json:"admitted_ms"` // p99 of the time until visitors had their first path
	Dropped    int     `json:"dropped"`     // found no room in the drill's own process
	Busy       []Busy  `json:"busy"`
}

func (t Try) late() bool { return t.AdmittedMS > float64(late.Milliseconds()) || t.Dropped > 0 }

func (t Try) tooFast() bool { return t.P99MS > float64(slow.Milliseconds()) || t.late() }

func (t Try) String() string {
	return fmt.Sprintf("%d visitors per second: p99 of submits %.0f ms, of the time to the first path %.0f ms",
		t.Rate, t.P99MS, t.AdmittedMS)
}

// Busy is how much of a processor a part had while visitors came: 1 is a whole one.
type Busy struct {
	Part string  `json:"part"`
	Busy float64 `json:"busy"`
}

// Search tries arrival rates, twice as many visitors per second each time, until p99 leaves 100 ms or visitors wait for
// their paths, and then halves the step three times. It returns the report of the last drill that was fast enough, with
// a note of the rate and of the part that was the bound; busy, if any, says how busy the parts are while visitors come.
func Search(ctx context.Context, cfg Config, busy func(Running) []Busy) (*Report, error) {
	return search(ctx, busy != nil, func(rate int) (*Report, Try, error) {
		report, t, err := tryRate(ctx, cfg, busy, rate)
		if err == nil && cfg.Tried != nil {
			cfg.Tried(t)
		}
		return report, t, err
	})
}

// search is Search with a function that tries a rate. measured says that tries say how busy the parts are.
func search(ctx context.Context, measured bool, try func(rate int) (*Report, Try, error)) (*Report, error) {
	var tries []Try
	var best *Report
	var good int
	var bad Try // the slowest that was too fast
	for n := 0; n < 16 && (bad.Rate == 0 || bad.Rate-good > max(bad.Rate/8, 1)); n++ {
		rate := 50 << n
		if bad.Rate != 0 {
			rate = (good + bad.Rate) / 2
		}
		report, t, err := try(rate)
		if err != nil && best != nil && ctx.Err() == nil {
			best.Tries = tries
			best.Notes = append(best.Notes, fmt.Sprintf("Up to %d visitors per second, p99 of submits is below %s; "+
				"%d could not be tried: %v.", good, slow, rate, err))
			return best, nil
		}
		if err != nil {
			return nil, err
		}
		tries = append(tries, t)
		if ExitCode(report.Checks) == 1 {
			report.Tries = tries
			return report, nil // a broken guarantee ends the search
		}
		if t.tooFast() {
			bad = t
			continue
		}
		good, best = rate, report
	}
	if best == nil {
		return nil, fmt.Errorf("too fast already: %s", bad)
	}
	best.Tries = tries
	note := fmt.Sprintf("Up to %d visitors per second, p99 of submits is below %s", good, slow)
	if bad.Rate > 0 {
		note += fmt.Sprintf("; at %d, %s", bad.Rate, bad.bound(measured))
	}
	best.Notes = append(best.Notes, note+".")
	return best, nil
}

// bound says what kept a try from being fast enough.
func (t Try) bound(measured bool) string {
	const much = 0.5 // of a processor
	b := slices.MaxFunc(append(t.Busy, Busy{}), func(a, b Busy) int { return cmp.Compare(a.Busy, b.Busy) })
	switch {
	case b.Busy >= much && !t.late():
		return fmt.Sprintf("the bound was %s, which had %.1f processors", b.Part, b.Busy)
	case t.late():
		return "visitors waited for their paths: the bound was a waiting room, a human check or the drill itself"
	case measured:
		return "no part of the program was busy, so the machine or the drill itself was the bound"
	}
	return "which part was the bound is not known: it is not this drill's own program"
}

// tryRate lets visitors come evenly at a rate. A sale of its own has no human check, whose proofs would keep the drill
// busy.
func tryRate(
	ctx context.Context, cfg Config, busy func(Running) []Busy, rate int,
) (*Report, Try, error) {
	cfg.Scenario, cfg.Over, cfg.noHumanCheck = Trickle, searchFor, true
	cfg.Buyers = int(float64(rate) * searchFor.Seconds())
	t := Try{Rate: rate}
	if busy != nil {
		cfg.During = func(run Running) { t.Busy = busy(run) }
	}
	report, err := Run(ctx, cfg)
	if err != nil {
		return nil, t, err
	}
	t.AdmittedMS, t.Dropped = report.Admitted.P99MS, report.Dropped
	for _, l := range report.Latencies {
		if l.Call == "submit" {
			t.P99MS = l.P99MS
		}
	}
	if !t.tooFast() && report.Orders < cfg.Buyers/2 {
		return nil, t, fmt.Errorf("%d of %d visitors could order: the sale must be open to all, with a unit for each",
			report.Orders, cfg.Buyers)
	}
	return report, t, nil
}
