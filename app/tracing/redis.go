package tracing

import (
	"context"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"onrush/modules/tracing"
)

// Redis adds a span for each command and pipeline of a client that is sent below a recorded span. Without traces it
// does nothing. The spans have neither keys nor values, which tell of buyers.
func (t *Traces) Redis(client redis.UniversalClient) {
	if t != nil {
		client.AddHook(redisSpans{})
	}
}

type redisSpans struct{}

var _ redis.Hook = redisSpans{}

func (redisSpans) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (redisSpans) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		ctx, span := startRedis(ctx, cmd.FullName())
		err := next(ctx, cmd)
		endRedis(span, err)
		return err
	}
}

func (redisSpans) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		ctx, span := startRedis(ctx, "pipeline")
		if span.IsRecording() {
			span.SetAttributes(attribute.Int("db.operation.batch.size", len(cmds)))
		}
		err := next(ctx, cmds)
		endRedis(span, err)
		return err
	}
}

func startRedis(ctx context.Context, operation string) (context.Context, trace.Span) {
	ctx, span := tracing.Start(ctx, "redis", trace.WithSpanKind(trace.SpanKindClient))
	if span.IsRecording() {
		span.SetName("redis " + operation)
		span.SetAttributes(attribute.String("db.system.name", "redis"),
			attribute.String("db.operation.name", operation))
	}
	return ctx, span
}

func endRedis(span trace.Span, err error) {
	if errors.Is(err, redis.Nil) {
		err = nil
	}
	tracing.End(span, err)
}
