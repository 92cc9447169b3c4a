package simulate

import (
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Result is what became of the visitors. All of them are accepted, refused or waiting. Times are from the start.
type Result struct {
	Visitors int `json:"visitors"`
	Accepted int `json:"accepted"`
	// Refused has the visitors by the code of their last answer, and by timed_out those who got none in 10 s.
	Refused map[string]int `json:"refused"`
	Waiting int            `json:"waiting"` // at the end of the simulation

	Paths        int `json:"paths"`
	Requests     int `json:"requests"`      // to the instances, polls of the waiting room included
	PeakRequests int `json:"peak_requests"` // in one second
	PeakAccepted int `json:"peak_accepted"` // in one second

	// SubmitP50MS and SubmitP99MS are how long submits took that Redis answered, from when their clients sent them.
	SubmitP50MS float64 `json:"submit_p50_ms"`
	SubmitP99MS float64 `json:"submit_p99_ms"`

	LastAcceptedS float64 `json:"last_accepted_s"`
	LastStoredS   float64 `json:"last_stored_s"`

	Stations []Station `json:"stations"`
	// Bound is the station that was busiest while orders were accepted.
	Bound string `json:"bound"`
}

// Station is how busy the instances, Redis or SQL were.
type Station struct {
	Name       string `json:"name"`
	Processors int    `json:"processors"`
	// Busy is the part of the processors' time that was used until the last order was accepted, Peak in the busiest
	// second. 0 to 1.
	Busy float64 `json:"busy"`
	Peak float64 `json:"peak"`
}

// counts are what a simulation counts.
type counts struct {
	accepted, paths, requests int
	polls                     float64
	refused                   map[string]int
	submits                   *hdrhistogram.Histogram
	bySecond                  struct{ requests, accepted []int }
	lastAccepted, lastStored  float64
}

func newCounts() counts { return counts{refused: map[string]int{}, submits: newTimes()} }

// newTimes returns an empty histogram of times in ns. Quantiles are exact to 1 %.
func newTimes() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, (24 * time.Hour).Nanoseconds(), 2)
}

func quantile(times *hdrhistogram.Histogram, q float64) (seconds float64) {
	return float64(times.ValueAtQuantile(q)) / 1e9
}

func (c *counts) requested(at float64) {
	c.requests++
	count(&c.bySecond.requests, at, 1)
}

func (c *counts) polled(at, polls float64) {
	c.polls += polls
	count(&c.bySecond.requests, at, int(polls+0.5))
}

func (c *counts) acceptedAt(at float64) {
	c.accepted++
	c.lastAccepted = at
	count(&c.bySecond.accepted, at, 1)
}

func count(bySecond *[]int, at float64, n int) {
	for len(*bySecond) <= int(at) {
		*bySecond = append(*bySecond, 0)
	}
	(*bySecond)[int(at)] += n
}

func (s *simulation) result() *Result {
	r := &Result{
		Visitors: s.cfg.Visitors, Accepted: s.accepted, Refused: s.refused, Waiting: s.waiting(),
		Paths: s.paths, Requests: s.requests + int(s.polls),
		SubmitP50MS:   quantile(s.submits, 50) * 1000,
		SubmitP99MS:   quantile(s.submits, 99) * 1000,
		LastAcceptedS: s.lastAccepted, LastStoredS: s.lastStored,
		PeakRequests: slices.Max(append(s.bySecond.requests, 0)),
		PeakAccepted: slices.Max(append(s.bySecond.accepted, 0)),
	}
	busiest := 0.0
	for _, of := range []struct {
		name string
		used *usage
	}{{"instances", &s.ofInstances}, {"redis", &s.ofRedis}, {"sql", &s.ofSQL}} {
		station := Station{
			Name: of.name, Processors: of.used.processors, Busy: of.used.share(s.lastAccepted), Peak: of.used.peak(),
		}
		if r.Stations = append(r.Stations, station); station.Busy > busiest {
			busiest, r.Bound = station.Busy, station.Name
		}
	}
	return r
}

// waiting counts the visitors who have no last answer yet.
func (s *simulation) waiting() int {
	n := s.arrivals.left() + s.calendar.visits + s.room.waiting() + s.room.leaving
	for _, e := range s.events.heap {
		if e.kind == submitReady {
			n++
		}
	}
	for i := range s.gathers {
		g := &s.gathers[i]
		n += len(g.waiting) + len(g.calls[0]) + len(g.calls[1])
	}
	return n
}
