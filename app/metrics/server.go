package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	// readWithin bounds how long a request may take to arrive.
	readWithin = 5 * time.Second
	// maxScrapes is how many scrapes run at once; a further scrape is answered 503.
	maxScrapes = 4
)

// Server serves metrics and profiles on an address of their own: whoever reaches it may read them.
type Server struct {
	listener net.Listener
	http     *http.Server
	served   chan error
}

// Listen begins to serve GET /metrics, and the profiles of package net/http/pprof below /debug/pprof/.
func Listen(ctx context.Context, address string, from prometheus.Gatherer) (*Server, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w", err)
	}
	routes := http.NewServeMux()
	routes.Handle("GET /metrics", promhttp.HandlerFor(from, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes}))
	// The command line is not served, since it may have secrets.
	routes.HandleFunc("GET /debug/pprof/", pprof.Index) // also the profiles by name
	routes.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	routes.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	routes.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	s := &Server{
		listener: listener, http: &http.Server{Handler: routes, ReadHeaderTimeout: readWithin},
		served: make(chan error, 1),
	}
	go func() { s.served <- s.http.Serve(listener) }()
	return s, nil
}

// Addr returns the address that it listens on.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Close ends it at once.
func (s *Server) Close() error {
	err := s.http.Close()
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	if err != nil {
		return fmt.Errorf("close the address of the metrics: %w", err)
	}
	return nil
}
