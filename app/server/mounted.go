package server

import (
	"context"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"onrush/modules/problem"
	"onrush/web"
)

// mounted counts the requests that come by Handle.
type mounted struct {
	mu      sync.Mutex
	running int
	closed  bool
	idle    chan struct{} // closed when the last request has ended after the gate was closed
}

func newMounted() *mounted { return &mounted{idle: make(chan struct{})} }

// enter reports whether a request may run; it ends with leave.
func (m *mounted) enter() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.running++
	return true
}

func (m *mounted) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running--; m.closed && m.running == 0 {
		close(m.idle)
	}
}

// end lets no more requests in, and waits until those that run have ended, or ctx ends.
func (m *mounted) end(ctx context.Context) {
	m.mu.Lock()
	if !m.closed {
		m.closed = true
		if m.running == 0 {
			close(m.idle)
		}
	}
	m.mu.Unlock()
	select {
	case <-m.idle:
	case <-ctx.Done():
	}
}

// Handle answers a request that another server has read, or that the program itself makes. Before Start and after Stop
// it answers unavailable.
func (s *Server) Handle(request *fasthttp.RequestCtx) {
	if !s.started.Load() || !s.mounted.enter() {
		s.refuse(request, problem.Errorf(problem.CodeUnavailable, "The program is not running."))
		return
	}
	defer s.mounted.leave()
	limit := s.App.Config().BodyLimit
	if strings.HasPrefix(string(request.Path()), operatorPaths) {
		limit = MaxBody
	}
	if len(request.Request.Body()) > limit { // the other server may have a greater limit
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
