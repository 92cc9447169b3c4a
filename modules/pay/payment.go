package pay

import (
	"fmt"
	"strconv"
	"strings"

	"onrush/modules/order"
)

// Status is the state of a payment.
type Status string

// The states of a payment. Money that still comes for a closed payment pays the orders that are unpaid;
// the rest is refunded.
const (
	Pending   Status = "pending"
	Paid      Status = "paid"
	Refunding Status = "refunding" // all of it is being refunded; after a part it is still paid
	Refunded  Status = "refunded"  // all of it was refunded
	Closed    Status = "closed"
)

// Payment pays one or several orders of one user. Amounts are in minor units. Times are UTC milliseconds,
// 0 if the event has not happened.
type Payment struct {
	Number      order.Number `db:"pay_number"`
	User        string       `db:"user_id"`
	Task        string       `db:"task_id"`
	Digest      string       `db:"digest"`
	Channel     string       `db:"channel"`
	Status      Status       `db:"status"`
	Amount      int64        `db:"amount"`
	Refunded    int64        `db:"refunded_amount"`
	Currency    string       `db:"currency"`
	Transaction string       `db:"transaction_id"`
	NextJSON    string       `db:"next_step"`
	Flag        string       `db:"flag"`
	Deliveries  int          `db:"deliveries"` // notifications whose order was not found
	CreatedMS   int64        `db:"created_ms"`
	AskMS       int64        `db:"ask_ms"`     // when the gateway is queried next
	ExpiresMS   int64        `db:"expires_ms"` // when the gateway stops taking money, as sent to gateways
	PaidMS      int64        `db:"paid_ms"`
	AskedMS     int64        `db:"asked_ms"`   // when the gateway last answered that it is unpaid
	Unanswered  int          `db:"unanswered"` // queries without an answer after it expired

	Orders []PaymentOrder `db:"-"` // by order number

	// Goods has the names of the goods, as the orders have them. It is set while the payment begins, to the same text
	// each time.
	Goods string `db:"-"`
	// ReturnURL is the page to which the gateway's page sends the buyer's browser after paying; "" if the client named
	// none. It is set while the payment begins. Its origin is a configured one.
	ReturnURL string `db:"-"`
	Replayed  bool   `db:"-"` // an earlier request with its key began it
}

// numbers returns the numbers of its orders, ascending.
func (p *Payment) numbers() []order.Number {
	numbers := make([]order.Number, len(p.Orders))
	for i, po := range p.Orders {
		numbers[i] = po.Order
	}
	return numbers
}

// PaymentOrder is the part of a payment that pays one order.
type PaymentOrder struct {
	Payment order.Number `db:"pay_number"`
	Order   order.Number `db:"order_number"`
	Amount  int64        `db:"amount"`
}

// RefundStatus is the state of a refund.
type RefundStatus string

// The states of a refund.
const (
	RefundPending RefundStatus = "pending"
	RefundDone    RefundStatus = "done"
	RefundFailed  RefundStatus = "failed" // refused RefundAttempts times; an operator may retry
)

// Refund is money of a transaction to pay back: for an order that the transaction couldn't pay, at most once per
// transaction and order; for a part of an order that it paid, by an operator; or, if Order is 0, the whole transaction.
// A refund that was made at the gateway has an Outside, and no Order if it may belong to several.
type Refund struct {
	Number      order.Number `db:"refund_number"`
	Payment     order.Number `db:"pay_number"`
	Channel     string       `db:"channel"`
	Transaction string       `db:"transaction_id"`
	Order       order.Number `db:"order_number"`
	Amount      int64        `db:"amount"`
	Currency    string       `db:"currency"`
	Reason      string       `db:"reason"`
	Status      RefundStatus `db:"status"`
	Attempts    int          `db:"attempts"`
	NextTryMS   int64        `db:"next_try_ms"`
	LastError   string       `db:"last_error"`
	CreatedMS   int64        `db:"created_ms"`
	DoneMS      int64        `db:"done_ms"`
	UnderWayMS  int64        `db:"under_way_ms"` // when the gateway accepted it, while it is under way
	Renewed     int          `db:"renewed"`      // how many of its gateway numbers are used up
	WaitsFor    WaitsFor     `db:"waits_for"`
	Part        int          `db:"part"`       // counts the refunds of an order and transaction, from 0
	Who         string       `db:"who"`        // "operator:<id>" of an operator's refund, else ""
	Note        string       `db:"note"`       // why, in the operator's words
	Outside     string       `db:"outside_id"` // the gateway's number of a refund that was made there, else ""

	Items    []order.Units `db:"-"` // the units that it names, if any
	Replayed bool          `db:"-"` // as of a payment
}

// GatewayNumber returns the number of the refund at the gateway: the refund number, followed by a hyphen
// and the number of renewals if there were any. It has at most 32 characters.
func (r *Refund) GatewayNumber() string {
	if r.Renewed == 0 {
		return r.Number.String()
	}
	return r.Number.String() + "-" + strconv.Itoa(r.Renewed)
}

// parseGatewayNumber parses the result of GatewayNumber.
func parseGatewayNumber(text string) (n order.Number, renewed int, err error) {
	number, times, isRenewed := strings.Cut(text, "-")
	if n, err = order.ParseNumber(number); err != nil || !isRenewed {
		return n, 0, err
	}
	if renewed, err = strconv.Atoi(times); err != nil || strconv.Itoa(renewed) != times || renewed < 1 {
		return 0, 0, fmt.Errorf("%q is not the number of a refund", text)
	}
	return n, renewed, nil
}

// WaitsFor says what a pending refund waits for, if the gateway has not refused it.
type WaitsFor string

// The values of WaitsFor. Only the merchant can end a wait for the balance.
const (
	WaitsForNothing WaitsFor = ""
	WaitsForGateway WaitsFor = "gateway" // it is unavailable, or its channel is off
	WaitsForBalance WaitsFor = "balance" // the merchant's balance at the gateway is too small
	WaitsForDispute WaitsFor = "dispute" // the buyer's bank may take the money back
)

// Reasons of refunds and flags of payments.
const (
	ReasonNotUnpaid     = "order_not_unpaid" // the order was cancelled, or paid by another payment
	ReasonPaidAlready   = "paid_already"     // another transaction had paid this payment
	ReasonWrongAmount   = "wrong_amount"     // flagged
	ReasonWrongCurrency = "wrong_currency"   // flagged
	ReasonNoOrder       = "order_not_found"  // flagged
	ReasonOperator      = "operator"         // an operator refunded a paid order, or a part of it
	ReasonOutside       = "refunded_outside" // flagged: it was refunded at the gateway, not by this program
	ReasonRefundFailed  = "refund_failed"    // flagged: a refund failed after it had succeeded
	ReasonDisputed      = "disputed"         // flagged: the buyer's bank disputes the payment
	ReasonUnknown       = "unknown_payment"  // flagged: money came for an unknown pay number
)

// RefundReasons are the reasons of refunds; the other reasons are of flags only.
var RefundReasons = []string{
	ReasonNotUnpaid, ReasonPaidAlready, ReasonWrongAmount, ReasonWrongCurrency, ReasonNoOrder, ReasonOperator,
	ReasonOutside,
}
