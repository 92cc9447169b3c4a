package api

import (
	"bytes"
	"fmt"
	"time"

	"github.com/mailru/easyjson/jwriter"
)

// timeLayout is RFC 3339 in UTC with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// maxMillis is the last time that has a year of four digits.
const maxMillis = 253_402_300_799_999

// Millis is a time in UTC milliseconds since 1970; 0 means "has not happened". In JSON it is
// RFC 3339 in UTC with milliseconds, and 0 is null; with the option omitzero it is left out.
type Millis int64

// FormatMS writes UTC milliseconds as RFC 3339 with milliseconds: 2026-01-02T03:04:05.678Z.
func FormatMS(ms int64) string { return time.UnixMilli(ms).UTC().Format(timeLayout) }

func (m Millis) String() string { return FormatMS(int64(m)) }

// Time returns m as a time.Time in UTC.
func (m Millis) Time() time.Time { return time.UnixMilli(int64(m)).UTC() }

// MarshalJSON writes RFC 3339, or null for 0.
func (m Millis) MarshalJSON() ([]byte, error) { return m.appendJSON(make([]byte, 0, maxTimeJSON)) }

// MarshalEasyJSON is MarshalJSON for generated code.
func (m Millis) MarshalEasyJSON(w *jwriter.Writer) {
	w.Buffer.EnsureSpace(maxTimeJSON)
	b, err := m.appendJSON(w.Buffer.Buf)
	if err != nil {
		w.Raw(nil, err)
		return
	}
	w.Buffer.Buf = b
}

// maxTimeJSON is how many bytes the JSON of a time has at most.
const maxTimeJSON = len(timeLayout) + 2

func (m Millis) appendJSON(b []byte) ([]byte, error) {
	if m == 0 {
		return append(b, "null"...), nil
	}
	if m < 0 || m > maxMillis {
		return nil, fmt.Errorf("time %d ms is outside 1970 to 9999", int64(m))
	}
	b = append(b, '"')
	b = m.Time().AppendFormat(b, timeLayout)
	return append(b, '"'), nil
}

// UnmarshalJSON reads RFC 3339 with any offset; fractions of a millisecond are truncated.
func (m *Millis) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		*m = 0
		return nil
	}
	if len(data) < 2 || data[0] != '"' {
		return ErrTime
	}
	at, err := time.Parse(time.RFC3339Nano, string(data[1:len(data)-1]))
	if err != nil {
		return ErrTime
	}
	ms := at.UnixMilli()
	if ms < 0 || ms > maxMillis {
		return ErrTime
	}
	*m = Millis(ms)
	return nil
}

// ErrTime is the error for JSON that is not such a time.
const ErrTime = Rule("must be a time as RFC 3339 writes it, such as 2026-01-02T03:04:05.678Z, not before 1970")
