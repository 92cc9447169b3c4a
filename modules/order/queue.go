package order

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Entry is one line of a lane's queue: `<order_number>_<placed_ms>_<activity>_<user>`.
type Entry struct {
	Raw      string
	Number   Number
	PlacedMS int64
	Activity string
	User     string
}

// ErrBadEntry says that a queue entry can't be read.
var ErrBadEntry = errors.New("bad queue entry")

// FormatEntry writes a queue entry. The user stands last, since it may contain "_".
func FormatEntry(n Number, placedMS int64, activity, user string) string {
	b := make([]byte, 0, 36+len(activity)+len(user))
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(b, '_')
	b = strconv.AppendInt(b, placedMS, 10)
	b = append(b, '_')
	b = append(b, activity...)
	b = append(b, '_')
	b = append(b, user...)
	return string(b)
}

// ParseEntry reads a queue entry; what can't be read is ErrBadEntry.
func ParseEntry(raw string) (Entry, error) {
	bad := func(what string) (Entry, error) {
		return Entry{Raw: raw}, fmt.Errorf("%w: its %s can't be read", ErrBadEntry, what)
	}
	number, rest, _ := strings.Cut(raw, "_")
	n, err := ParseNumber(number)
	if err != nil {
		return bad("order number")
	}
	placed, rest, _ := strings.Cut(rest, "_")
	placedMS, err := strconv.ParseInt(placed, 10, 64)
	if err != nil || placedMS < 0 {
		return bad("time")
	}
	activity, user, found := strings.Cut(rest, "_")
	if !found || activity == "" || user == "" {
		return bad("activity or user")
	}
	return Entry{Raw: raw, Number: n, PlacedMS: placedMS, Activity: activity, User: user}, nil
}
