package web

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/modules/tracing"
)

const (
	// maxExports is how many files an app writes at once. Each holds a page.
	maxExports = 4
	// exportWithin bounds the writing of one file, exportPageWithin the reading of one page.
	exportWithin, exportPageWithin = time.Hour, 30 * time.Second
)

// Pages returns the next part of a file, and nothing at the end of the file. It runs after the handler has returned, so
// it must not use the fiber.Ctx of the handler.
type Pages func(ctx context.Context) ([]byte, error)

// File answers with a file as a stream, page by page, so that the memory doesn't depend on its size. An error of the
// first page is answered as a problem. After an error of a later page, the file ends with failed, and the connection is
// cut, so that nobody takes the file for a complete one.
func File(c *fiber.Ctx, name, contentType string, next Pages, failed []byte) error {
	f := floorOf(c)
	if f == nil {
		return fmt.Errorf("file: %w", fiber.ErrInternalServerError)
	}
	select {
	case f.exports <- struct{}{}:
	default:
		return problem.Errorf(problem.CodeOverloaded, "%d files are being written already.", maxExports).
			After(time.Second)
	}
	writing := false
	defer func() {
		if !writing { // next may panic, too
			<-f.exports
		}
	}()
	first, err := next(c.UserContext())
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, contentType)
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+name+`"`)
	if c.Method() == fiber.MethodHead {
		return nil
	}
	writing = true
	e := &export{
		next: next, failed: failed, write: writeTimeout, conn: c.Context().Conn(), log: f.log,
	}
	until := tracing.WithRequestID(f.stop, RequestID(c))
	sendStream(c, func(w *bufio.Writer) {
		defer func() { <-f.exports }()
		ctx, cancel := context.WithTimeout(until, exportWithin)
		defer cancel()
		e.run(ctx, w, first)
	})
	return nil
}

// export is one file that is being written.
type export struct {
	next   Pages
	failed []byte        // the end of an incomplete file
	write  time.Duration // of one page to the client
	conn   net.Conn
	log    *slog.Logger
}

// run writes the file. It runs outside of any handler, so it recovers from a panic.
func (e *export) run(ctx context.Context, w *bufio.Writer, page []byte) {
	defer func() {
		if value := recover(); value != nil {
			e.log.LogAttrs(ctx, slog.LevelError, "writing a file failed",
				slog.Any("error", value), slog.String("stack", string(debug.Stack())))
			_ = e.conn.Close()
		}
	}()
	ok := true
	for ok && len(page) > 0 {
		if ok = e.page(w, page); !ok {
			break
		}
		var err error
		reading, cancel := context.WithTimeout(ctx, exportPageWithin)
		page, err = e.next(reading)
		cancel()
		if err != nil {
			e.log.LogAttrs(ctx, slog.LevelWarn, "a file is not complete",
				slog.String("error", err.Error()))
			e.page(w, e.failed)
			ok = false
		}
	}
	if !ok {
		_ = e.conn.Close() // without the end of the body
	}
}

// page writes a page and reports whether the client is still connected.
func (e *export) page(w *bufio.Writer, page []byte) bool {
	if err := e.conn.SetWriteDeadline(time.Now().Add(e.write)); err != nil {
		return false
	}
	if _, err := w.Write(page); err != nil {
		return false
	}
	return w.Flush() == nil
}
