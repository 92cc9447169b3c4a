package drill

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"onrush/app/drill/meter"
)

//go:embed report.html
var page string

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"join":  strings.Join,
	"words": func(v Verdict) string { return strings.ReplaceAll(string(v), "_", " ") },
}).Parse(page))

// chart is a picture of one or two figures over the seconds of a drill.
type chart struct {
	Title, Unit  string
	First, Other []float64 // Other may be nil
	Names        []string
}

// The size of a chart, in its own units.
const chartWidth, chartHeight = 600.0, 120.0

// Most returns the largest figure of a chart, which has none below 0.
func (c chart) Most() float64 {
	most := 0.0
	for _, figure := range slices.Concat(c.First, c.Other) {
		most = max(most, figure)
	}
	return most
}

// Line returns the points of a line of SVG.
func (c chart) Line(figures []float64) string {
	var points strings.Builder
	for i, figure := range figures {
		x := chartWidth * float64(i) / float64(max(len(figures)-1, 1))
		_, _ = fmt.Fprintf(&points, "%.1f,%.1f ", x, chartHeight*(1-figure/max(c.Most(), 1)))
	}
	return points.String()
}

// HTML writes a report as one page that needs no network.
func (r *Report) HTML(out io.Writer) error {
	figures := func(of func(meter.Second) float64) []float64 {
		all := make([]float64, len(r.Seconds))
		for i, s := range r.Seconds {
			all[i] = of(s)
		}
		return all
	}
	return pageTemplate.Execute(out, struct {
		*Report
		Measured []meter.Latency
		Charts   []chart
		Codes    []string
	}{r, slices.Concat(r.Latencies, []meter.Latency{r.Admitted}), []chart{
		{
			"Answers and orders", "per second", figures(func(s meter.Second) float64 { return float64(s.Answers) }),
			figures(func(s meter.Second) float64 { return float64(s.Accepted) }),
			[]string{"answers", "orders accepted"},
		},
		{
			"Latency, from when each request was due", "ms", figures(func(s meter.Second) float64 { return s.P99MS }),
			figures(func(s meter.Second) float64 { return s.P50MS }),
			[]string{"p99", "p50"},
		},
		{
			"Orders that SQL doesn't have yet", "orders",
			figures(func(s meter.Second) float64 { return float64(s.Queue) }), nil,
			[]string{"queue"},
		},
		{
			"Age of the oldest of them", "ms",
			figures(func(s meter.Second) float64 { return float64(s.OldestMS) }), nil,
			[]string{"age"},
		},
		{
			"Units left", "units", figures(func(s meter.Second) float64 { return float64(s.Left) }), nil,
			[]string{"units"},
		},
		{
			"Requests that failed", "per second",
			figures(func(s meter.Second) float64 { return float64(s.Failed) }), nil,
			[]string{"failed"},
		},
	}, r.mostFrequent("")})
}
