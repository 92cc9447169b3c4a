package pay

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/order/sqldb"
	"onrush/web"
)

// Gateways are the channels that are on, by name.
type Gateways map[string]Gateway

// Service is what buyers do: begin a payment, look at it.
type Service struct {
	cfg      Config
	db       *sqldb.DB
	ensure   ensurer
	free     freeSettler
	gateways Gateways
	now      func() time.Time
	number   func() order.Number
}

// freeSettler carries out payments of nothing.
type freeSettler interface {
	SettleFree(ctx context.Context, p *Payment) error
}

// NewService makes the buyers' side; number draws pay numbers.
func NewService(cfg Config, p order.Parts, ensure ensurer, free freeSettler, gateways Gateways, number func() order.Number) (*Service, error) {
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
func (s *Service) Begin(ctx context.Context, user, key string, req Request) (*Shown, error) {
	begin, err := s.beginning(req)
	if err != nil {
		return nil, err
	}
	numbers := slices.Clone(req.Orders)
	slices.Sort(numbers)
	if len(slices.Compact(slices.Clone(numbers))) != len(numbers) {
		return nil, web.Invalid("order_numbers", "has an order twice")
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
		if err := s.free.SettleFree(ctx, p); err != nil {
			return nil, err
		}
	} else {
		var err error
		if next, err = s.tellGateway(ctx, begin, p); err != nil {
			return nil, err
		}
	}
	var after *Payment
	err := s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE payments SET next = ? WHERE pay_number = ? AND next = ''`, string(next), p.Number); err != nil {
			return fmt.Errorf("keep next of payment %s: %w", p.Number, err)
		}
		err := closeEarlier(ctx, tx, p)
		if err == nil {
			after, err = selectPayment(ctx, tx, p.Number)
		}
		return err
	})
	if err != nil {
		return nil, web.Unavailable(err, "The payment can't be stored right now; send it again with the same Idempotency-Key.")
	}
	return after, nil
}

// beginning is how the request's channel begins a payment.
func (s *Service) beginning(req Request) (func(context.Context, *Payment) (Next, error), error) {
	gateway, ok := s.gateways[req.Channel]
	if !ok {
		return nil, web.Invalid("channel", "is not a channel that is on")
	}
	if req.OpenID == "" {
		return gateway.Begin, nil
	}
	payers, ok := gateway.(PayerGateway)
	if !ok {
		return nil, web.Invalid("openid", "is of no use to this channel")
	}
	return func(ctx context.Context, p *Payment) (Next, error) { return payers.BeginFor(ctx, p, req.OpenID) }, nil
}

// create checks the orders and stores the payment.
func (s *Service) create(ctx context.Context, user, task, digest, channel string, numbers []order.Number) (*Payment, error) {
	at := s.now()
	p := &Payment{
		Number: s.number(), User: user, Task: task, Digest: digest, Channel: channel, Status: Pending,
		CreatedMS: at.UnixMilli(), ExpiresMS: at.Add(s.cfg.AskAfter).UnixMilli(),
	}
	p.AskMS = p.ExpiresMS
	for _, n := range numbers {
		o, err := s.ensure.EnsureStored(ctx, user, n)
		if err != nil {
			return nil, err
		}
		switch {
		case o.Status != order.Unpaid:
			return nil, web.Errorf(web.CodeNotPayable, "Order %s is %s; only an unpaid order can be paid.", n, o.Status)
		case o.PayBeforeMS <= at.UnixMilli():
			return nil, web.Errorf(web.CodeNotPayable, "The time to pay order %s is over.", n)
		case p.Currency != "" && p.Currency != o.Currency:
			return nil, web.Invalid("order_numbers", "have several currencies")
		}
		if o.TotalAmount > math.MaxInt64-p.Amount {
			return nil, web.Invalid("order_numbers", "cost more than one payment can hold")
		}
		p.Currency = o.Currency
		p.Amount += o.TotalAmount
		// The gateway is asked in time: an order that was paid mustn't be cancelled since the webhook is
		// lost.
		p.ExpiresMS = min(p.ExpiresMS, o.PayBeforeMS)
		p.AskMS = min(p.AskMS, p.ExpiresMS, o.PayBeforeMS-min(s.cfg.AskBefore.Milliseconds(), (o.PayBeforeMS-p.CreatedMS)/2))
		p.Orders = append(p.Orders, PaymentOrder{Payment: p.Number, Order: n, Amount: o.TotalAmount})
	}
	err := s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := s.mayBegin(ctx, tx, numbers); err != nil {
			return err
		}
		return insertPayment(ctx, tx, p)
	})
	switch {
	case sqldb.IsDuplicate(err): // the same key at the same time
		had, err := s.replay(ctx, task, digest)
		if err == nil && had == nil {
			err = web.Unavailable(nil, "The payment can't be stored right now.")
		}
		return had, err
	case web.CodeOf(err) != "":
		return nil, err
	case err != nil:
		return nil, web.Unavailable(err, "The payment can't be stored right now.")
	}
	return p, nil
}

// mayBegin holds the orders' rows and makes sure that they are unpaid, and had not too many payments.
func (s *Service) mayBegin(ctx context.Context, tx *sqlx.Tx, numbers []order.Number) error {
	unpaid, err := order.LockOrders(ctx, tx, numbers)
	if err != nil {
		return err
	}
	if unpaid < len(numbers) {
		return web.Errorf(web.CodeNotPayable, "An order is not unpaid any more.")
	}
	var had int
	query := `SELECT COUNT(*) FROM payment_orders WHERE order_number IN (` + sqldb.In(len(numbers)) + `) GROUP BY order_number ORDER BY COUNT(*) DESC LIMIT 1`
	err = tx.GetContext(ctx, &had, query, numberArgs(numbers)...)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("count payments of orders: %w", err)
	case had >= s.cfg.PaymentsPerOrder:
		return web.Errorf(web.CodeNotPayable, "An order has had %d payments; it takes no more.", had)
	}
	return nil
}

func numberArgs(numbers []order.Number) []any {
	args := make([]any, len(numbers))
	for i, n := range numbers {
		args[i] = n
	}
	return args
}

// closeEarlier closes the payments of the same orders that are pending and were made before. Money
// that comes for one all the same pays what is still unpaid, and the rest goes back.
func closeEarlier(ctx context.Context, tx *sqlx.Tx, p *Payment) error {
	numbers := make([]order.Number, len(p.Orders))
	for i, po := range p.Orders {
		numbers[i] = po.Order
	}
	var earlier []order.Number
	query := `SELECT DISTINCT p.pay_number FROM payments p JOIN payment_orders o ON o.pay_number = p.pay_number
		WHERE p.status = 'pending' AND (p.created_ms < ? OR (p.created_ms = ? AND p.pay_number < ?))
		AND o.order_number IN (` + sqldb.In(len(numbers)) + `) ORDER BY p.pay_number`
	args := append([]any{p.CreatedMS, p.CreatedMS, p.Number}, numberArgs(numbers)...)
	if err := tx.SelectContext(ctx, &earlier, query, args...); err != nil {
		return fmt.Errorf("select earlier payments: %w", err)
	}
	for _, n := range earlier {
		if _, err := tx.ExecContext(ctx, `UPDATE payments SET status = 'closed' WHERE pay_number = ? AND status = 'pending'`, n); err != nil {
			return fmt.Errorf("close payment %s: %w", n, err)
		}
	}
	return nil
}

// tellGateway asks the gateway how the client pays; its answer is kept for replays.
func (s *Service) tellGateway(ctx context.Context, begin func(context.Context, *Payment) (Next, error), p *Payment) ([]byte, error) {
	payable, err := s.payable(ctx, p)
	if err != nil {
		return nil, err
	}
	if !payable {
		return nil, web.Errorf(web.CodeNotPayable, "The time to pay this is over.")
	}
	next, err := begin(ctx, p)
	switch {
	case web.CodeOf(err) != "":
		return nil, err // it takes no such payment: another currency, say
	case err != nil:
		return nil, web.Unavailable(err, "The gateway does not answer; send it again with the same Idempotency-Key.")
	}
	text, err := json.Marshal(next)
	if err != nil {
		return nil, fmt.Errorf("encode next of payment %s: %w", p.Number, err)
	}
	return text, nil
}

// replay finds the payment that a key stands for.
func (s *Service) replay(ctx context.Context, task, digest string) (*Payment, error) {
	p, err := onePayment(ctx, s.db.Write, `task_id = ?`, task)
	switch {
	case err != nil:
		return nil, web.Unavailable(err, "The payment can't be read right now.")
	case p != nil && p.Digest != digest:
		return nil, web.Errorf(web.CodeIdempotencyKeyReused, "This Idempotency-Key stands for another payment.")
	}
	return p, nil
}

// keyID names the payment that a user's Idempotency-Key stands for.
func keyID(user, key string) string { return "pay." + hash(16, user, key) }

// bodyDigest tells another body under the same key.
func bodyDigest(numbers []order.Number, req Request) string {
	parts := []string{req.Channel}
	for _, n := range numbers {
		parts = append(parts, n.String())
	}
	if req.OpenID != "" {
		parts = append(parts, "openid", req.OpenID)
	}
	return hash(12, parts...)
}

// hash is the SHA-256 of parts, each preceded by its length, cut to so many bytes, as base64url.
func hash(bytes int, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_ = binary.Write(h, binary.BigEndian, uint64(len(p))) // a hash takes everything
		h.Write([]byte(p))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:bytes])
}
