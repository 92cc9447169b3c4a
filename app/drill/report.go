package drill

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"onrush/app/drill/meter"
)

// Report is the result of a drill.
type Report struct {
	ID        string          `json:"id"`
	Seed      uint64          `json:"seed"`
	Scenario  Scenario        `json:"scenario"`
	URLs      []string        `json:"urls"` // of the instances
	Faults    []string        `json:"faults,omitempty"`
	Sales     []string        `json:"sales"` // ids
	Visitors  int             `json:"visitors"`
	Arrived   int             `json:"arrived"`
	Dropped   int             `json:"dropped"` // for want of room in the drill's own process
	Orders    int             `json:"orders"`  // accepted
	ElapsedS  float64         `json:"elapsed_s"`
	Latencies []meter.Latency `json:"latencies"`
	Admitted  meter.Latency   `json:"admitted"` // from when visitors came, or could buy, to their first path
	Answers   map[string]int  `json:"answers"`  // by call and code
	Seconds   []meter.Second  `json:"seconds"`
	Checks    []Check         `json:"checks"`
	Tries     []Try           `json:"tries,omitempty"` // of a search for a rate
	Notes     []string        `json:"notes,omitempty"`
}

func (r *run) report(v *verdicts) *Report {
	counted := r.meter.Read()
	report := &Report{
		ID: r.id, Seed: r.cfg.Seed, Scenario: r.cfg.Scenario, Visitors: len(r.plan.Visitors),
		URLs: r.cfg.URLs, Faults: r.cfg.Faults, Orders: r.record.accepted(),
		ElapsedS: time.Since(r.began).Seconds(), Checks: v.list(),
		Latencies: counted.Latencies, Admitted: counted.Admitted, Answers: counted.Answers, Seconds: counted.Seconds,
		Arrived: counted.Arrived, Dropped: counted.Dropped,
	}
	for _, s := range r.sales {
		report.Sales = append(report.Sales, s.ActivityID)
	}
	r.record.mu.Lock()
	defer r.record.mu.Unlock()
	if err := r.record.unwritten; err != nil {
		report.Notes = append(report.Notes, fmt.Sprintf("The history is not complete: %v.", err))
	}
	return report
}

// Print writes a report as one screen of text.
func (r *Report) Print(out io.Writer) error {
	for _, t := range r.Tries {
		_, _ = fmt.Fprintln(out, t)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(format string, args ...any) { _, _ = fmt.Fprintf(table, format+"\n", args...) }
	row("\n%s\tseed %d, %d visitors, %d orders in %.0f s", r.Scenario, r.Seed, r.Arrived, r.Orders, r.ElapsedS)
	row("at\t%s", strings.Join(r.URLs, ", "))
	if len(r.Faults) > 0 {
		row("faults\t%s", strings.Join(r.Faults, ", "))
	}
	if r.Dropped > 0 {
		row("dropped\t%d visitors found no room in the drill's process", r.Dropped)
	}
	row("")
	row("CALL\tANSWERS\tP50\tP99\tLONGEST")
	for _, l := range slices.Concat(r.Latencies[:min(len(r.Latencies), 6)], []meter.Latency{r.Admitted}) {
		row("%s\t%d\t%.1f ms\t%.1f ms\t%.0f ms", l.Call, l.Count, l.P50MS, l.P99MS, l.MaxMS)
	}
	row("")
	for _, code := range r.mostFrequent("path:", "submit:") {
		row("%s\t%d", code, r.Answers[code])
	}
	row("")
	row("CHECK\tVERDICT\tCOMPARED\tWHAT HOLDS")
	for _, c := range r.Checks {
		row("%s\t%s\t%d\t%s", c.Name, strings.ReplaceAll(string(c.Verdict), "_", " "), c.Checked, c.Promise)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, c := range r.Checks {
		for _, problem := range c.Problems {
			_, _ = fmt.Fprintf(out, "%s: %s\n", c.Name, problem)
		}
		if c.More > 0 {
			_, _ = fmt.Fprintf(out, "%s: and %d more\n", c.Name, c.More)
		}
		if len(c.Missing) > 0 {
			_, _ = fmt.Fprintf(out, "%s: planned, and never happened: %s\n", c.Name, strings.Join(c.Missing, ", "))
		}
	}
	for _, note := range r.Notes {
		_, _ = fmt.Fprintln(out, note)
	}
	return nil
}

// mostFrequent returns the most frequent answers to some calls.
func (r *Report) mostFrequent(calls ...string) []string {
	const most = 8
	var codes []string
	for code := range maps.Keys(r.Answers) {
		if slices.ContainsFunc(calls, func(call string) bool { return strings.HasPrefix(code, call) }) {
			codes = append(codes, code)
		}
	}
	slices.SortFunc(codes, func(a, b string) int {
		if r.Answers[a] != r.Answers[b] {
			return r.Answers[b] - r.Answers[a]
		}
		return strings.Compare(a, b)
	})
	return codes[:min(len(codes), most)]
}
