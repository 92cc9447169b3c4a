package journal

import (
	"encoding/json"
	"fmt"
)

// MaxEvents is how many events one row has at most.
const MaxEvents = 500

// row is a row of the table events. Events of one type that have no data and were written one after the other share a
// row, so that a batch of orders costs one row.
type row struct {
	Type    string `db:"type"`
	Subject string `db:"subject"` // "" if the row has several events
	User    string `db:"user_id"` // "" if the row has several events
	Events  int64  `db:"events"`  // how many it has
	AtMS    int64  `db:"at_ms"`   // of the earliest event
	LastMS  int64  `db:"last_ms"` // of the latest event
	Data    string `db:"data"`    // the list of the events if there are several
}

// rowsOf returns the rows of events in their order.
func rowsOf(events []Event) (rows []row, err error) {
	for len(events) > 0 {
		n := alike(events)
		if rows, err = appendRows(rows, events[:n]); err != nil {
			return nil, err
		}
		events = events[n:]
	}
	return rows, nil
}

// alike returns how many events from the first one may share a row, at least 1.
func alike(events []Event) int {
	n := 1
	if events[0].Data != "" {
		return n
	}
	for n < min(len(events), MaxEvents) && events[n].Type == events[0].Type && events[n].Data == "" {
		n++
	}
	return n
}

// appendRows appends one row of all events, or several if one can't hold them.
func appendRows(rows []row, events []Event) ([]row, error) {
	first := &events[0]
	r := row{
		Type: first.Type, Subject: first.Subject, User: first.User, Events: int64(len(events)),
		AtMS: first.AtMS, LastMS: first.AtMS, Data: first.Data,
	}
	if len(events) == 1 {
		return append(rows, r), nil
	}
	data, err := json.Marshal(events)
	if err != nil {
		return nil, fmt.Errorf("write a row of %d events: %w", len(events), err)
	}
	if len(data) > MaxData {
		half := len(events) / 2
		if rows, err = appendRows(rows, events[:half]); err != nil {
			return nil, err
		}
		return appendRows(rows, events[half:])
	}
	r.Subject, r.User, r.Data = "", "", string(data)
	for i := range events {
		r.AtMS, r.LastMS = min(r.AtMS, events[i].AtMS), max(r.LastMS, events[i].AtMS)
	}
	return append(rows, r), nil
}

// Unpack returns the events of a row that has several, n of them, from its data. Their type is the row's and not set
// here.
func Unpack(data string, n int64) ([]Event, error) {
	var events []Event
	if err := json.Unmarshal([]byte(data), &events); err != nil {
		return nil, fmt.Errorf("read a row of %d events: %w", n, err)
	}
	if int64(len(events)) != n {
		return nil, fmt.Errorf("read a row of %d events: it has %d", n, len(events))
	}
	return events, nil
}

// Rename replaces a user in the data of a row that has several events, n of them, and reports whether one is the
// user's.
func Rename(data string, n int64, user, to string) (renamed string, found bool, err error) {
	events, err := Unpack(data, n)
	if err != nil {
		return "", false, err
	}
	for i := range events {
		if events[i].User == user {
			events[i].User, found = to, true
		}
	}
	if !found {
		return data, false, nil
	}
	text, err := json.Marshal(events)
	return string(text), true, err
}
