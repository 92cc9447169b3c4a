package pay

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
)

// Gateway is one channel through which money comes and goes. Implementations are safe for
// concurrent use, bound every call by its context, and never log a secret.
type Gateway interface {
	// Channel is the name in the API and in the webhook's path.
	Channel() string
	// Begin announces a payment to the gateway, if the gateway needs that, and returns how the client
	// pays. It is called again with the same pay number after an error. The error is ErrUnavailable if the gateway
	// decided nothing, and a problem if the buyer or another channel can help; every other error is a refusal that
	// an operator must examine.
	Begin(ctx context.Context, p *Payment) (Next, error)
	// Verify checks the signature and age of a notification with its raw body, and reads it. The error is ErrSignature
	// for a wrong signature or an old timestamp, ErrNotPayment for a correctly signed notification that has none of the
	// kinds of Notification, and ErrUnreadable for a notification that can never be read; the caller acknowledges the
	// latter two. After any other error the gateway sends it again.
	Verify(header http.Header, body []byte) (Notification, error)
	// Query returns the state of a payment at the gateway.
	Query(ctx context.Context, p *Payment) (Found, error)
	// Close makes the gateway accept no more money for a payment, even if its time is not over. It returns
	// nil if the payment is closed already or the gateway doesn't know it, ErrPaid if it is paid, ErrOpen if
	// only the expiry of the payment closes it, and ErrUnavailable if the gateway decided nothing. It is called
	// for payments that expired, that a newer payment replaced, or whose orders were cancelled.
	Close(ctx context.Context, p *Payment) error
	// Refund gives money back. It is idempotent by r.GatewayNumber(): repeating it pays back once.
	// Its errors decide what happens next:
	//   - ErrUnderWay: the money is on its way but not back. Refund is called again with the same
	//     number to ask.
	//   - ErrRefundFailed: the refund of this number ended without money, and the gateway makes no
	//     other under the number. That counts as a refusal, and Refund is called again with a new
	//     number.
	//   - ErrNoBalance: the merchant's balance is too small. The refund waits, and that counts as no
	//     refusal.
	//   - ErrUnavailable: the gateway decided nothing. The refund waits, and that counts as no refusal.
	//   - every other error is a refusal; Refund is called again with the same number, a bounded number
	//     of times.
	Refund(ctx context.Context, r *Refund) error
	// Acknowledge returns the success answer that the gateway expects to a notification.
	Acknowledge() (contentType string, body []byte)
}

var (
	// ErrSignature says that a notification is not from the gateway, or is too old.
	ErrSignature = errors.New("signature is wrong or too old")
	// ErrUnreadable says that a notification from the gateway can never be read: it is of another program with the same
	// account, or has an unknown shape. The gateway would send it for days. Texts of errors that wrap it name its kind.
	ErrUnreadable = errors.New("it can never be read")
	// ErrNotPayment says that a notification reports nothing that must be processed.
	ErrNotPayment = errors.New("the notification reports nothing to process")
	// ErrRefundedOutside says that a payment was paid and then refunded at the gateway, not by this
	// program, before this program knew of the money. An operator must examine it.
	ErrRefundedOutside = errors.New("it was refunded outside of this program")
	// ErrUnavailable says that a gateway decided nothing: it could not be reached or was too slow, it
	// answered that it has a problem or is called too often, or the channel is off. The same call may
	// succeed later.
	ErrUnavailable = errors.New("the gateway is unavailable")
	// ErrResting is the ErrUnavailable of a gateway that answered none of the last calls and is not called for a
	// moment.
	ErrResting = fmt.Errorf("%w: it answered none of the last calls, and is left alone for a moment", ErrUnavailable)
	// ErrPaid says that a payment can't be closed because it is paid.
	ErrPaid = errors.New("it is paid")
	// ErrOpen says that a gateway doesn't know a payment yet, although the buyer may still begin it there: the payment
	// can't be closed before it expires. Only an ExpiringGateway returns it.
	ErrOpen = errors.New("the buyer may still pay it")
	// ErrUnderWay says that the gateway has accepted a refund, which may still fail.
	ErrUnderWay = errors.New("the refund is under way")
	// ErrNoBalance says that the merchant's balance is too small for a refund: WeChat Pay's NOT_ENOUGH,
	// Stripe's balance_insufficient, Alipay's ACQ.SELLER_BALANCE_NOT_ENOUGH.
	ErrNoBalance = errors.New("the merchant's balance is too small")
	// ErrRefundFailed says that a refund ended without money and that its number is used up: WeChat Pay's
	// CLOSED, Stripe's failed and canceled.
	ErrRefundFailed = errors.New("the refund failed, and its number is used up")
)

