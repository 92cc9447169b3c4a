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

	"onrush/modules/loop"
	"onrush/modules/problem"
	"onrush/modules/tracing"
	"onrush/web/hangup"
)

const (
	// heartbeat is the longest pause of a stream; the comment it sends detects clients whose connection broke without
	// being closed.
	heartbeat = 10 * time.Second
	// eventsType is the media type of a stream.
	eventsType = "text/event-stream"
	// eventProblem is the name of the event that ends a stream after an error.
	eventProblem = "problem"
	// unavailableFor is how long a stream waits for a store that is unavailable before it ends.
	unavailableFor = 5 * time.Second
	// againAfter is how long it waits before it asks again.
	againAfter = 200 * time.Millisecond
)

// Next returns the current state at the first call, and waits for another state at each further call, until ctx ends.
// payload is encoded as JSON, done means that it is final.
type Next func(ctx context.Context) (payload any, done bool, err error)

// Every returns a Next that returns the state at an interval, whether or not it has changed.
func Every(interval time.Duration, state Next) Next {
	first := true
	return func(ctx context.Context) (any, bool, error) {
		if first {
			first = false
			return state(ctx)
		}
		if err := loop.Wait(ctx, interval); err != nil {
			return nil, false, err
		}
		return state(ctx)
	}
}

// Events answers with server-sent events, such as `event: task`: the current state, then every change of
// it, until next returns done, most has passed, the client disconnects or the program stops. Events returns
// an error of the first call of next, so that it is answered as a problem. Any later error ends the stream
// with the event `problem`, unavailable only after some seconds.
//
// next runs after the handler has returned, so it must not use c.
func Events(c *fiber.Ctx, event string, most time.Duration, next Next) error {
	_, err := openStream(c, event, most, next, func() {})
	return err
}

// Message is one event of a stream whose events have ids and names of their own.
type Message struct {
	ID, Name string // without line breaks
	Data     any    // encoded as JSON
}

// Messages answers with server-sent events like Events: each message that next returns is one, also if it is the same
// as the one before. closed is called once, when the stream has ended or was not opened.
func Messages(
	c *fiber.Ctx, most time.Duration, closed func(), next func(ctx context.Context) (Message, error),
) error {
	opened, err := openStream(c, "", most, func(ctx context.Context) (any, bool, error) {
		m, err := next(ctx)
		return m, false, err
	}, closed)
	if !opened {
		closed()
	}
	return err
}

// openStream opens a stream and reports whether it did; ended is called when it has ended.
func openStream(c *fiber.Ctx, event string, most time.Duration, next Next, ended func()) (opened bool, err error) {
	f := floorOf(c)
	if f == nil {
		return false, fmt.Errorf("events: %w", fiber.ErrInternalServerError)
	}
	first, done, err := next(c.UserContext())
	if err != nil {
		return false, err
	}
	if c.Method() == fiber.MethodHead {
		// The end of the stream would be written after an answer without a body.
		c.Set(fiber.HeaderContentType, eventsType)
		return false, nil
	}
	s := &stream{
		event: event, next: next, write: writeTimeout,
		conn: c.Context().Conn(), log: f.log,
	}
	until := tracing.WithRequestID(f.stop, RequestID(c))
	if s.sent, err = s.encode(first); err != nil {
		return false, fmt.Errorf("events: %w", err)
	}
	closed, err := f.streams.add(strings.Clone(Who(c).User), ClientOf(c).Counted)
	if err != nil {
		return false, problem.RefusedBy(gateStreams, err)
	}
	c.Set(fiber.HeaderContentType, eventsType)
	c.Set("X-Accel-Buffering", "no")
	sendStream(c, func(w *bufio.Writer) {
		defer ended()
		defer closed()
		ctx, cancel := context.WithTimeout(until, most)
		defer cancel()
		defer hangup.Watch(s.conn, cancel)()
		s.run(ctx, w, done)
	})
	return true, nil
}

