package tracing

import "context"

type requestIDKey struct{}

// request is a context with the id of a request. The id becomes an interface value, which is allocated, only where it
// is read.
type request struct {
	context.Context
	id string
}

// WithRequestID returns a context with the id of a request.
func WithRequestID(ctx context.Context, id string) context.Context { return &request{ctx, id} }

func (r *request) Value(key any) any {
	if key == (requestIDKey{}) {
		return r.id
	}
	return r.Context.Value(key)
}

// RequestID returns the id of the request of a context; "" if it has none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
