package web

import (
	"bufio"
	"net"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// sendStream answers with the bytes that write writes: in chunks or, to a client of HTTP/1.0, which knows no chunks,
// until the connection is closed. The server can't send such answers, so the connection is taken from it. write is
// certain to be called only if the connection had no answer before; a connection of HTTP/1.0 has a single answer (see
// refuseEarly).
func sendStream(c *fiber.Ctx, write func(w *bufio.Writer)) {
	ctx := c.Context()
	if ctx.Request.Header.IsHTTP11() || ctx.ConnRequestNum() > 1 {
		ctx.SetBodyStreamWriter(write)
		return
	}
	var header fasthttp.ResponseHeader
	ctx.Response.Header.CopyTo(&header)
	header.SetConnectionClose()
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(conn net.Conn) {
		w := bufio.NewWriter(conn)
		_, _ = w.Write(header.Header()) // an error stays in w
		write(w)
		_ = w.Flush()
	})
}
