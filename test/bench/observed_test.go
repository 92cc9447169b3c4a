package bench

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/load"
	"onrush/test/site"
)

// observedOrders are placed by each program in a turn.
const observedOrders = 40_000

// BenchmarkObserved compares orders per second of processor time of the program with what an operator turns on and
// without it: metrics that are read each second, and traces of 1 % and of all requests.
func BenchmarkObserved(b *testing.B) {
	for _, bench := range []struct {
		name  string
		on    func(b *testing.B) []string
		off   []string
		least float64
	}{
		{name: "metrics", on: scrapedEachSecond, least: 0.9},
		{name: "traces-of-1%", on: traced("0.01"), least: 0.85},
		{name: "traces-of-all", on: traced("1"), least: 0.3},
		{
			// not observed, but compared in the same way: the program's own target of the garbage collector
			name: "collector", on: func(*testing.B) []string { return nil }, off: []string{"GOGC=100"}, least: 0.95,
		},
	} {
		b.Run(bench.name, func(b *testing.B) {
			on, off := newObserved(b, bench.on(b)...), newObserved(b, bench.off...)
			var speeds turns
			for b.Loop() {
				speeds.take(func() float64 { return on.turn(b) }, func() float64 { return off.turn(b) })
			}
			speeds.report(b, "observed/cpu-s", "plain/cpu-s", bench.least)
		})
	}
}

// observed is a program and the requests to it.
type observed struct {
	program *program
	plan    load.Plan
}

func newObserved(b *testing.B, env ...string) *observed {
	b.Helper()
	o := &observed{program: startProgram(b, env...)}
	o.plan = load.Plan{
		Addr: o.program.addr(), Connections: connections, Seconds: burstWithin, Most: few[int64](observedOrders),
	}
	activity := o.program.inspector.Open(b, site.Sale{Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40}})
	o.plan.Requests = o.program.submits(b, 0, crowdUsers, always(activity))
	o.turn(b) // warm up
	return o
}

// turn carries out the plan, and returns how many requests the program answered in a second of its processor time.
func (o *observed) turn(b *testing.B) float64 {
	b.Helper()
	before := o.program.uses(b)
	r := generate(b, o.plan)[0]
	require.Equal(b, o.plan.Most, r.Answers["202"], "%v", r)
	var cost used
	cost.since(before, o.program.uses(b))
	o.program.drain(b)
	return float64(o.plan.Most) / cost.program * 1e6
}

// scrapedEachSecond returns the settings of a program whose metrics are read each second; Prometheus reads them every
// 15 s by default.
func scrapedEachSecond(b *testing.B) []string {
	b.Helper()
	ln, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	addr := ln.Addr().String()
	require.NoError(b, ln.Close())
	ctx, stop := context.WithCancel(context.WithoutCancel(b.Context()))
	b.Cleanup(stop)
	go func() {
		for tick := time.Tick(time.Second); ctx.Err() == nil; <-tick {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/metrics", nil)
			if err != nil {
				return
			}
			if a, err := http.DefaultClient.Do(r); err == nil { // not before the program listens
				_, _ = io.Copy(io.Discard, a.Body)
				_ = a.Body.Close()
			}
		}
	}()
	return []string{"ONRUSH_METRICS_ADDR=" + addr}
}

// traced returns the settings of a program that sends a part of its traces to a collector.
func traced(part string) func(b *testing.B) []string {
	return func(b *testing.B) []string {
		b.Helper()
		collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
		}))
		b.Cleanup(collector.Close)
		return []string{
			"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL, "OTEL_TRACES_SAMPLER=parentbased_traceidratio",
			"OTEL_TRACES_SAMPLER_ARG=" + part,
		}
	}
}
