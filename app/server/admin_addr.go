package server

import (
	"context"
	"fmt"
	"net"

	"onrush/web/operators"
)

// ListenAdmin begins to listen at ONRUSH_ADMIN_ADDR, for Serve. Without that setting it returns nil.
func (s *Server) ListenAdmin(ctx context.Context) (net.Listener, error) {
	if s.cfg.AdminAddr == "" {
		return nil, nil //nolint:nilnil // the setting is off
	}
	ln, err := operators.Listen(ctx, s.cfg.AdminAddr)
	if err != nil {
		return nil, fmt.Errorf("listen for operators: %w", err)
	}
	return ln, nil
}
