package load

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// lateBy is how long answers are waited for after the last request.
const lateBy = 2 * time.Second

// redialAfter is the pause after a connection could not be opened.
const redialAfter = 10 * time.Millisecond

// sender is what the connections of a load share.
type sender struct {
	plan     *Plan
	requests []prepared
	first    int64 // number of the first request
	next     atomic.Int64
	start    time.Time
	end      time.Time // no request is sent later
}

// Run sends the requests of a plan until its time is over or ctx ends. Two loads with different seeds have
// different numbers in their requests, and so different keys.
func Run(ctx context.Context, plan *Plan, seed uint64) (Result, error) {
	if err := plan.check(); err != nil {
		return Result{}, err
	}
	s := &sender{plan: plan, first: firstNumber + int64(seed%(8*firstNumber)), start: time.Now()}
	s.end = s.start.Add(plan.lasts())
	for _, r := range plan.Requests {
		s.requests = append(s.requests, prepare(r))
	}
	tallies := make([]tally, plan.Connections)
	var all sync.WaitGroup
	for i := range tallies {
		tallies[i].answers, tallies[i].latencies = map[string]*int64{}, newHistogram()
		all.Go(func() { s.send(ctx, &tallies[i]) })
	}
	all.Wait()
	took := plan.lasts()
	if plan.Most > 0 {
		took = min(took, time.Since(s.start))
	}
	return sum(tallies, took), ctx.Err()
}

// send keeps one connection busy, and opens it again when it breaks.
func (s *sender) send(ctx context.Context, t *tally) {
	for ctx.Err() == nil && time.Now().Before(s.end) && !s.sentAll(s.next.Load()) {
		c, err := dial(s.plan.Addr, s.end.Add(lateBy))
		if err == nil {
			stop := context.AfterFunc(ctx, func() { _ = c.Close() })
			err = s.sendOn(c, t)
			stop()
			_ = c.Close()
		}
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() == nil {
			t.broken++
			t.err = err
			if _, ok := errors.AsType[*net.OpError](err); ok {
				time.Sleep(redialAfter)
			}
		}
	}
}

// sentAll reports whether request i is above Plan.Most.
func (s *sender) sentAll(i int64) bool { return s.plan.Most > 0 && i >= s.plan.Most }

// sendOn sends requests on one connection until the time is over or the server closes it.
func (s *sender) sendOn(c *conn, t *tally) error {
	var buf []byte
	for {
		i := s.next.Add(1) - 1
		if s.sentAll(i) {
			return nil
		}
		due := time.Now()
		if s.plan.Rate > 0 {
			due = s.start.Add(s.plan.due(i))
			if due.Before(s.end) {
				time.Sleep(time.Until(due))
			}
		}
		if !due.Before(s.end) || !time.Now().Before(s.end) {
			return nil
		}
		buf = s.requests[i%int64(len(s.requests))].appendTo(buf[:0], s.first+i)
		if last, err := c.call(buf, due, t); err != nil || last {
			return err
		}
	}
}

// call sends one request and counts its answer. A stream is counted when it begins, and read until it ends.
func (c *conn) call(request []byte, due time.Time, t *tally) (last bool, err error) {
	if _, err := c.Write(request); err != nil {
		return false, err
	}
	a, err := c.head()
	if err != nil {
		return false, err
	}
	if a.chunked {
		t.count(a.status, nil, time.Since(due))
		return a.last, c.follow()
	}
	body, err := c.read(a.length)
	if err != nil {
		return false, err
	}
	t.count(a.status, body, time.Since(due))
	return a.last, nil
}
