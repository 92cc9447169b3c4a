package web

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"time"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
)

const (
	// maxExports is how many CSV files an app writes at once. Each holds a page of rows.
	maxExports = 4
	// exportWithin bounds the writing of one file, exportPageWithin the reading of one page of rows.
	exportWithin, exportPageWithin = time.Hour, 30 * time.Second
)

// Rows returns the next rows of a CSV file, none at its end. It runs after the handler has returned, so it must not
// use its fiber.Ctx.
type Rows func(ctx context.Context) ([][]string, error)

// CSV answers with a file of comma-separated values (RFC 4180, UTF-8) as a stream: a header row, and the rows of next,
// which are written page by page, so that the memory doesn't depend on their number. An error of the first page is
// answered as a problem. After an error of a later page, the last row is "error" with a sentence, and the connection is
// cut, so that nobody takes the file for a complete one.
//
// A spreadsheet takes a cell that begins with = + - @, also full-width, or a tab for a formula; such a cell gets an
// apostrophe before it.
func CSV(c *fiber.Ctx, name string, header []string, next Rows) error {
	f := floorOf(c)
	if f == nil {
		return fmt.Errorf("csv: %w", fiber.ErrInternalServerError)
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
	c.Set(fiber.HeaderContentType, "text/csv; charset=utf-8; header=present")
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+name+`"`)
	if c.Method() == fiber.MethodHead {
		return nil
	}
	writing = true
	e := &export{next: next, write: f.cfg.WriteTimeout, conn: c.Context().Conn(), log: f.log, request: RequestID(c)}
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer func() { <-f.exports }()
		ctx, cancel := context.WithTimeout(f.stop, exportWithin)
		defer cancel()
		e.run(ctx, w, header, first)
	})
	return nil
}

// export is one CSV file that is being written.
type export struct {
	next    Rows
	write   time.Duration // of one page to the client
	conn    net.Conn
	log     *slog.Logger
	request string
}

// run writes the file. It runs outside of any handler, so it recovers from a panic.
func (e *export) run(ctx context.Context, w *bufio.Writer, header []string, rows [][]string) {
	defer func() {
		if value := recover(); value != nil {
			e.log.LogAttrs(ctx, slog.LevelError, "writing a CSV file failed", slog.String("request_id", e.request),
				slog.Any("error", value), slog.String("stack", string(debug.Stack())))
			_ = e.conn.Close()
		}
	}()
	out := csv.NewWriter(w)
	out.UseCRLF = true
	ok := e.page(out, w, [][]string{header})
	for ok && len(rows) > 0 {
		if ok = e.page(out, w, rows); !ok {
			break
		}
		var err error
		reading, cancel := context.WithTimeout(ctx, exportPageWithin)
		rows, err = e.next(reading)
		cancel()
		if err != nil {
			e.log.LogAttrs(ctx, slog.LevelWarn, "a CSV file is not complete", slog.String("request_id", e.request),
				slog.String("error", err.Error()))
			e.page(out, w, [][]string{{"error", "The file is not complete: the store is unavailable."}})
			ok = false
		}
	}
	if !ok {
		_ = e.conn.Close() // without the end of the body
	}
}

// page writes rows and reports whether the client is still connected.
func (e *export) page(out *csv.Writer, w *bufio.Writer, rows [][]string) bool {
	if err := e.conn.SetWriteDeadline(time.Now().Add(e.write)); err != nil {
		return false
	}
	var cells []string
	for _, row := range rows {
		cells = cells[:0] // rows stay as they are: all files of a kind have the same header
		for _, cell := range row {
			cells = append(cells, plainCell(cell))
		}
		if err := out.Write(cells); err != nil {
			return false
		}
	}
	out.Flush()
	return out.Error() == nil && w.Flush() == nil
}

// plainCell returns a cell that no spreadsheet takes for a formula.
func plainCell(cell string) string {
	first, _ := utf8.DecodeRuneInString(cell)
	switch first {
	case '=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠': // some read the full-width ones as the others
		return "'" + cell
	}
	return cell
}
