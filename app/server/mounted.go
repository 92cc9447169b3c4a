package server

import (
	"bytes"
	"context"
	"sync/atomic"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"onrush/modules/problem"
	"onrush/web"
)

// mounted is the gate of the requests that come by Handle. Its zero value lets none in.
type mounted struct {
	open    atomic.Bool
	running atomic.Int64
	left    chan struct{} // has a value when a request has ended after the gate was closed; its capacity is 1
}

// enter reports whether a request may run, which then ends with leave.
func (m *mounted) enter() bool {
	m.running.Add(1)
	if !m.open.Load() {
		m.leave()
		return false
	}
	return true
}

func (m *mounted) leave() {
	m.running.Add(-1)
	if !m.open.Load() {
		select {
		case m.left <- struct{}{}:
		default:
		}
	}
}

// end lets no more requests in, and waits until those that run have ended, or ctx ends.
func (m *mounted) end(ctx context.Context) {
	m.open.Store(false)
	for m.running.Load() > 0 {
		select {
		case <-m.left:
		case <-ctx.Done():
			return
		}
	}
}

// Handle answers a request that another server has read, or that the program itself makes. Before Start and after Stop
// it answers unavailable.
func (s *Server) Handle(request *fasthttp.RequestCtx) {
	if !s.mounted.enter() {
		s.refuse(request, problem.Errorf(problem.CodeUnavailable, "The program is not running."))
		return
	}
	defer s.mounted.leave()
	// The other server may have a greater limit.
	if body := len(request.Request.Body()); body > s.App.Config().BodyLimit &&
		(body > MaxBody || !bytes.HasPrefix(request.Path(), []byte(operatorPaths))) {
		s.refuse(request, fiber.ErrRequestEntityTooLarge)
		return
	}
	s.App.Server().Handler(request)
}

// refuse answers a request with a problem.
func (s *Server) refuse(request *fasthttp.RequestCtx, err error) {
	c := s.App.AcquireCtx(request)
	defer s.App.ReleaseCtx(c)
	if err := s.App.Config().ErrorHandler(c, err); err != nil {
		request.SetStatusCode(fasthttp.StatusServiceUnavailable)
	}
}

// CallAsOperator answers a request that the program itself makes on an operator's behalf, who may do everything, and
// whom the operators' log calls name.
func (s *Server) CallAsOperator(request *fasthttp.RequestCtx, name string) {
	web.AsOperator(request, name)
	s.Handle(request)
}
