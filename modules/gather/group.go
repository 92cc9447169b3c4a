package gather

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"onrush/modules/panics"
)

var (
	// ErrUnknown says that the call began and no answer was received: it may have had an effect.
	ErrUnknown = errors.New("the outcome is unknown")
	// ErrFull says that MaxWaiting requests wait already. The request had no effect.
	ErrFull = errors.New("too many requests wait")
	// ErrStopping says that Stop was called. The request had no effect.
	ErrStopping = errors.New("no more requests are taken")
)

// Config says how a Group makes its calls.
type Config[K comparable, Req, Res any] struct {
	// Call answers 1 to MaxCall requests of a key: results[i] is the answer to requests[i], and is zero before. Its
	// error, or its panic as a *panics.Error, is returned to all of their callers, with ErrUnknown. It must end by
	// itself, and must not keep the slices.
	Call func(key K, requests []Req, results []Res) error
	// Failed is told of each error of Call. Optional.
	Failed func(key K, requests int, err error)
	// Line names the line of its key that a request waits in. A call is filled line by line: all that wait in
	// one line, then all that wait in the next. The next call begins with another line, so that a long line doesn't
	// hold up the others. Without Line, a key has one line.
	Line func(req *Req) string
	// MaxCall is how many requests one call has at most.
	MaxCall int
	// MaxWaiting is how many requests of a line may wait. 0: any number.
	MaxWaiting int
	// SecondFrom is how many requests of a key must wait before a second call begins beside the first. A request also
	// begins a second call if no request of its line is in the first. 0: calls of a key never overlap. There is no
	// third call, which would only make the others smaller.
	SecondFrom int
}

// Group makes the calls of many keys. Each key with waiting requests has one or two loops. It is safe for concurrent
// use.
type Group[K comparable, Req, Res any] struct {
	cfg Config[K, Req, Res]

	mu       sync.Mutex
	queues   map[K]*queue[Req, Res] // only those with a loop
	stopping bool
	loops    sync.WaitGroup
}

// New returns a Group.
func New[K comparable, Req, Res any](cfg Config[K, Req, Res]) *Group[K, Req, Res] {
	return &Group[K, Req, Res]{cfg: cfg, queues: map[K]*queue[Req, Res]{}}
}

// queue is the requests of one key that wait for a call.
type queue[Req, Res any] struct {
	lines   map[string]*line[Req, Res] // only those with requests that wait or are in a call
	turn    []*line[Req, Res]          // those with requests, the next one first
	waiting int                        // requests
	loops   int                        // that run, at least 1
}

// line is the requests of one line that wait for a call.
type line[Req, Res any] struct {
	name    string
	waiting []*request[Req, Res]
	calls   int // that carry requests of it
}

// The states of a request. A loop changes it from waiting to called, its caller from waiting to gone; the first of
// them decides.
const (
	waiting int32 = iota
	called
	gone
)

// request is one request that waits for its answer.
type request[Req, Res any] struct {
	req   Req
	state atomic.Int32
	done  chan answer[Res] // buffers one answer, so that sending never blocks
}

type answer[Res any] struct {
	res Res
	err error
}

// Do puts a request into a call of its key and waits for the answer. If ctx ends before the call begins, the request
// has no effect and the error is ctx's; if ctx ends during the call, the error is ErrUnknown and ctx's.
func (g *Group[K, Req, Res]) Do(ctx context.Context, key K, req Req) (res Res, err error) {
	r := &request[Req, Res]{req: req, done: make(chan answer[Res], 1)}
	if err := g.enter(key, r); err != nil {
		return res, err
	}
	select {
	case a := <-r.done:
		return a.res, a.err
	case <-ctx.Done():
	}
	if r.state.CompareAndSwap(waiting, gone) {
		return res, ctx.Err()
	}
	select { // the answer may have arrived when ctx ended
	case a := <-r.done:
		return a.res, a.err
	default:
		return res, errors.Join(ErrUnknown, ctx.Err())
	}
}

// Go puts a request into a call of its key and doesn't wait for the answer.
func (g *Group[K, Req, Res]) Go(key K, req Req) error {
	return g.enter(key, &request[Req, Res]{req: req, done: make(chan answer[Res], 1)})
}

