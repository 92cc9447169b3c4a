package seckill

import (
	"context"
	"errors"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill/tasks"
)

// TaskStatus is the state of a submit.
type TaskStatus string

// The states of a task.
const (
	TaskSubmitted TaskStatus = "SUBMITTED" // placed, not in SQL yet
	TaskSuccess   TaskStatus = "SUCCESS"   // in SQL
	TaskFailed    TaskStatus = "FAILED"    // the order has failed; Reason says why
)

// Task is a submit as its buyer sees it. Reason is a code: no_stock, over_limit, discarded.
type Task struct {
	TaskID         string       `json:"task_id"`
	Status         TaskStatus   `json:"status"`
	OrderNumber    order.Number `json:"order_number"`
	Reason         string       `json:"reason,omitempty"`
	RefreshAfterMS int64        `json:"refresh_after_ms"` // 0 when nothing more will change
}

// Task returns the state of one of the user's submits. Its read from the stores is shared with all who ask for
// tasks of the activity at about the same time.
func (s *Service) Task(ctx context.Context, user, sealed string) (*Task, error) {
	follow, err := s.FollowTask(user, sealed)
	if err != nil {
		return nil, err
	}
	task, err := follow(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, problem.Unavailable(err, "The task could not be looked up in time.")
	}
	return task, err
}

// Tasks returns the newest of the user's tasks in a sale, at most 20, newest first; of one sku, or of all if sku is "".
// partial means that a store could not be read, or not all of it.
func (s *Service) Tasks(ctx context.Context, user, activity, sku string) (found []Task, partial bool, err error) {
	a, err := s.cache.Get(ctx, activity)
	if err != nil {
		return nil, false, err
	}
	of, partial, err := s.tasks.OfUser(ctx, tasks.Query{
		User: user, Lane: a.Lane, Activity: a.ID, StartsMS: a.StartsMS, SKU: sku,
	})
	found = make([]Task, len(of))
	for i, t := range of {
		found[i] = s.shown(ctx, s.sign.sealTask(user, t.ID.String()), a.Lane, t.State)
	}
	return found, partial, err
}

// FollowTask returns a function that returns the state of one of the user's submits. Its first call returns the current
// state; each later call waits until the state is another one. It may be called by one goroutine at a time.
func (s *Service) FollowTask(user, sealed string) (func(context.Context) (*Task, error), error) {
	t, err := s.sign.openTask(user, sealed)
	if err != nil {
		return nil, err
	}
	var last tasks.State
	return func(ctx context.Context) (*Task, error) {
		state, err := s.tasks.Wait(ctx, t, last)
		if errors.Is(err, tasks.ErrUnknown) {
			return nil, problem.Errorf(CodeTaskNotFound, "There is no such task.")
		}
		if err != nil {
			return nil, err
		}
		last = state
		task := s.shown(ctx, sealed, t.Lane, state)
		return &task, nil
	}, nil
}

// shown returns a task as its buyer sees it.
func (s *Service) shown(ctx context.Context, sealed string, lane int, state tasks.State) Task {
	task := Task{TaskID: sealed, Status: taskStatus(state.State), OrderNumber: state.Number, Reason: state.Reason}
	if task.Status == TaskSubmitted {
		task.RefreshAfterMS = s.pace.Refresh(ctx, lane).Milliseconds()
	}
	return task
}

func taskStatus(state lua.TaskState) TaskStatus {
	switch state {
	case lua.TaskStored:
		return TaskSuccess
	case lua.TaskFailed:
		return TaskFailed
	case lua.TaskSubmitted:
	}
	return TaskSubmitted
}
