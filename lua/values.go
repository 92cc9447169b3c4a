package lua

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"onrush/modules/ids"
)

// This file defines the formats of values and hash fields in Redis, and values.lua defines the formats that scripts use
// too; keys.go defines the names of keys. Ids are joined by ids.Join; a user id, which may contain ids.Separator, is
// the last part. The record of an order is JSON: order.EncodeRecord.

// ActivityState is the state of an activity in Redis: the field state of its meta hash.
type ActivityState string

// The states of an activity in Redis. An activity that is not in Redis has none of them.
const (
	StateLoading ActivityState = "loading"
	StateOpen    ActivityState = "open"
	StateClosed  ActivityState = "closed"
)

// Loaded reports whether the activity is completely in Redis, open or closed.
func (s ActivityState) Loaded() bool { return s == StateOpen || s == StateClosed }

// StockField is the field of a sku at a stock point in the hashes stock and paid. The sku alone is the
// field of the sum over all points.
func StockField(sku, point string) string { return ids.Join(sku, point) }

// ParseStockField splits what StockField made; ok is false for the field of a sum.
func ParseStockField(field string) (sku, point string, ok bool) {
	parts, ok := ids.Split(field, 2)
	if !ok {
		return field, "", false
	}
	return parts[0], parts[1], true
}

// EmptyField is the field of the meta hash with the time at which the last unit of a sku was taken, in UTC
// milliseconds. It stays when units come back. A load leaves it out.
func EmptyField(sku string) string { return "empty:" + sku }

// ParseCounts reads a hash of units, such as stock, bought or paid.
func ParseCounts(texts map[string]string) (map[string]int64, error) {
	counts := make(map[string]int64, len(texts))
	for field, text := range texts {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read count %s: %w", field, err)
		}
		counts[field] = n
	}
	return counts, nil
}

// Held is what an order holds: the units that it took from a sale and has neither paid nor returned: a value of the
// held hash, `<sku>~<point>~<quantity>[:<limit key>]~<user>`. SKU and Quantity are as of JoinTakes; a basket has
// `b<quantity>`, and with Reserved, r stands before that.
type Held struct {
	SKU, Point string
	Quantity   int64
	User       string
	Key        string // under which purchase limits count the units; "": the user
	Reserved   bool   // whether units are reserved for the user
}

// HeldOf returns what an order without a limit key holds; sku and quantity are as of JoinTakes or MarkedSKU.
func HeldOf(sku, point string, quantity int64, user string) Held {
	sku, reserved := strings.CutPrefix(sku, reservedMark)
	sku = strings.TrimPrefix(sku, takesMark)
	return Held{SKU: sku, Point: point, Quantity: quantity, User: user, Reserved: reserved}
}

// FormatHeld writes the hold of HeldOf as a value of the held hash.
func FormatHeld(sku, point string, quantity int64, user string) string {
	return HeldOf(sku, point, quantity, user).String()
}

func (h Held) String() string {
	units := strconv.FormatInt(h.Quantity, 10)
	if IsBasket(h.SKU) {
		units = basketUnits + units
	}
	if h.Reserved {
		units = reservedUnits + units
	}
	if h.Key != "" {
		units += ":" + h.Key
	}
	return ids.Join(h.SKU, h.Point, units, h.User)
}

// Buyer returns whose purchases the units count as.
func (h Held) Buyer() string { return cmp.Or(h.Key, h.User) }

// ParseHeld reads a value of the held hash and reports whether it is valid.
func ParseHeld(value string) (Held, bool) {
	parts, ok := ids.Split(value, 4)
	if !ok {
		return Held{}, false
	}
	units, key, _ := strings.Cut(parts[2], ":")
	units, reserved := strings.CutPrefix(units, reservedUnits)
	if IsBasket(parts[0]) {
		units = strings.TrimPrefix(units, basketUnits)
	}
	quantity, err := strconv.ParseInt(units, 10, 64)
	return Held{parts[0], parts[1], quantity, parts[3], key, reserved}, err == nil
}

// ErrBadEntry says that a queue entry can't be read.
var ErrBadEntry = errors.New("bad queue entry")

// Entry is one line of a lane's queue, lock_log: `<order_number>~<placed_ms>~<activity>~<user>`.
type Entry struct {
	Number   string
	PlacedMS int64
	Activity string
	User     string
}

// FormatEntry writes a queue entry.
func FormatEntry(number, placedMS int64, activity, user string) string {
	return ids.Join(strconv.FormatInt(number, 10), strconv.FormatInt(placedMS, 10), activity, user)
}

// ParseEntry reads a queue entry; the error wraps ErrBadEntry. It doesn't check the order number.
func ParseEntry(raw string) (Entry, error) {
	parts, ok := ids.Split(raw, 4)
	if !ok {
		return Entry{}, fmt.Errorf("%w: it doesn't have four parts", ErrBadEntry)
	}
	placedMS, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || placedMS < 0 {
		return Entry{}, fmt.Errorf("%w: its time can't be read", ErrBadEntry)
	}
	if parts[2] == "" || parts[3] == "" {
		return Entry{}, fmt.Errorf("%w: its activity or user can't be read", ErrBadEntry)
	}
	return Entry{Number: parts[0], PlacedMS: placedMS, Activity: parts[2], User: parts[3]}, nil
}

// TaskState is the state of a submit.
type TaskState string

// The states of a task.
const (
	TaskSubmitted TaskState = "P" // placed in Redis, not yet in SQL
	TaskStored    TaskState = "S"
	TaskFailed    TaskState = "F"
)

// Task is a value of the tasks hash: `<order_number>:<state>:<digest>[:<reason>]`.
type Task struct {
	Number string
	State  TaskState
	Digest string // of the submit's body; without ':'
	Reason string // of a failed task; may contain ':'
}

// ParseTask reads a value of the tasks hash.
func ParseTask(value string) (Task, error) {
	parts := strings.SplitN(value, ":", 4)
	if len(parts) < 3 || parts[0] == "" {
		return Task{}, fmt.Errorf("task %q is not <order_number>:<state>:<digest>", value)
	}
	task := Task{Number: parts[0], State: TaskState(parts[1]), Digest: parts[2]}
	if len(parts) == 4 {
		task.Reason = parts[3]
	}
	switch task.State {
	case TaskSubmitted, TaskStored, TaskFailed:
		return task, nil
	default:
		return Task{}, fmt.Errorf("task %q has the unknown state %q", value, parts[1])
	}
}

// String returns the value for the tasks hash.
func (t Task) String() string {
	value := t.Number + ":" + string(t.State) + ":" + t.Digest
	if t.Reason != "" {
		value += ":" + t.Reason
	}
	return value
}
