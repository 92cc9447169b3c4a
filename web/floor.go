package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/modules/tracing"
)

// HeaderRequestID is the header with the id of a request, in the request and in its answer.
const HeaderRequestID = "X-Request-Id"

// floor has what all requests of an app share.
type floor struct {
	cfg      Config
	proxies  []netip.Prefix
	log      *slog.Logger
	ids      func() string   // makes request ids
	stop     context.Context // ends when the program stops: streams end then
	streams  *streams        // open event streams
	refused  *refusalCounts
	requests *requestMetrics
	exports  chan struct{} // one value for each file that is being written
}

// floorKey is the key of a request's floor in its locals.
type floorKey struct{}

// floorOf returns the floor of a request; nil if NewApp didn't create the app.
func floorOf(c *fiber.Ctx) *floor {
	f, _ := c.Locals(floorKey{}).(*floor)
	return f
}

// serve is the middleware of every route: it sets the request id and the deadline, turns errors and
// panics into problems and writes the access log.
func (f *floor) serve(c *fiber.Ctx) error {
	started := time.Now()
	ctx, span := f.begin(tracing.WithRequestID(context.Background(), f.prepare(c)), c)
	ctx, cancel := context.WithDeadline(ctx, started.Add(f.cfg.RequestDeadline))
	defer cancel()
	c.SetUserContext(ctx)
	err := bodyless(c)
	if err == nil {
		err = next(c)
	}
	if err != nil {
		if f.cfg.Problem != nil {
			err = f.cfg.Problem(err)
		}
		if err := f.answer(c, err); err != nil {
			return fmt.Errorf("write problem: %w", err)
		}
	}
	took := time.Since(started)
	f.requests.observe(c, err, took)
	endSpan(c, span, err)
	f.access(c, took)
	return nil
}

// bodyless refuses a body of methods that never take one, as NoBody does.
func bodyless(c *fiber.Ctx) error {
	switch c.Method() {
	case fiber.MethodGet, fiber.MethodHead, fiber.MethodDelete, fiber.MethodOptions:
		return noBody(c)
	}
	return nil
}

// Within replaces Config.RequestDeadline for the routes behind it, such as operators' routes that take
// longer, for example to load an activity.
func Within(d time.Duration) fiber.Handler {
	return func(c *fiber.Ctx) error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.UserContext()), d)
		defer cancel()
		c.SetUserContext(ctx)
		return c.Next()
	}
}

// Headers that every answer has.
var (
	nameRequestID          = []byte(HeaderRequestID)
	nameContentTypeOptions = []byte(fiber.HeaderXContentTypeOptions)
	nameCacheControl       = []byte(fiber.HeaderCacheControl)
	noSniff                = []byte("nosniff")
	noStore                = []byte("no-store")
)

// prepare sets the headers that every answer has, and returns the id of the request, which may be kept.
func (f *floor) prepare(c *fiber.Ctx) (id string) {
	c.Locals(floorKey{}, f)
	if sent := c.Get(HeaderRequestID); isRequestID(sent) {
		id = strings.Clone(sent)
	} else {
		id = f.ids()
	}
	// These names are in canonical form already.
	header := &c.Response().Header
	header.SetCanonical(nameRequestID, []byte(id))
	header.SetCanonical(nameContentTypeOptions, noSniff)
	header.SetCanonical(nameCacheControl, noStore)
	return id
}

// RequestID returns the id of the request, which is also in the answer and in the log. The string may
// be kept.
func RequestID(c *fiber.Ctx) string {
	return string(c.Response().Header.Peek(HeaderRequestID))
}

func isRequestID(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlnum(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// panicked is a panic as an error, with the stack for the log.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// next calls the next handlers and turns a panic into an error.
func next(c *fiber.Ctx) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &panicked{value: value, stack: debug.Stack()}
		}
	}()
	return c.Next()
}

// answer writes an error as a problem. It logs each internal error, and of other server errors with a
// cause the first one per code and second.
func (f *floor) answer(c *fiber.Ctx, err error) error {
	e := asError(err)
	first := f.refused.add(e)
	switch status := e.Status(); {
	case status == http.StatusInternalServerError:
		f.logError(c, slog.LevelError, "request failed", err)
	case status > http.StatusInternalServerError && e.Err != nil && first:
		f.logError(c, slog.LevelWarn, "request not carried out", err)
	}
	p := problemOf(e)
	f.tell(c, e, &p)
	return writeProblem(c, e, p)
}

// Refusal is a request of a buyer that was answered with a problem. Method, Path and Key are the caller's: they are
// valid only during the call.
type Refusal struct {
	User, Method, Path, Key string
	RequestID               string
	Status                  int
	Code, Detail            string
	Activity, SKU           string // that the request was about, as far as it is known
}

// tell passes on a refusal of a buyer who is known.
func (f *floor) tell(c *fiber.Ctx, e *problem.Error, p *Problem) {
	if f.cfg.Refusal == nil {
		return
	}
	if who := Who(c); who.User != "" && who.Role == RoleUser {
		f.cfg.Refusal(Refusal{
			User: who.User, Method: c.Method(), Path: c.Path(), Key: c.Get("Idempotency-Key"),
			RequestID: tracing.RequestID(c.UserContext()), Status: p.Status, Code: p.Code, Detail: p.Detail,
			Activity: e.Activity, SKU: e.SKU,
		})
	}
}

func (f *floor) logError(c *fiber.Ctx, level slog.Level, what string, err error) {
	attrs := []slog.Attr{
		slog.String("method", strings.Clone(c.Method())), slog.String("route", strings.Clone(c.Route().Path)),
		slog.Any("error", err),
	}
	if p, ok := err.(*panicked); ok { //nolint:errorlint // nothing wraps what next returns
		attrs = append(attrs, slog.String("stack", string(p.stack)))
	}
	f.log.LogAttrs(c.UserContext(), level, what, attrs...) //nolint:sloglint // one of two constants
}

// access writes the access log at debug; it does nothing if debug is off. Refusals are counted and
// logged at info.
func (f *floor) access(c *fiber.Ctx, took time.Duration) {
	if !f.log.Enabled(c.UserContext(), slog.LevelDebug) {
		return
	}
	f.log.LogAttrs(c.UserContext(), slog.LevelDebug, "request",
		slog.String("method", strings.Clone(c.Method())), slog.String("route", strings.Clone(c.Route().Path)),
		slog.Int("status", c.Response().StatusCode()), slog.Duration("took", took))
}
