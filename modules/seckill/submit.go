package seckill

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"time"

	"onrush/lua"
	"onrush/modules/needs"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/seckill/place"
	"onrush/modules/sign"
	"onrush/modules/tracing"
)

// Submit is the body of a submit: the choice, or the confirmation that contains it, and the source of the
// order.
type Submit struct {
	Choice
	Confirmation string `json:"confirmation,omitempty" validate:"omitempty,max=8192"`
	order.ClientTexts
	order.Extras
}

// canonical returns the JSON of a submit. Retries with the same key are compared by its digest, which stores keep,
// so it must not change.
func (s *Submit) canonical() ([]byte, error) { return json.Marshal(s) }

// Submitted is the answer to a submit; a replay with the same key and body gets the same answer.
type Submitted struct {
	TaskID         string       `json:"task_id"`
	OrderNumber    order.Number `json:"order_number"`
	Status         TaskStatus   `json:"status"`
	RefreshAfterMS int64        `json:"refresh_after_ms"`
	Replayed       bool         `json:"replayed,omitempty"` // an earlier request with the key placed it
}

// SubmitBy says who submits: the user, the path, the Idempotency-Key and the client's address.
type SubmitBy struct {
	User, Path, Key, From string
	Address               netip.Addr // as in Visit
	// RateLimited is the refusal of a request over a rate limit, and Stopped the refusal of all requests while sales
	// are stopped; else nil. An order that was placed with the same key is answered all the same.
	RateLimited, Stopped error
}

// Submit places an order, once per Idempotency-Key. Usually it calls Redis only to place the order, and it
// needs no SQL for an order with a confirmation or of goods that aren't delivered. If the outcome is unknown,
// the error is unavailable and has the task id; a retry with the same key gets the outcome.
func (s *Service) Submit(ctx context.Context, by SubmitBy, body *Submit) (*Submitted, error) {
	p, err := s.sign.openPath(by.User, by.Path)
	if err != nil {
		return nil, problem.RefusedBy("path", err)
	}
	tidy(body.Lines)
	return s.submit(ctx, by, p, body)
}

func (s *Service) submit(ctx context.Context, by SubmitBy, p path, body *Submit) (*Submitted, error) {
	a, goods, err := s.cache.goods(ctx, p)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Place.Within)
	defer cancel()
	canonical, err := body.canonical()
	if err != nil {
		return nil, fmt.Errorf("digest submit: %w", err)
	}
	task := newTaskID(a.Lane, a.ID, by.User, p.sku, by.Key)
	stored := task.String()
	t := &attempt{
		body: body, path: p, activity: a, goods: goods,
		order: place.Order{
			Order: order.Order{
				User: by.User, Task: stored, Digest: sign.Digest(12, string(canonical)),
				PlacedFrom: by.From, Trace: tracing.Parent(ctx),
				Content: order.Content{Type: order.Seckill}, Status: order.Unpaid,
			},
			Sale: a.sale(p), TaskHash: task.Hash, SealedTask: s.sign.sealTask(by.User, stored), Refusal: by.RateLimited,
		},
	}
	o := &t.order
	if o.Refusal == nil && !p.held() {
		o.Refusal = s.limits.Request(ctx, a.Limits, a.ID, by.User, by.Address)
	}
	o.RateLimited = o.Refusal != nil
	if !o.RateLimited {
		if o.Refusal = by.Stopped; o.Refusal == nil {
			o.Refusal = s.prepare(ctx, t)
		}
	}
	answer, err := s.place(ctx, t)
	s.counters.CountSubmit(a, err)
	return answer, problem.About(a.ID, p.sku, "submit", err)
}

// attempt is a submit on its way to Redis.
type attempt struct {
	body     *Submit
	path     path
	activity *Activity
	goods    []*ActivitySKU // of the path
	lines    []orderLine    // that the order takes
	order    place.Order
}

// prepare fills in the order. The buyer receives its error, unless the same key has placed this order before.
func (s *Service) prepare(ctx context.Context, t *attempt) error {
	o, a, body := &t.order.Order, t.activity, t.body
	if e := t.path.expired(s.clock.NowMS()); e != nil {
		return e
	}
	err := t.path.fits(a)
	if err != nil {
		return err
	}
	if t.lines, err = linesOf(t.goods, body.Choice); err == nil {
		t.lines, err = a.unbundle(t.lines)
	}
	if err != nil {
		return err
	}
	var q quote
	if body.Confirmation != "" {
		q, err = s.openQuote(o.User, body.Confirmation, t.path, t.lines, body.Choice)
	} else {
		q, err = s.quote(ctx, o.User, a, t.lines, body.Choice)
	}
	// The price may change until the sale starts, and a confirmation may be of another instance.
	if err == nil && !q.isPriced(t.lines) {
		err = problem.Invalid("confirmation", "is for goods that have changed; confirm again")
	}
	if err == nil && t.path.held() && q.Point != t.path.point {
		err = problem.Invalid("address_id", "is served from the stock point %s; the units are at %s", q.Point,
			t.path.point)
	}
	if err != nil {
		return err
	}
	if o.GoodsAmount, _, err = amountsOf(t.lines); err != nil {
		return err
	}
	o.LimitKey, o.Reserved = t.path.limitKey, t.path.reserved && a.reserves()
	o.Kind, o.Shop, o.Activity, o.Point, o.Currency = q.Kind, t.goods[0].Shop, a.ID, q.Point, q.Currency
	o.FreightAmount, o.TotalAmount = q.Freight, o.GoodsAmount+q.Freight
	o.Delivery, o.PickupPoint = q.Delivery, q.PickupPoint
	body.PutInto(o)
	o.Address = q.Address
	if err := body.PutExtras(o); err != nil {
		return err
	}
	for _, g := range t.goods {
		if err := body.RequireFields(g.SKU, a.required(g)); err != nil {
			return err
		}
	}
	o.Items, o.Bundle = itemsOf(t.lines, q.Point), ordered(t.lines)
	return nil
}

