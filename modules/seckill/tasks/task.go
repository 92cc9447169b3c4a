package tasks

import (
	"errors"
	"strconv"

	"onrush/lua"
	"onrush/modules/order"
)

// Task identifies the task of a submit by the parts of its id before the MAC.
type Task struct {
	Lane     int
	Activity string
	Hash     string // of user, sku and Idempotency-Key; the field in Redis
}

// String returns `<lane>.<activity>.<hash>`.
func (t Task) String() string { return strconv.Itoa(t.Lane) + "." + t.Activity + "." + t.Hash }

// State is the state of a submit's task. The zero State means no task.
type State struct {
	Number order.Number
	State  lua.TaskState
	Reason string // why it failed
}

// final reports whether the state can't change any more.
func (s State) final() bool { return s.State == lua.TaskStored || s.State == lua.TaskFailed }

// ErrUnknown says that no store has a task.
var ErrUnknown = errors.New("no such task")
