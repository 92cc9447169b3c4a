package server

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// stopWithin bounds each step of a graceful stop.
const stopWithin = 10 * time.Second

// lifetime has the steps of a server's end, each of which is a context that ends.
type lifetime struct {
	leaving context.Context // the server was told to stop, and still serves
	stop    context.Context // it has begun to stop
	hurried context.Context // it must be quick

	leave, quit, hurry context.CancelFunc
}

func newLifetime() (l lifetime) {
	l.stop, l.quit = context.WithCancel(context.Background())
	l.leaving, l.leave = context.WithCancel(l.stop)
	l.hurried, l.hurry = context.WithCancel(context.Background())
	return l
}

// hurriedWithin bounds each step of a stop that was hurried.
const hurriedWithin = time.Second

// Hurry ends the wait before the stop and bounds its steps by a second each: who asks twice doesn't want to wait.
func (s *Server) Hurry() { s.hurry() }

// serveOn serves for the configured time while /readyz answers 503.
func (s *Server) serveOn(ctx context.Context) {
	s.leave()
	if s.cfg.StopDelay == 0 {
		return
	}
	s.parts.Log.InfoContext(ctx, "stopping soon; /readyz answers 503 until then", "delay", s.cfg.StopDelay)
	timer := time.NewTimer(s.cfg.StopDelay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.hurried.Done():
	}
}

// Reload reads again, at once, what the program else reads from time to time: the keys of tokens, and the
// settings, which have the limits and the level of the log.
func (s *Server) Reload(ctx context.Context) {
	err := errors.Join(s.Auth.ReloadKeys(ctx), s.modules.settings.store.Refresh(ctx))
	if err != nil {
		s.parts.Log.WarnContext(ctx, "not everything could be read again", "error", err)
		return
	}
	s.parts.Log.InfoContext(ctx, "the keys and the settings were read again")
}

// Stop stops in order what Start started: the program accepts no more requests, places the orders that wait, ends the
// jobs, finishes the batch being moved, and returns. Each step has its own time limit, so that a step that takes too
// long does not shorten the next one; when base ends, the step that runs and those that follow are cut short.
func (s *Server) Stop(base context.Context) error {
	s.quit()
	s.parts.Log.InfoContext(base, "stopping")
	step := func(do func(context.Context) error) error {
		ctx, cancel := context.WithTimeout(base, s.stopWithin)
		defer cancel()
		defer context.AfterFunc(s.hurried, func() { //nolint:contextcheck // it is another end than base
			hurry := time.AfterFunc(hurriedWithin, cancel)
			context.AfterFunc(ctx, func() { hurry.Stop() })
		})()
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
	if s.endMoving != nil { // it was started
		s.endMoving()
	}
	s.loops.Wait()
	if s.cfg.Embedded() { // an embedded Redis loses its orders when it ends
		err = errors.Join(err, step(s.drain))
	}
	if s.parts.Metrics != nil {
		s.parts.Metrics.Unregister(s.metrics)
	}
	if route := s.modules.gates.route; route != nil {
		route.CloseIdleConnections()
	}
	s.modules.pictures.Buckets.CloseIdleConnections()
	for _, g := range s.modules.money.gateways {
		if g, ok := g.(interface{ CloseIdleConnections() }); ok {
			g.CloseIdleConnections()
		}
	}
	return errors.Join(err, step(s.modules.sales.counters.Flush))
}

// hangUp accepts no more requests and answers those in progress. The server also waits for connections on
// which no request has arrived; when the time is up they are closed, which does no harm.
func (s *Server) hangUp(ctx context.Context) error {
	s.mounted.end(ctx)
	err := s.App.ShutdownWithContext(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
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
