package pay

import (
	"context"
	"errors"
	"net/http"

	"onrush/modules/order"
)

// Gateway is one channel through which money comes and goes. Implementations are safe for
// concurrent use, bound every call by its context, and never log a secret.
type Gateway interface {
	// Channel is the name in the API and in the webhook's path.
	Channel() string
	// Begin announces a payment to the gateway, if the gateway needs that, and returns how the client
	// pays. It is called again with the same pay number after an error.
	Begin(ctx context.Context, p *Payment) (Next, error)
	// Verify checks the signature and age of a notification with its raw body, and reads it. The error
	// is ErrSignature for a wrong signature or an old timestamp, and ErrNotPayment for a correctly signed
	// notification that has none of the kinds of Notification; the caller acknowledges the latter.
	Verify(header http.Header, body []byte) (Notification, error)
	// Query returns the state of a payment at the gateway.
	Query(ctx context.Context, p *Payment) (Found, error)
	// Close makes the gateway accept no more money for a payment, even if its time is not over. It returns
	// nil if the payment is closed already or the gateway doesn't know it, ErrPaid if it is paid, and
	// ErrUnavailable if the gateway decided nothing. It is called for payments that expired, that a newer
	// payment replaced, or whose orders were cancelled.
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
	// ErrNotPayment says that a notification reports nothing that must be processed.
	ErrNotPayment = errors.New("the notification reports nothing to process")
	// ErrRefundedOutside says that a payment was paid and then refunded at the gateway, not by this
	// program, before this program knew of the money. An operator must examine it.
	ErrRefundedOutside = errors.New("it was refunded outside of this program")
	// ErrUnavailable says that a gateway decided nothing: it could not be reached or was too slow, it
	// answered that it has a problem or is called too often, or the channel is off. The same call may
	// succeed later.
	ErrUnavailable = errors.New("the gateway is unavailable")
	// ErrPaid says that a payment can't be closed because it is paid.
	ErrPaid = errors.New("it is paid")
	// ErrUnderWay says that the gateway has accepted a refund, which may still fail.
	ErrUnderWay = errors.New("the refund is under way")
	// ErrNoBalance says that the merchant's balance is too small for a refund: WeChat Pay's NOT_ENOUGH,
	// Stripe's balance_insufficient, Alipay's ACQ.SELLER_BALANCE_NOT_ENOUGH.
	ErrNoBalance = errors.New("the merchant's balance is too small")
	// ErrRefundFailed says that a refund ended without money and that its number is used up: WeChat Pay's
	// CLOSED, Stripe's failed and canceled.
	ErrRefundFailed = errors.New("the refund failed, and its number is used up")
)

// PayerGateway is a gateway in whose app buyers can pay, if the client says who pays.
type PayerGateway interface {
	Gateway
	// BeginFor is Begin for the buyer whom the gateway knows by openid.
	BeginFor(ctx context.Context, p *Payment, openid string) (Next, error)
}

// Next says how the client pays: a page to open, or parameters of the channel.
type Next struct {
	RedirectURL string            `json:"redirect_url,omitempty"`
	Params      map[string]string `json:"params,omitempty"`
}

// Kind is what a notification reports.
type Kind string

// The kinds of notifications.
const (
	// KindMoney reports money that came in. All fields but RefundNumber and Reason are set.
	KindMoney Kind = ""
	// KindRefundFailed reports that a refund by this program failed, perhaps after it had succeeded.
	// RefundNumber is set. The refund is sent again under a new number, and the payment is flagged
	// if the refund had been done.
	KindRefundFailed Kind = "refund_failed"
	// KindRefundedOutside reports a refund that was made at the gateway, such as on its dashboard, and
	// not by this program. The payment is flagged.
	KindRefundedOutside Kind = "refunded_outside"
	// KindDisputed reports that the buyer's bank disputes the payment. The payment is flagged.
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
	RefundNumber  string // the refund's GatewayNumber, of KindRefundFailed
	Reason        string // the gateway's code of what it reports; "" where it gives none
}

// Found is the answer to a query: Paid, with the transaction, or not.
type Found struct {
	Paid          bool
	Closed        bool // not paid, and closed at the gateway: Close is not needed
	TransactionID string
	Amount        int64
	Currency      string
}
