package outside

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/sqldb"
)

// ensurer makes sure that an order is in SQL before its money is processed.
type ensurer interface {
	EnsureStored(ctx context.Context, user string, n order.Number) (*order.Order, error)
}

// processor processes money, whoever took it.
type processor interface {
	Process(ctx context.Context, channel string, n pay.Notification) error
}

// Service holds orders for checkouts of shops, and processes what shops and operators report of money.
type Service struct {
	db        *sqldb.DB
	ensure    ensurer
	payer     *order.Payer
	processor processor
	now       func() time.Time
	number    func() order.Number
}

// NewService returns a Service over the stores of d. The processor must know the channel.
func NewService(d pay.Deps, p *pay.Processor) *Service {
	return &Service{
		db: d.DB, ensure: d.Ensure, payer: d.Payer, processor: p, now: d.Clock.Now, number: d.Number,
	}
}

// paymentFor returns the number of the payment to which money for an order belongs: the newest of this channel that
// waits for money, or else one that had money, or a new one. A new one is closed, so that nothing waits for it: money
// decides about it as about any other.
func (s *Service) paymentFor(ctx context.Context, o *order.Order) (number order.Number, err error) {
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		unpaid, err := order.LockOrders(ctx, tx, []order.Number{o.Number}) // so that two reports make one payment
		if err != nil {
			return err
		}
		var newest struct {
			Number order.Number `db:"pay_number"`
			Open   bool         `db:"is_open"`
		}
		const query = `SELECT p.pay_number, p.status IN ('pending', 'closed') AS is_open
			FROM payment_orders o JOIN payments p ON p.pay_number = o.pay_number
			WHERE o.order_number = ? AND p.channel = ?
			ORDER BY is_open DESC, p.created_ms DESC, p.pay_number DESC LIMIT 1`
		err = tx.GetContext(ctx, &newest, query, o.Number, Channel)
		switch {
		case err != nil && !errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("select payments of order %s: %w", o.Number, err)
		case err == nil && (newest.Open || len(unpaid) == 0):
			number = newest.Number
			return nil
		}
		number = s.number()
		at := s.now().UnixMilli()
		return pay.InsertPayment(ctx, tx, s.payment(o, number, &pay.Payment{
			Task: "outside." + number.String(), Status: pay.Closed, CreatedMS: at, ExpiresMS: at, AskMS: pay.Never,
		}))
	})
	return number, err
}

// payment completes a new payment of an order.
func (s *Service) payment(o *order.Order, number order.Number, p *pay.Payment) *pay.Payment {
	p.Number, p.User, p.Channel, p.Amount, p.Currency = number, o.User, Channel, o.TotalAmount, o.Currency
	p.Orders = []pay.PaymentOrder{{Payment: number, Order: o.Number, Amount: o.TotalAmount}}
	return p
}
