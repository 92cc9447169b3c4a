package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"onrush/modules/tracing"
)

// noSpan is the span of requests without traces.
var noSpan = trace.SpanFromContext(context.Background())

// begin begins the span of a request.
func (f *floor) begin(ctx context.Context, c *fiber.Ctx) (context.Context, trace.Span) {
	if f.cfg.Tracer == nil {
		return ctx, noSpan
	}
	return f.cfg.Tracer.Receive(ctx, "request", tracing.Caller{
		Parent: strings.Clone(c.Get(tracing.Header)), State: strings.Clone(c.Get(tracing.StateHeader)),
	})
}

// endSpan ends the span of a request that was answered. err is what its handlers returned.
func endSpan(c *fiber.Ctx, span trace.Span, err error) {
	if !span.IsRecording() {
		return
	}
	status, method, route := c.Response().StatusCode(), strings.Clone(c.Method()), strings.Clone(c.Route().Path)
	if isUnrouted(err) {
		route = noRoute
	}
	span.SetName(method + " " + route)
	span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", route),
		attribute.Int("http.response.status_code", status), attribute.String("onrush.request_id", RequestID(c)))
	if err != nil {
		code := asError(err).Code.Name
		span.SetAttributes(attribute.String("error.type", code))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, code)
		}
	}
	span.End()
}