// place places the order and returns the answer to its buyer. An order of an older version of the activity than the one
// in Redis is priced again.
func (s *Service) place(ctx context.Context, t *attempt) (*Submitted, error) {
	for {
		got, err := s.placer.Place(ctx, &t.order)
		switch {
		case err != nil:
			return nil, err
		case got.Code == lua.Placed, got.Code == lua.Replayed:
			return &Submitted{
				TaskID: t.order.SealedTask, OrderNumber: got.Number, Status: TaskSubmitted,
				Replayed: got.Code == lua.Replayed, RefreshAfterMS: s.pace.Known(got.Number.Lane()).Milliseconds(),
			}, nil
		case got.Code != lua.Outdated:
			return nil, s.refusal(ctx, t, got)
		}
		onOutdated.Mark()
		if err := s.renew(ctx, t, got.Version); err != nil {
			return nil, err
		}
		t.order.Refusal = s.prepare(ctx, t)
	}
}

func (a *Activity) sale(p path) place.Sale {
	return place.Sale{
		Activity: a.ID, Lane: a.Lane, PayWithinS: a.PayWithinS, Permits: a.permits(),
		Waitlist: a.KeepsUnits() || p.held(), OffersOnly: p.held(), Reserves: a.reserves(),
		Item: a.Limits.Item, Version: a.RedisVersion(), Epoch: a.Epoch(), EarlyMS: p.earlyMS(a), Of: a,
	}
}

// renew replaces the activity and its sku by their state at a version of Redis, or at a newer one.
func (s *Service) renew(ctx context.Context, t *attempt, version int64) error {
	a, err := s.cache.AtLeast(ctx, t.activity.ID, needs.InSQL(version))
	if err != nil {
		return err
	}
	goods, err := a.goods(t.path.sku)
	if err != nil || a.RedisVersion() < version {
		return problem.Unavailable(nil, "The sale was changed a moment ago; try again.").After(time.Second)
	}
	t.activity, t.goods, t.order.Sale = a, goods, a.sale(t.path)
	return nil
}

// refusal tells a buyer why an order was not placed.
func (s *Service) refusal(ctx context.Context, t *attempt, got place.Outcome) error {
	return named(s.refused(ctx, t, got), t.goods, got.SKU)
}

func (s *Service) refused(ctx context.Context, t *attempt, got place.Outcome) error {
	a, o := t.activity, &t.order
	switch got.Code {
	case lua.NotLoaded:
		if e := s.running(a, o.Sale.EarlyMS); e != nil {
			return e
		}
		return problem.Unavailable(nil, "The sale is being loaded.")
	case lua.NextWave, lua.SoldOut, lua.Reserved:
		if t.path.held() {
			return errNotHeld
		}
		if got.NextMS > 0 && got.NextMS < a.EndsMS { // else the sale ends before more units open
			return s.opensLater(ctx, t, got)
		}
		if a.Draws() { // the offer has ended
			return errNotDrawn
		}
		l := lineOf(t.lines, got.SKU)
		return s.soldOut(ctx, a, l.ActivitySKU, o.Point, l.quantity)
	case lua.OverActivityLimit:
		return overLimit(got.Bought, a.PurchaseLimit)
	case lua.OverSKULimit:
		return overLimit(got.Bought, lineOf(t.lines, got.SKU).PurchaseLimit)
	case lua.NotStarted:
		return notStarted(a, s.clock.NowMS(), o.Sale.EarlyMS)
	case lua.Ended:
		return problem.Errorf(CodeEnded, "The sale has ended.")
	case lua.Closed:
		return problem.Errorf(CodeOffline, "The sale was taken offline.")
	case lua.Paused:
		return errPaused
	case lua.NoPermit:
		return problem.Errorf(CodePathExpired, "The order path was used up or has expired; request a new one.")
	case lua.OverItemLimit:
		return limits.OverItem(a.Limits, time.Duration(got.RetryMS)*time.Millisecond)
	default:
		return fmt.Errorf("place: script returned %d", got.Code)
	}
}

func overLimit(bought, limit int64) error {
	return problem.Errorf(CodePurchaseLimit, "The limit is %d; you have bought %d.", limit, bought)
}
