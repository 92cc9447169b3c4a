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
	// Together reports whether a request may share a call with the first one. Without it, all may.
	Together func(first, next *Req) bool
	// MaxCall is how many requests one call has at most.
	MaxCall int
	// MaxWaiting is how many requests of a key may wait. 0: any number.
	MaxWaiting int
	// SecondFrom is how many requests of a key have to wait for a second call to begin beside the first one. 0: calls
	// of a key never overlap. A third call would only make the others smaller.
	SecondFrom int
}

// Group makes the calls of many keys. Each key with waiting requests has one or two loops. It is safe for concurrent
// use.
type Group[K comparable, Req, Res any] struct {
	cfg Config[K, Req, Res]

	mu       sync.Mutex
	lines    map[K]*line[Req, Res] // only those with a loop
	stopping bool
	loops    sync.WaitGroup
}

// New returns a Group.
func New[K comparable, Req, Res any](cfg Config[K, Req, Res]) *Group[K, Req, Res] {
	return &Group[K, Req, Res]{cfg: cfg, lines: map[K]*line[Req, Res]{}}
}

// line is the requests of one key that wait for a call.
type line[Req, Res any] struct {
	waiting []*request[Req, Res]
	loops   int // that run, at least 1
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

// enter puts a request into its line, and starts a loop if none runs, or if one more is needed.
func (g *Group[K, Req, Res]) enter(key K, r *request[Req, Res]) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopping {
		return ErrStopping
	}
	l, running := g.lines[key]
	if !running {
		l = &line[Req, Res]{}
		g.lines[key] = l
	}
	if g.cfg.MaxWaiting > 0 && len(l.waiting) >= g.cfg.MaxWaiting {
		return ErrFull
	}
	l.waiting = append(l.waiting, r)
	if l.loops == 0 || l.loops == 1 && g.cfg.SecondFrom > 0 && len(l.waiting) >= g.cfg.SecondFrom {
		l.loops++
		g.loops.Add(1)
		go g.loop(key, l)
	}
	return nil
}

// loop makes one call after another until no request waits.
func (g *Group[K, Req, Res]) loop(key K, l *line[Req, Res]) {
	defer g.loops.Done()
	var batch []*request[Req, Res]
	var reqs []Req
	var results []Res
	for {
		batch = g.next(key, l, batch[:0])
		if len(batch) == 0 {
			return
		}
		reqs, results = reqs[:0], append(results[:0], make([]Res, len(batch))...)
		for _, r := range batch {
			reqs = append(reqs, r.req)
		}
		err := panics.Recovered(func() error { return g.cfg.Call(key, reqs, results) })
		if err != nil {
			if g.cfg.Failed != nil {
				g.cfg.Failed(key, len(batch), err)
			}
			err = errors.Join(ErrUnknown, err)
		}
		for i, r := range batch {
			if err != nil {
				r.done <- answer[Res]{err: err}
				continue
			}
			r.done <- answer[Res]{res: results[i]}
		}
		clear(batch)
		clear(reqs)
	}
}

// next takes the requests of the next call. If none waits, the loop ends, and the last one removes the line.
func (g *Group[K, Req, Res]) next(key K, l *line[Req, Res], batch []*request[Req, Res]) []*request[Req, Res] {
	g.mu.Lock()
	defer g.mu.Unlock()
	taken := 0
	for _, r := range l.waiting {
		if len(batch) == g.cfg.MaxCall {
			break
		}
		if len(batch) > 0 && g.cfg.Together != nil && !g.cfg.Together(&batch[0].req, &r.req) {
			break
		}
		taken++
		if r.state.CompareAndSwap(waiting, called) {
			batch = append(batch, r)
		}
	}
	rest := copy(l.waiting, l.waiting[taken:])
	clear(l.waiting[rest:])
	l.waiting = l.waiting[:rest]
	if len(batch) == 0 {
		if l.loops--; l.loops == 0 {
			delete(g.lines, key)
		}
	}
	return batch
}

// Waiting returns how many requests of a key wait for a call, and how many loops make its calls.
func (g *Group[K, Req, Res]) Waiting(key K) (requests, loops int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l, running := g.lines[key]; running {
		return len(l.waiting), l.loops
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
