package permit

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"onrush/lua"
)

// maxBatch bounds the users of one call of the script, which other callers of Redis wait for.
const maxBatch = 256

// calls are the calls of the script for one sku: while one runs, the users of the next one collect.
type calls struct {
	mu      sync.Mutex
	waiting []*visitor
	running bool
}

// visitor is one user who waits for an answer.
type visitor struct {
	request Request
	gone    atomic.Bool
	done    chan answer // buffers one answer, so that sending never blocks
}

type answer struct {
	permit lua.Permit
	err    error
}

// join puts a user into the next call, and waits for its answer. If ctx ends before, the user may have got a permit,
// which a retry returns.
func (i *Issuer) join(ctx context.Context, c *issued, r Request) (lua.Permit, error) {
	v := &visitor{request: r, done: make(chan answer, 1)}
	c.calls.mu.Lock()
	c.calls.waiting = append(c.calls.waiting, v)
	if !c.calls.running {
		c.calls.running = true
		go i.run(c) //nolint:contextcheck // a call outlives its callers
	}
	c.calls.mu.Unlock()
	select {
	case a := <-v.done:
		return a.permit, a.err
	case <-ctx.Done():
		v.gone.Store(true)
		return lua.Permit{}, ctx.Err()
	}
}

// run calls the script until nobody waits.
func (i *Issuer) run(c *issued) {
	for {
		batch := c.calls.next()
		if len(batch) == 0 {
			return
		}
		permits, err := i.call(c, batch)
		for n, v := range batch {
			if err != nil {
				v.done <- answer{err: err}
				continue
			}
			v.done <- answer{permit: permits[n]}
		}
	}
}

// next takes the users of the next call, without those who have gone. If nobody waits, run has to end.
func (c *calls) next() []*visitor {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = slices.DeleteFunc(c.waiting, func(v *visitor) bool { return v.gone.Load() })
	n := min(len(c.waiting), maxBatch)
	batch := slices.Clone(c.waiting[:n])
	c.waiting = slices.Delete(c.waiting, 0, n)
	c.running = n > 0
	return batch
}

// call issues the permits of a batch. If an operator has changed the sale, the settings of the last user are used.
// A panic is an error, since nobody else would answer those who wait.
func (i *Issuer) call(c *issued, batch []*visitor) (permits []lua.Permit, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("take permits: panic: %v\n%s", value, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), i.within)
	defer cancel()
	r := batch[len(batch)-1].request
	users := make([]string, len(batch))
	for n, v := range batch {
		users[n] = v.request.User
	}
	permits, now, err := i.lua.TakePermits(ctx, &lua.PermitCall{
		Lane: r.Lane, Activity: r.Activity, SKU: r.SKU, Ratio: r.Ratio, TTL: r.For, EndsMS: r.EndsMS, Users: users,
	})
	if err != nil {
		return nil, err
	}
	i.clock.Observe(now)
	c.learn(users, permits)
	return permits, nil
}
