package operators

import (
	"context"
	"net"

	"github.com/gofiber/fiber/v2"
)

// ownConn is a connection to the operators' address.
type ownConn struct{ *net.TCPConn }

// ownListener listens on the operators' address.
type ownListener struct{ net.Listener }

func (l ownListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
		return ownConn{tcp}, nil
	}
	return conn, err
}

// Listen begins to listen at an address that only operators reach.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return ownListener{ln}, nil
}

// OnlyAtListen answers 404 to requests that didn't come to an address of Listen.
func OnlyAtListen(c *fiber.Ctx) error {
	if _, ok := c.Context().Conn().(ownConn); !ok {
		return fiber.ErrNotFound
	}
	return c.Next()
}
