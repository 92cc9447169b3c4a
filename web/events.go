package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
)

const (
	// heartbeat is the longest pause of a stream; the comment it sends detects clients that disconnected.
	heartbeat = 10 * time.Second
	// eventsType is the media type of a stream.
	eventsType = "text/event-stream"
	// eventProblem is the name of the event that ends a stream after an error.
	eventProblem = "problem"
)

// Next returns the current state: payload is encoded as JSON, done means that it is final.
type Next func(ctx context.Context) (payload any, done bool, err error)

// Events answers with server-sent events, such as `event: task`: the current state, then every change of
// it, polled at the interval every, until next returns done, most has passed, the client disconnects or
// the program stops. Events returns an error of the first call of next, so that it is answered as a
// problem. Later, Events tries again after unavailable, and any other error ends the stream with the
// event `problem`.
//
// next runs after the handler has returned, so it must not use c.
func Events(c *fiber.Ctx, event string, every, most time.Duration, next Next) error {
	f := floorOf(c)
	if f == nil {
		return fmt.Errorf("events: %w", fiber.ErrInternalServerError)
	}
	first, done, err := next(c.UserContext())
	if err != nil {
		return err
	}
	if c.Method() == fiber.MethodHead {
		// The end of the stream would be written after an answer without a body.
		c.Set(fiber.HeaderContentType, eventsType)
		return nil
	}
	s := &stream{
		event: event, next: next, every: every, timeout: f.cfg.RequestDeadline, write: f.cfg.WriteTimeout,
		conn: c.Context().Conn(), log: f.log, request: RequestID(c),
	}
	if s.sent, err = json.Marshal(first); err != nil {
		return fmt.Errorf("events: %w", err)
	}
	closed, err := f.streams.add(strings.Clone(Who(c).User), f.cfg.StreamsPerUser)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, eventsType)
	c.Set("X-Accel-Buffering", "no")
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer closed()
		ctx, cancel := context.WithTimeout(f.stop, most)
		defer cancel()
		s.run(ctx, w, done)
	})
	return nil
}

// stream is one open stream of events.
type stream struct {
	event   string // the name of the events
	next    Next
	every   time.Duration
	timeout time.Duration // of one call of next
	write   time.Duration // of one write to the client
	conn    net.Conn
	log     *slog.Logger
	request string
	sent    []byte // the payload that was sent last
}

// run writes the first state, then polls. It runs outside of any handler, where a panic would end the
// program, so it recovers from a panic and ends the stream.
func (s *stream) run(ctx context.Context, w *bufio.Writer, done bool) {
	defer func() {
		if value := recover(); value != nil {
			s.log.LogAttrs(ctx, slog.LevelError, "event stream failed", slog.String("request_id", s.request),
				slog.Any("error", value), slog.String("stack", string(debug.Stack())))
		}
	}()
	if !s.send(w, s.event, s.sent) || done {
		return
	}
	ticker := time.NewTicker(s.every)
	defer ticker.Stop()
	quiet := time.Duration(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		wrote, goOn := s.poll(ctx, w)
		if !goOn {
			return
		}
		quiet += s.every
		if wrote {
			quiet = 0
		} else if quiet >= heartbeat {
			quiet = 0
			if !s.flush(w, []byte(":\n\n")) {
				return
			}
		}
	}
}

// poll calls next once and writes a change.
func (s *stream) poll(ctx context.Context, w *bufio.Writer) (wrote, goOn bool) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	payload, done, err := s.next(ctx)
	if err != nil {
		e := asError(err)
		if e.Status() == http.StatusServiceUnavailable {
			return false, true
		}
		s.log.LogAttrs(ctx, slog.LevelWarn, "event stream ends", slog.String("request_id", s.request),
			slog.String("error", err.Error()))
		if body, err := json.Marshal(problemOf(e)); err == nil {
			s.send(w, eventProblem, body)
		}
		return false, false
	}
	body, err := json.Marshal(payload)
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelError, "event stream ends", slog.String("request_id", s.request),
			slog.String("error", err.Error()))
		return false, false
	}
	if bytes.Equal(body, s.sent) {
		return false, !done
	}
	s.sent = body
	return true, s.send(w, s.event, body) && !done
}

// send writes one event; JSON has no line breaks, so its data is one line.
func (s *stream) send(w *bufio.Writer, name string, data []byte) bool {
	text := make([]byte, 0, len(data)+len(name)+16)
	text = append(text, "event: "...)
	text = append(text, name...)
	text = append(text, "\ndata: "...)
	text = append(text, data...)
	return s.flush(w, append(text, "\n\n"...))
}

// flush sends text at once and reports whether the client is still connected. The server's write
// timeout starts with the answer, so each write sets its own.
func (s *stream) flush(w *bufio.Writer, text []byte) bool {
	if err := s.conn.SetWriteDeadline(time.Now().Add(s.write)); err != nil {
		return false
	}
	if _, err := w.Write(text); err != nil {
		return false
	}
	return w.Flush() == nil
}
