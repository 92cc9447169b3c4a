package tracing_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"onrush/modules/tracing"
)

const incoming = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func traced(sampler sdk.Sampler) (*tracing.Tracer, *tracetest.SpanRecorder) {
	spans := tracetest.NewSpanRecorder()
	head := func(id trace.TraceID) bool {
		p := sdk.SamplingParameters{ParentContext: context.Background(), TraceID: id}
		return sampler.ShouldSample(p).Decision == sdk.RecordAndSample
	}
	return tracing.New(sdk.NewTracerProvider(sdk.WithSpanProcessor(spans), sdk.WithSampler(sampler),
		sdk.WithIDGenerator(tracing.IDs{})), true, head), spans
}

func header(value string) tracing.Caller { return tracing.Caller{Parent: value} }

func TestWithoutTracesNothingIsAllocatedAndNoContextIsWrapped(t *testing.T) { //nolint:paralleltest // it measures
	var off *tracing.Tracer
	ctx := t.Context()
	parents := slices.Values([]string{incoming})
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		got, span := off.Receive(ctx, "request", tracing.Caller{})
		got, span2 := off.Follow(got, incoming, "pay", trace.SpanKindInternal)
		got, joined := off.Join(got, "move", parents)
		got, span3 := tracing.Start(got, "call")
		if got != ctx || off.Sent(got)+tracing.Parent(got) != "" || tracing.ID(got) != "" {
			panic("the context was wrapped")
		}
		joined.End(nil)
		for _, s := range []trace.Span{span, span2, span3} {
			tracing.End(s, nil)
		}
	}))
}

func TestARequestContinuesTheTraceOfItsCaller(t *testing.T) {
	t.Parallel()
	tracer, spans := traced(sdk.ParentBased(sdk.NeverSample()))
	ctx, span := tracer.Receive(t.Context(), "request", header(incoming))
	parent := tracing.Parent(ctx)
	assert.Equal(t, "0af7651916cd43dd8448eb211c80319c", tracing.ID(ctx))
	_, call := tracing.Start(ctx, "call")
	call.End()
	span.End()

	for _, value := range []string{"", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", "00-zz-1-01", "x"} {
		ctx, span := tracer.Receive(t.Context(), "not sampled", header(value))
		assert.Empty(t, tracing.Parent(ctx), value)
		_, call := tracing.Start(ctx, "call")
		call.End()
		span.End()
	}
	ended := spans.Ended()
	require.Len(t, ended, 2, "only the sampled request")
	assert.Equal(t, ended[1].SpanContext().SpanID(), ended[0].Parent().SpanID(), "the call is below the request")
	assert.Equal(t, "b7ad6b7169203331", ended[1].Parent().SpanID().String())
	assert.Contains(t, parent, ended[1].SpanContext().SpanID().String())
}

// A request that is not sampled costs no span. The trace of one that is has the id by which that was decided: another
// program that samples by the id decides alike.
func TestTheHeadOfATraceDecides(t *testing.T) { //nolint:paralleltest // it measures
	sampler := sdk.ParentBased(sdk.TraceIDRatioBased(0.1))
	tracer, spans := traced(sampler)
	const requests = 5000
	for range requests {
		_, span := tracer.Receive(t.Context(), "request", tracing.Caller{})
		span.End()
	}
	ended := spans.Ended()
	assert.InDelta(t, requests/10, len(ended), requests/20)
	ids := map[trace.TraceID]bool{}
	for _, span := range ended {
		id := span.SpanContext().TraceID()
		ids[id] = true
		p := sdk.SamplingParameters{ParentContext: t.Context(), TraceID: id}
		assert.Equal(t, sdk.RecordAndSample, sampler.ShouldSample(p).Decision)
	}
	assert.Len(t, ids, len(ended))
	none, _ := traced(sdk.ParentBased(sdk.TraceIDRatioBased(0)))
	ctx := t.Context()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if got, _ := none.Receive(ctx, "request", tracing.Caller{}); got != ctx {
			panic("the context was wrapped")
		}
	}))
}

func TestABatchHasLinksToItsOrdersAndASpanInEachTrace(t *testing.T) {
	t.Parallel()
	tracer, spans := traced(sdk.AlwaysSample())
	other := "00-1af7651916cd43dd8448eb211c80319c-c7ad6b7169203331-01"
	ctx, joined := tracer.Join(t.Context(), "move", slices.Values([]string{incoming, "", other}))
	joined.End(context.Canceled)
	ended := spans.Ended()
	require.Len(t, ended, 3)
	batch := ended[0]
	assert.Equal(t, "move batch", batch.Name())
	assert.False(t, batch.Parent().IsValid())
	assert.Len(t, batch.Links(), 2)
	assert.Equal(t, tracing.ID(ctx), batch.SpanContext().TraceID().String())
	for i, parent := range []string{incoming, other} {
		part := ended[1+i]
		assert.Equal(t, tracing.IDOf(parent), part.SpanContext().TraceID().String())
		require.Len(t, part.Links(), 1)
		assert.Equal(t, batch.SpanContext().SpanID(), part.Links()[0].SpanContext.SpanID())
		assert.Equal(t, context.Canceled.Error(), part.Status().Description)
	}
	same, nothing := tracer.Join(t.Context(), "move", slices.Values([]string{"", ""}))
	assert.Nil(t, nothing)
	assert.Equal(t, t.Context(), same)
}

func TestLinesOfTheLogNameTheRequestAndTheTrace(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(tracing.LogHandler{
		Handler: slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: tracing.InSeconds}),
	}).With("part", "test")
	line := func(ctx context.Context) map[string]any {
		out.Reset()
		log.InfoContext(ctx, "done", "took", 1500*time.Millisecond)
		var got map[string]any
		require.NoError(t, json.Unmarshal(out.Bytes(), &got))
		delete(got, "time")
		return got
	}
	want := map[string]any{"level": "INFO", "msg": "done", "part": "test", "took_seconds": 1.5}
	assert.Equal(t, want, line(t.Context()))
	want["request_id"] = "abc"
	ctx := tracing.WithRequestID(t.Context(), "abc")
	assert.Equal(t, want, line(ctx))
	tracer, _ := traced(sdk.AlwaysSample())
	ctx, span := tracer.Receive(ctx, "request", header(incoming))
	want["trace_id"], want["span_id"] = "0af7651916cd43dd8448eb211c80319c", span.SpanContext().SpanID().String()
	assert.Equal(t, want, line(ctx))
}
