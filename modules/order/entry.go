package order

import (
	"fmt"

	"onrush/lua"
)

// Entry is one line of a lane's queue; lua.Entry has its format.
type Entry struct {
	Raw      string
	Number   Number
	PlacedMS int64
	Activity string
	User     string
}

// FormatEntry writes a queue entry.
func FormatEntry(n Number, placedMS int64, activity, user string) string {
	return lua.FormatEntry(int64(n), placedMS, activity, user)
}

// ParseEntry reads a queue entry; if it can't be read, the error wraps lua.ErrBadEntry.
func ParseEntry(raw string) (Entry, error) {
	e, err := lua.ParseEntry(raw)
	if err != nil {
		return Entry{Raw: raw}, err
	}
	n, err := ParseNumber(e.Number)
	if err != nil {
		return Entry{Raw: raw}, fmt.Errorf("%w: its order number can't be read", lua.ErrBadEntry)
	}
	return Entry{Raw: raw, Number: n, PlacedMS: e.PlacedMS, Activity: e.Activity, User: e.User}, nil
}
