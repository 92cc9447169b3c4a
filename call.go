package onrush

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/valyala/fasthttp"
)

// Problem is the answer to a call that failed, as application/problem+json has it.
type Problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"` // such as not_found; docs/shop/errors.md lists them
	Title  string `json:"title"`
	Detail string `json:"detail"` // a sentence for people
	// Body is the whole answer, with what some codes add.
	Body json.RawMessage `json:"-"`
}

func (p *Problem) Error() string {
	return fmt.Sprintf("onrush: %d %s: %s", p.Status, p.Code, p.Detail)
}

// callKey is the key of the Idempotency-Key of calls.
type callKey struct{}

// WithKey returns a context whose calls send an Idempotency-Key, of visible ASCII characters: a POST that is repeated
// with its key is carried out once. Without it each Call sends a key of its own.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, callKey{}, key)
}

// hostName is who makes calls, in the operators' log.
const hostName = "host"

// Call calls an operators' route, such as PUT /admin/api/v1/skus/{sku_id}, without a connection and a token. body is
// sent as JSON, a []byte as it is; nil sends none. The answer is read into into, unless that is nil. An answer that is
// no success is a *Problem. ctx has no effect on a call that has begun.
func (p *Platform) Call(ctx context.Context, method, path string, body, into any) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("onrush: %w", err)
	}
	var request fasthttp.Request
	request.Header.SetMethod(method)
	request.SetRequestURI(path)
	request.SetHost("onrush")
	if err := setBody(&request, body); err != nil {
		return err
	}
	key, given := ctx.Value(callKey{}).(string)
	if !given {
		key = p.newID()
	}
	if given || method == http.MethodPost {
		request.Header.Set("Idempotency-Key", key)
	}
	var answered fasthttp.RequestCtx
	answered.Init(&request, peerOf("127.0.0.1:0"), nil)
	p.server.CallAsOperator(&answered, hostName)
	answer := answered.Response.Body()
	if status := answered.Response.StatusCode(); status >= http.StatusBadRequest {
		failed := &Problem{Body: append(json.RawMessage(nil), answer...)}
		if err := json.Unmarshal(answer, failed); err != nil || failed.Code == "" {
			return fmt.Errorf("onrush: %s %s: status %d", method, path, status)
		}
		return failed
	}
	if into == nil || len(answer) == 0 {
		return nil
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("onrush: read the answer to %s %s: %w", method, path, err)
	}
	return nil
}

func setBody(request *fasthttp.Request, body any) error {
	if body == nil {
		return nil
	}
	data, raw := body.([]byte)
	if !raw {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return fmt.Errorf("onrush: write the body: %w", err)
		}
	}
	request.Header.SetContentType("application/json")
	request.SetBodyRaw(data)
	return nil
}

// ErrMissed says that events after a position were deleted, or that the stores were restored to an earlier state: the
// reader can't know what it missed, and reads the current state of what it keeps, and goes on from the position that
// Events returned.
var ErrMissed = errors.New("onrush: events were missed")

// Event is something that happened, such as order.paid; docs/shop/events.md has the types and their data.
type Event struct {
	ID   int64 // its position
	Type string
	AtMS int64           // when, in UTC milliseconds
	Data json.RawMessage // an object
}

// Events returns the events after a position, at most limit (1 to 1,000) of them, in their order, and the position to
// continue from, which may be greater where there is none. A reader that keeps the position in the transaction of what
// it does with the events does each once. Without events it waits for nothing: ask again after a second.
func (p *Platform) Events(ctx context.Context, after int64, limit int) (found []Event, next int64, err error) {
	if limit < 1 || limit > maxEvents {
		return nil, after, fmt.Errorf("onrush: a limit of %d events; it must be 1 to %d", limit, maxEvents)
	}
	missed, head, err := p.feed.Missed(ctx, after)
	switch {
	case err != nil:
		return nil, after, fmt.Errorf("onrush: %w", err)
	case missed:
		return nil, head, ErrMissed
	}
	read, next, err := p.feed.Read(ctx, after, nil, limit)
	if err != nil {
		return nil, after, fmt.Errorf("onrush: %w", err)
	}
	for _, e := range read {
		found = append(found, Event{ID: e.ID, Type: e.Type, AtMS: int64(e.At), Data: e.Data})
	}
	return found, next, nil
}

// maxEvents bounds the events of one call.
const maxEvents = 1000
