package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"onrush/app/operator"
	"onrush/app/simulate"
)

// simulation has the flags of a drill that is calculated.
type simulation struct {
	Visitors       int           `help:"How many come." default:"100000" group:"simulate"`
	Reads          float64       `help:"Requests for the page before a visitor acts." default:"5" group:"simulate"`
	Units          int           `help:"Units of all sales; a buyer buys one." default:"5000" group:"simulate"`
	Sales          int           `help:"Sales at once, each in a lane of its own." default:"1" group:"simulate"`
	PathsPerSecond float64       `help:"Visitors that a room admits per second. 0: no room." group:"simulate"`
	Processors     int           `help:"Processors of an instance." default:"2" group:"simulate"`
	Redis          int           `help:"Nodes of Redis." default:"1" group:"simulate"`
	SQL            int           `name:"sql" help:"Processors of the SQL server." default:"4" group:"simulate"`
	Think          time.Duration `help:"Mean time between two requests, at most 2s." default:"1s" group:"simulate"`
	Until          time.Duration `help:"End after this time of the sale." default:"1h" group:"simulate"`
}

// simulate calculates a sale and prints what became of the visitors.
func (c *drillCommand) simulate(out io.Writer) error {
	over, instances := c.Over, c.Instances
	if over == 0 {
		over = time.Minute
	}
	if instances == 0 {
		instances = 2
	}
	r, err := simulate.Run(simulate.Config{
		Visitors: c.Visitors, Over: over, Reads: c.Reads, Units: c.Units, Sales: c.Sales,
		PathsPerSecond: c.PathsPerSecond, Instances: instances, Processors: c.Processors, Redis: c.Redis, SQL: c.SQL,
		Think: c.Think, Until: c.Until, Seed: c.Seed,
		Costs: simulate.MeasuredCosts,
	})
	if err != nil {
		return fmt.Errorf("drill: %w", err)
	}
	if c.json() {
		return operator.WriteJSON(out, r)
	}
	return printSimulation(out, r)
}

func printSimulation(out io.Writer, r *simulate.Result) error {
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
