package order

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/mailru/easyjson/jwriter"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/problem"
)

// Number is an order number: 63 bits, of which the top 31 count the seconds since
// 2024-01-01T00:00:00Z, the next 10 are the lane of the order while it is cached, and the low
// 22 are a permuted sequence. So numbers sort by time, and they are the paging key.
// In JSON a Number is a string.
type Number int64

const (
	laneBits = 10
	seqBits  = 22

	// MaxLane is the highest lane of an order number.
	MaxLane = 1<<laneBits - 1
	// SeqMask selects the sequence part of a number.
	SeqMask = 1<<seqBits - 1

	maxSeconds = 1<<31 - 1
)

// numberEpoch is the time from which order numbers count.
var numberEpoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// ErrBadNumber says that a text is not an order number.
var ErrBadNumber = errors.New("not an order number")

// NewNumber composes a number. Only the low 22 bits of seq are used; a time outside the range is replaced
// by the nearest one.
func NewNumber(at time.Time, lane int, seq uint32) Number {
	sec := min(max(at.Unix()-numberEpoch.Unix(), 0), maxSeconds)
	return Number(sec<<(laneBits+seqBits) | int64(lane&MaxLane)<<seqBits | int64(seq&SeqMask))
}

// FirstNumberAt returns the lowest number of an order that is placed in the second of at.
func FirstNumberAt(at time.Time) Number { return NewNumber(at, 0, 0) }

// ParseNumber reads the decimal form of a number; the error wraps ErrBadNumber.
func ParseNumber(s string) (Number, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 || strconv.FormatInt(n, 10) != s {
		return 0, fmt.Errorf("%w: %.24q", ErrBadNumber, s)
	}
	return Number(n), nil
}

// Lane returns the lane of the number; it is 0 for ordinary orders.
func (n Number) Lane() int { return int(n>>seqBits) & MaxLane }

// Time returns the second in which the order was placed.
func (n Number) Time() time.Time {
	return numberEpoch.Add(time.Duration(n>>(laneBits+seqBits)) * time.Second)
}

func (n Number) String() string { return strconv.FormatInt(int64(n), 10) }

// MarshalText returns the decimal form, so that a Number is a string in JSON.
func (n Number) MarshalText() ([]byte, error) { return strconv.AppendInt(nil, int64(n), 10), nil }

// MarshalEasyJSON is MarshalText for generated code.
func (n Number) MarshalEasyJSON(w *jwriter.Writer) { w.Int64Str(int64(n)) }

// errNumber is the error for JSON that is not the number of an order.
const errNumber = api.Rule("must be an order number")

// UnmarshalText reads the decimal form.
func (n *Number) UnmarshalText(text []byte) error {
	parsed, err := ParseNumber(string(text))
	if err != nil {
		return fmt.Errorf("%w: %w", errNumber, err)
	}
	*n = parsed
	return nil
}

// LockNames returns the names of the locks of orders.
func LockNames(keys lua.Keys, numbers ...Number) []string {
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = keys.OrderLock(n.Lane(), n.String())
	}
	return names
}

// ParseNumberFilter reads the query parameter order_number; "" means no filter.
func ParseNumberFilter(text string) (Number, error) {
	if text == "" {
		return 0, nil
	}
	n, err := ParseNumber(text)
	if err != nil {
		return 0, problem.Invalid("order_number", "must be an order number")
	}
	return n, nil
}
