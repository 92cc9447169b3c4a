package load

import (
	"bytes"
	"strconv"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Result is what a load measured. The latencies are of all answers, in milliseconds.
type Result struct {
	Seconds float64 `json:"seconds"`
	// Answers counts the answers by status, and code of a problem: "202", "429 rate_limited".
	Answers map[string]int64 `json:"answers"`
	P50     float64          `json:"p50_ms"`
	P99     float64          `json:"p99_ms"`
	Max     float64          `json:"max_ms"`
	// Broken counts the connections that broke; each was opened again. Error is the error of one of them.
	Broken int64  `json:"broken"`
	Error  string `json:"error,omitempty"`
}

// Rate returns how many answers of a kind came per second.
func (r Result) Rate(answer string) float64 { return float64(r.Answers[answer]) / r.Seconds }

// maxLatency is the longest latency that is told from longer ones: longer than a load lasts.
const maxLatency = 5 * time.Minute

// newHistogram returns an empty histogram whose quantiles are exact to 1 %.
func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(1, maxLatency.Microseconds(), 2) }

// tally is what one connection measured.
type tally struct {
	answers   map[string]*int64
	latencies *hdrhistogram.Histogram // in µs
	broken    int64
	err       error
	key       []byte
}

func (t *tally) count(status int, body []byte, took time.Duration) {
	_ = t.latencies.RecordValue(min(max(took.Microseconds(), 1), maxLatency.Microseconds()))
	t.key = strconv.AppendInt(t.key[:0], int64(status), 10)
	if code := codeOf(body); status >= 400 && len(code) > 0 {
		t.key = append(append(t.key, ' '), code...)
	}
	n := t.answers[string(t.key)]
	if n == nil {
		n = new(int64)
		t.answers[string(t.key)] = n
	}
	*n++
}

// codeOf returns the code of a problem in JSON.
func codeOf(body []byte) []byte {
	_, rest, _ := bytes.Cut(body, []byte(`"code":"`))
	code, _, found := bytes.Cut(rest, []byte(`"`))
	if !found {
		return nil
	}
	return code
}

func sum(tallies []tally, took time.Duration) Result {
	r := Result{Seconds: took.Seconds(), Answers: map[string]int64{}}
	all := newHistogram()
	for i := range tallies {
		t := &tallies[i]
		all.Merge(t.latencies)
		for answer, n := range t.answers {
			r.Answers[answer] += *n
		}
		r.Broken += t.broken
		if t.err != nil {
			r.Error = t.err.Error()
		}
	}
	millis := func(us int64) float64 { return float64(us) / 1000 }
	r.P50, r.P99, r.Max = millis(all.ValueAtQuantile(50)), millis(all.ValueAtQuantile(99)), millis(all.Max())
	return r
}
