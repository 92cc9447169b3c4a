package hosted

import (
	"context"
	"net/http"
)

// Gateway is what a gateway does. Its errors mean the same as the errors of pay.Gateway; ErrUnavailable says that
// nothing is known, and any other error that the gateway decided against it. Implementations are safe for concurrent
// use.
type Gateway interface {
	// Begin announces a payment and says how the buyer pays. It is repeated with the same number after an error.
	Begin(ctx context.Context, p Payment) (Next, error)
	// Query says whether a payment was paid.
	Query(ctx context.Context, p Payment) (Found, error)
	// Close makes the gateway accept no more money for a payment. It is nil where there is nothing to close, and
	// pay.ErrPaid if the payment was paid.
	Close(ctx context.Context, p Payment) error
	// Refund gives money back, once for each number, however often it is called.
	Refund(ctx context.Context, r Refund) error
	// Parse checks the signature of a notification and reads it.
	Parse(header http.Header, body []byte) (Notification, error)
}

// Payment is what a buyer pays. Amounts are in minor units, times in UTC milliseconds.
type Payment struct {
	Number   string   // digits
	User     string   // who pays
	Amount   int64    // more than 0
	Currency string   // as in ISO 4217
	Orders   []string // the numbers of the orders that it pays
	// Goods are the names of the goods, ReturnURL is the page to send the buyer to ("" for none). Only Begin has them.
	Goods     string
	ReturnURL string
	NotifyURL string // where notifications are sent
	ExpiresMS int64  // when the time to pay is over; then the payment is queried and closed
}

// Next is how the buyer pays: a page to open, or parameters for the client.
type Next struct {
	RedirectURL string
	Params      map[string]string
}

// Found is what became of a payment. Without Paid, Closed says that it can't be paid any more.
type Found struct {
	Paid        bool
	Closed      bool
	Transaction string // the gateway's number of the money; unique
	Amount      int64
	Currency    string
}

// Refund is money to give back of a transaction.
type Refund struct {
	Number      string // at most 32 digits and hyphens; it names the refund, and makes repetitions harmless
	Payment     string // its pay number
	Transaction string
	Amount      int64
	Currency    string
}

// The kinds of notifications.
const (
	Paid         = "paid"          // money came
	RefundFailed = "refund_failed" // a refund failed, perhaps after it had succeeded
	Refunded     = "refunded"      // money was given back, perhaps by somebody at the gateway
	Disputed     = "disputed"      // a step of a dispute
)

// The states of a dispute.
const (
	DisputeOpen = "open"
	DisputeWon  = "won"  // the merchant keeps the money
	DisputeLost = "lost" // the buyer has it
)

// Notification is a report of a gateway.
type Notification struct {
	Kind        string
	ID          string // unique for each report, the same when it is sent again
	Transaction string
	Payment     string // the pay number
	Amount      int64  // of the money, the refund, or the dispute
	Currency    string
	// RefundNumber is Refund.Number, or the gateway's own number of a refund that was made there.
	RefundNumber string
	// RefundedTotal is what all refunds of the transaction gave back so far, if Amount does not say what one did.
	RefundedTotal int64
	Reason        string // the gateway's code, if it has one

	DisputeID     string
	DisputeState  string
	DisputeStatus string // the gateway's own word
	Refundable    bool   // the money can still be refunded during the dispute
	DueMS         int64  // until when the merchant may answer; 0 if there is no date
	AtMS          int64  // when it happened: of a dispute, an earlier report changes nothing
}
