package delivery

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/problem"
)

// Test is what became of a test event.
type Test struct {
	Accepted   bool   `json:"accepted"`
	WebhookID  string `json:"webhook_id"`
	Body       string `json:"body"`
	StatusCode int    `json:"status_code,omitempty"`
	Answer     string `json:"answer,omitempty"`
	Error      string `json:"error,omitempty"`
	DurationMS int64  `json:"duration_ms"`
}

// testEvent is the body of a test. It has the members of an event, but no feed has it.
type testEvent struct {
	ID   int64      `json:"event_id,string"`
	Type string     `json:"type"`
	At   api.Millis `json:"at"`
	Data struct {
		Endpoint string `json:"endpoint_id"`
	} `json:"data"`
}

// testType is the type of test events.
const testType = "endpoint.test"

// maxTests is how many tests an instance sends at the same time.
const maxTests = 4

var errTooManyTests = problem.Errorf(problem.CodeOverloaded, "Too many tests are being sent.")

// Test sends a test event to an endpoint, also if it is off, and waits for the answer. If the endpoint accepts it and
// is on, its waiting events are due at once; nothing else is changed.
func (s *Service) Test(ctx context.Context, id string) (t Test, err error) {
	select {
	case s.tests <- struct{}{}:
		defer func() { <-s.tests }()
	default:
		return t, errTooManyTests
	}
	e, err := selectEndpoint(ctx, s.db.Read, id)
	if err != nil {
		return t, err
	}
	raw := make([]byte, 12)
	if _, err := io.ReadFull(s.random, raw); err != nil {
		return t, fmt.Errorf("make the id of a test: %w", err)
	}
	t.WebhookID = "evt_test_" + base64.RawURLEncoding.EncodeToString(raw)
	now := s.now()
	event := testEvent{Type: testType, At: api.Millis(now.UnixMilli())}
	event.Data.Endpoint = id
	body, err := json.Marshal(event)
	if err != nil {
		return t, fmt.Errorf("write a test event: %w", err)
	}
	// The delivery is recorded before the request is sent, so that the log has every request.
	if err := s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		return recordChange(ctx, tx, "tested", id, nil, map[string]string{"webhook_id": t.WebhookID})
	}); err != nil {
		return t, err
	}
	a := post(ctx, s.client, e.URL, Message{ID: t.WebhookID, At: now, Body: body, Secrets: e.secrets(now.UnixMilli())})
	t.Accepted, t.Body, t.StatusCode, t.Answer = a.ok(), string(body), a.code, a.body
	t.Error, t.DurationMS = a.err, a.took.Milliseconds()
	if a.ok() {
		err = s.db.InTx(ctx, func(tx *sqlx.Tx) error { return resume(ctx, tx, id) })
	}
	return t, err
}
