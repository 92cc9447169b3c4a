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
	// signature or an old timestamp is ErrSignature; a notification that tells of no payment
	// (rightly signed) is ErrNotPayment, and is acknowledged.
	Verify(header http.Header, body []byte) (Notification, error)
	// Query asks what became of a payment.
	Query(ctx context.Context, p *Payment) (Found, error)
	// Close makes the gateway take no more money for a payment. One that was paid meanwhile is
	// ErrPaid.
	Close(ctx context.Context, p *Payment) error
	// Refund gives money back. It is idempotent by the refund number: repeating it pays back once.
	// Money that is on its way but not back is ErrUnderWay; then it is called again, with the same
	// number, to ask. It says of a refund under way that failed that it did, once, and makes it anew
	// when it is called after that. Where the gateway decided nothing, it is ErrAway: the refund waits, and
	// that counts for no refusal.
	Refund(ctx context.Context, r *Refund) error
	// Acknowledge writes the gateway's own success answer.
	Acknowledge() (contentType string, body []byte)
}

var (
	// ErrSignature says that a notification is not the gateway's, or too old.
	ErrSignature = errors.New("signature is wrong or too old")
	// ErrNotPayment says that a notification tells of no payment that succeeded.
	ErrNotPayment = errors.New("not about a payment that succeeded")
	// ErrRefundedOutside says that a payment was paid, and that money of it went back by other ways
	// than ours, before we knew of it: a person has to look.
	ErrRefundedOutside = errors.New("money of it was refunded outside")
	// ErrPaid says that a payment can't be closed any more.
	ErrPaid = errors.New("it is paid")
	// ErrUnderWay says that the gateway has taken a refund, and may still fail to pay it back.
	ErrUnderWay = errors.New("the refund is under way")
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

// Notification says that a gateway has received money. Amount is in minor units.
type Notification struct {
	EventID       string // unique per channel
	TransactionID string // the gateway's number of the money, unique per channel
	PayNumber     order.Number
	Amount        int64
	Currency      string
}

// Found is the answer to a query: Paid, with the transaction, or not.
type Found struct {
	Paid          bool
	TransactionID string
	Amount        int64
	Currency      string
}
