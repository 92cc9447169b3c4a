package tracing

import (
	"context"
	"encoding/binary"
	"iter"
	"math/rand/v2"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// scope is the name of the program's spans.
const scope = "onrush"

// Header and StateHeader are the headers with the W3C context of a trace.
const (
	Header      = "traceparent"
	StateHeader = "tracestate"
)

// none is a span that does nothing.
var none = trace.SpanFromContext(context.Background())

// Tracer begins spans. Nil begins none.
type Tracer struct {
	tracer    trace.Tracer
	propagate bool
	head      func(trace.TraceID) (sampled bool)
}

// New returns a Tracer. propagate is whether the context of a trace is read from requests and sent to endpoints. head
// decides for a request without a trace whether the trace that begins with it is sampled; a request whose trace is not
// sampled makes no span, so that it costs next to nothing. The provider must decide in the same way, and take its ids
// from IDs.
func New(provider trace.TracerProvider, propagate bool, head func(trace.TraceID) (sampled bool)) *Tracer {
	return &Tracer{tracer: provider.Tracer(scope), propagate: propagate, head: head}
}

// Caller is what the headers of a request say of its caller's trace, both "" for none. The strings are kept.
type Caller struct{ Parent, State string }

// Receive begins the span of a request, in the trace of its caller, or in a trace of its own.
func (t *Tracer) Receive(ctx context.Context, name string, from Caller) (context.Context, trace.Span) {
	if t == nil {
		return ctx, none
	}
	if t.propagate && from.Parent != "" {
		carrier := propagation.MapCarrier{Header: from.Parent, StateHeader: from.State}
		ctx = propagation.TraceContext{}.Extract(ctx, carrier)
	}
	if !trace.SpanContextFromContext(ctx).IsValid() {
		id := newTraceID()
		if !t.head(id) {
			return ctx, none
		}
		ctx = context.WithValue(ctx, traceIDKey{}, id)
	}
	return t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer))
}

// traceIDKey is the key of the id of a trace that begins.
type traceIDKey struct{}

// IDs makes the ids of a provider: those that Receive chose, and random ones. It takes no lock.
type IDs struct{}

// NewIDs returns the ids of a trace that begins, and of its first span.
func (i IDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	id, chosen := ctx.Value(traceIDKey{}).(trace.TraceID)
	if !chosen {
		id = newTraceID()
	}
	return id, i.NewSpanID(ctx, id)
}

// NewSpanID returns the id of a span.
func (IDs) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	binary.BigEndian.PutUint64(id[:], rand.Uint64()|1) //nolint:gosec // an id is no secret; 0 is none
	return id
}

func newTraceID() (id trace.TraceID) {
	binary.BigEndian.PutUint64(id[:], rand.Uint64()|1) //nolint:gosec // as above
	binary.BigEndian.PutUint64(id[8:], rand.Uint64())  //nolint:gosec // as above
	return id
}

// Follow begins a span in the trace of parent, the text of Parent, with a link to the span of ctx. Without a parent it
// begins none.
func (t *Tracer) Follow(ctx context.Context, parent, name string, kind trace.SpanKind) (context.Context, trace.Span) {
	if t == nil || parent == "" {
		return ctx, none
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(kind)}
	if from := trace.SpanContextFromContext(ctx); from.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: from}))
	}
	return t.tracer.Start(trace.ContextWithRemoteSpanContext(ctx, parse(parent)), name, options...)
}

// Joined is one piece of work for several traces.
type Joined struct{ spans []trace.Span }

// Join begins the span of work for the traces of several parents. The span is the first of a trace of its own and has
// links to the parents; each parent's trace has a span, too, with a link to it. Empty parents are left out; without any
// Join begins nothing.
func (t *Tracer) Join(ctx context.Context, name string, parents iter.Seq[string]) (context.Context, *Joined) {
	if t == nil {
		return ctx, nil
	}
	var links []trace.Link
	for parent := range parents {
		if parent != "" {
			links = append(links, trace.Link{SpanContext: parse(parent)})
		}
	}
	if len(links) == 0 {
		return ctx, nil
	}
	joint, span := t.tracer.Start(ctx, name+" batch", trace.WithNewRoot(), trace.WithLinks(links...),
		trace.WithAttributes(attribute.Int("messaging.batch.message_count", len(links))))
	j := &Joined{spans: append(make([]trace.Span, 0, 1+len(links)), span)}
	back := trace.WithLinks(trace.Link{SpanContext: span.SpanContext()})
	for _, link := range links {
		_, part := t.tracer.Start(trace.ContextWithRemoteSpanContext(ctx, link.SpanContext), name, back,
			trace.WithSpanKind(trace.SpanKindConsumer))
		j.spans = append(j.spans, part)
	}
	return joint, j
}

// End ends the spans; err is why the work failed, or nil.
func (j *Joined) End(err error) {
	if j == nil {
		return
	}
	for _, span := range j.spans {
		End(span, err)
	}
}

// Sent returns the value of Header with which others continue the trace of ctx; "" if they should not.
func (t *Tracer) Sent(ctx context.Context) string {
	if t == nil || !t.propagate {
		return ""
	}
	return Parent(ctx)
}

// Start begins a span below the span of ctx. If none is recorded there, it begins none.
func Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	above := trace.SpanFromContext(ctx)
	if !above.IsRecording() {
		return ctx, none
	}
	return above.TracerProvider().Tracer(scope).Start(ctx, name, options...)
}

// End ends a span; err is why its work failed, or nil.
func End(span trace.Span, err error) {
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}

// Parent returns the W3C context of the span of ctx, by which later work continues its trace; "" if the trace is not
// sampled.
func Parent(ctx context.Context) string {
	span := trace.SpanContextFromContext(ctx)
	if !span.IsSampled() {
		return ""
	}
	return "00-" + span.TraceID().String() + "-" + span.SpanID().String() + "-01"
}

// ID returns the id of the trace of ctx; "" if the trace is not sampled.
func ID(ctx context.Context) string {
	if span := trace.SpanContextFromContext(ctx); span.IsSampled() {
		return span.TraceID().String()
	}
	return ""
}

// IDOf returns the id of the trace of a text of Parent; "" of any other text.
func IDOf(parent string) string {
	if span := parse(parent); span.IsValid() {
		return span.TraceID().String()
	}
	return ""
}

// parse returns the span that a text of Parent names; an invalid one for any other text.
func parse(parent string) trace.SpanContext {
	if parent == "" {
		return trace.SpanContext{}
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{Header: parent})
	return trace.SpanContextFromContext(ctx)
}
