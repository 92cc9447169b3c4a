package onrush

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"onrush/app/server"
	"onrush/modules/pay"
	"onrush/modules/pay/hosted"
)

// Gateway is a payment channel of the program's own. Buyers choose it by its name when they begin a payment; after that
// it is called by whichever instance needs it, perhaps after a restart, so that it keeps its state elsewhere.
//
// A call that panics or does not return before its context ends has the effect of ErrUnavailable. At most 64 calls are
// under way; after eight in a row without an answer the gateway is left alone for a few seconds. Package gatewaytest
// tests a Gateway.
type Gateway interface {
	// Name is the name of the channel, 1 to 16 of a-z, and the end of the address /webhooks/pay/{name} that takes its
	// notifications. The channels of the program itself can't be replaced.
	Name() string
	// Begin announces a payment, and returns how the buyer pays. It is repeated with the same number after an error.
	// ErrUnavailable lets the buyer try again; any other error says that the gateway refuses the payment.
	Begin(ctx context.Context, p Payment) (Next, error)
	// Query says whether a payment was paid. It is asked where no notification came, before an order is cancelled.
	Query(ctx context.Context, p Payment) (Found, error)
	// Close makes the gateway take no more money for a payment: its order was cancelled, or another payment replaced
	// it. It returns nil where there is nothing to close, and ErrPaid if the payment was paid. Money that comes all the
	// same is refunded.
	Close(ctx context.Context, p Payment) error
	// Refund gives money back, once for each number, however often it is called with it. ErrUnderWay, ErrRefundFailed,
	// ErrNoBalance and ErrUnavailable say how it goes on; after another error it is tried again, a bounded number of
	// times.
	Refund(ctx context.Context, r Refund) error
	// Parse checks the signature and the age of a notification, and reads it. Anybody may send one. The error is
	// ErrSignature if another party made it, and ErrIgnore if it reports nothing to do; after another error
	// the gateway should send it again.
	Parse(header http.Header, body []byte) (Notification, error)
}

// TestGateway is a Gateway that may be of a test mode, in which no money moves. It doesn't run beside a channel on
// which money moves, since buyers choose the channel.
type TestGateway interface {
	Gateway
	// Test reports whether no money moves.
	Test() bool
}

// Payment is what a buyer pays. Amounts are in minor units of ISO 4217, times in UTC milliseconds.
type Payment struct {
	Number   string   // digits; it names the payment
	User     string   // who pays
	Amount   int64    // more than 0
	Currency string   // such as CNY
	Orders   []string // the numbers of the orders that it pays
	// Goods are the names of the goods, ReturnURL is the page to send the buyer to ("" for none). Only Begin has them.
	Goods     string
	ReturnURL string
	NotifyURL string // the address that takes the notifications
	ExpiresMS int64  // when the time to pay is over; then the payment is queried and closed
}

// Next is how the buyer pays: a page to open, of http or https, or parameters for the client.
type Next struct {
	RedirectURL string
	Params      map[string]string
}

// Found is what became of a payment. Without Paid, Closed says that it can't be paid any more.
type Found struct {
	Paid        bool
	Closed      bool
	Transaction string // the gateway's number of the money, unique: 1 to 120 visible ASCII characters
	Amount      int64
	Currency    string
}

// Refund is money to give back of a transaction, all of it or a part.
type Refund struct {
	Number      string // at most 32 digits and hyphens; it names the refund, and makes repetitions harmless
	Payment     string // its pay number
	Transaction string
	Amount      int64
	Currency    string
}

// The kinds of notifications.
const (
	Paid         = "paid"          // money came: Transaction, Payment, Amount, Currency
	RefundFailed = "refund_failed" // a refund failed, perhaps after it had succeeded: RefundNumber
	// Refunded says that money was given back, perhaps by somebody at the gateway: Transaction, RefundNumber, and
	// Amount or RefundedTotal.
	Refunded = "refunded"
	Disputed = "disputed" // a step of a dispute: Transaction or Payment, Amount, and the fields of disputes
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
	ID          string // unique for each report, the same when it is sent again: 1 to 120 visible ASCII characters
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

// The errors of a Gateway. An error may wrap them.
var (
	// ErrUnavailable says that nothing is known: the gateway did not answer, or has a problem. It may have done what it
	// was asked for.
	ErrUnavailable = errors.New("onrush: the gateway decided nothing")
	// ErrPaid says that a payment can't be closed since it was paid.
	ErrPaid = errors.New("onrush: the payment was paid")
	// ErrUnderWay says that a refund was accepted and the money is not back yet. Refund is called again to ask.
	ErrUnderWay = errors.New("onrush: the refund is under way")
	// ErrRefundFailed says that a refund ended without money, and that its number is used up: another is used next.
	ErrRefundFailed = errors.New("onrush: the refund failed, and its number is used up")
	// ErrNoBalance says that the merchant's balance is too small for a refund, which waits.
	ErrNoBalance = errors.New("onrush: the merchant's balance is too small")
	// ErrSignature says that a notification is not of the gateway, or too old.
	ErrSignature = errors.New("onrush: the signature is wrong or too old")
	// ErrIgnore says that a notification of the gateway reports nothing to do, so that it is acknowledged.
	ErrIgnore = errors.New("onrush: the notification reports nothing to do")
)

// hostedErrors are the errors of a Gateway, and what the payment channels know them as.
var hostedErrors = []struct{ err, known error }{
	{ErrUnavailable, pay.ErrUnavailable},
	{ErrPaid, pay.ErrPaid},
	{ErrUnderWay, pay.ErrUnderWay},
	{ErrRefundFailed, pay.ErrRefundFailed},
	{ErrNoBalance, pay.ErrNoBalance},
	{ErrSignature, pay.ErrSignature},
	{ErrIgnore, pay.ErrNotPayment},
}

// known returns an error of a Gateway as the payment channels know it.
func known(err error) error {
	for _, e := range hostedErrors {
		if errors.Is(err, e.err) {
			return fmt.Errorf("%w: %w", e.known, err)
		}
	}
	return err
}

// hostedGateway is a Gateway as the payment channels take it.
type hostedGateway struct{ Gateway }

func (g hostedGateway) Begin(ctx context.Context, p hosted.Payment) (hosted.Next, error) {
	next, err := g.Gateway.Begin(ctx, Payment(p))
	return hosted.Next(next), known(err)
}

func (g hostedGateway) Query(ctx context.Context, p hosted.Payment) (hosted.Found, error) {
	found, err := g.Gateway.Query(ctx, Payment(p))
	return hosted.Found(found), known(err)
}

func (g hostedGateway) Close(ctx context.Context, p hosted.Payment) error {
	return known(g.Gateway.Close(ctx, Payment(p)))
}

func (g hostedGateway) Refund(ctx context.Context, r hosted.Refund) error {
	return known(g.Gateway.Refund(ctx, Refund(r)))
}

func (g hostedGateway) Parse(header http.Header, body []byte) (hosted.Notification, error) {
	n, err := g.Gateway.Parse(header, body)
	return hosted.Notification(n), known(err)
}

// hostedGateways returns gateways as the server takes them.
func hostedGateways(all []Gateway) (hosted []server.HostedGateway) {
	for _, g := range all {
		test, ok := g.(TestGateway)
		hosted = append(hosted, server.HostedGateway{
			Name: g.Name(), Test: ok && test.Test(), Gateway: hostedGateway{g},
		})
	}
	return hosted
}
