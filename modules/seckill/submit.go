package seckill

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/deadline"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
)

// Submit is the body of a submit: the choice, or the confirmation that contains it, and the source of the
// order.
type Submit struct {
	Choice
	Confirmation string `json:"confirmation,omitempty" validate:"max=8192"`
	order.ClientTexts
	Fields order.FreeFields `json:"fields,omitempty" validate:"max=20,dive,keys,min=1,max=64,text,endkeys,max=200,text"`

	Room        string `json:"room_id,omitempty" validate:"max=64,line"`
	ShareCode   string `json:"share_code,omitempty" validate:"max=64,line"`
	ShareSource string `json:"share_source,omitempty" validate:"max=64,line"`
	Inviter     string `json:"inviter_id,omitempty" validate:"max=64,line"`
}

// maxFieldsBytes bounds the free fields of an order, as JSON.
const maxFieldsBytes = 4096

// Submitted is the answer to a submit; a replay with the same key and body gets the same answer.
//
//easyjson:json
type Submitted struct {
	TaskID         string       `json:"task_id"`
	OrderNumber    order.Number `json:"order_number"`
	Status         TaskStatus   `json:"status"`
	RefreshAfterMS int64        `json:"refresh_after_ms"`
}

// errNewTask says that SQL doesn't have a task.
var errNewTask = errors.New("the task is new")

// numberTries bounds how often an order is sent to the placer, each time with a new order number.
const numberTries = 5

// SubmitBy says who submits: the user, the path, the Idempotency-Key and the client's address.
type SubmitBy struct {
	User, Path, Key, From string
	Address               netip.Addr // as in Visit
	// OverLimit is the error of a request over a rate limit; nil if it isn't. It is answered unless Redis
	// knows the key.
	OverLimit error
}

// errOverLimit is the refusal of a request over a rate limit, which costs no call of SQL.
type errOverLimit struct{ error }

func (e errOverLimit) Unwrap() error { return e.error }

func isOverLimit(err error) bool {
	_, ok := errors.AsType[errOverLimit](err)
	return ok
}

// Submit places an order, once per Idempotency-Key. Usually it calls Redis only to place the order, and it
// needs no SQL for an order with a confirmation or of goods that aren't delivered. If the outcome is unknown,
// the error is unavailable and has the task id; a retry with the same key gets the outcome.
func (s *Service) Submit(ctx context.Context, by SubmitBy, body *Submit) (*Submitted, error) {
	p, err := s.sign.openPath(by.User, by.Path)
	if err != nil {
		return nil, problem.RefusedBy("path", err)
	}
	a, g, err := s.goods(ctx, p)
	if err != nil {
		return nil, err
	}
	ctx, cancel := deadline.Within(ctx, s.cfg.PlaceWithin)
	defer cancel()
	canonical, err := body.canonical()
	if err != nil {
		return nil, fmt.Errorf("digest submit: %w", err)
	}
	t := newTaskID(a.Lane, a.ID, by.User, p.sku, by.Key)
	task := s.sign.sealTask(by.User, t)
	o := &order.Order{
		User: by.User, Task: task, Digest: sign.Digest(12, string(canonical)), PlacedFrom: by.From,
		Content: order.Content{Type: order.Seckill}, Status: order.Unpaid,
	}
	refused := by.OverLimit
	if refused == nil {
		refused = s.limits.Request(ctx, a.Limits, a.ID, by.User, by.Address)
	}
	if refused != nil {
		refused = errOverLimit{refused}
	} else {
		refused = s.prepare(ctx, o, a, g, p, body)
	}
	reprice := func(a *Activity, g *ActivitySKU) error { return s.prepare(ctx, o, a, g, p, body) }
	answer, err := s.place(ctx, a, g, t, o, refused, reprice)
	s.counters.Count(a, "submit", err)
	return answer, err
}

// prepare fills in the order. The buyer receives its error, unless the same key has placed this order before.
func (s *Service) prepare(
	ctx context.Context, o *order.Order, a *Activity, g *ActivitySKU, p path, body *Submit,
) error {
	if e := s.expired(p); e != nil {
		return e
	}
	var q quote
	var err error
	if body.Confirmation != "" {
		q, err = s.openQuote(o.User, body.Confirmation, p, body.Choice)
	} else {
		q, err = s.quote(ctx, o.User, a, g, body.Choice)
	}
	// The price may change until the sale starts, and a confirmation may be of another instance.
	if err == nil && (q.Kind != g.Kind || q.Currency != g.Currency || q.Price != g.FlashPrice) {
		err = problem.Invalid("confirmation", "is for goods that have changed; confirm again")
	}
	if err != nil {
		return err
	}
	if o.GoodsAmount, err = catalogue.Amount(q.Price, q.Quantity); err != nil {
		return err
	}
	o.Kind, o.Shop, o.Activity, o.Point, o.Currency = g.Kind, g.Shop, a.ID, q.Point, g.Currency
	o.FreightAmount, o.TotalAmount = q.Freight, o.GoodsAmount+q.Freight
	o.Delivery, o.PickupPoint = q.Delivery, q.PickupPoint
	body.PutInto(o)
	o.Room, o.ShareCode, o.ShareSource, o.Inviter = body.Room, body.ShareCode, body.ShareSource, body.Inviter
	o.Address, o.Fields = q.Address, body.Fields
	if len(body.Fields) > 0 {
		fields, err := json.Marshal(body.Fields)
		if err != nil {
			return fmt.Errorf("encode fields: %w", err)
		}
		if len(fields) > maxFieldsBytes {
			return problem.Invalid("fields", "must have at most %d bytes in all", maxFieldsBytes)
		}
	}
	o.Items = []order.Item{
		{
			SKU: g.SKU, Kind: g.Kind, Title: g.Title, ImageURL: g.ImageURL, Quantity: q.Quantity, Price: q.Price,
			Point: q.Point,
		},
	}
	return nil
}

// place sends the order to the placer. If refused is not nil, it only looks up the order's task. An order of an older
// version of the activity than the one in Redis is priced again.
func (s *Service) place(
	ctx context.Context, a *Activity, g *ActivitySKU, t order.TaskID, o *order.Order, refused error,
	reprice func(*Activity, *ActivitySKU) error,
) (*Submitted, error) {
	asked := false // whether SQL was asked for the task
	for range numberTries {
		call := lua.PlaceOrder{Task: t.Hash, Digest: o.Digest, User: o.User, SKU: g.SKU, Quantity: 1, Asked: asked}
		if refused == nil {
			switch err := s.number(ctx, a, o); {
			case lua.IsFull(err):
				refused = errOverloaded
			case err != nil:
				return nil, s.unknown(o.Task, err)
			}
		}
		if refused == nil {
			record, err := order.EncodeRecord(o)
			if err != nil {
				return nil, fmt.Errorf("encode order: %w", err)
			}
			call.Number, call.Point, call.Quantity = o.Number.String(), o.Point, o.Items[0].Quantity
			call.Entry = order.FormatEntry(o.Number, int64(o.PlacedAt), a.ID, o.User)
			call.Record = record
		}
		res, err := s.placer.Place(ctx, a.sale(), call)
		switch {
		case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, errUnknown):
			return nil, s.unknown(o.Task, err)
		case err != nil:
			return nil, err
		case res.Code == lua.NumberTaken:
			continue
		case res.Code == lua.Outdated:
			if a, g, err = s.newer(ctx, a, g.SKU, res.Version); err != nil {
				return nil, err
			}
			refused = reprice(a, g)
			continue
		case res.Code == lua.TasksLoading:
			if isOverLimit(refused) {
				return nil, refused
			}
			had, err := s.replayStored(ctx, o, errNewTask)
			if !errors.Is(err, errNewTask) {
				return had, err
			}
			asked = true
			continue
		}
		return s.answer(ctx, a, g, o, res, refused)
	}
	return nil, s.unknown(o.Task, errors.New("no unused order number, or too many changes of the activity"))
}

// newer returns an activity and a sku of it, at a version or a newer one.
func (s *Service) newer(
	ctx context.Context, had *Activity, sku string, version int64,
) (*Activity, *ActivitySKU, error) {
	a, err := s.cache.AtLeast(ctx, had.ID, version)
	if err != nil {
		return nil, nil, err
	}
	g, ok := a.sku(sku)
	if !ok || a.Version < version {
		return nil, nil, problem.Unavailable(nil, "The sale was changed a moment ago; try again.").After(time.Second)
	}
	return a, g, nil
}

