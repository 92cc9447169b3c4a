package server

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// stopWithin bounds each step of a graceful stop.
const stopWithin = 10 * time.Second

// shutdown stops in order. Each step has its own time limit, so that one that takes too long does not
// shorten the next; the waits end with what they wait for.
func (s *Server) shutdown(base context.Context, endMoving func(), loops *sync.WaitGroup) error {
	step := func(do func(context.Context) error) error {
		ctx, cancel := context.WithTimeout(base, s.stopWithin)
		defer cancel()
		return do(ctx)
	}
	if sandbox := s.modules.money.sandbox; sandbox != nil { // the shutdown would wait for its connections
		sandbox.Wait()
	}
	err := step(s.hangUp)
	if s.crowd != nil {
		s.crowd.Wait()
	}
	err = errors.Join(err, step(s.modules.sales.service.Stop), s.Scheduler.Stop())
	endMoving()
	loops.Wait()
	if s.cfg.Embedded() { // an embedded Redis loses its orders when it ends
		err = errors.Join(err, step(s.drain))
	}
	return errors.Join(err, step(s.modules.sales.counters.Flush))
}

// hangUp accepts no more requests and answers those in progress. The server also waits for connections on
// which no request has arrived; when the time is up they are closed, which does no harm.
func (s *Server) hangUp(ctx context.Context) error {
	err := s.App.ShutdownWithContext(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		s.parts.Log.WarnContext(ctx, "connections that were still open are closed", "within", s.stopWithin)
		return nil
	}
	return err
}

func (s *Server) drain(ctx context.Context) error {
	moved, err := s.Mover.Drain(ctx)
	s.parts.Log.InfoContext(ctx, "the queue was moved before the embedded redis ends", slog.Int("orders", moved))
	return err
}
