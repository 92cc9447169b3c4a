package api

import "encoding/json"

// Stale says what a request overlooked that was made from an older version of a thing. Version is that of the thing
// now, 0 if it is deleted. Changes are those since the version of the request, as far as they are known, the newest
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
