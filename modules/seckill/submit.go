package seckill

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
	"onrush/modules/tracing"
)

// Submit is the body of a submit: the choice, or the confirmation that contains it, and the source of the
// order.
type Submit struct {
	Choice
	Confirmation string `json:"confirmation,omitempty" validate:"max=8192"`
	order.ClientTexts
	order.Extras
}

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
	// OverLimit is the error of a request over a rate limit; nil if it isn't. It is answered unless Redis
	// knows the key.
	OverLimit error
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
	ctx, cancel := context.WithTimeout(ctx, s.cfg.PlaceWithin)
	defer cancel()
	canonical, err := json.Marshal(body) // stores keep its digest, so it must not change
	if err != nil {
		return nil, fmt.Errorf("digest submit: %w", err)
	}
	task := newTaskID(a.Lane, a.ID, by.User, p.sku, by.Key)
	stored := task.String()
	t := &attempt{
		body: body, path: p, activity: a, sku: g, taskHash: task.Hash,
		sealedTask: s.sign.sealTask(by.User, stored),
		order: order.Order{
			User: by.User, Task: stored, Digest: sign.Digest(12, string(canonical)),
			PlacedFrom: by.From, Trace: tracing.Parent(ctx),
			Content: order.Content{Type: order.Seckill}, Status: order.Unpaid,
		},
	}
	t.refusal = by.OverLimit
	if t.refusal == nil {
		t.refusal = s.limits.Request(ctx, a.Limits, a.ID, by.User, by.Address)
	}
	t.overLimit = t.refusal != nil
	if !t.overLimit {
		t.refusal = s.prepare(ctx, t)
	}
	answer, err := s.place(ctx, t)
	s.counters.CountSubmit(a, err)
	return answer, problem.About(a.ID, p.sku, "submit", err)
}

// prepare fills in the order. The buyer receives its error, unless the same key has placed this order before.
func (s *Service) prepare(ctx context.Context, t *attempt) error {
	o, a, g, body := &t.order, t.activity, t.sku, t.body
	if e := s.expired(t.path); e != nil {
		return e
	}
	var q quote
	var err error
	if body.Confirmation != "" {
		q, err = s.openQuote(o.User, body.Confirmation, t.path, body.Choice)
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
	o.Address = q.Address
	if err := body.PutExtras(o); err != nil {
		return err
	}
	if err := body.RequireFields(g.SKU, g.RequiredFields); err != nil {
		return err
	}
	o.Items = []order.Item{
		{
			SKU: g.SKU, Kind: g.Kind, Title: g.Title, ImageURL: g.ImageURL, Quantity: q.Quantity, Price: q.Price,
			Point: q.Point,
		},
	}
	return nil
}
