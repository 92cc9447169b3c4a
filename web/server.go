package web

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"onrush/modules/problem"
	"onrush/modules/tracing"
)

// methods are the methods that a route may have; any other is answered 405.
var methods = []string{
	fiber.MethodGet, fiber.MethodHead, fiber.MethodPost, fiber.MethodPut, fiber.MethodDelete,
	fiber.MethodOptions, fiber.MethodPatch,
}

// NewApp makes the HTTP server that all routes share: limits, request ids, deadlines,
// problem+json, access log. When stop ends, event streams end; the caller then shuts the app
// down. ids makes request ids for callers that send none; they must fit [A-Za-z0-9._-]{1,64}.
//
// Strings that Fiber passes to a handler are valid only until it returns: clone them to keep them, or
// use the functions of this package, whose strings may be kept.
func NewApp(stop context.Context, cfg Config, log *slog.Logger, ids func() string) (*fiber.App, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	proxies, err := cfg.Proxies()
	if err != nil {
		return nil, err
	}
	f := &floor{
		cfg: cfg, proxies: proxies, log: log, ids: ids, stop: stop, refused: newRefusals(stop, log, cfg.Refused),
		requests: newRequestMetrics(), exports: make(chan struct{}, maxExports),
		streams: newStreams(cfg),
	}
	if cfg.Metrics != nil {
		if err := f.register(cfg.Metrics); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	app := fiber.New(fiber.Config{
		AppName:         "onrush",
		StrictRouting:   true,
		CaseSensitive:   true,
		BodyLimit:       cfg.BodyLimit,
		ReadBufferSize:  cfg.ReadBuffer,
		WriteBufferSize: writeBuffer,
		ReadTimeout:     readTimeout,
		WriteTimeout:    writeTimeout,
		IdleTimeout:     idleTimeout,
		Concurrency:     cfg.Connections,
		RequestMethods:  methods,
		ErrorHandler:    f.refuse,
		// Fiber itself trusts no proxy header; ClientIP reads it.
		EnableTrustedProxyCheck:      true,
		DisableStartupMessage:        true,
		DisablePreParseMultipartForm: true,
		Network:                      fiber.NetworkTCP,
	})
	app.Server().HeaderReceived = skipDoubtfulBody
	app.Server().Handler = refuseEarly(app, f, app.Server().Handler) //nolint:contextcheck // requests have their own
	app.Use(f.serve)
	allowOrigins(app, cfg.Origins)
	return app, nil
}

// refuse answers requests that never reached a route because the server could not read them.
func (f *floor) refuse(c *fiber.Ctx, err error) error {
	c.SetUserContext(tracing.WithRequestID(context.Background(), f.prepare(c)))
	e := asError(err)
	f.cfg.Origins.expose(c, e)
	if err := f.answer(c, problem.RefusedBy(gateConnection, e)); err != nil {
		return fmt.Errorf("write problem: %w", err)
	}
	return nil
}

// refuseEarly answers requests that must not reach Fiber's router: unknown methods, which Fiber would
// answer in plain text, and requests that checkWire refuses. After the latter the connection is closed,
// since the following bytes may belong to the same request.
func refuseEarly(app *fiber.App, f *floor, next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		if !ctx.Request.Header.IsHTTP11() {
			ctx.SetConnectionClose()
		}
		method := ctx.Method()
		err := checkWire(&ctx.Request.Header)
		switch {
		case err != nil:
			ctx.SetConnectionClose()
		case slices.ContainsFunc(methods, func(m string) bool { return m == string(method) }):
			next(ctx)
			return
		default:
			err = fiber.ErrMethodNotAllowed
		}
		c := app.AcquireCtx(ctx)
		defer app.ReleaseCtx(c)
		if err := f.refuse(c, err); err != nil {
			ctx.SetStatusCode(fasthttp.StatusBadRequest)
		}
	}
}
