package web

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"onrush/modules/problem"
)

// summaryEvery is how often the counts of refusals are logged.
const summaryEvery = time.Second

// refusalCounts counts error answers by code and logs one line per code and second, since there may be
// thousands of "sold out" per second. For the metrics it counts them by the gate that refused. Codes and gates
// are constants of the program, so their number is bounded, and they contain no data of callers.
type refusalCounts struct {
	log  *slog.Logger
	tell func(code string, requests int)
	stop context.Context //nolint:containedctx // the end of the server

	mu      sync.Mutex
	counts  map[problem.Code]*refused
	byGate  map[gateCode]int64 // since the start
	summary *time.Timer        // nil if none is due
}

// gateCode is a gate, and the code of its answer.
type gateCode struct{ gate, code string }

// refused is the number of answers with a code since the last summary.
type refused struct {
	status, count int
}

// newRefusals returns counts of 0. When stop ends, the last summary is logged at once. tell may be nil; see
// Config.Refused.
func newRefusals(stop context.Context, log *slog.Logger, tell func(code string, requests int)) *refusalCounts {
	r := &refusalCounts{
		log: log, tell: tell, stop: stop, counts: map[problem.Code]*refused{}, byGate: map[gateCode]int64{},
	}
	context.AfterFunc(stop, func() { //nolint:contextcheck // the log line belongs to no request
		r.mu.Lock()
		last := r.summary
		r.mu.Unlock()
		if last != nil && last.Stop() {
			r.sum()
		}
	})
	return r
}

// add counts an answer and reports whether it is the first of its code since the last summary.
func (r *refusalCounts) add(e *problem.Error) (first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Gate != "" {
		r.byGate[gateCode{e.Gate, e.Code.Name}]++
	}
	if r.summary == nil && r.stop.Err() == nil { // an idle server needs no timer
		r.summary = time.AfterFunc(summaryEvery, r.sum)
	}
	n := r.counts[e.Code]
	if n == nil {
		n = &refused{status: e.Status()}
		r.counts[e.Code] = n
	}
	n.count++
	return n.count == 1
}

// dryRun is the code that the metrics have for what a dry run lets pass.
const dryRun = "dry_run"

// pass counts a request that a gate lets pass in a dry run.
func (r *refusalCounts) pass(gate string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byGate[gateCode{gate, dryRun}]++
}

// sum logs the summary and starts the next one.
func (r *refusalCounts) sum() {
	r.mu.Lock()
	counts := r.counts
	r.counts, r.summary = map[problem.Code]*refused{}, nil
	r.mu.Unlock()
	for code, n := range counts {
		r.log.LogAttrs(context.Background(), slog.LevelInfo, "requests refused",
			slog.String("code", code.Name), slog.Int("status", n.status), slog.Int("count", n.count))
		if r.tell != nil {
			r.tell(code.Name, n.count)
		}
	}
}
