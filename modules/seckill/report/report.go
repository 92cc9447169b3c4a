package report

import (
	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/seckill"
)

// Report is what a sale has sold. Amounts are in minor units of Currency and include the freight.
type Report struct {
	ActivityID string        `json:"activity_id"`
	Title      string        `json:"title"`
	State      seckill.State `json:"state"`
	StartsAt   api.Millis    `json:"starts_at"`
	EndsAt     api.Millis    `json:"ends_at"`
	Currency   string        `json:"currency"`
	MadeAt     api.Millis    `json:"made_at"`
	// Placed counts orders that SQL has not stored yet, which no sum has; nil if Redis is unavailable.
	Placed *int64 `json:"placed,omitempty"`
	// Settled says that the sale is over and each of its orders is paid, cancelled, refunded or failed.
	Settled bool `json:"settled"`

	OfferedUnits int64   `json:"offered_units"`
	Totals       Sums    `json:"totals"`
	SKUs         []SKU   `json:"skus"`
	Points       []Point `json:"points"`
	Times        Times   `json:"times"`
	Rooms        Sources `json:"rooms"`
	ShareSources Sources `json:"share_sources"`
	Traffic      Traffic `json:"traffic"`
}

// Sums add up orders. Orders is the sum of the paid, unpaid, cancelled and failed ones; RefundedOrders counts the
// paid ones that were refunded completely.
type Sums struct {
	Orders          int64 `json:"orders"`
	PaidOrders      int64 `json:"paid_orders"`
	RefundedOrders  int64 `json:"refunded_orders"`
	UnpaidOrders    int64 `json:"unpaid_orders"`
	CancelledOrders int64 `json:"cancelled_orders"`
	FailedOrders    int64 `json:"failed_orders"`

	PaidUnits      int64 `json:"paid_units"`
	UnpaidUnits    int64 `json:"unpaid_units"`
	CancelledUnits int64 `json:"cancelled_units"`

	PaidAmount      int64 `json:"paid_amount"`
	UnpaidAmount    int64 `json:"unpaid_amount"`
	CancelledAmount int64 `json:"cancelled_amount"`
	RefundedAmount  int64 `json:"refunded_amount"` // of PaidAmount
	NetAmount       int64 `json:"net_amount"`      // PaidAmount − RefundedAmount
}

// add adds orders of one status.
func (s *Sums) add(status order.Status, c *cell) {
	s.Orders += c.Orders
	switch status {
	case order.Refunded:
		s.RefundedOrders += c.Orders
		fallthrough
	case order.Paid:
		s.PaidOrders += c.Orders
		s.PaidUnits += c.Units
		s.PaidAmount += c.Amount
		s.RefundedAmount += c.Refunded
		s.NetAmount += c.Amount - c.Refunded
	case order.Unpaid:
		s.UnpaidOrders += c.Orders
		s.UnpaidUnits += c.Units
		s.UnpaidAmount += c.Amount
	case order.Cancelled:
		s.CancelledOrders += c.Orders
		s.CancelledUnits += c.Units
		s.CancelledAmount += c.Amount
	case order.Failed:
		s.FailedOrders += c.Orders
	}
}

// SKU is what was sold of a sku.
type SKU struct {
	ID    string `json:"sku_id"`
	Title string `json:"title"`
	Part
}

// Point is what was sold from a stock point.
type Point struct {
	ID string `json:"point_id"`
	Part
}

// Part is a part of the units of a sale, and the orders that took from it.
type Part struct {
	OfferedUnits int64 `json:"offered_units"`
	Sums         Sums  `json:"sums"`
}

// Times are the orders by the time at which they were placed. Spans without orders are left out.
type Times struct {
	EveryS int64  `json:"every_s"` // length of a span in seconds
	Items  []Span `json:"items"`   // the oldest first
}

// Span is one span of time.
type Span struct {
	At   api.Millis `json:"at"` // its beginning
	Sums Sums       `json:"sums"`
}

// Sources count the orders that are neither cancelled nor failed by where the buyers came from. All three add up to
// the paid and the unpaid orders.
type Sources struct {
	Items   []Source `json:"items"`   // the largest first, at most maxSources
	Others  int64    `json:"others"`  // orders of all other sources
	Without int64    `json:"without"` // orders that name none
}

// Source is the name of a room or of a share source.
type Source struct {
	Name   string `json:"name"   db:"name"`
	Orders int64  `json:"orders" db:"n"`
}

// The states of Traffic.
const (
	Kept        = "kept"
	Deleted     = "deleted"     // Redis has forgotten it
	Unavailable = "unavailable" // Redis can't be read
)

// Traffic is what Redis has counted of a sale. Unless it is Kept, the other fields are empty.
type Traffic struct {
	State    string        `json:"state"`
	Paths    *int64        `json:"paths,omitempty"`   // requests for a path
	Submits  *int64        `json:"submits,omitempty"` // with repetitions
	Refusals []Refusal     `json:"refusals"`          // the most frequent first
	Peak     *seckill.Peak `json:"peak,omitempty"`
	// EarlyPlaces counts the users who were in the waiting room before the start; nil without any, and some time
	// after the end.
	EarlyPlaces *int64 `json:"early_places,omitempty"`
}

// Refusal is how often a code was answered.
type Refusal struct {
	Code    string `json:"code"`
	Paths   int64  `json:"paths"`
	Submits int64  `json:"submits"`
}
