package pay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/pay/counts"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Request is the body of POST /payments. OpenID is the buyer's id in the channel's app, for a channel
// that uses it; ReturnURL is the shop's page for the buyer's browser after paying, for channels that send the buyer to
// a page of their own. Neither is stored, so a repeated request must contain them again.
type Request struct {
	Orders  []order.Number `json:"order_numbers" validate:"required,min=1,max=20,dive,min=1"`
	Channel string         `json:"channel" validate:"required,max=16"`
	OpenID  string         `json:"openid" validate:"omitempty,max=128,visible"`

	ReturnURL string `json:"return_url" validate:"omitempty,max=500,visible,link"`
}

// Begin begins a payment for a user's unpaid orders. The amount is computed from the orders. The same
// key and body return the same payment; a new payment for an order closes the earlier pending ones.
// Orders that are free are paid at once.
func (s *Service) Begin(ctx context.Context, user, key string, req Request) (*PaymentView, error) {
	begin, err := s.beginning(req)
	if err != nil {
		return nil, err
	}
	numbers := slices.Clone(req.Orders)
	slices.Sort(numbers)
	if len(slices.Compact(slices.Clone(numbers))) != len(numbers) {
		return nil, problem.Invalid("order_numbers", "has a duplicate")
	}
	task, digest := keyID(user, key), bodyDigest(numbers, req)
	p, err := s.replay(ctx, task, digest)
	if err != nil {
		return nil, err
	}
	if p == nil {
		if err := s.mayReturn(req.ReturnURL); err != nil {
			return nil, err
		}
		if p, err = s.create(ctx, user, task, digest, req.Channel, numbers); err != nil {
			return nil, err
		}
	}
	if p.Status == Pending && p.NextJSON == "" {
		p.ReturnURL = req.ReturnURL
		if p, err = s.carryOn(ctx, begin, p); err != nil {
			return nil, err
		}
	}
	return s.show(ctx, p)
}

// mayReturn refuses a return_url whose origin is not configured: the program must not send buyers, or what gateways
// add to the address, to any page that a link names.
func (s *Service) mayReturn(link string) error {
	switch origin, ok := problem.OriginOf(link); {
	case link == "":
		return nil
	case len(s.cfg.ReturnOrigins) == 0:
		return problem.Invalid("return_url", "is not taken here: no origin is configured for it")
	case !ok || !slices.Contains(s.cfg.ReturnOrigins, origin):
		return problem.Invalid("return_url", "must be a page of a configured origin")
	}
	return nil
}

// beginFunc begins a payment at its gateway.
type beginFunc func(context.Context, *Payment) (Next, error)

// carryOn makes a payment payable that was just inserted, or whose beginning was interrupted, and closes
// the earlier ones. It pays free orders.
func (s *Service) carryOn(ctx context.Context, begin beginFunc, p *Payment) (*Payment, error) {
	var next []byte
	if p.Amount == 0 {
		if err := s.free.ProcessFree(ctx, p); err != nil {
			return nil, err
		}
	} else {
		var err error
		if next, err = s.tellGateway(ctx, begin, p); err != nil {
			return nil, err
		}
	}
	at := s.now().UnixMilli()
	err := s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		// First, since payments are locked in the order of their numbers.
		if err := CloseEarlier(ctx, tx, p, at); err != nil {
			return err
		}
		// A payment that was closed while the gateway began it must be closed there as well.
		const update = `UPDATE payments SET next_step = ?, ask_ms = CASE WHEN status = 'closed' THEN ? ELSE ask_ms END
			WHERE pay_number = ? AND next_step = ''`
		if _, err := tx.ExecContext(ctx, update, string(next), at, p.Number); err != nil {
			return fmt.Errorf("store next of payment %s: %w", p.Number, err)
		}
		return nil
	})
	var after *Payment
	if err == nil { // read again: a request with the same key, or a webhook, may have changed it
		after, err = SelectPayment(ctx, s.db.Write, p.Number)
	}
	if err != nil {
		return nil, problem.Unavailable(err,
			"The payment can't be stored right now; send it again with the same Idempotency-Key.")
	}
	after.Replayed = p.Replayed
	return after, nil
}

