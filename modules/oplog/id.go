package oplog

import (
	"strconv"
	"time"

	"onrush/modules/problem"
)

// ID is the id of a change or of a note: the milliseconds since 2024-01-01T00:00:00Z, and 22 random bits. So ids
// sort by time, and a span of time is a span of ids. In JSON it is a string.
type ID int64

const randomBits = 22

var idEpoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// NewID composes an id from a time and the low 22 bits of random.
func NewID(at time.Time, random uint32) ID {
	const most = 1<<(63-randomBits) - 1
	ms := min(max(at.UnixMilli()-idEpoch.UnixMilli(), 0), most)
	return ID(ms<<randomBits | int64(random&(1<<randomBits-1)))
}

// FirstIDAt returns the lowest id of the millisecond of at.
func FirstIDAt(at time.Time) ID { return NewID(at, 0) }

// ParseID reads the decimal form of an id; field names the parameter in the error.
func ParseID(field, text string) (ID, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 || strconv.FormatInt(n, 10) != text {
		return 0, problem.Invalid(field, "must be the next_cursor of a page")
	}
	return ID(n), nil
}

func (id ID) String() string { return strconv.FormatInt(int64(id), 10) }

// MarshalText returns the decimal form, so that an ID is a string in JSON.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }
