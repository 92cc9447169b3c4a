package seckill

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/gather"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/limits"
)

// attempt is a submit on its way to Redis.
type attempt struct {
	body     *Submit
	path     path
	activity *Activity
	sku      *ActivitySKU
	taskHash string
	// sealedTask is the task id that the buyer gets.
	sealedTask string
	order      order.Order

	// refusal is why the order may not be placed; nil if it may. A refused attempt only looks up its task.
	refusal error
	// overLimit is whether a rate limit refused it. Then SQL is not read either.
	overLimit bool
	// asked is whether SQL was asked for the task, and doesn't have it.
	asked bool
}

// maxTries bounds how often an order is sent to the placer, each time with a new order number.
const maxTries = 5

// place sends the order to the placer until it is answered. An order of an older version of the activity than the one
// in Redis is priced again.
func (s *Service) place(ctx context.Context, t *attempt) (*Submitted, error) {
	for range maxTries {
		res, err := s.try(ctx, t)
		if err != nil {
			return nil, err
		}
		switch res.Code {
		case lua.NumberTaken:
			onNumberTaken.Mark()
			s.numbers.Taken(t.order.Number)
		case lua.Outdated:
			onOutdated.Mark()
			if err := s.renew(ctx, t, res.Version); err != nil {
				return nil, err
			}
			t.refusal = s.prepare(ctx, t)
		case lua.TasksLoading:
			onTasksLoading.Mark()
			if t.overLimit {
				return nil, t.refusal
			}
			had, found, err := s.stored(ctx, t)
			if err != nil || found {
				return had, err
			}
			t.asked = true
		default:
			return s.answer(ctx, t, res)
		}
	}
	return nil, s.unknown(t, errors.New("no unused order number, or too many changes of the activity"))
}

// try sends the order to the placer once, or only its task if it is refused.
func (s *Service) try(ctx context.Context, t *attempt) (res lua.PlaceResult, err error) {
	call := lua.PlaceOrder{
		Task: t.taskHash, Digest: t.order.Digest, User: t.order.User, SKU: t.sku.SKU, Quantity: 1, Asked: t.asked,
	}
	if t.refusal == nil {
		err := s.number(ctx, t)
		switch {
		case lua.IsFull(err):
			t.refusal = errOverloaded
		case err != nil:
			return res, s.unknown(t, err)
		default:
			if err := t.putRecord(&call); err != nil {
				return res, err
			}
		}
	}
	res, err = s.placer.Place(ctx, t.activity.sale(), call)
	switch {
	case errors.Is(err, gather.ErrUnknown), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return res, s.unknown(t, err)
	}
	return res, err
}

// number gives the order its number and times.
func (s *Service) number(ctx context.Context, t *attempt) (err error) {
	at, o := s.clock.NowMS(), &t.order
	o.PlacedAt, o.PayBefore = api.Millis(at), api.Millis(at+t.activity.PayWithinS*1000)
	o.Number, err = s.numbers.Next(ctx, t.activity.Lane)
	return err
}

// putRecord puts the order into a call, which otherwise only looks up its task.
func (t *attempt) putRecord(call *lua.PlaceOrder) (err error) {
	o := &t.order
	if call.Record, err = order.EncodeRecord(o); err != nil {
		return fmt.Errorf("encode order: %w", err)
	}
	call.Number, call.Point, call.Quantity = o.Number.String(), o.Point, o.Items[0].Quantity
	call.Entry = order.FormatEntry(o.Number, int64(o.PlacedAt), t.activity.ID, o.User)
	return nil
}

// renew replaces the activity and its sku by their state at a version, or at a newer one.
func (s *Service) renew(ctx context.Context, t *attempt, version int64) error {
	a, err := s.cache.AtLeast(ctx, t.activity.ID, version)
	if err != nil {
		return err
	}
	g, ok := a.sku(t.sku.SKU)
	if !ok || a.Version < version {
		return problem.Unavailable(nil, "The sale was changed a moment ago; try again.").After(time.Second)
	}
	t.activity, t.sku = a, g
	return nil
}

// unknown returns the error for an order that may or may not have been placed.
func (s *Service) unknown(t *attempt, err error) error {
	e := problem.Unavailable(err, "The order could not be placed in time; send it again with the same Idempotency-Key.")
	e.TaskID = t.sealedTask
	return e
}

