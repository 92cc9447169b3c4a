package remind

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/journal"
)

const (
	// MaxUsers bounds the buyers of an event.
	MaxUsers = 500
	// maxUserBytes bounds their JSON in an event, so that the rest of it has room.
	maxUserBytes = journal.MaxData - 1024
)

// DueData is the content of the event reminder.due.
type DueData struct {
	Reminder Due `json:"reminder"`
}

// Due is what buyers are told.
type Due struct {
	Kind     Kind       `json:"kind"`
	Activity string     `json:"activity_id"`
	SKU      string     `json:"sku_id,omitempty"`
	StartsAt api.Millis `json:"starts_at,omitzero"` // of a start
	Users    []User     `json:"users"`
}

// User is a buyer who is told.
type User struct {
	User  string `db:"user_id" json:"user_id"`
	Token string `db:"notify_token" json:"notify_token,omitempty"`
}

// writeEvents writes the events that tell buyers, in as few as the bounds allow. Each event has a subject of its own,
// one of the ids, so that a platform that can't take one gets the others.
func writeEvents(ctx context.Context, tx *sqlx.Tx, due Due, ids []string, users []User, nowMS int64) error {
	var events []journal.Event
	for len(users) > 0 {
		n, err := fitting(users)
		if err != nil {
			return err
		}
		due.Users = users[:n]
		data, err := json.Marshal(DueData{due})
		if err != nil {
			return fmt.Errorf("write the event of reminders: %w", err)
		}
		events = append(events, journal.Event{
			Type: journal.ReminderDue, Subject: ids[0], AtMS: nowMS, Data: string(data),
		})
		users, ids = users[n:], ids[n:]
	}
	return journal.Write(ctx, tx, events...)
}

// fitting returns how many of the users one event may have, at least 1.
func fitting(users []User) (n int, err error) {
	size := 0
	for n < min(len(users), MaxUsers) {
		text, err := json.Marshal(users[n])
		if err != nil {
			return 0, fmt.Errorf("write a user of an event of reminders: %w", err)
		}
		if size += len(text) + 1; size > maxUserBytes && n > 0 {
			break
		}
		n++
	}
	return n, nil
}

// OnlyOf returns the data of an event of reminders with one of its users alone; found is false if the event doesn't
// name the user.
func OnlyOf(data, user string) (only string, found bool, err error) {
	var d DueData
	if err := json.Unmarshal([]byte(data), &d); err != nil {
		return "", false, fmt.Errorf("read the event of reminders: %w", err)
	}
	d.Reminder.Users = slices.DeleteFunc(d.Reminder.Users, func(u User) bool { return u.User != user })
	text, err := json.Marshal(d)
	return string(text), len(d.Reminder.Users) > 0, err
}
