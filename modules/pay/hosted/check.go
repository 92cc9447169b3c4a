package hosted

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/problem"
)

const (
	// maxID is the longest id of a gateway. Columns have 128 bytes, of which the program puts a few before some ids.
	maxID = 120
	// maxReason and maxStatus are the longest words of a gateway that are kept.
	maxReason, maxStatus = 64, 64
	// maxURL and maxParams bound the answer that is stored for the client, in bytes.
	maxURL, maxParams = 2048, 16 << 10
)

// checkNext refuses an answer without a way to pay, which may be of a proxy before the gateway, a page that no browser
// should open, and parameters that can't be stored.
func checkNext(n *Next) error {
	if n.RedirectURL == "" && len(n.Params) == 0 {
		return fmt.Errorf("%w: it named neither a page to pay at nor parameters of the client", pay.ErrUnavailable)
	}
	if n.RedirectURL != "" {
		u, err := url.Parse(n.RedirectURL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || len(n.RedirectURL) > maxURL {
			return errors.New("the page to pay at is no address of http or https of at most 2,048 bytes")
		}
	}
	size := 0
	for key, value := range n.Params {
		if size += len(key) + len(value); !problem.IsLine(key) || !problem.IsLine(value) {
			return errors.New("a parameter of the client has control characters, or is not UTF-8")
		}
	}
	if size > maxParams {
		return fmt.Errorf("the parameters of the client have %d bytes, which is more than %d", size, maxParams)
	}
	return nil
}

// checkFound refuses an answer that says that a payment is paid, but not with what.
func checkFound(f *Found) error {
	switch {
	case !f.Paid:
		return nil
	case f.Closed:
		return errors.New("a payment can't be both paid and closed")
	case !isID(f.Transaction) || f.Amount < 0 || !problem.IsCurrency(f.Currency):
		return errors.New("a payment that is paid has a transaction of 1 to 120 visible ASCII characters, an amount " +
			"and a currency")
	}
	return nil
}

// read returns a notification as the processor takes it. The error wraps ErrUnreadable.
func read(n *Notification) (pay.Notification, error) {
	var number order.Number
	if n.Payment != "" {
		var err error
		if number, err = order.ParseNumber(n.Payment); err != nil {
			return pay.Notification{}, pay.Unreadable("a notification with a pay number that is none")
		}
	}
	switch {
	case !isID(n.ID):
		return pay.Notification{}, pay.Unreadable("a notification whose id is not 1 to 120 visible ASCII characters")
	case n.Transaction != "" && !isID(n.Transaction), n.Amount < 0, n.RefundedTotal < 0, n.DueMS < 0, n.AtMS < 0,
		len(n.RefundNumber) > maxID || !problem.IsVisible(n.RefundNumber),
		!problem.IsLine(n.Reason), n.Currency != "" && !problem.IsCurrency(n.Currency):
		return pay.Notification{}, pay.Unreadable("a notification with a field that can't be")
	}
	read := pay.Notification{
		EventID: n.ID, TransactionID: n.Transaction, PayNumber: number, Amount: n.Amount, Currency: n.Currency,
		RefundNumber: n.RefundNumber, RefundedTotal: n.RefundedTotal,
		Reason: cut(n.Reason, maxReason),
	}
	lacks := false
	switch n.Kind {
	case Paid:
		read.Kind = pay.KindMoney
		lacks = number == 0 || n.Transaction == "" || n.Currency == ""
	case RefundFailed:
		read.Kind = pay.KindRefundFailed
		lacks = n.RefundNumber == ""
	case Refunded:
		read.Kind = pay.KindRefundedOutside
		lacks = n.RefundNumber == "" || n.Transaction == "" || n.Amount == 0 && n.RefundedTotal == 0
	case Disputed:
		read.Kind = pay.KindDisputed
		lacks = !n.addDispute(&read)
	default:
		return pay.Notification{}, pay.Unreadable("a notification of an unknown kind")
	}
	if lacks {
		return pay.Notification{}, pay.Unreadable("a notification of the kind " + n.Kind + " that lacks a field")
	}
	return read, nil
}

// addDispute adds the step of a dispute; it reports false if n has none.
func (n *Notification) addDispute(to *pay.Notification) bool {
	state := pay.DisputeState(n.DisputeState)
	if !isID(n.DisputeID) || !problem.IsLine(n.DisputeStatus) ||
		state != pay.DisputeOpen && state != pay.DisputeWon && state != pay.DisputeLost ||
		n.Transaction == "" && n.Payment == "" {
		return false
	}
	to.Dispute = pay.DisputeStep{
		ID: n.DisputeID, State: state, Status: cut(n.DisputeStatus, maxStatus), Refundable: n.Refundable,
		DueMS: n.DueMS, AtMS: n.AtMS,
	}
	return true
}

// cut returns at most so many bytes of a text.
func cut(text string, most int) string { return strings.ToValidUTF8(text[:min(len(text), most)], "") }

// isID reports whether an id can be a key of the stores.
func isID(id string) bool { return id != "" && len(id) <= maxID && problem.IsVisible(id) }
