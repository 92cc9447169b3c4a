package tracing

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// samplerOf returns the sampler that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG name; the default is
// parentbased_always_on, as the standard says. The sampler also samples each batch that has a link to a sampled trace:
// otherwise the trace would link to a batch that nobody sees.
func samplerOf(name, arg string) (sdk.Sampler, error) {
	ratio := 1.0
	if arg != "" {
		var err error
		if ratio, err = strconv.ParseFloat(arg, 64); err != nil || ratio < 0 || ratio > 1 {
			return nil, fmt.Errorf("OTEL_TRACES_SAMPLER_ARG is %q, but must be a number from 0 to 1", arg)
		}
	}
	var s sdk.Sampler
	switch name {
	case "", "parentbased_always_on":
		s = sdk.ParentBased(sdk.AlwaysSample())
	case "parentbased_always_off":
		s = sdk.ParentBased(sdk.NeverSample())
	case "parentbased_traceidratio":
		s = sdk.ParentBased(sdk.TraceIDRatioBased(ratio))
	case "always_on":
		s = sdk.AlwaysSample()
	case "always_off":
		s = sdk.NeverSample()
	case "traceidratio":
		s = sdk.TraceIDRatioBased(ratio)
	default:
		return nil, fmt.Errorf("OTEL_TRACES_SAMPLER is %q, which is not supported", name)
	}
	return linked{s}, nil
}

// headOf returns what a sampler decides on a trace that begins with a request.
func headOf(s sdk.Sampler) func(trace.TraceID) (sampled bool) {
	return func(id trace.TraceID) bool {
		p := sdk.SamplingParameters{ParentContext: context.Background(), TraceID: id}
		return s.ShouldSample(p).Decision == sdk.RecordAndSample
	}
}

// linked samples what a Sampler samples, and the first span of a trace that has a link to a sampled one.
type linked struct{ sdk.Sampler }

// ShouldSample implements sdk.Sampler.
func (l linked) ShouldSample(p sdk.SamplingParameters) sdk.SamplingResult {
	if !trace.SpanContextFromContext(p.ParentContext).IsValid() {
		for _, link := range p.Links {
			if link.SpanContext.IsSampled() {
				return sdk.AlwaysSample().ShouldSample(p)
			}
		}
	}
	return l.Sampler.ShouldSample(p)
}

// lastTime is when something happened last.
type lastTime struct{ ns atomic.Int64 }

// isOver reports whether it did not happen within d, and notes that it happens now.
func (l *lastTime) isOver(now time.Time, d time.Duration) bool {
	last := l.ns.Load()
	return (last == 0 || now.UnixNano()-last >= int64(d)) && l.ns.CompareAndSwap(last, now.UnixNano())
}
