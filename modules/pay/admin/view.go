package admin

import (
	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/pay"
)

// PaymentDetail is one payment in the operators' API, with what happened to it. Refunds and Events are the
// newest ones, at most 100 of each.
type PaymentDetail struct {
	pay.OperatorView
	Parts   []PaymentPart     `json:"parts"`
	Refunds []*pay.RefundView `json:"refunds"`
	// Disputes are all disputes of the payment, the newest first.
	Disputes []*pay.DisputeView `json:"disputes"`
	Events   []Notification     `json:"events"`
}

// PaymentPart is the part of a payment that pays one order.
type PaymentPart struct {
	Order  order.Number `json:"order_number"`
	Amount int64        `json:"amount"`
}

// Notification is what a gateway reported about a payment, or what an operator did with it.
type Notification struct {
	At          api.Millis `json:"at" db:"at_ms"`
	Event       string     `json:"event_id" db:"event_id"`
	Outcome     string     `json:"outcome" db:"outcome"`
	Transaction string     `json:"transaction_id,omitempty" db:"transaction_id"`
	Amount      int64      `json:"amount" db:"amount"`
	Currency    string     `json:"currency,omitempty" db:"currency"`
	Flag        string     `json:"flag,omitempty" db:"flag"` // that an operator cleared
	Who         string     `json:"who,omitempty" db:"who"`
	Reason      string     `json:"reason,omitempty" db:"note"`
}
