package drill

import (
	"context"
	"fmt"
	"time"
)

// slow is the p99 of submits that a search for a rate doesn't accept.
const slow = 100 * time.Millisecond

// searchFor is how long visitors come in each try of a search.
const searchFor = 3 * time.Second

// Try is one try of a search: so many visitors came per second.
type Try struct {
	Rate  int     `json:"rate"`
	P99MS float64 `json:"p99_ms"` // of submits
	Busy  []Busy  `json:"busy"`
}

// Busy is how much of a processor a part had while visitors came: 1 is a whole one.
type Busy struct {
	Part string  `json:"part"`
	Busy float64 `json:"busy"`
}

// Search tries arrival rates, twice as many visitors per second each time, until p99 leaves 100 ms or visitors are
// dropped, and then halves the step three times. It returns the report of the last drill that was fast enough, with a
// note of the rate and of the part that was the bound; busy, if any, says how busy the parts are while visitors come.
func Search(ctx context.Context, cfg Config, busy func(Running) []Busy) (*Report, error) {
	var tries []Try
	var best *Report
	good, bad := 0, 0
	for n := 0; n < 16 && (bad == 0 || bad-good > max(bad/8, 1)); n++ {
		rate := 50 << n
		if bad != 0 {
			rate = (good + bad) / 2
		}
		try, report, err := tryRate(ctx, cfg, busy, rate)
		if err != nil {
			return nil, err
		}
		tries = append(tries, *try)
		if ExitCode(report.Checks) == 1 {
			return report, nil // a broken guarantee ends the search
		}
		if try.P99MS > float64(slow.Milliseconds()) || report.Dropped > 0 {
			bad = rate
			continue
		}
		good, best = rate, report
	}
	if best == nil {
		return nil, fmt.Errorf("p99 is above %s at %d visitors per second already", slow, tries[0].Rate)
	}
	best.Tries = tries
	bound := "which part was the bound is not known: it is not this drill's own program"
	last := tries[len(tries)-1]
	for _, t := range tries { // the slowest that was too fast
		if t.Rate == bad {
			last = t
		}
	}
	const much = 0.5 // of a processor
	switch b := most(last.Busy); {
	case b.Busy >= much:
		bound = fmt.Sprintf("the bound was %s, which had %.1f processors", b.Part, b.Busy)
	case busy != nil:
		bound = "no part of the program was busy, so the machine or the drill itself was the bound"
	}
	best.Notes = append(best.Notes, fmt.Sprintf(
		"Up to %d visitors per second, p99 of submits is below %s; at %d, %s.", good, slow, bad, bound))
	return best, nil
}

func most(all []Busy) (m Busy) {
	for _, b := range all {
		if b.Busy > m.Busy {
			m = b
		}
	}
	return m
}

// tryRate lets visitors come evenly at a rate.
func tryRate(
	ctx context.Context, cfg Config, busy func(Running) []Busy, rate int,
) (*Try, *Report, error) {
	cfg.Scenario, cfg.Over = Trickle, searchFor
	cfg.Buyers = int(float64(rate) * searchFor.Seconds())
	t := &Try{Rate: rate}
	during := cfg.During
	cfg.During = func(run Running) {
		if busy != nil {
			t.Busy = busy(run)
		}
		if during != nil {
			during(run)
		}
	}
	report, err := Run(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	for _, l := range report.Latencies {
		if l.Call == "submit" {
			t.P99MS = l.P99MS
		}
	}
	return t, report, nil
}
