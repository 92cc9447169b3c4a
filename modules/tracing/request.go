package tracing

import "context"

type requestIDKey struct{}

// Request is a context with the id of a request. It may be a part of a larger value, so that it needs no allocation of
// its own. The id becomes an interface value, which is allocated, only where it is read.
type Request struct {
	context.Context

	ID string
}

// WithRequestID returns a context with the id of a request.
func WithRequestID(ctx context.Context, id string) context.Context { return &Request{ctx, id} }

// Value returns the id for its key, and else a value of Context.
func (r *Request) Value(key any) any {
	if key == (requestIDKey{}) {
		return r.ID
	}
	return r.Context.Value(key)
}

// RequestID returns the id of the request of a context; "" if it has none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