// number gives the order its number and times.
func (s *Service) number(ctx context.Context, a *Activity, o *order.Order) (err error) {
	at := s.clock.NowMS()
	o.PlacedAt, o.PayBefore = api.Millis(at), api.Millis(at+a.PayWithinS*1000)
	o.Number, err = s.numbers.Next(ctx, a.Lane)
	return err
}

// unknown returns the error for an order that may or may not have been placed.
func (s *Service) unknown(task string, err error) error {
	e := problem.Unavailable(err, "The order could not be placed in time; send it again with the same Idempotency-Key.")
	e.TaskID = task
	return e
}

// answer turns the script's result into the buyer's answer.
func (s *Service) answer(
	ctx context.Context, a *Activity, g *ActivitySKU, o *order.Order, res lua.PlaceResult, refused error,
) (*Submitted, error) {
	switch res.Code {
	case lua.Placed:
		return s.submitted(o.Task, o.Number), nil
	case lua.Replayed:
		n, err := order.ParseNumber(res.Number)
		if err != nil {
			return nil, fmt.Errorf("place: %w", err)
		}
		return s.submitted(o.Task, n), nil
	case lua.KeyReused:
		return nil, problem.Errorf(problem.CodeIdempotencyKeyReused, "This Idempotency-Key was used for another order.")
	case lua.TaskUnknown:
		return s.replayStored(ctx, o, refused)
	case lua.NotLoaded:
		if e := s.running(a); e != nil && refused == nil {
			refused = e
		}
		if refused == nil {
			refused = problem.Unavailable(nil, "The sale is being loaded.")
		}
		return s.replayStored(ctx, o, refused)
	case lua.SoldOut:
		return nil, s.soldOut(ctx, a, g, o.Point, o.Items[0].Quantity)
	case lua.OverActivityLimit:
		return nil, overLimit(res.Bought, a.PurchaseLimit)
	case lua.OverSKULimit:
		return nil, overLimit(res.Bought, g.PurchaseLimit)
	case lua.NotStarted:
		return nil, notStarted(a, s.clock.NowMS())
	case lua.Ended:
		return nil, problem.Errorf(CodeEnded, "The sale has ended.")
	case lua.Closed:
		return nil, problem.Errorf(CodeOffline, "The sale was taken offline.")
	case lua.NoPermit:
		return nil, problem.Errorf(CodePathExpired, "The order path was used up or has expired; request a new one.")
	case lua.QueueFull, lua.TooManyCached: // both drain as orders move to SQL
		return nil, errOverloaded
	case lua.TooLate:
		return nil, s.unknown(o.Task, errors.New("the script ran after the deadline"))
	case lua.OverItemLimit:
		return nil, s.limits.OverItem(a.Limits, time.Duration(res.RetryMS)*time.Millisecond)
	case lua.Behind: // another instance has changed Redis back, or loads it
		return nil, problem.Unavailable(nil, "The sale was changed a moment ago; try again.").After(time.Second)
	case lua.NumberTaken, lua.TasksLoading, lua.Outdated: // place handles these
	}
	return nil, fmt.Errorf("place: script returned %d", res.Code)
}

func overLimit(bought, limit int64) error {
	return problem.Errorf(CodePurchaseLimit, "The limit is %d; you have bought %d.", limit, bought)
}

// replayStored answers a task that Redis doesn't know from SQL. If SQL doesn't know it, the error is refused.
// A request over a rate limit doesn't reach SQL.
func (s *Service) replayStored(ctx context.Context, o *order.Order, refused error) (*Submitted, error) {
	if isOverLimit(refused) {
		return nil, refused
	}
	had, err := order.ByTask(ctx, s.db, o.Task)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, refused
	case err != nil:
		// It is unknown whether this order was placed before, so refused may be wrong.
		return nil, s.unknown(o.Task, errors.Join(refused, err))
	case had.Digest != o.Digest:
		return nil, problem.Errorf(problem.CodeIdempotencyKeyReused, "This Idempotency-Key was used for another order.")
	}
	return s.submitted(o.Task, had.Number), nil
}

func (s *Service) submitted(task string, n order.Number) *Submitted {
	return &Submitted{
		TaskID: task, OrderNumber: n, Status: TaskSubmitted,
		RefreshAfterMS: s.pace.Known(n.Lane()).Milliseconds(),
	}
}
