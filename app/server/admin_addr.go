package server

import (
	"context"
	"fmt"
	"net"

	"github.com/gofiber/fiber/v2"
)

// adminConn is a connection to the operators' address.
type adminConn struct{ *net.TCPConn }

// adminListener listens on the operators' address.
type adminListener struct{ net.Listener }

func (l adminListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
		return adminConn{tcp}, nil
	}
	return conn, err
}

// ListenAdmin begins to listen at ONRUSH_ADMIN_ADDR, for Serve. Without that setting it returns nil.
func (s *Server) ListenAdmin(ctx context.Context) (net.Listener, error) {
	if s.cfg.AdminAddr == "" {
		return nil, nil //nolint:nilnil // the setting is off
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.cfg.AdminAddr)
	if err != nil {
		return nil, fmt.Errorf("listen for operators: %w", err)
	}
	return adminListener{ln}, nil
}

// onlyForOperators answers 404 for paths below /admin to requests that didn't come to the operators' address.
func onlyForOperators(c *fiber.Ctx) error {
	if _, ok := c.Context().Conn().(adminConn); !ok {
		return fiber.ErrNotFound
	}
	return c.Next()
}
