package api

import "encoding/json"

// Stale tells a client what changed since the version from which it made a request. Version is the current version, 0
// if the thing is deleted. Changes are the changes since the version of the request, as far as they are known, newest
// first.
type Stale struct {
	Version int64
	Changes []Overlooked
}

// Overlooked is a change that a request overlooked.
type Overlooked struct {
	ID     string         `json:"change_id"`
	At     Millis         `json:"at"`
	Actor  string         `json:"actor"`
	Action string         `json:"action"`
	Fields []ChangedField `json:"fields"` // at most 50
}

// ChangedField is a field that a change changed, by its path, such as skus[lamp].flash_price. From and To are its
// values as JSON; they are absent where the thing had or has no such field.
type ChangedField struct {
	Field string          `json:"field"`
	From  json.RawMessage `json:"from,omitempty"`
	To    json.RawMessage `json:"to,omitempty"`
}