// enter puts a request into its line, and starts a loop if none runs, or if one more is needed.
func (g *Group[K, Req, Res]) enter(key K, r *request[Req, Res]) error {
	var name string
	if g.cfg.Line != nil {
		name = g.cfg.Line(&r.req)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopping {
		return ErrStopping
	}
	q := g.queues[key]
	if q == nil {
		q = &queue[Req, Res]{lines: map[string]*line[Req, Res]{}}
		g.queues[key] = q
	}
	l := q.lines[name]
	if l == nil {
		l = &line[Req, Res]{name: name}
		q.lines[name] = l
	}
	if g.cfg.MaxWaiting > 0 && len(l.waiting) >= g.cfg.MaxWaiting {
		return ErrFull
	}
	if l.waiting = append(l.waiting, r); len(l.waiting) == 1 {
		q.turn = append(q.turn, l)
	}
	q.waiting++
	second := g.cfg.SecondFrom > 0 && (q.waiting >= g.cfg.SecondFrom || l.calls == 0)
	if q.loops == 0 || q.loops == 1 && second {
		q.loops++
		g.loops.Add(1)
		go g.loop(key, q)
	}
	return nil
}

// call is the requests of one call, and the lines that they are from.
type call[Req, Res any] struct {
	batch []*request[Req, Res]
	lines []*line[Req, Res]
}

// loop makes one call after another until no request waits.
func (g *Group[K, Req, Res]) loop(key K, q *queue[Req, Res]) {
	defer g.loops.Done()
	var c call[Req, Res]
	var reqs []Req
	var results []Res
	for g.next(key, q, &c) {
		reqs, results = reqs[:0], append(results[:0], make([]Res, len(c.batch))...)
		for _, r := range c.batch {
			reqs = append(reqs, r.req)
		}
		err := panics.Recovered(func() error { return g.cfg.Call(key, reqs, results) })
		if err != nil {
			if g.cfg.Failed != nil {
				g.cfg.Failed(key, len(c.batch), err)
			}
			err = errors.Join(ErrUnknown, err)
		}
		for i, r := range c.batch {
			if err != nil {
				r.done <- answer[Res]{err: err}
				continue
			}
			r.done <- answer[Res]{res: results[i]}
		}
		clear(reqs)
	}
}

// next ends a call and takes the requests of the next one. If none waits, the loop ends, and the last one removes the
// queue.
func (g *Group[K, Req, Res]) next(key K, q *queue[Req, Res], c *call[Req, Res]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, l := range c.lines {
		if l.calls--; l.calls == 0 && len(l.waiting) == 0 {
			delete(q.lines, l.name)
		}
	}
	clear(c.batch)
	c.batch, c.lines = c.batch[:0], c.lines[:0]
	lines := 0
	for lines < len(q.turn) && len(c.batch) < g.cfg.MaxCall {
		l := q.turn[lines]
		before := len(c.batch)
		taken := l.take(&c.batch, g.cfg.MaxCall)
		q.waiting -= taken
		if len(c.batch) > before {
			l.calls++
			c.lines = append(c.lines, l)
		} else if l.calls == 0 { // all callers are gone
			delete(q.lines, l.name)
		}
		lines++
		if len(l.waiting) > 0 { // the call is full: the others come before the rest of this line
			q.turn = append(q.turn, l)
			break
		}
	}
	rest := copy(q.turn, q.turn[lines:])
	clear(q.turn[rest:])
	q.turn = q.turn[:rest]
	if len(c.batch) == 0 {
		if q.loops--; q.loops == 0 {
			delete(g.queues, key)
		}
	}
	return len(c.batch) > 0
}

// take moves requests from the line to a batch until the batch has most, and returns how many left the line. Requests
// whose callers are gone leave the line, too.
func (l *line[Req, Res]) take(batch *[]*request[Req, Res], most int) (taken int) {
	for _, r := range l.waiting {
		if len(*batch) == most {
			break
		}
		taken++
		if r.state.CompareAndSwap(waiting, called) {
			*batch = append(*batch, r)
		}
	}
	rest := copy(l.waiting, l.waiting[taken:])
	clear(l.waiting[rest:])
	l.waiting = l.waiting[:rest]
	return taken
}

// Waiting returns how many requests of a key wait for a call, and how many loops make its calls.
func (g *Group[K, Req, Res]) Waiting(key K) (requests, loops int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if q, running := g.queues[key]; running {
		return q.waiting, q.loops
	}
	return 0, 0
}

// Stop refuses new requests, and waits until the waiting ones are answered or ctx ends.
func (g *Group[K, Req, Res]) Stop(ctx context.Context) error {
	g.mu.Lock()
	g.stopping = true
	g.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.loops.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
