package drill

import (
	"fmt"
	"strings"
)

// Verdict is what a drill says of a guarantee.
type Verdict string

// The verdicts.
const (
	Held         Verdict = "held"
	Broken       Verdict = "broken"
	NotExercised Verdict = "not_exercised" // what the plan asked for did not happen, so that nothing was shown
)

// The checks of a drill.
const (
	checkOrders = "orders" // accepted = stored = seen by the buyer, each once
	checkLimits = "limits"
	checkStock  = "stock"
	checkLists  = "lists"
	checkMoney  = "money"
	checkEvents = "events"
	checkWishes = "wishes"
	checkGates  = "gates"
	checkDrift  = "drift"
)

// promises says in words what each check holds.
var promises = []struct{ check, text string }{
	{checkOrders, "every accepted order is stored once, and its buyer sees it"},
	{checkLimits, "no buyer has more than the purchase limit"},
	{checkStock, "no unit is sold twice, in total or at a stock point"},
	{checkLists, "my orders is complete on every page while orders move"},
	{checkMoney, "money = goods + refunds"},
	{checkEvents, "each change has its event, once and in order"},
	{checkWishes, "units are offered in order or by the lot, no wave is early, what is set aside is kept"},
	{checkGates, "limits, permits, waiting room and signatures are kept"},
	{checkDrift, "the stock of Redis and SQL agrees"},
}

// Check is the result of one check.
type Check struct {
	Name    string  `json:"name"`
	Promise string  `json:"promise"`
	Verdict Verdict `json:"verdict"`
	// Checked is how many things were compared: orders, walks, payments, events.
	Checked  int      `json:"checked"`
	Missing  []string `json:"missing,omitempty"`  // what the plan asked for and did not happen
	Problems []string `json:"problems,omitempty"` // at most 20; More counts the others
	More     int      `json:"more,omitempty"`
}

// maxProblems bounds the problems of a check that are kept; the others are counted.
const maxProblems = 20

// verdicts collects the results of all checks.
type verdicts struct {
	checked  map[string]int
	problems map[string][]string
	more     map[string]int
	wanted   map[string][]string // by check: what must have happened
	happened map[string]bool     // by check and name
}

func newVerdicts() *verdicts {
	return &verdicts{
		checked: map[string]int{}, problems: map[string][]string{}, more: map[string]int{},
		wanted: map[string][]string{}, happened: map[string]bool{},
	}
}

func (v *verdicts) problem(check, format string, args ...any) {
	if len(v.problems[check]) == maxProblems {
		v.more[check]++
		return
	}
	v.problems[check] = append(v.problems[check], fmt.Sprintf(format, args...))
}

// want says that the plan asks for something.
func (v *verdicts) want(check, name string) { v.wanted[check] = append(v.wanted[check], name) }

// exercised says that something happened.
func (v *verdicts) exercised(check, name string) { v.happened[check+" "+name] = true }

// broken reports whether any check has a problem.
func (v *verdicts) broken() bool { return len(v.problems) > 0 }

// list returns the checks in the order of the promises.
func (v *verdicts) list() []Check {
	var all []Check
	for _, p := range promises {
		if p.check == checkWishes && v.checked[p.check] == 0 && len(v.wanted[p.check]) == 0 {
			continue // only one scenario has them
		}
		c := Check{Name: p.check, Promise: p.text, Checked: v.checked[p.check], Verdict: Held}
		for _, name := range v.wanted[p.check] {
			if !v.happened[p.check+" "+name] {
				c.Missing = append(c.Missing, name)
			}
		}
		c.Problems, c.More = v.problems[p.check], v.more[p.check]
		switch {
		case len(c.Problems) > 0:
			c.Verdict = Broken
		case len(c.Missing) > 0 || c.Checked == 0:
			c.Verdict = NotExercised
		}
		all = append(all, c)
	}
	return all
}

// ExitCode returns 1 if a check is broken, 3 if one was not exercised, and else 0.
func ExitCode(checks []Check) int {
	code := 0
	for _, c := range checks {
		switch c.Verdict {
		case Broken:
			return 1
		case NotExercised:
			code = 3
		case Held:
		}
	}
	return code
}

func (c Check) String() string {
	text := fmt.Sprintf("%s: %s, %d checked", c.Name, c.Verdict, c.Checked)
	if len(c.Missing) > 0 {
		text += "; missing: " + strings.Join(c.Missing, ", ")
	}
	return text
}
