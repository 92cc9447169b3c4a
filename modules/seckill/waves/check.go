package waves

import (
	"fmt"
	"slices"

	"onrush/lua"
	"onrush/modules/problem"
)

// Sale is what the check of a plan needs to know of the sale of its sku: times in UTC milliseconds, and how many units
// the waves of a point may have together; a point that is not in Units has no stock of the sku.
type Sale struct {
	StartsMS, EndsMS int64
	Units            map[string]int64
}

// Check adds the faults of the waves of a draft to the checks; field is the name of their list.
func Check(checks *problem.Checks, field string, waves []lua.Wave, s Sale) {
	if len(waves) > MaxOfSKU {
		checks.That(false, field, "must be at most %d", MaxOfSKU)
		return
	}
	for i := range waves {
		check(checks, fmt.Sprintf("%s[%d]", field, i), waves, i, s)
	}
}

// check checks wave i by itself and against the waves before it.
func check(checks *problem.Checks, field string, waves []lua.Wave, i int, s Sale) {
	w := waves[i]
	total, sold := s.Units[w.Point]
	checks.That(sold, field+".point_id", "has no stock of the sku")
	checks.That(w.AtMS > s.StartsMS && w.AtMS < s.EndsMS, field+".at", "must be after starts_at and before ends_at")
	same := func(x lua.Wave) bool { return x.Point == w.Point && x.AtMS == w.AtMS }
	checks.That(!slices.ContainsFunc(waves[:i], same), field+".at", "is given twice for this stock point")
	var units int64
	for _, x := range waves[:i+1] {
		if x.Point == w.Point {
			units += x.Quantity
		}
	}
	checks.That(!sold || units <= total, field+".quantity",
		"is more than the stock point has: its waves have %d units, and its stock %d", units, total)
}

// Change returns the plan of a published sale after a change to some waves. Waves that have opened stay, whether they
// are among them or not. A time at most nowWithin ms ago is taken as now. s.Units says how many units later
// waves may have.
func (p Plan) Change(checks *problem.Checks, field string, to []lua.Wave, s Sale, nowMS, nowWithin int64) Plan {
	var opened, later []lua.Wave
	for _, w := range p {
		if w.AtMS <= nowMS {
			opened = append(opened, w)
		}
	}
	if len(to) > MaxOfSKU {
		checks.That(false, field, "must be at most %d", MaxOfSKU)
		return p
	}
	for i, w := range to {
		at := fmt.Sprintf("%s[%d]", field, i)
		switch {
		case slices.Contains(opened, w): // as it was
		case w.AtMS > nowMS:
			later = append(later, w)
			if slices.Contains(p, w) && w.AtMS >= s.EndsMS { // the end was moved before it
				continue
			}
			check(checks, at, later, len(later)-1, s)
		default:
			checks.That(w.AtMS > nowMS-nowWithin, at+".at",
				"must be in the future, or now; what has opened stays as it is")
			now := append(slices.Clone(later), w) // its units must be there, too
			check(checks, at, now, len(now)-1, s)
			opened = append(opened, w)
		}
	}
	plan := Of(append(opened, later...))
	checks.That(len(plan) <= MaxOfSKU, field, "must be at most %d with those that have opened", MaxOfSKU)
	return plan
}
