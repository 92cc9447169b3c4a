package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"onrush/app/release"
	"onrush/modules/tracing"
)

// Traces are the traces of the program. Nil are none.
type Traces struct {
	Tracer   *tracing.Tracer
	provider trace.TracerProvider
	shutdown func(context.Context) error // of the provider; nil if somebody else ends it
}

// Open returns the traces that the environment asks for, or nil. They are on if OTEL_EXPORTER_OTLP_ENDPOINT or
// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT has an address, or OTEL_TRACES_EXPORTER is otlp. The other variables of
// OpenTelemetry's SDK apply, too. A collector that is unavailable is no error: spans are dropped meanwhile.
func Open(ctx context.Context, log *slog.Logger) (*Traces, error) {
	if on, err := isOn(); err != nil || !on {
		return nil, err
	}
	sampler, err := samplerOf(os.Getenv("OTEL_TRACES_SAMPLER"), os.Getenv("OTEL_TRACES_SAMPLER_ARG"))
	if err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("export traces: %w", err)
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(), resource.WithAttributes(
		attribute.String("service.name", "onrush"), attribute.String("service.version", release.Version())),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("read OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	errs := &errorLog{log: log}
	otel.SetErrorHandler(errs) // of the process; nothing else uses it
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about), sdk.WithSampler(sampler),
		sdk.WithIDGenerator(tracing.IDs{}))
	return &Traces{
		Tracer: tracing.New(provider, propagates(), headOf(sampler)), provider: provider, shutdown: provider.Shutdown,
	}, nil
}

// Given returns the traces of a provider that somebody else made, configures and ends; nil of nil. The provider decides
// which spans are kept.
func Given(provider trace.TracerProvider) *Traces {
	if provider == nil {
		return nil
	}
	every := func(trace.TraceID) bool { return true }
	return &Traces{Tracer: tracing.New(provider, true, every), provider: provider}
}

// Of returns the Tracer; nil without traces.
func (t *Traces) Of() *tracing.Tracer {
	if t == nil {
		return nil
	}
	return t.Tracer
}

// closeWithin bounds the export of the last spans.
const closeWithin = 3 * time.Second

// Close exports the spans that wait.
func (t *Traces) Close(ctx context.Context) error {
	if t == nil || t.shutdown == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, closeWithin)
	defer cancel()
	if err := t.shutdown(ctx); err != nil {
		return fmt.Errorf("export the last spans: %w", err)
	}
	return nil
}

// isOn reports whether the environment asks for traces.
func isOn() (bool, error) {
	endpoint := os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") + os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	exporter := os.Getenv("OTEL_TRACES_EXPORTER")
	switch {
	case strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true"), exporter == "none",
		exporter == "" && endpoint == "":
		return false, nil
	case exporter != "" && exporter != "otlp":
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER is %q, but must be otlp or none", exporter)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := os.Getenv(name); protocol != "" && protocol != "http/protobuf" {
			return false, fmt.Errorf("%s is %q, but only http/protobuf is supported", name, protocol)
		}
	}
	return true, nil
}

// propagates reports whether contexts of traces are read from requests and sent to endpoints.
func propagates() bool {
	names := os.Getenv("OTEL_PROPAGATORS")
	return names == "" || slices.Contains(strings.Split(names, ","), "tracecontext")
}

// errorLog logs the errors of OpenTelemetry, mostly of an unavailable collector: one a minute at most.
type errorLog struct {
	log  *slog.Logger
	last lastTime
}

// Handle implements otel.ErrorHandler.
func (e *errorLog) Handle(err error) {
	if err != nil && !errors.Is(err, context.Canceled) && e.last.isOver(time.Now(), time.Minute) {
		e.log.WarnContext(context.Background(), "traces can't be exported", "reason", err.Error())
	}
}