// RefundReader is a gateway whose notifications don't say how much one refund paid back.
type RefundReader interface {
	Gateway
	// ReadRefund returns the amount of the refund with a number, whoever made it; 0 if the gateway knows none.
	ReadRefund(ctx context.Context, transaction, number string) (amount int64, err error)
}

// SpacedGateway is a gateway that refuses a refund shortly after another one of the same transaction.
type SpacedGateway interface {
	Gateway
	// RefundSpacing is how far apart the refunds of a transaction must be.
	RefundSpacing() time.Duration
}

// CoarseGateway is a gateway that doesn't refund every amount of a currency.
type CoarseGateway interface {
	Gateway
	// CheckRefund returns a problem for an amount, in minor units, that the gateway would refuse.
	CheckRefund(currency string, amount int64) error
}

// PayerGateway is a gateway in whose app buyers can pay, if the client says who pays.
type PayerGateway interface {
	Gateway
	// BeginFor is Begin for the buyer whom the gateway knows by openid.
	BeginFor(ctx context.Context, p *Payment, openid string) (Next, error)
}

// ExpiringGateway is a gateway that stops taking money for a payment by itself at p.ExpiresMS.
type ExpiringGateway interface {
	Gateway
	// ShortestTime is the shortest time to pay that the gateway accepts when a payment begins.
	ShortestTime() time.Duration
}

// Next says how the client pays: a page to open, or parameters of the channel.
type Next struct {
	RedirectURL string            `json:"redirect_url,omitempty"`
	Params      map[string]string `json:"params,omitempty"`
}

// Unreadable returns an error that wraps ErrUnreadable; what names the kind of the notification, and nothing of it.
func Unreadable(what string) error { return fmt.Errorf("%s: %w", what, ErrUnreadable) }

// Kind is what a notification reports.
type Kind string

// The kinds of notifications.
const (
	// KindMoney reports money that came in. All fields are set, except Reason and the fields of refunds.
	KindMoney Kind = ""
	// KindRefundFailed reports that a refund failed, perhaps after it had succeeded. RefundNumber is set. A refund by
	// this program is sent again under a new number, and a refund that was made at the gateway is taken out of the
	// books. If the refund had been done, the payment is flagged.
	KindRefundFailed Kind = "refund_failed"
	// KindRefundedOutside reports a refund that paid back. RefundNumber and TransactionID are set, and Amount or
	// RefundedTotal. If somebody made the refund at the gateway, such as on its dashboard, and not this program, it
	// is booked, and the payment is flagged.
	KindRefundedOutside Kind = "refunded_outside"
	// KindDisputed reports a step of a dispute: the buyer's bank takes the money back, wants to, or gives it up.
	// Dispute is set, and Amount is the disputed amount.
	KindDisputed Kind = "disputed"
)

// Notification is a report of a gateway. Amount is in minor units. If Kind is not KindMoney, the payment
// is named by TransactionID, by PayNumber, or by both.
type Notification struct {
	Kind          Kind
	EventID       string // unique per channel
	TransactionID string // the gateway's number of the money, unique per channel
	PayNumber     order.Number
	Amount        int64
	Currency      string
	RefundNumber  string // the refund's GatewayNumber, or the gateway's number of one that was made there
	RefundedTotal int64  // what all refunds of the transaction have paid back so far; 0 if Amount says more
	Reason        string // the gateway's code of what it reports; "" where it gives none
	Dispute       DisputeStep
	Also          []Notification // more that the gateway reported at once, each with an EventID of its own

	// By is the actor in the logs of the orders that money pays; the zero value is the gateway.
	By order.LogLine
	// Within, if set, runs in the transaction that processes money. Its error undoes the transaction.
	Within func(ctx context.Context, tx *sqlx.Tx, s Settled) error
}

// Settled says what became of money.
type Settled struct {
	Before bool // the notification or its transaction was processed before
	Pays   bool // it pays an order now
}

// DisputeState is who has the money of a dispute.
type DisputeState string

// The states of a dispute.
const (
	DisputeOpen DisputeState = "open"
	DisputeWon  DisputeState = "won"  // the merchant keeps the money, or the bank only asked
	DisputeLost DisputeState = "lost" // the buyer has the money
)

// DisputeStep is a gateway's report of a step of a dispute. The zero value is no report.
type DisputeStep struct {
	ID         string // unique per channel, at most 128 bytes
	State      DisputeState
	Status     string // the gateway's own word, at most 64 bytes
	Refundable bool   // the gateway still refunds the money while the dispute is open
	DueMS      int64  // until when the merchant may answer; 0 if there is no date
	AtMS       int64  // the gateway's time of the report: an older one changes nothing
}

// Found is the answer to a query: Paid, with the transaction, or not.
type Found struct {
	Paid          bool
	Closed        bool // not paid, and closed at the gateway: Close is not needed
	TransactionID string
	Amount        int64
	Currency      string
}