// stream is one open stream of events.
type stream struct {
	event   string // the name of the events
	next    Next
	write   time.Duration // of one write to the client
	conn    net.Conn
	log     *slog.Logger
	id      string    // of the payload that was encoded last; "" if the events have none
	sent    []byte    // the payload that was sent last
	failing time.Time // since when next returns unavailable; zero if it doesn't
}

// run writes the first state, then every change. It runs outside of any handler, where a panic would end the
// program, so it recovers from a panic and ends the stream.
func (s *stream) run(ctx context.Context, w *bufio.Writer, done bool) {
	defer func() {
		if value := recover(); value != nil {
			s.log.LogAttrs(ctx, slog.LevelError, "event stream failed",
				slog.Any("error", value), slog.String("stack", string(debug.Stack())))
		}
	}()
	if !s.send(w, s.event, s.sent) || done {
		return
	}
	beat := time.Now().Add(heartbeat)
	for {
		switch s.follow(ctx, w, beat) {
		case streamSame:
		case streamWrote:
			beat = time.Now().Add(heartbeat)
		case streamEnds:
			return
		}
		if !time.Now().Before(beat) {
			beat = time.Now().Add(heartbeat)
			if !s.flush(w, []byte(":\n\n")) {
				return
			}
		}
	}
}

// What follow did.
type streamStep int

const (
	streamSame  streamStep = iota // wrote nothing
	streamWrote                   // wrote a change
	streamEnds                    // wrote the last event, or can't write any more
)

// follow waits for a state until beat at most, and writes it if it is a change.
func (s *stream) follow(ctx context.Context, w *bufio.Writer, beat time.Time) streamStep {
	waiting, cancel := context.WithDeadline(ctx, beat)
	defer cancel()
	payload, done, err := s.next(waiting)
	switch {
	case ctx.Err() != nil:
		return streamEnds
	case err != nil && waiting.Err() != nil:
		return streamSame // it is time for a heartbeat
	case err != nil:
		return s.failed(waiting, w, asError(err))
	}
	s.failing = time.Time{}
	body, err := s.encode(payload)
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelError, "event stream ends",
			slog.String("error", err.Error()))
		return streamEnds
	}
	changed := s.id != "" || !bytes.Equal(body, s.sent)
	s.sent = body
	switch {
	case changed && !s.send(w, s.event, body), done:
		return streamEnds
	case changed:
		return streamWrote
	}
	return streamSame
}

// encode returns a payload as JSON, and sets the id and the name of its event if it is a Message.
func (s *stream) encode(payload any) ([]byte, error) {
	if m, ok := payload.(Message); ok {
		s.id, s.event, payload = m.ID, m.Name, m.Data
	}
	return json.Marshal(payload)
}

// failed ends the stream with the event `problem`. If a store is unavailable, it waits for some seconds before.
func (s *stream) failed(ctx context.Context, w *bufio.Writer, e *problem.Error) streamStep {
	if e.Status() == http.StatusServiceUnavailable {
		if s.failing.IsZero() {
			s.failing = time.Now()
		}
		if time.Since(s.failing) < unavailableFor {
			_ = loop.Wait(ctx, againAfter) // the caller sees that ctx has ended
			return streamSame
		}
	}
	s.log.LogAttrs(ctx, slog.LevelWarn, "event stream ends",
		slog.String("error", e.Error()))
	if body, err := json.Marshal(problemOf(e)); err == nil {
		s.id = "" // it is none of the events that the client continues after
		s.send(w, eventProblem, body)
	}
	return streamEnds
}

// send writes one event; JSON has no line breaks, so its data is one line.
func (s *stream) send(w *bufio.Writer, name string, data []byte) bool {
	text := make([]byte, 0, len(data)+len(name)+len(s.id)+24)
	if s.id != "" {
		text = append(append(append(text, "id: "...), s.id...), '\n')
	}
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
