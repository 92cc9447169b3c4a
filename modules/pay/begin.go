package pay

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/web/problem"
)

// Gateways are the channels that are on, by name.
type Gateways map[string]Gateway

// Service is what buyers do: begin a payment, look at it.
type Service struct {
	cfg      Config
	db       *sqldb.DB
	ensure   ensurer
	free     freeProcessor
	gateways Gateways
	now      func() time.Time
	number   func() order.Number
}

// freeSettler carries out payments of nothing.
type freeProcessor interface {
	ProcessFree(ctx context.Context, p *Payment) error
}

// NewService makes the buyers' side; number draws pay numbers.
func NewService(cfg Config, p order.Parts, ensure ensurer, free freeProcessor, gateways Gateways, number func() order.Number) (*Service, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Service{cfg: cfg, db: p.DB, ensure: ensure, free: free, gateways: gateways, now: p.Now, number: number}, nil
}

// Request is the body of POST /payments. OpenID is the buyer's id in the channel's app, for a channel
// that asks for it; it is not stored, so that a repeated request must bring it again.
type Request struct {
	Orders  []order.Number `json:"order_numbers" validate:"required,min=1,max=20,dive,min=1"`
	Channel string         `json:"channel" validate:"required,max=16"`
	OpenID  string         `json:"openid" validate:"omitempty,max=128,visible"`
}

// Begin makes a payment for a user's unpaid orders. Its amount is the server's. The same key and
// body give the same payment; a new payment for an order closes the pending one before it. Orders
// that are free are paid at once.
func (s *Service) Begin(ctx context.Context, user, key string, req Request) (*PaymentView, error) {
	begin, err := s.beginning(req)
	if err != nil {
		return nil, err
	}
	numbers := slices.Clone(req.Orders)
	slices.Sort(numbers)
	if len(slices.Compact(slices.Clone(numbers))) != len(numbers) {
		return nil, problem.Invalid("order_numbers", "has an order twice")
	}
	task, digest := keyID(user, key), bodyDigest(numbers, req)
	p, err := s.replay(ctx, task, digest)
	if err != nil {
		return nil, err
	}
	if p == nil {
		if p, err = s.create(ctx, user, task, digest, req.Channel, numbers); err != nil {
			return nil, err
		}
	}
	if p.Status == Pending && p.NextJSON == "" {
		if p, err = s.carryOn(ctx, begin, p); err != nil {
			return nil, err
		}
	}
	return s.show(ctx, p)
}

// carryOn brings a payment that was just made, or whose making was cut short, to where it can be
// paid, and closes those before it. Free orders are paid.
func (s *Service) carryOn(ctx context.Context, begin func(context.Context, *Payment) (Next, error), p *Payment) (*Payment, error) {
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
		if err := closeEarlier(ctx, tx, p, at); err != nil { // first: they are locked in the order of their numbers
			return err
		}
		// One that was closed while the gateway began it is closed there again.
		const update = `UPDATE payments SET next = ?, ask_ms = CASE WHEN status = 'closed' THEN ? ELSE ask_ms END WHERE pay_number = ? AND next = ''`
		_, err := tx.ExecContext(ctx, update, string(next), at, p.Number)
		if err != nil {
			return fmt.Errorf("keep next of payment %s: %w", p.Number, err)
		}
		return nil
	})
	var after *Payment
	if err == nil { // read anew: the same key, or a webhook, may have been as fast
		after, err = selectPayment(ctx, s.db.Write, p.Number)
	}
	if err != nil {
		return nil, problem.Unavailable(err, "The payment can't be stored right now; send it again with the same Idempotency-Key.")
	}
	return after, nil
}

// beginning is how the request's channel begins a payment.
func (s *Service) beginning(req Request) (func(context.Context, *Payment) (Next, error), error) {
	gateway, ok := s.gateways[req.Channel]
	if !ok {
		return nil, problem.Invalid("channel", "is not a channel that is on")
	}
	if req.OpenID == "" {
		return gateway.Begin, nil
	}
	payers, ok := gateway.(PayerGateway)
	if !ok {
		return nil, problem.Invalid("openid", "is of no use to this channel")
	}
	return func(ctx context.Context, p *Payment) (Next, error) { return payers.BeginFor(ctx, p, req.OpenID) }, nil
}

// tellGateway asks the gateway how the client pays; its answer is kept for replays.
func (s *Service) tellGateway(ctx context.Context, begin func(context.Context, *Payment) (Next, error), p *Payment) ([]byte, error) {
	payable, err := s.payable(ctx, s.db.Write, p)
	if err != nil {
		return nil, err
	}
	if !payable {
		return nil, problem.Errorf(CodeNotPayable, "The time to pay this is over.")
	}
	next, err := begin(ctx, p)
	switch {
	case problem.Is(err):
		return nil, err // it takes no such payment: another currency, say
	case err != nil:
		return nil, problem.Unavailable(err, "The gateway does not answer; send it again with the same Idempotency-Key.")
	}
	text, err := json.Marshal(next)
	if err != nil {
		return nil, fmt.Errorf("encode next of payment %s: %w", p.Number, err)
	}
	return text, nil
}
