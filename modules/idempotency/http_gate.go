package idempotency

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// storeWithin bounds the statement that stores an answer, after the deadline of the request may have ended.
const storeWithin = 5 * time.Second

// HTTPGate stands before the routes that make or move something.
type HTTPGate struct {
	store  *Store
	log    *slog.Logger
	faults func(step string) error
}

// NewHTTPGate returns the middleware over store. faults injects crashes in tests; nil otherwise.
func NewHTTPGate(store *Store, log *slog.Logger, faults func(step string) error) *HTTPGate {
	return &HTTPGate{store, log, faults}
}

// Handle carries out a request with an Idempotency-Key at most once: a repeated request gets the answer of the first.
// Requests without a key pass. This handler comes after the handler that identifies the caller.
func (g *HTTPGate) Handle(c *fiber.Ctx) error {
	if c.Get("Idempotency-Key") == "" && len(c.Request().Header.PeekAll("Idempotency-Key")) < 2 {
		return c.Next()
	}
	key, err := web.IdempotencyKey(c)
	if err != nil {
		return err
	}
	ctx := c.UserContext()
	claim, answer, err := g.store.Begin(ctx, Request{
		Caller: web.Who(c).User, Route: c.Method() + " " + strings.Clone(c.Path()), Key: key, Content: content(c),
	})
	if err != nil {
		return err
	}
	switch {
	case answer != nil && answer.Status == carriedOut:
		return answerNow(c)
	case answer != nil:
		return write(c, answer)
	}
	finished := false
	defer func() {
		if !finished {
			g.end(ctx, claim.Release)
		}
	}()
	c.SetUserContext(claim.With(ctx))
	if err := c.Next(); err != nil {
		return err
	}
	status := c.Response().StatusCode()
	if status >= fiber.StatusMultipleChoices || claim.dropped {
		return nil
	}
	finished = true
	if g.faults != nil {
		if err := g.faults("carried_out"); err != nil {
			return err
		}
	}
	made := Answer{
		Status: status, ETag: string(c.Response().Header.Peek(fiber.HeaderETag)), Body: c.Response().Body(),
	}
	g.end(ctx, func(ctx context.Context) error { return claim.Finish(ctx, made) })
	return nil
}

// end changes the row of a claim, however little time the request has left. If SQL is unavailable, the claim ends with
// its lease.
func (g *HTTPGate) end(ctx context.Context, change func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWithin)
	defer cancel()
	if err := change(ctx); err != nil {
		g.log.WarnContext(ctx, "the outcome of an Idempotency-Key was not stored", "error", err)
	}
}

// content returns the body in a form that all equal JSON values have, and the query.
func content(c *fiber.Ctx) string {
	body := jsontext.Value(append([]byte(nil), c.Request().Body()...))
	if len(body) == 0 {
		body = jsontext.Value("{}")
	}
	_ = body.Canonicalize() // the route refuses a body that is no JSON
	return string(body) + "\n" + string(c.Request().URI().QueryString())
}

// write answers as the first request was answered, and says that it was.
func write(c *fiber.Ctx, a *Answer) error {
	if a.ETag != "" {
		c.Set(fiber.HeaderETag, a.ETag)
	}
	if len(a.Body) > 0 {
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	}
	return c.Status(a.Status).Send(replayed(a.Body))
}

// answerNow answers a request that was carried out as the handler shows it now.
func answerNow(c *fiber.Ctx) error {
	c.SetUserContext(context.WithValue(c.UserContext(), carriedOutKey{}, true))
	if err := c.Next(); err != nil {
		return err
	}
	c.Response().SetBody(replayed(c.Response().Body()))
	return nil
}

// replayed adds `"replayed": true` to the JSON of an object. The answer to a replay of dead entries has a replayed of
// its own.
func replayed(body []byte) []byte {
	if len(body) <= len("{}") || body[0] != '{' || bytes.HasPrefix(body, []byte(`{"replayed":`)) {
		return body
	}
	return append([]byte(`{"replayed":true,`), body[1:]...)
}