// answer turns the script's result into the buyer's answer.
func (s *Service) answer(ctx context.Context, t *attempt, res lua.PlaceResult) (*Submitted, error) {
	o := &t.order
	switch res.Code {
	case lua.Placed:
		if res.Unconfirmed {
			return nil, s.unknown(t, errUnconfirmed)
		}
		return s.submitted(t.sealedTask, o.Number, false), nil
	case lua.Replayed:
		onReplayed.Mark()
		if res.Unconfirmed {
			return nil, s.unknown(t, errUnconfirmed)
		}
		n, err := order.ParseNumber(res.Number)
		if err != nil {
			return nil, fmt.Errorf("place: %w", err)
		}
		return s.submitted(t.sealedTask, n, true), nil
	case lua.KeyReused:
		return nil, problem.Errorf(problem.CodeIdempotencyKeyReused, "This Idempotency-Key was used for another order.")
	case lua.TaskUnknown:
		return s.storedOrRefused(ctx, t)
	case lua.NotLoaded:
		onNotLoaded.Mark()
		if e := s.running(t.activity); e != nil && t.refusal == nil {
			t.refusal = e
		}
		if t.refusal == nil {
			t.refusal = problem.Unavailable(nil, "The sale is being loaded.")
		}
		return s.storedOrRefused(ctx, t)
	case lua.SoldOut:
		return nil, s.soldOut(ctx, t.activity, t.sku, o.Point, o.Items[0].Quantity)
	case lua.OverActivityLimit:
		return nil, overLimit(res.Bought, t.activity.PurchaseLimit)
	case lua.OverSKULimit:
		return nil, overLimit(res.Bought, t.sku.PurchaseLimit)
	case lua.NotStarted:
		return nil, notStarted(t.activity, s.clock.NowMS())
	case lua.Ended:
		return nil, problem.Errorf(CodeEnded, "The sale has ended.")
	case lua.Closed:
		return nil, problem.Errorf(CodeOffline, "The sale was taken offline.")
	case lua.Paused:
		return nil, errPaused
	case lua.NoPermit:
		return nil, problem.Errorf(CodePathExpired, "The order path was used up or has expired; request a new one.")
	case lua.QueueFull, lua.TooManyCached: // both drain as orders move to SQL
		onQueueFull.Mark()
		return nil, errOverloaded
	case lua.TooLate:
		onTooLate.Mark()
		return nil, s.unknown(t, errors.New("the script ran after the deadline"))
	case lua.OverItemLimit:
		return nil, limits.OverItem(t.activity.Limits, time.Duration(res.RetryMS)*time.Millisecond)
	case lua.Behind: // another instance has changed Redis back, or loads it
		onStillBehind.Mark()
		return nil, problem.Unavailable(nil, "The sale was changed a moment ago; try again.").After(time.Second)
	case lua.NumberTaken, lua.TasksLoading, lua.Outdated: // place handles these
	}
	return nil, fmt.Errorf("place: script returned %d", res.Code)
}

func overLimit(bought, limit int64) error {
	return problem.Errorf(CodePurchaseLimit, "The limit is %d; you have bought %d.", limit, bought)
}

// storedOrRefused answers an attempt whose task Redis doesn't know: with the order in SQL, or else with the refusal.
func (s *Service) storedOrRefused(ctx context.Context, t *attempt) (*Submitted, error) {
	if t.overLimit {
		return nil, t.refusal
	}
	had, found, err := s.stored(ctx, t)
	if err == nil && !found {
		err = t.refusal
	}
	return had, err
}

// stored returns the answer to a task that SQL has.
func (s *Service) stored(ctx context.Context, t *attempt) (had *Submitted, found bool, err error) {
	o, err := order.ByTask(ctx, s.db, t.order.Task)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case err != nil:
		// It is unknown whether this order was placed before, so the refusal may be wrong.
		return nil, false, s.unknown(t, errors.Join(t.refusal, err))
	case o.Digest != t.order.Digest:
		return nil, false, problem.Errorf(problem.CodeIdempotencyKeyReused,
			"This Idempotency-Key was used for another order.")
	}
	onStoredTask.Mark()
	return s.submitted(t.sealedTask, o.Number, true), true, nil
}

func (s *Service) submitted(task string, n order.Number, replayed bool) *Submitted {
	return &Submitted{
		TaskID: task, OrderNumber: n, Status: TaskSubmitted, Replayed: replayed,
		RefreshAfterMS: s.pace.Known(n.Lane()).Milliseconds(),
	}
}