// beginning returns the function by which the request's channel begins a payment.
func (s *Service) beginning(req Request) (beginFunc, error) {
	gateway, ok := s.gateways[req.Channel]
	if !ok {
		return nil, problem.Invalid("channel", "is not an enabled channel")
	}
	if req.OpenID == "" {
		return gateway.Begin, nil
	}
	payers, ok := gateway.(PayerGateway)
	if !ok {
		return nil, problem.Invalid("openid", "is not used by this channel")
	}
	return func(ctx context.Context, p *Payment) (Next, error) { return payers.BeginFor(ctx, p, req.OpenID) }, nil
}

// tellGateway begins the payment at the gateway and returns its answer, which is stored for replays.
func (s *Service) tellGateway(ctx context.Context, begin beginFunc, p *Payment) ([]byte, error) {
	payable, err := s.payable(ctx, s.db.Write, p)
	if err != nil {
		return nil, err
	}
	switch {
	case !payable:
		return nil, problem.Errorf(CodeNotPayable, "The time to pay is over.")
	case s.tooLate(p):
		return nil, problem.Errorf(CodeNotPayable, "The time to pay is nearly over; begin another payment.")
	}
	if p.Goods, err = order.GoodsOf(ctx, s.db.Write, p.numbers()); err != nil {
		return nil, problem.Unavailable(err, "The orders can't be read right now.")
	}
	select {
	case s.begins[p.Channel] <- struct{}{}:
		defer func() { <-s.begins[p.Channel] }()
	default:
		return nil, problem.Errorf(problem.CodeOverloaded,
			"Too many payments begin at this gateway; send it again with the same Idempotency-Key.").After(time.Second)
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.AnswerWithin)
	defer cancel()
	began := time.Now()
	next, err := begin(ctx, p)
	called(s.counts, p.Channel, counts.Begin, began, err)
	switch {
	case problem.Is(err):
		return nil, err // the gateway refuses the payment, for example its currency
	case errors.Is(err, ErrUnavailable), err != nil && ctx.Err() != nil:
		counts.BeginFailed.Mark()
		return nil, &problem.Error{
			Code: CodeGatewayUnavailable, RetryAfter: time.Second, Err: err,
			Detail: "The gateway does not answer. Choose another channel, or repeat it with the same Idempotency-Key.",
		}
	case err != nil:
		s.refusals.Report(ctx, "payment at the gateway", "channel", p.Channel, err)
		return nil, &problem.Error{
			Code: CodeGatewayRefused, Err: err,
			Detail: "The gateway refuses the payment, and will again. Choose another channel.",
		}
	}
	text, err := json.Marshal(next)
	if err != nil {
		return nil, fmt.Errorf("encode next of payment %s: %w", p.Number, err)
	}
	return text, s.faults.After("begin_told")
}

// CloseEarlier closes the earlier pending payments of the same orders. Money that still comes for one of
// them pays the orders that are unpaid; the rest is refunded.
func CloseEarlier(ctx context.Context, tx *sqlx.Tx, p *Payment, atMS int64) error {
	numbers := p.numbers()
	var earlier []order.Number
	query := `SELECT DISTINCT p.pay_number FROM payments p JOIN payment_orders o ON o.pay_number = p.pay_number
		WHERE p.status = 'pending' AND (p.created_ms < ? OR (p.created_ms = ? AND p.pay_number < ?))
		AND o.order_number IN (` + sqldb.In(len(numbers)) + `) ORDER BY p.pay_number`
	args := append([]any{p.CreatedMS, p.CreatedMS, p.Number}, sqldb.Args(numbers)...)
	if err := tx.SelectContext(ctx, &earlier, query, args...); err != nil {
		return fmt.Errorf("select earlier payments: %w", err)
	}
	return closePending(ctx, tx, earlier, atMS)
}
