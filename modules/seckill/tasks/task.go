package tasks

import (
	"errors"

	"onrush/lua"
	"onrush/modules/order"
)

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
