// Package meter counts the answers that the visitors of a drill get, and how long they take.
package meter

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"onrush/app/buyer"
)

// Latency is how long the answers of a call took, from when each request was due.
type Latency struct {
	Call  string  `json:"call"`
	Count int64   `json:"count"`
	P50MS float64 `json:"p50_ms"`
	P99MS float64 `json:"p99_ms"`
	MaxMS float64 `json:"max_ms"`
}

// Second is what happened in one second of the drill.
type Second struct {
	At       int     `json:"at_s"` // since the start of the drill
	Arrived  int     `json:"arrived"`
	Answers  int     `json:"answers"`
	Failed   int     `json:"failed"` // answered 5xx, or not at all
	Accepted int     `json:"accepted"`
	P50MS    float64 `json:"p50_ms"` // of all calls of buyers
	P99MS    float64 `json:"p99_ms"`
	Queue    int64   `json:"queue"`     // orders that SQL doesn't have yet
	OldestMS int64   `json:"oldest_ms"` // the age of the oldest of them
	Left     int64   `json:"left"`      // units that Redis still has
}

// Meter counts answers.
type Meter struct {
	began time.Time

	mu       sync.Mutex
	calls    map[string]*hdrhistogram.Histogram // in microseconds
	codes    map[string]int
	seconds  []Second
	took     *hdrhistogram.Histogram // of the last second
	admitted *hdrhistogram.Histogram // the time from when a visitor came, or could buy, to its first path
	arrived  int
	dropped  int
	on       bool // while visitors come: what the drill itself asks, before and after them, is not counted
}

// histogram returns one of latencies from a microsecond to five minutes, with two digits.
func histogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, (5 * time.Minute).Microseconds(), 2)
}

// New returns a Meter of a drill that began at a time.
func New(began time.Time) *Meter {
	return &Meter{
		began: began, calls: map[string]*hdrhistogram.Histogram{}, codes: map[string]int{}, took: histogram(),
		admitted: histogram(),
	}
}

// now returns the current second; the caller holds the mutex.
func (m *Meter) now() *Second {
	at := int(time.Since(m.began).Seconds())
	for len(m.seconds) <= at {
		next := Second{At: len(m.seconds)}
		if n := len(m.seconds); n > 0 { // Figures stay until they are read again
			m.end()
			last := m.seconds[n-1]
			next.Queue, next.OldestMS, next.Left = last.Queue, last.OldestMS, last.Left
		}
		m.seconds = append(m.seconds, next)
		m.took.Reset()
	}
	return &m.seconds[at]
}

// end writes the quantiles of the last second; the caller holds the mutex.
func (m *Meter) end() {
	last := &m.seconds[len(m.seconds)-1]
	last.P50MS, last.P99MS = quantile(m.took, 50), quantile(m.took, 99)
}

// Count lets answers count, or ends that.
func (m *Meter) Count(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.on = on
}

// Add counts the answer to a call.
func (m *Meter) Add(call string, a buyer.Answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.on {
		return
	}
	now, took := m.now(), max(a.Took.Microseconds(), 1)
	h := m.calls[call]
	if h == nil {
		h = histogram()
		m.calls[call] = h
	}
	_ = h.RecordValue(min(took, h.HighestTrackableValue()))
	_ = m.took.RecordValue(min(took, h.HighestTrackableValue()))
	m.codes[call+":"+a.Code]++
	now.Answers++
	if a.Status >= 500 || a.Code == buyer.NoAnswer {
		now.Failed++
	}
}

// Admit counts a visitor who has its first path after so long.
func (m *Meter) Admit(after time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_ = m.admitted.RecordValue(min(max(after.Microseconds(), 1), m.admitted.HighestTrackableValue()))
}

// Accept counts an order when it is accepted first.
func (m *Meter) Accept() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now().Accepted++
}

// Arrive counts a visitor who came, or found no room in this program.
func (m *Meter) Arrive(dropped bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.arrived++
	m.now().Arrived++
	if dropped {
		m.dropped++
	}
}

// Note notes what an operator sees now.
func (m *Meter) Note(queue, oldestMS, left int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	now.Queue, now.OldestMS, now.Left = queue, oldestMS, left
}

// Progress returns how many visitors came, and how many orders SQL didn't have lately.
func (m *Meter) Progress() (arrived int, queue int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.arrived, m.now().Queue
}

// Answers returns how many answers came, by call and code, and how many visitors found no room.
func (m *Meter) Answers() (byCode map[string]int, dropped int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.codes), m.dropped
}

func quantile(h *hdrhistogram.Histogram, q float64) float64 {
	return float64(h.ValueAtQuantile(q)) / 1000
}

func latency(of string, h *hdrhistogram.Histogram) Latency {
	return Latency{
		Call: of, Count: h.TotalCount(), P50MS: quantile(h, 50), P99MS: quantile(h, 99), MaxMS: float64(h.Max()) / 1000,
	}
}

// Figures are what was counted.
type Figures struct {
	Latencies []Latency
	Admitted  Latency        // from when visitors came, or could buy, to their first path
	Answers   map[string]int // by call and code
	Seconds   []Second
	Arrived   int
	Dropped   int // for want of room in the drill's own process
}

// Read returns what was counted so far.
func (m *Meter) Read() Figures {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := Figures{
		Admitted: latency("first path", m.admitted), Answers: maps.Clone(m.codes),
		Arrived: m.arrived, Dropped: m.dropped,
	}
	for call, h := range m.calls {
		f.Latencies = append(f.Latencies, latency(call, h))
	}
	slices.SortFunc(f.Latencies, func(a, b Latency) int { return int(b.Count - a.Count) })
	m.now()
	m.end()
	f.Seconds = slices.Clone(m.seconds)
	return f
}
