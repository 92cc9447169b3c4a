package delivery

import (
	"strconv"
	"strings"

	"onrush/modules/api"
	"onrush/modules/events"
	"onrush/modules/ids"
)

// Endpoint is an endpoint in the operators' API.
type Endpoint struct {
	ID      string   `json:"endpoint_id"`
	URL     string   `json:"url"`
	Types   []string `json:"types"` // none: all but journal.ReminderDue
	Enabled bool     `json:"enabled"`
	// Secret is set only in the answer that made it.
	Secret string `json:"secret,omitempty"`
	// PreviousUntil is until when the secret before this one signs as well.
	PreviousUntil api.Millis `json:"previous_secret_until,omitzero"`
	// After is the last event that is delivered, or waits for a retry.
	After   int64 `json:"after,string"`
	Waiting int64 `json:"waiting"`
	// Resending reports whether a span of events is being sent again.
	Resending      bool       `json:"resending"`
	FailingSince   api.Millis `json:"failing_since,omitzero"`
	DisabledReason string     `json:"disabled_reason,omitempty"`
	LastAttempt    api.Millis `json:"last_attempt_at,omitzero"`
	LastSuccess    api.Millis `json:"last_success_at,omitzero"`
	CreatedAt      api.Millis `json:"created_at"`
	UpdatedAt      api.Millis `json:"updated_at"`
	Version        int64      `json:"version"` // rises with each change of URL, Types and Enabled
}

// view returns the endpoint without its secret.
func (e *endpointRow) view(nowMS int64) Endpoint {
	v := Endpoint{
		ID: e.ID, URL: e.URL, Types: e.types(), Enabled: e.Enabled, After: e.After, Waiting: e.Waiting,
		Resending: e.replaying(), FailingSince: api.Millis(e.FailingSince), DisabledReason: e.DisabledReason,
		LastAttempt: api.Millis(e.AttemptedMS), LastSuccess: api.Millis(e.SucceededMS),
		CreatedAt: api.Millis(e.CreatedMS), UpdatedAt: api.Millis(e.UpdatedMS),
		Version: e.Revision,
	}
	if len(e.secrets(nowMS)) > 1 {
		v.PreviousUntil = api.Millis(e.PreviousUntil)
	}
	return v
}

// Delivery is a line of the log of deliveries.
type Delivery struct {
	ID         string     `json:"delivery_id"` // <endpoint_id>.<event_id>
	Endpoint   string     `json:"endpoint_id"`
	Event      int64      `json:"event_id,string"`
	Type       string     `json:"type"`
	Status     string     `json:"status"`
	Attempts   int64      `json:"attempts"`
	StatusCode int64      `json:"status_code,omitempty"`
	Answer     string     `json:"answer,omitempty"`
	Error      string     `json:"error,omitempty"`
	DurationMS int64      `json:"duration_ms"`
	At         api.Millis `json:"at"`
	// NextAttempt is not set while the delivery waits for an earlier event of its subject.
	NextAttempt api.Millis `json:"next_attempt_at,omitzero"`
}

// Detail is a delivery with its event, as the event is now.
type Detail struct {
	Delivery

	Event *events.Event `json:"event,omitempty"` // nil: it is no longer stored
}

func (r *deliveryRow) view() Delivery {
	return Delivery{
		ID: ids.Join(r.Endpoint, strconv.FormatInt(r.Event, 10)), Endpoint: r.Endpoint, Event: r.Event, Type: r.Type,
		Status: r.Status, Attempts: r.Attempts, StatusCode: r.StatusCode, Answer: r.Answer, Error: r.Error,
		DurationMS: r.DurationMS, At: api.Millis(r.AtMS), NextAttempt: api.Millis(r.NextMS),
	}
}

// parseDeliveryID returns the endpoint and the event of a delivery's id.
func parseDeliveryID(id string) (endpoint string, event int64, ok bool) {
	endpoint, number, _ := strings.Cut(id, ids.Separator)
	event, err := strconv.ParseInt(number, 10, 64)
	return endpoint, event, ids.Valid(endpoint) && err == nil && event > 0 && strconv.FormatInt(event, 10) == number
}
