package seckill

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/web/problem"
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

// taskWithin bounds the read from Redis, so that time remains to query SQL.
const taskWithin = 500 * time.Millisecond

// Task returns the state of one of the user's submits, with one read from Redis, or from SQL if Redis doesn't
// have it or is unavailable.
func (s *Service) Task(ctx context.Context, user, sealed string) (*Task, error) {
	t, err := s.sign.openTask(user, sealed)
	if err != nil {
		return nil, err
	}
	task := &Task{TaskID: sealed, RefreshAfterMS: s.cfg.RefreshAfter.Milliseconds()}
	known, redisErr := s.cachedTask(ctx, t)
	if redisErr == nil {
		n, err := order.ParseNumber(known.Number)
		if err != nil {
			return nil, err
		}
		task.OrderNumber, task.Status, task.Reason = n, taskStatus(known.State), known.Reason
		if task.Status != TaskSubmitted {
			task.RefreshAfterMS = 0
		}
		return task, nil
	}
	had, err := order.ByTask(ctx, s.db, sealed)
	switch {
	case errors.Is(err, sql.ErrNoRows) && errors.Is(redisErr, redis.Nil):
		return nil, problem.Errorf(CodeTaskNotFound, "There is no such task.")
	case err != nil:
		return nil, problem.Unavailable(errors.Join(redisErr, err), "The task can't be looked up right now.")
	}
	task.OrderNumber, task.Status, task.RefreshAfterMS = had.Number, TaskSuccess, 0
	if had.Status == order.Failed {
		task.Status, task.Reason = TaskFailed, had.Reason
	}
	return task, nil
}

// cachedTask reads the task from Redis; if it isn't there, the error is redis.Nil.
func (s *Service) cachedTask(ctx context.Context, t taskID) (lua.Task, error) {
	ctx, cancel := context.WithTimeout(ctx, taskWithin)
	defer cancel()
	value, err := s.lua.Redis.HGet(ctx, s.lua.Keys.Tasks(t.lane, t.activity), t.hash).Result()
	if err != nil {
		return lua.Task{}, err
	}
	return lua.ParseTask(value)
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
