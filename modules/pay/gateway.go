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
	// Begin tells the gateway of a payment, where it wants to know beforehand, and says how the
	// client pays. It is repeated with the same pay number after an error.
	Begin(ctx context.Context, p *Payment) (Next, error)
	// Verify checks the signature and age of a notification on its raw body and reads it. A wrong
	// signature or an old timestamp is ErrSignature; a notification that reports nothing of the
	// kinds of Notification (rightly signed) is ErrNotPayment, and is acknowledged.
	Verify(header http.Header, body []byte) (Notification, error)
	// Query asks what became of a payment.
	Query(ctx context.Context, p *Payment) (Found, error)
	// Close makes the gateway take no more money for a payment, whether or not its time is over. A
	// payment that is closed already, or that the gateway doesn't know, is no error; one that was
	// paid meanwhile is ErrPaid. Where the gateway decided nothing, it is ErrUnavailable. It is called for
	// payments that expired, that a newer payment replaced, and whose orders were cancelled.
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
	// Acknowledge writes the gateway's own success answer.
	Acknowledge() (contentType string, body []byte)
}

var (
	// ErrSignature says that a notification is not the gateway's, or too old.
	ErrSignature = errors.New("signature is wrong or too old")
	// ErrNotPayment says that a notification reports nothing that has to be carried out.
	ErrNotPayment = errors.New("nothing in it has to be carried out")
	// ErrRefundedOutside says that a payment was paid, and that money of it went back by other ways
	// than ours, before we knew of it: a person has to look.
	ErrRefundedOutside = errors.New("money of it was refunded outside")
	// ErrUnavailable says that a gateway decided nothing: it could not be reached or was too slow, it answered
	// that it is in trouble or asked too often, or the channel is off. The same call may succeed later.
	ErrUnavailable = errors.New("the gateway is unavailable")
	// ErrPaid says that a payment can't be closed any more.
	ErrPaid = errors.New("it is paid")
	// ErrUnderWay says that the gateway has taken a refund, and may still fail to pay it back.
	ErrUnderWay = errors.New("the refund is under way")
	// ErrNoBalance says that the merchant's balance is too small for a refund: WeChat Pay's NOT_ENOUGH,
	// Stripe's balance_insufficient, Alipay's ACQ.SELLER_BALANCE_NOT_ENOUGH.
	ErrNoBalance = errors.New("the merchant's balance is too small")
	// ErrRefundFailed says that a refund ended without money and that its number is used up: WeChat Pay's
	// CLOSED, Stripe's failed and canceled.
	ErrRefundFailed = errors.New("the refund failed, and its number is used up")
)

// PayerGateway is a gateway that some clients tell who pays, so that the buyer pays in its app.
type PayerGateway interface {
	Gateway
	// BeginFor is Begin for the buyer whom the gateway knows by openid.
	BeginFor(ctx context.Context, p *Payment, openid string) (Next, error)
}

// Next tells the client how to pay: a page to go to, or the channel's own parameters.
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
	// KindRefundFailed reports that a refund of ours failed, which may be after it had succeeded.
	// RefundNumber is set. The refund is sent again under a new number, and the payment is flagged
	// if the refund had been done.
	KindRefundFailed Kind = "refund_failed"
	// KindRefundedOutside reports money that somebody gave back at the gateway, such as on its
	// dashboard; never a refund of ours. The payment is flagged.
	KindRefundedOutside Kind = "refunded_outside"
	// KindDisputed reports that the buyer's bank disputes the payment. The payment is flagged.
	KindDisputed Kind = "disputed"
)

// Notification is what a gateway reports. Amount is in minor units. A notification of another kind
// than KindMoney names its payment by TransactionID, by PayNumber, or by both.
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
