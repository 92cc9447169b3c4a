package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"onrush/app/simulate"
)

type drillCommand struct {
	outputFlag
	Simulate bool `help:"Calculate a sale with the measured costs; it reaches no program and no store."`

	Visitors       int           `help:"How many come." default:"100000"`
	Over           time.Duration `help:"Within which time 80 % of them come; the others come later." default:"1m"`
	Reads          float64       `help:"Requests of a visitor for the page before it acts." default:"5"`
	Units          int           `help:"Units of all sales; each buyer buys one." default:"5000"`
	Sales          int           `help:"Sales at the same time, each in a lane of its own." default:"1"`
	PathsPerSecond float64       `help:"Visitors that each sale's waiting room admits. 0: no waiting room."`
	Instances      int           `help:"Instances of the program." default:"2"`
	Processors     int           `help:"Processors of an instance." default:"2"`
	Redis          int           `help:"Nodes of Redis." default:"1"`
	SQL            int           `name:"sql" help:"Processors of the SQL server." default:"4"`
	Think          time.Duration `help:"Mean time between two requests of a visitor, at most 2s." default:"1s"`
	Until          time.Duration `help:"End after this time of the sale." default:"1h"`
	Seed           uint64        `help:"Of the random numbers: a run with the same seed is the same." default:"1"`
}

// onlySimulates is the error of a drill without --simulate.
type onlySimulates struct{}

func (onlySimulates) Error() string { return "drill: only --simulate exists so far" }

// ExitCode is that of a wrong use.
func (onlySimulates) ExitCode() int { return 2 }

// Run simulates a sale and prints what became of the visitors.
func (c *drillCommand) Run(out io.Writer) error {
	if !c.Simulate {
		return onlySimulates{}
	}
	r, err := simulate.Run(simulate.Config{
		Visitors: c.Visitors, Over: c.Over, Reads: c.Reads, Units: c.Units, Sales: c.Sales,
		PathsPerSecond: c.PathsPerSecond, Instances: c.Instances, Processors: c.Processors, Redis: c.Redis, SQL: c.SQL,
		Think: c.Think, Until: c.Until, Seed: c.Seed,
		Costs: simulate.MeasuredCosts,
	})
	if err != nil {
		return fmt.Errorf("drill: %w", err)
	}
	if c.json() {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	return printDrill(out, r)
}

func printDrill(out io.Writer, r *simulate.Result) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(table, "visitors\t%d\n", r.Visitors)
	_, _ = fmt.Fprintf(table, "accepted\t%d, the last after %.1f s\n", r.Accepted, r.LastAcceptedS)
	for _, code := range slices.Sorted(maps.Keys(r.Refused)) {
		_, _ = fmt.Fprintf(table, "refused\t%d %s\n", r.Refused[code], code)
	}
	_, _ = fmt.Fprintf(table, "waiting\t%d\n", r.Waiting)
	_, _ = fmt.Fprintf(table, "submit\tp50 %.1f ms, p99 %.1f ms\n", r.SubmitP50MS, r.SubmitP99MS)
	_, _ = fmt.Fprintf(table, "peak\t%d requests/s, %d orders/s\n", r.PeakRequests, r.PeakAccepted)
	_, _ = fmt.Fprintf(table, "stored\tafter %.1f s\n\n", r.LastStoredS)
	_, _ = fmt.Fprintln(table, "STATION\tPROCESSORS\tBUSY\tPEAK\t")
	for _, s := range r.Stations {
		bound := ""
		if s.Name == r.Bound {
			bound = "the bound"
		}
		_, _ = fmt.Fprintf(table, "%s\t%d\t%.0f %%\t%.0f %%\t%s\n", s.Name, s.Processors, 100*s.Busy, 100*s.Peak, bound)
	}
	return table.Flush()
}
