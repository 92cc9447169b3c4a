package lua

import (
	"fmt"
	"strings"
)

// TaskState is what became of a submit.
type TaskState string

// The states of a task.
const (
	TaskSubmitted TaskState = "P" // placed in Redis, not in SQL yet
	TaskStored    TaskState = "S"
	TaskFailed    TaskState = "F"
)

// Task is one value of the tasks hash: `<order_number>:<state>:<digest>[:<reason>]`.
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

// String is the value that the tasks hash keeps.
func (t Task) String() string {
	value := t.Number + ":" + string(t.State) + ":" + t.Digest
	if t.Reason != "" {
		value += ":" + t.Reason
	}
	return value
}
